"""`ringlet sweep`: a study, run point by point."""

import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from ringlet import figures as figure_registry
from ringlet import store as stores
from ringlet import studies
from ringlet.cli import output
from ringlet.cli.arguments import PATH, as_json, check_folder, on_executor, on_workers
from ringlet.cli.failures import CommandError
from ringlet.cli.interrupts import keeping
from ringlet.cli.progress import counting
from ringlet.cli.report import draw_report
from ringlet.cli.tables import SHOWN_NODES, Table, left_out
from ringlet.drawable import REPORT
from ringlet.errors import RingletError
from ringlet.sections.wording import counted, plural

if TYPE_CHECKING:
    from ringlet.store import Store
    from ringlet.studies import Study, SweepResult
    from ringlet.studies.overview import Head


SHOWN = ("throughput_MBps", "latency_mean_ns", "latency_p99_ns")
"""Figures that the table shows, beside those that the study watches or draws."""


@click.command
@click.argument("study", metavar="STUDY", type=PATH, help="Study file, in TOML.")
@click.option(
    "--out",
    metavar="DIR",
    type=PATH,
    help="Folder for the store and the tables; default: out/ and the study's name.",
)
@on_workers
@on_executor
@click.option(
    "--shard",
    metavar="I/N",
    help="Only the I-th of N parts of the points, into a store of its own; afterwards run without it.",
)
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["csv", "parquet"]),
    default="csv",
    show_default=True,
    help="Format of the tables in DIR.",
)
@click.option(
    "--resume/--no-resume",
    default=True,
    show_default=True,
    help="Go on with the runs that DIR has, or refuse if it has any.",
)
@click.option("--report", is_flag=True, help="Make DIR/report.html too, as 'ringlet report DIR' does.")
@click.option("--yes", is_flag=True, help="Do not ask before more than 100,000 runs.")
@as_json
def command(
    study: Path,
    out: Path | None,
    workers: int | None,
    executor: str | None,
    shard: str | None,
    file_format: Literal["csv", "parquet"],
    resume: bool,
    report: bool,
    yes: bool,
    json: bool,
) -> None:
    """Simulate every point of a study, several times each, and tabulate means and 95 % intervals.

    Each finished run is stored at once in DIR/store.sqlite, and none that is there is computed again: after an
    interruption, a crash or a change of the study, the same command computes what is missing. DIR also gets the tables
    summary, points, nodes and, where there are any, priorities, messages and failures; 'ringlet report DIR' makes a
    page with figures of them.

    On a cluster without Dask or MPI: one job for each --shard I/N with the same DIR, then once without --shard, which
    takes in the stores of all of them and computes what is missing.

    Runs that fail do not stop the others; they are listed, and the exit code is 1 then.

    \b
    Examples:
        ringlet sweep study.toml
        ringlet sweep study.toml --report
        ringlet sweep study.toml --out out/study --workers 8 --format parquet
        ringlet sweep study.toml --executor dask://scheduler:8786
        ringlet sweep study.toml --out out/study --shard 3/16
    """
    folder = Path("out") / study.stem if out is None else out
    part = None if shard is None else parse_shard(shard)
    if report and part:
        raise RingletError.not_allowed("--report", f"<with --shard {shard}>", "a sweep without --shard, of all points")
    loaded = studies.Study.load(study)
    check_folder(folder)
    confirm(loaded, part, yes=yes)
    with open_store(folder, part) as store:
        if not resume and len(store):
            raise RingletError.not_allowed("--no-resume", f"<{store.path} with {len(store)} runs>", "another --out")
        with keeping(store.path, lambda: len(store)), counting("simulating") as progress:
            result = studies.sweep(
                loaded,
                executor=executor,
                workers=workers,
                store=store,
                shard=part,
                yes=True,
                progress=lambda counts: progress(counts.done, counts.total),
            )
        tables = [] if part else result.export(folder, file_format)
        page = draw_report(result, folder) if report else None
        if json:
            files = tables if page is None else [*tables, page]
            output.write_json(result.to_dict() | {"files": [str(file) for file in files]})
        else:
            write_report(study, result, chose_loads=loaded.auto_loads is not None)
            if tables:
                output.write_line(f"tables: {', '.join(map(str, tables))}")
                output.write_line(f"report: {of_report(page, folder)}")
            output.write_line(f"store: {store.path}")
        if result.failed:
            failures = result.first_failures(1)
            raise CommandError(f"{study}: {counted(result.failed, 'run')} failed: {failures['reason'].iloc[0]}")


def parse_shard(text: str) -> tuple[int, int]:
    """Returns I and N of `I/N`.

    Raises:
        RingletError: it is no such thing.
    """
    first, _, second = text.partition("/")
    if first.isdecimal() and second.isdecimal() and len(text) < 20 and 1 <= int(first) <= int(second):
        return int(first), int(second)
    raise RingletError.not_allowed("--shard", text, "I/N with I from 1 to N, such as 3/16")


def confirm(study: "Study", shard: tuple[int, int] | None, *, yes: bool) -> None:
    """Lets the user confirm a large study, on a terminal.

    Raises:
        RingletError: the answer is no, or stdin is no terminal.
    """
    if yes or not studies.needs_confirmation(study, shard):
        return
    size = studies.size_in_words(study, shard)
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise RingletError(f"{size}; --yes runs them all")
    if not click.confirm(f"{size}. Run them all?", err=True):
        raise RingletError(f"{size}; not confirmed, nothing was run")


