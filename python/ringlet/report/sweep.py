"""The report of a sweep."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringlet.drawable import DEFAULT_FIGURES, REPORT
from ringlet.figures import BY_NAME, interval_name
from ringlet.files import write_text
from ringlet.papers.reproduction import software_versions
from ringlet.plots import Chart, Layout
from ringlet.plots.documents import Documents
from ringlet.plots.labels import label
from ringlet.plots.save import save
from ringlet.plots.study_charts import MAX_DRAWN, Drawn, study_charts, tables_of
from ringlet.report.examples import example_charts, examples
from ringlet.report.numbers import Shown, rounded
from ringlet.report.page import embed, render
from ringlet.report.write import MomentLink

if TYPE_CHECKING:
    import pandas as pd

    from ringlet.studies import SweepResult
    from ringlet.studies.overview import Warned

MAX_ROWS = 2000
"""Points that the page's table shows: more would make it slow. The tables beside it have all."""


@dataclass(frozen=True, slots=True)
class SweepTables:
    """The tables of a sweep, as the report shows them."""

    title: str
    summary: "pd.DataFrame"
    """One row per point: what varies, `replications`, means, and half widths of 95 % intervals."""
    axes: Sequence[str]
    """Columns of `summary` that vary."""
    priorities: "pd.DataFrame"
    """One row per run and priority; empty where there is one only."""
    failures: "pd.DataFrame"
    """One row for each of the first runs that could not be done, with its `reason`."""
    scenario: str
    """The base scenario as text."""
    versions: dict[str, str]
    """Versions of the software that made the figures, by its names."""
    plots: Sequence[Layout] = ()
    """Layouts of the figures to draw; by default throughput and latency over the first axis with a number."""
    differences: "pd.DataFrame | None" = None
    """One row per point beside its baseline; None without one."""
    baseline: str = ""
    """The baseline in words."""
    warned: "Mapping[str, Warned]" = field(default_factory=dict)
    """Runs that warn of one thing and the first such warning, by the things that runs warn of."""
    examples: Documents = field(default_factory=dict)
    """Runs to look at more closely, by the settings of their points."""
    points: int | None = None
    """Points that the sweep has, if `summary` has some of them only."""
    failed: int | None = None
    """Runs that failed, if `failures` has some of them only."""


def sweep_tables(result: "SweepResult") -> SweepTables:
    """Returns what the report needs of a sweep: of a large one some points."""
    piece, overview = result.thinned(MAX_DRAWN), result.overview
    found = tables_of(result, piece)
    return SweepTables(
        title=result.study.title or "A sweep with ringlet",
        summary=found.summary,
        axes=found.axes,
        priorities=found.priorities,
        failures=result.first_failures(MAX_ROWS),
        failed=result.failed,
        warned=overview.warned,
        # The store keeps keys in this order, and a report from it is that of the sweep.
        scenario=json.dumps(result.study.to_dict()["scenario"], indent=2, sort_keys=True),
        versions=software_versions() | {"ringlet": result.engine},
        plots=found.layouts,
        differences=found.differences,
        baseline=found.baseline,
        examples=examples(result, piece.summary),
        points=overview.summary.rows,
    )


def write_sweep_report(tables: SweepTables, out: Path | str, *, moments: Sequence[MomentLink] = ()) -> Path:
    """Writes `report.html` into the folder `out`, with each figure as PNG and SVG beside it, and returns its path.

    The page needs neither them nor a network.

    Args:
        tables: what to report.
        out: the folder; made if it is not there.
        moments: links to players of the examples, which go by their names there.

    Raises:
        RingletError: a plot names a column that is not there.
        OSError: `out` cannot be written.
    """
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    charts, closer = sweep_charts(tables), example_charts(tables.examples)
    columns, lines = summary_lines(tables)
    difference_columns, difference_rows = difference_lines(tables)
    page = render(
        "sweep.html.j2",
        tables=tables,
        charts=charts,
        closer=closer,
        drawn={chart.name: embed(chart, save(chart, folder)) for chart in [*charts, *closer]},
        columns=columns,
        lines=lines[:MAX_ROWS],
        points=len(lines) if tables.points is None else tables.points,
        shown=min(len(lines), MAX_ROWS),
        drawn_points=len(lines),
        failed=len(tables.failures) if tables.failed is None else tables.failed,
        difference_columns=difference_columns,
        difference_lines=difference_rows[:MAX_ROWS],
        failures=_lines(tables.failures),
        warnings=warning_lines(tables.warned),
        moments=moments,
        played={moment.scenario for moment in moments},
        versions=tables.versions,
    )
    write_text(folder / REPORT, page)
    return folder / REPORT


