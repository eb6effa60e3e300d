"""The application: all commands, and what surrounds every one of them."""

import importlib
import os
import sys
import warnings
from collections.abc import Callable, Sequence

import click

from ringlet.cli import failures, interrupts, output
from ringlet.cli.commands import Commands

HELP = """Simulate register-insertion rings (SCI, IEEE 1596), symbol by symbol.

A scenario is a TOML file; this is a whole one, say `ring.toml`:

\b
    [network]
    nodes = 8
    [traffic]
    arrivals = "poisson"
    load = "60 MB/s"

What to do with it:

\b
    ringlet new research                                     such a file, with a comment at each key
    ringlet import vehicle.dbc                               a file of another tool as a scenario
    ringlet run ring.toml                                    what each node gets
    ringlet run ring.toml --set flow_control.protocol=none   the same without flow control
    ringlet bound ring.toml                                  what each node could get at best
    ringlet model ring.toml                                  mean latencies by a queueing model
    ringlet group ring.toml                                  which nodes should share a transmission group
    ringlet trace ring.toml --format player --out ring.html  what happens, symbol by symbol
    ringlet breakdown set.toml                               how much faster a set of periodic messages may run
    ringlet verify set.toml                                  whether they meet their deadlines, as a report to sign
    ringlet sweep study.toml --out out/study                 many points, each several times; goes on where it ended
    ringlet report out/study                                 a page of its figures, its points, and some runs
    ringlet plot ring.toml --out figures                     throughput of each node, latency, links
    ringlet advise needs.toml                                the cheapest network that carries a data-acquisition system
    ringlet topology omega.toml                              a network's rings, switches, routes, cost and deadlocks
    ringlet reproduce picker1994 --quick --out out           a paper's tables and figures beside ours
    ringlet store check out/study                            whether every stored run is as it was written
    ringlet explain traffic.load                             what a key, a figure or a warning means
    ringlet schema > ringlet.schema.json                     the keys of a scenario, for an editor

Exit codes: 0 done; 2 bad input, with one message on stderr; 3 a verdict fails (`run --verdict`, `guarantee`,
`breakdown --at`, `verify`); 130 ended by Ctrl-C; 143 ended by SIGTERM; 1 anything else.
RINGLET_DEBUG=1 adds the traceback.
"""

CONTEXT = {"help_option_names": ["-h", "--help"]}


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from ringlet._engine import __version__

        output.write(f"ringlet {__version__}\n")
        context.exit()


def _install_completion(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from ringlet.cli.completion import install

        install(context.command)
        context.exit()


def _show_completion(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from ringlet.cli.completion import show

        show(context.command)
        context.exit()


def _flag(name: str, callback: Callable[[click.Context, click.Parameter, bool], None], text: str) -> click.Option:
    return click.Option([name], is_flag=True, is_eager=True, expose_value=False, callback=callback, help=text)


app = Commands(
    name="ringlet",
    help=HELP,
    context_settings=CONTEXT,
    no_args_is_help=False,
    params=[
        _flag("--version", _print_version, "Print the version and exit."),
        _flag("--install-completion", _install_completion, "Install completion for the current shell."),
        _flag(
            "--show-completion",
            _show_completion,
            "Show completion for the current shell, to copy it or customize the installation.",
        ),
    ],
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code.

    Args:
        arguments: words after the program's name; default: those of this process.
    """
    output.open_what_is_closed()
    debug = os.environ.get("RINGLET_DEBUG") == "1"
    if not debug:
        # stderr holds our one message and nothing else.
        warnings.simplefilter("ignore")
    if "_RINGLET_COMPLETE" in os.environ:
        importlib.import_module("ringlet.cli.completion")  # completion in Bash is our own
    # A name that the terminal cannot show must not stop a command.
    output.escape_what_cannot_be_shown()
    with interrupts.ending_in_time(of_process=arguments is None) as signals:
        try:
            signals.begin()
            code = _run(arguments, signals, debug=debug)
        except KeyboardInterrupt as error:
            # Ctrl-C came before the command's outcome was told.
            code = failures.report(error, debug=debug)
        signals.told = True
        return interrupts.exit_code(signals.came[0]) if signals.came else code


def _run(arguments: Sequence[str] | None, signals: interrupts.Signals, *, debug: bool) -> int:
    try:
        code = app.main(arguments, prog_name="ringlet", standalone_mode=False)
        sys.stdout.flush()
        signals.told = True
    except SystemExit:
        # Shell completion ends in this way.
        raise
    except BaseException as error:
        signals.told = True
        return failures.report(error, debug=debug)
    return code or 0