def open_store(folder: Path, shard: tuple[int, int] | None) -> "Store":
    """Opens the store of a sweep, or of one of its shards; the former takes in the latter."""
    if shard is not None:
        return stores.Store.open(folder / f"shard-{shard[0]}-of-{shard[1]}.sqlite")
    shards = sorted(folder.glob("shard-*-of-*.sqlite"))

    store = stores.Store.open(folder / studies.STORE_FILE)
    try:
        for each in shards:
            store.merge(each)
    except BaseException:
        store.close()
        raise
    return store


def of_report(page: Path | None, folder: Path) -> str:
    """Returns where the report is, or how to make it, and the figures alone."""
    if page is not None:
        return str(page)
    earlier = folder / REPORT
    there = f"{earlier} is of an earlier sweep; " if earlier.exists() else ""
    made = f"'ringlet report {folder}' makes it{' again' if there else ''}"
    return f"{there}{made}; 'ringlet plot {folder}' draws the figures alone"


def write_report(study: Path, result: "SweepResult", *, chose_loads: bool) -> None:
    """Writes a sweep for a person: a row for each of the first points, then what a reader should know; where the loads
    were chosen, also where each curve is overloaded."""
    counts, overview = result.counts, result.overview
    assert counts is not None
    title = f" ({result.study.title})" if result.study.title else ""
    computed = f"{counted(counts.computed, 'run')} computed"
    runs = f"{computed}, {counts.found} found in the store" if counts.found else computed
    output.write_line(f"{study}{title}: {counted(result.study.points, 'point')}, {runs}, ringlet {result.engine}")
    output.write_line()
    if (summary := overview.summary.first) is not None:
        drawn = (name for plot in result.study.plots for name in plot.y)
        figures = [
            name for name in dict.fromkeys((*result.study.replications.watched, *drawn, *SHOWN)) if name in summary
        ]
        warned = ["warned of"] if overview.warned else []
        rows = Table(["point", *result.axes, "runs", *(word for name in figures for word in (name, "±")), *warned])
        for record in summary.records():
            cells = _cells(record, result.axes, figures)
            rows.add_row(*cells, *([str(record["warned_of"])] if warned else []))
        left_out(overview.summary.rows, rows, where="the written table has all")
        output.write_table(rows)
        output.write_line()
        if overview.differences.first is not None:
            output.write_line(f"beside the baseline, {result.study.baseline_in_words}, over common seeds:")
            output.write_table(difference_table(overview.differences, result.axes, figures))
            output.write_line()
    if chose_loads:
        for line in studies.saturation_in_words(result.saturation):
            output.write_line(line)
        output.write_line()
    for line in remarks(result):
        output.write_line(f"warning: {line}", style="yellow")
    if counts.failed:
        output.write_line(f"{counted(counts.failed, 'run')} failed:")
        for failure in result.first_failures(SHOWN_NODES)[["point", "replication", "reason"]].itertuples(index=False):
            output.write_line(f"  point {failure.point}, replication {failure.replication}: {failure.reason}")


def difference_table(differences: "Head", axes: list[str], figures: list[str]) -> Table:
    """Returns how points differ from their baseline: differences and ratios of some figures, with their intervals."""
    first = differences.first
    assert first is not None
    shown = [
        figure_registry.BY_NAME[name] for name in figures if figure_registry.BY_NAME[name].difference_name in first
    ]
    columns = [
        pair
        for figure in shown
        for pair in (
            (figure.difference_name, figure.difference_interval_name),
            (figure.ratio_name, f"{figure.ratio_name}_ci95"),
        )
    ]
    rows = Table(["point", *axes, "pairs", *(word for name, _ in columns for word in (name, "±"))])
    for record in first.records():
        cells = [_number(record[name]) for name in (*axes, "pairs")]
        for name, interval in columns:
            cells += figure_registry.with_half_width(record[name], record[interval])
        rows.add_row(str(record["point"]), *cells)
    left_out(differences.rows, rows, where="the written table has all")
    return rows


def _number(value: Any) -> str:  # noqa: ANN401 - a cell of a data frame
    if isinstance(value, str):
        return value
    return "" if value != value else f"{value:.6g}"


def _cells(record: Mapping[str, Any], axes: list[str], figures: list[str]) -> list[str]:
    cells = [str(record["point"]), *(_number(record[name]) for name in axes), str(record["replications"])]
    for name in figures:
        cells += figure_registry.with_half_width(
            record[name], record.get(figure_registry.interval_name(name), math.nan)
        )
    return cells


def remarks(result: "SweepResult") -> list[str]:
    """Returns what a reader should know before trusting the figures."""
    lines = [f"{damage}; set aside, and computed again where the study needs it" for damage in result.store.damage]
    overview, replications = result.overview, result.study.replications
    if overview.imprecise.points:
        of = f"{overview.imprecise.points} of {result.study.points} {plural(result.study.points, 'point')}"
        lines.append(
            f"precision {replications.precision:g} not reached within {replications.most} replications at "
            f"{of}: {overview.imprecise.where}"
        )
    for kind, warned in overview.warned.items():
        runs = f"{warned.runs} of {result.finished} {plural(result.finished, 'run')}"
        lines.append(f"{kind}: {runs}, points {warned.where}; the first: {warned.first}")
    return lines
