"""The application: all commands, and what surrounds every one of them."""

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated

import typer

from ringlet.cli import failures, output
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
    ringlet run ring.toml                                    what each node gets
    ringlet run ring.toml --set flow_control.protocol=none   the same without flow control
    ringlet bound ring.toml                                  what each node could get at best
    ringlet model ring.toml                                  mean latencies by a queueing model
    ringlet group ring.toml                                  which nodes should share a transmission group
    ringlet trace ring.toml --format player --out ring.html  what happens, symbol by symbol
    ringlet breakdown set.toml                               how much faster a set of periodic messages may run
    ringlet sweep study.toml --out out/study                 many points, each several times; goes on where it ended
    ringlet plot ring.toml --out figures                     throughput of each node, latency, links
    ringlet advise needs.toml                                the cheapest network that carries a data-acquisition system
    ringlet topology omega.toml                              a network's rings, switches, routes, cost and deadlocks
    ringlet reproduce picker1994 --quick --out out           a paper's tables and figures beside ours
    ringlet store check out/study                            whether every stored run is as it was written
    ringlet schema > ringlet.schema.json                     the keys of a scenario, for an editor

Exit codes: 0 done; 2 bad input, with one message on stderr; 143 ended by SIGTERM; 1 anything else.
RINGLET_DEBUG=1 adds the traceback.
"""

app = typer.Typer(
    name="ringlet",
    cls=Commands,
    help=HELP,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from ringlet._engine import __version__

        output.write(f"ringlet {__version__}\n")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


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
    # Else pydantic looks through the metadata of all installed packages for plugins of its own.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # A name that the terminal cannot show must not stop a command.
    output.escape_what_cannot_be_shown()
    with failures.terminable() as terminated:
        code = _run(arguments, debug=debug)
    return failures.TERMINATED if terminated else code


def _run(arguments: Sequence[str] | None, *, debug: bool) -> int:
    try:
        code = typer.main.get_command(app).main(arguments, prog_name="ringlet", standalone_mode=False)
        if code == failures.INTERRUPTED_TYPER:
            raise KeyboardInterrupt
        sys.stdout.flush()
    except SystemExit:
        # Shell completion ends in this way.
        raise
    except BaseException as error:
        return failures.report(error, debug=debug)
    return code or 0