def sweep_charts(tables: SweepTables) -> tuple[Chart, ...]:
    """Returns the charts that the study names, or those that every sweep has.

    Raises:
        RingletError: a plot names a column that is not there.
    """
    return study_charts(
        Drawn(
            summary=tables.summary,
            axes=tables.axes,
            priorities=tables.priorities,
            layouts=tables.plots,
            differences=tables.differences,
            baseline=tables.baseline,
        )
    )


def difference_lines(tables: SweepTables) -> tuple[list[str], list[list[Any]]]:
    """Returns columns and rows of the table of differences: what varies, then differences and ratios with intervals."""
    if tables.differences is None:
        return [], []
    drawn = [figure for plot in tables.plots for figure in plot.y]
    names, columns = [*tables.axes, "pairs"], [*(label(axis) for axis in tables.axes), "pairs of seeds"]
    half_widths: dict[str, str] = {}
    for figure in dict.fromkeys([*DEFAULT_FIGURES, *drawn]):
        if figure in BY_NAME and (one := BY_NAME[figure]).difference_name in tables.differences:
            added = {
                one.difference_name: one.difference_interval_name,
                one.ratio_name: f"{one.ratio_name}_ci95",
            }
            half_widths |= added
            names += [name for pair in added.items() for name in pair]
            columns += [f"{one.label}, difference", "± 95 %", f"{one.words}, ratio", "± 95 %"]
    return columns, _lines(tables.differences[names], half_widths)


def summary_lines(tables: SweepTables) -> tuple[list[str], list[list[Any]]]:
    """Returns the columns and rows of the table of points: what varies, then the figures drawn, with their
    intervals."""
    summary = tables.summary
    drawn = [figure for plot in tables.plots for figure in plot.y]
    wanted = list(dict.fromkeys([*DEFAULT_FIGURES, *drawn]))
    half_widths = {figure: interval_name(figure) for figure in wanted if figure in summary}
    figures = [name for pair in half_widths.items() for name in pair if name in summary]
    names = [*tables.axes, *figures, *(["replications"] if "replications" in summary else [])]
    if tables.warned and "point" in summary:
        # Warnings name points by their numbers.
        names.insert(0, "point")
    if "warned_of" in summary and (summary["warned_of"] != "").any():
        names.append("warned_of")
    columns = [label(name) for name in names]
    return columns, _lines(summary[names], half_widths) if len(summary) else []


def warning_lines(warned: "Mapping[str, Warned]") -> list[list[Any]]:
    """Returns a row for each kind of warning: what it is, how many runs, which points, the first in full."""
    return [[kind, one.runs, one.where, one.first] for kind, one in warned.items()]


def _lines(table: "pd.DataFrame", half_widths: Mapping[str, str] | None = None) -> list[list[Any]]:
    """Rows as plain values; empty text where there is none.

    Columns of figures that have a column of half widths have the precision of these.
    """
    cells = table.astype(object).where(table.notna(), "")
    for figure, half_width in (half_widths or {}).items():
        if half_width in table:
            pairs = [rounded(*pair) for pair in zip(table[figure], table[half_width], strict=True)]
            cells[figure], cells[half_width] = zip(*pairs, strict=True) if pairs else ((), ())
    return [
        [value if isinstance(value, int | float | str | Shown) else str(value) for value in row]
        for row in cells.to_numpy().tolist()
    ]
