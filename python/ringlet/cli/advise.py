"""`ringlet advise` finds the cheapest network for a data-acquisition system."""

import logging
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ringlet import advice, figures, plots, studies
from ringlet import store as stores
from ringlet.cli import output
from ringlet.cli.arguments import PATH, as_json, check_folder, on_executor, on_workers
from ringlet.cli.failures import CommandError
from ringlet.cli.interrupts import keeping
from ringlet.cli.progress import counting
from ringlet.cli.tables import MISSING, Table, column, figure
from ringlet.document.words import plain
from ringlet.errors import RingletError
from ringlet.files import writing
from ringlet.sections.wording import counted

if TYPE_CHECKING:
    from ringlet.advice import Advice
    from ringlet.advice.advised import Advised
    from ringlet.advice.requirements import Requirements
    from ringlet.advice.verdict import Verdict


STYLES = {"fits": "green", "unclear": "yellow", "fails": None, "failed": "red"}


@click.command
@click.argument(
    "requirements",
    metavar="[REQUIREMENTS]",
    type=PATH,
    required=False,
    help="Requirements file, in TOML; or all by --set.",
)
@click.option(
    "--set",
    "overrides",
    metavar="KEY=VALUE",
    multiple=True,
    help="Replace one key of the requirements, such as 'rate=60 MB/s'. May be repeated.",
)
@click.option(
    "--out",
    metavar="DIR",
    type=PATH,
    help="Folder for the runs, so that none is made twice, the table and the figure.",
)
@click.option(
    "--budget",
    metavar="TIME",
    help="Time after which no run begins any more, such as '60 s': the cheapest networks are simulated first.",
)
@on_workers
@on_executor
@as_json
def command(
    requirements: Path | None,
    overrides: Sequence[str],
    out: Path | None,
    budget: str | None,
    workers: int | None,
    executor: str | None,
    json: bool,
) -> None:
    """Find the cheapest network that carries the data of so many senders to so many receivers.

    The requirements say how many senders and receivers there are, each sender's rate, which share stays with a receiver
    of its own, and what may be lost and late; or how events are built, or which deadlines messages have. One ring, a
    dual ring, one switch, Omega networks, tori and rings of rings of the size needed are simulated with that traffic,
    but those that theory rules out. The table has those that fit first, the cheapest of them on top; for the others it
    says which requirements fail, and by how much. A network stays unclear if after at_most runs a 95 % interval still
    holds the limit. "most" is the largest throughput at any rate that was tried, "overload" that when every sender
    offers what a link takes, "no way" the share of the data between nodes that nothing joins while the worst link is
    broken. With stages a second table says what has to be bought for each stage of growth.

    Without prices a network costs the number of its switches' ports. With --out the same command goes on where it
    ended, and DIR gets advice.csv and the figure advice.svg, cost against what it does.

    \b
    Examples:
        ringlet advise plasma.toml
        ringlet advise plasma.toml --set growth=2 --set prices.port=900 --out out/plasma
        ringlet advise plasma.toml --set growth=4 --set stages='[1, 2]' --set failure_loss=0.1
        ringlet advise --set senders=8 --set receivers=8 --set "rate=40 MB/s" --set "latency=5 us"
    """
    if requirements is None:
        if not overrides:
            raise RingletError(
                "REQUIREMENTS: missing; a file, or --set senders=N --set receivers=N --set rate='R MB/s'"
            )
        wanted = advice.Requirements.from_dict({}, overrides)
    else:
        wanted = advice.Requirements.load(requirements, overrides)
    if out is not None:
        check_folder(out)
    with stores.Store.open(None if out is None else out / studies.STORE_FILE) as store:
        with keeping(store.path), counting("simulating", lines=True) as progress:
            found = advice.advice(
                wanted,
                executor=executor,
                workers=workers,
                store=store,
                progress=lambda counts: progress(counts.done, counts.total),
                budget=budget,
            )
        for damage in store.damage:
            output.write_line(f"warning: {damage}; set aside, and computed again where it is needed", style="yellow")
    files = [] if out is None else write_files(found, out)
    if json:
        output.write_json(found.to_dict() | {"files": [str(file) for file in files]})
    else:
        write_report(found, files)
    if found.defects:
        raise CommandError(f"{counted(len(found.defects), 'run')} failed by a defect of ringlet: {found.defects[0]}")


def write_files(found: "Advice", out: Path) -> list[Path]:
    """Writes table and figure into a folder and returns the files."""
    # matplotlib logs about its fonts.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)

    path = out / "advice.csv"
    with writing(path) as aside:
        found.table.to_csv(aside)
    chart = plots.advice_chart(found)
    plots.save(chart, out, ["svg"])
    return [path, out / f"{chart.name}.svg"]


