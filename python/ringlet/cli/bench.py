"""`ringlet bench`: the engine's speed and memory on this machine, beside the last time and beside other simulators."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from ringlet._engine import __version__
from ringlet.benchmarks import CASES, Case, Last, Timing, chosen, compare, compared, machine, measure
from ringlet.cli import output
from ringlet.cli.arguments import PATH, as_json, completed_from
from ringlet.cli.progress import working
from ringlet.cli.tables import MISSING, Table, figure


@click.command
@click.option(
    "--case",
    "only",
    metavar="NAME",
    multiple=True,
    help=f"Time this case only; may be repeated: {', '.join(case.name for case in CASES)}; default: all.",
    shell_complete=completed_from(lambda: (case.name for case in CASES)),
)
@click.option(
    "--peers",
    is_flag=True,
    help="Compare with other simulators on the same work: a bare loop in Rust, SimPy where it is installed (pip "
    "install 'ringlet[peers]'), and BookSim 2 with --booksim.",
)
@click.option(
    "--booksim", metavar="PROGRAM", type=PATH, help="With --peers: the program of BookSim 2, which you build."
)
@as_json
def command(only: Sequence[str], peers: bool, booksim: Path | None, json: bool) -> None:
    """Time the engine on this machine: node-cycles per second on one core, and memory per node.

    Median, least and most of several repeats after the ring has filled, with all measurement on, and the median beside
    that of the last time on this machine. A node-cycle is one node simulated for one symbol time. All cases together
    take about half a minute.

    With --peers, simulators take turns on a ring of 16 nodes without flow control, uniform Poisson traffic of send80,
    10 and 50 % of what fills its links; ratios are those within a round.

    \b
    Examples:
        ringlet bench
        ringlet bench --case saturated --case nodes-65536
        ringlet bench --peers --booksim booksim2/src/booksim
        ringlet bench --json
    """
    if peers and only:
        raise click.UsageError("--peers measures work of its own: leave out --case")
    if booksim is not None and not peers:
        raise click.UsageError("--booksim is for --peers")
    if peers:
        _show_peers(booksim, json=json)
    else:
        _show_cases(chosen(only), json=json)


def _show_cases(cases: Sequence[Case], *, json: bool) -> None:
    timings = []
    for case in cases:
        with working(case.description):
            timings.append(measure(case))
    before = compared(timings)
    if json:
        _write_json({"cases": [_document(timing, before.get(timing.case.name)) for timing in timings]})
        return
    _write_machine()
    rows = Table(
        (
            "case",
            "median\nmillion node-cycles/s",
            "min\n",
            "max\n",
            "of the\nlast median",
            "\ndate",
            "bytes/node\nbuilt",
            "\nidle",
            "\nloaded",
        )
    )
    for timing in timings:
        rates = (statistics.median(timing.rates), min(timing.rates), max(timing.rates))
        last = before.get(timing.case.name)
        rows.add_row(
            timing.case.description,
            *(f"{rate / 1e6:,.0f}" for rate in rates),
            *((MISSING, MISSING) if last is None else (f"{rates[0] / last.node_cycles_per_s:z.2f}", last.date)),
            *(f"{size:,.0f}" for size in timing.engine_bytes_per_node.values()),
        )
    output.write_table(rows)
    output.write_line()
    for timing in timings:
        if timing.case.note:
            output.write_line(f"{timing.case.name}: {timing.case.note}")


def _document(timing: Timing, last: Last | None) -> dict[str, object]:
    return timing.to_dict() | {"last": None if last is None else asdict(last)}


def _show_peers(booksim: Path | None, *, json: bool) -> None:
    with working("the same work in turns"):
        found = compare(booksim)
    if json:
        _write_json({"peers": [one.to_dict() for one in found]})
        return
    _write_machine()
    rows = Table(("load and simulator", "million\nnode-cycles/s", "the engine\nis faster by", "mean latency\ncycles"))
    for one in found:
        if one.peer.name == "ringlet":
            rows.add_row(f"{100 * one.load:z.0f} % of saturation")
        rows.add_row(
            f"  {one.peer.description}",
            _range([rate / 1e6 for rate in one.node_cycles_per_s]),
            MISSING if one.peer.name == "ringlet" else _range(one.ratios),
            f"{one.mean_latency_cycles:z.1f}",
        )
    output.write_table(rows)
    output.write_line()
    for name, missing in (("simpy", "pip install 'ringlet[peers]'"), ("booksim", "--booksim PROGRAM")):
        if name not in {one.peer.name for one in found}:
            output.write_line(f"without {name}: {missing}")


def _range(values: Sequence[float]) -> str:
    return f"{figure(min(values))} to {figure(max(values))}"


def _write_machine() -> None:
    output.write_line(" ".join(f"{value}," for value in machine().values()).rstrip(","))
    output.write_line()


def _write_json(figures: dict[str, object]) -> None:
    output.write_json({"schema": 1, "ringlet": __version__, "machine": machine()} | figures)