def write_report(found: "Advice", files: list[Path]) -> None:
    """Writes the advice for a person."""
    wanted, counts = found.requirements, found.counts
    grown = f" (after growth by {wanted.growth:g})" if wanted.growth > 1 else ""
    local = "" if wanted.locality is None else f", {100 * wanted.locality:g} % to a receiver of its own"
    what = "" if wanted.event_building is None else " of events"
    late = "" if wanted.latency is None else f", {wanted.latency_figure} latency{what} at most {wanted.latency}"
    output.write_line(
        f"{_senders(wanted)}, {wanted.final_receivers} receivers{grown}{local}; "
        f"loss at most {wanted.loss:g}{late}; links of {wanted.links}"
    )
    output.write_line(_limits(wanted))
    runs = counted(counts.computed, "run") + (f", {counts.found} found in the store" if counts.found else "")
    output.write_line(f"{counted(len(found.ranked), 'candidate')}, {runs}")
    output.write_line()
    output.write_table(by_candidate(found))
    if wanted.stages:
        output.write_line()
        output.write_table(by_stage(found))
    output.write_line()
    for number, one in enumerate(found.ranked, 1):
        runs = "" if one.verdict is None else f" ({counted(one.verdict.runs, 'run')})"
        words = f"{one.state}{runs}: {one.why}" if one.why else f"{one.state}{runs}"
        has = ((one.parts.switches, "switch"), (one.parts.ports, "port"), (one.parts.cables, "cable"))
        parts = ", ".join(counted(count, what) for count, what in has)
        about = f"{one.candidate.name}: {one.candidate.title}; {parts}"
        output.write_line(f"{number:>2} {about}; {words}", style=STYLES[one.state])
        if one.can_deadlock:
            output.write_line("   warning: this network can deadlock", style="yellow")
    output.write_line()
    best = found.best
    output.write_line(
        "no candidate is known to fit"
        if best is None
        else f"cheapest that fits: {best.candidate.name}, {best.price:g} {wanted.prices.unit}"
    )
    if found.unfinished and found.budget_s is not None:
        output.write_line(
            f"the budget of {plain(found.budget_s)} s is spent: {counted(found.unfinished, 'candidate')} left open"
        )
    for file in files:
        output.write_line(str(file))


def _senders(wanted: "Requirements") -> str:
    """Returns how many senders there are, and what they have to send."""
    table = wanted.table_of_flows
    if table is None:
        return f"{wanted.final_senders} senders of {wanted.rate} each"
    data = table.demands.sum(axis=1)
    most = int(data.argmax())
    flows, all_data = counted(len(table.flows), "flow"), plain(float(data.sum()))
    return (
        f"{counted(wanted.senders, 'sender')} of {flows}, {all_data} MB/s in all, "
        f"the most of {table.senders[most]}, {plain(data[most])} MB/s"
    )


def _limits(wanted: "Requirements") -> str:
    """Returns how long a run is, and after which time an event is given up."""
    from ringlet.advice.physics import event_ns, run_ns, timeout_ns

    words = f"each run: {plain(run_ns(wanted) / 1e3)} us behind its warm-up"
    if wanted.event_building is None:
        return words
    return (
        f"{words}; an event needs at least {plain(event_ns(wanted) / 1e3)} us and is given up after "
        f"{plain(timeout_ns(wanted) / 1e3)} us"
    )


def by_candidate(found: "Advice") -> Table:
    """Returns what each candidate costs and does."""
    wanted, ranked = found.requirements, found.ranked
    rows = Table(
        (
            "candidate",
            "\nverdict",
            *(["buffer\npackets"] if wanted.buffers else []),
            f"price\n{wanted.prices.unit}",
            "throughput\nMB/s",
            f"latency\n{wanted.latency_figure} us",
            "+/- 95 %\nus",
            "lost\n%",
            "most\nMB/s",
            "overload\nMB/s",
            "no way\n%",
        )
    )
    columns = [
        [one.state for one in ranked],
        *([[str(one.candidate.transmit) for one in ranked]] if wanted.buffers else []),
        [f"{one.price:g}" for one in ranked],
        *_figures(ranked),
        column(100 * one.failing.share for one in ranked),
    ]
    for number, (one, *cells) in enumerate(zip(ranked, *columns, strict=True), 1):
        rows.add_row(f"{number:>2} {one.candidate.name}", *cells, style=STYLES[one.state])
    return rows


def by_stage(found: "Advice") -> Table:
    """Returns what has to be bought for each stage of growth, and in total."""
    wanted = found.requirements
    growths = (*wanted.stages, wanted.growth)
    rows = Table(("candidate", *(f"growth {growth:g}\n{wanted.prices.unit}" for growth in growths), "\ntotal"))
    for number, one in enumerate(found.ranked, 1):
        prices = [stage.price for stage in one.stages]
        rows.add_row(f"{number:>2} {one.candidate.name}", *(f"{price:g}" for price in (*prices, sum(prices))))
    return rows


def _figures(ranked: "tuple[Advised, ...]") -> list[list[str]]:
    def of(part: "Callable[[Verdict], float]") -> list[str]:
        found = [None if one.verdict is None else part(one.verdict) for one in ranked]
        return column(None if value is None or not math.isfinite(value) else value for value in found)

    beyond = ([one.most for one in ranked], [one.overloaded for one in ranked])
    return [
        of(lambda verdict: verdict.throughput.mean),
        *_latencies(ranked),
        of(lambda verdict: 100 * verdict.loss.mean),
        *(column(None if found is None else found.mean for found in each) for each in beyond),
    ]


def _latencies(ranked: "tuple[Advised, ...]") -> tuple[list[str], list[str]]:
    """Latencies in us, and the half widths of their intervals."""
    cells = []
    for one in ranked:
        latency = None if one.verdict is None else one.verdict.latency
        if latency is None or not math.isfinite(latency.mean):
            cells.append((MISSING, MISSING))
        else:
            half_width = (latency.high - latency.mean) / 1e3
            value, half = figures.with_half_width(latency.mean / 1e3, half_width, alone=figure)
            cells.append((value, half or MISSING))
    return [value for value, _ in cells], [half for _, half in cells]
