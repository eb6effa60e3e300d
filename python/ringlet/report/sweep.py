"""The report of a sweep."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.drawable import DEFAULT_FIGURES
from ringlet.errors import RingletError
from ringlet.figures import BY_NAME, interval_name
from ringlet.files import write_text
from ringlet.papers.reproduction import software_versions
from ringlet.plots import Chart, Layout, default_charts, roll_off_chart
from ringlet.plots.charts.differences import drawn_differences
from ringlet.plots.documents import Documents
from ringlet.plots.labels import label
from ringlet.plots.save import save
from ringlet.plots.sweeps import chosen_rows, default_layout, drawn_sweep
from ringlet.report.examples import example_charts, examples
from ringlet.report.numbers import Shown, rounded
from ringlet.report.page import embed, render
from ringlet.report.write import REPORT, MomentLink
from ringlet.studies.columns import axis_columns
from ringlet.studies.plot import Plot
from ringlet.theory.latency_model import model_records

if TYPE_CHECKING:
    import pandas as pd

    from ringlet.studies import SweepResult
    from ringlet.studies.overview import Warned

MAX_ROWS = 2000
"""Points that the page's table shows: more would make it slow. The tables beside it have all."""
MAX_DRAWN = 5000
"""Points of a study up to which all are drawn; of more so many, evenly spaced along each axis."""
MAX_MODELLED = 500
"""Points up to which the queueing model stands beside the latencies: some milliseconds each."""
MAX_PRIORITIES = 6
"""Priorities that are drawn: a reader cannot distinguish more curves."""


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
    import pandas as pd

    piece, overview = result.thinned(MAX_DRAWN), result.overview
    priorities = [table for _, table in piece.part_tables("priorities")]
    return SweepTables(
        title=result.study.title or "A sweep with ringlet",
        summary=_modelled(piece.summary, result),
        axes=result.axes,
        priorities=pd.concat(priorities, ignore_index=True) if priorities else pd.DataFrame(),
        failures=result.first_failures(MAX_ROWS),
        failed=result.failed,
        warned=overview.warned,
        scenario=json.dumps(result.study.to_dict()["scenario"], indent=2),
        versions=software_versions() | {"ringlet": result.engine},
        plots=[laid_out(plot, result, piece.summary) for plot in result.study.plots] if len(piece.summary) else [],
        differences=piece.differences if len(piece.differences) else None,
        baseline=result.study.baseline_in_words,
        examples=examples(result, piece.summary),
        points=overview.summary.rows,
    )


def laid_out(plot: Plot, result: "SweepResult", summary: "pd.DataFrame") -> Layout:
    """Returns a figure that a study names by the columns of its table."""
    space = result.study.space
    column = dict(zip(space.keys, result.axes, strict=True))
    along = column.get(plot.x, plot.x)

    def columns(keys: Sequence[str] | None) -> list[str]:
        return [column[key] for key in keys or ()]

    def drawn(name: str) -> str:
        return along if name == "x" else column.get(name, name)

    where: dict[str, Sequence[Any]] = {}
    for number, places in plot.shown(space).items():
        points = np.array([space.moved(0, {number: place}) for place in places], dtype=np.int64)
        for key in space.axes[number]:
            where[column[key]] = axis_columns(space, points)[column[key]].tolist()
    by, facet = columns(plot.by), columns(plot.facet)
    if not plot.laid_out:
        found = default_layout(chosen_rows(summary, where), result.axes, x=along)
        by, facet, where = list(found.by), list(found.facet), {**found.where, **where}
    return Layout(
        x=along,
        y=plot.y,
        by=by,
        facet=facet,
        where=where,
        log=None if plot.log is None else [drawn(name) for name in plot.log],
        limits={drawn(name): (low, high) for name, (low, high) in plot.limits.items()},
        labels={drawn(name): words for name, words in plot.labels.items()},
        title=plot.title,
        model=plot.model,
        panel_inches=None if plot.size is None else (plot.size[0], plot.size[1]),
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


def _modelled(summary: "pd.DataFrame", result: "SweepResult") -> "pd.DataFrame":
    """Returns the summary of points with mean latencies by the queueing model, NaN for points that it does not cover.

    Without that column if there are too many points, or it covers none.
    """
    if summary.empty or len(summary) > MAX_MODELLED:
        return summary
    latencies = []
    for point in summary["point"].tolist():
        try:
            latencies.append(model_records(result.scenario(point))["total"]["latency_ns"])
        except RingletError:
            latencies.append(None)
    return summary.assign(latency_model_ns=np.array(latencies, dtype=np.float64)) if any(latencies) else summary


def sweep_charts(tables: SweepTables) -> tuple[Chart, ...]:
    """Returns the charts that the study names, or those that every sweep has.

    Raises:
        RingletError: a plot names a column that is not there.
    """
    summary = tables.summary
    if summary.empty:
        return ()
    if tables.plots:
        charts = []
        for number, layout in enumerate(tables.plots, start=1):
            charts.append(drawn_sweep(summary, layout, name=f"plot-{number}"))
            charts += _beside_baseline(tables, layout, f"differences-{number}")
        return tuple(charts)
    charts = list(default_charts(summary, tables.axes))
    if charts:
        charts += _beside_baseline(tables, default_layout(summary, tables.axes), "differences")
    loads = [axis for axis in tables.axes if axis.startswith("traffic.load")]
    if charts and loads and not tables.priorities.empty:
        levels = sorted(tables.priorities["priority"].unique())
        shown = levels[:: -(-len(levels) // MAX_PRIORITIES)]
        rows = tables.priorities[tables.priorities["priority"].isin(shown)]
        by = next((axis for axis in tables.axes if axis != loads[0]), None)
        charts.append(roll_off_chart(rows, x=loads[0], by=by))
    return tuple(charts)


def _beside_baseline(tables: SweepTables, layout: Layout, name: str) -> list[Chart]:
    """The chart of the differences from the baseline; none without one, or where x distinguishes points from it."""
    found = tables.differences
    if found is None or layout.x not in found:
        return []
    compared = [figure for figure in layout.y if figure in BY_NAME and BY_NAME[figure].difference_name in found]
    # The baseline itself is no row.
    where = {column: values for column, values in layout.where.items() if found[column].isin(list(values)).any()}
    if not compared:
        return []
    layout = replace(layout, y=compared, where=where)
    return [drawn_differences(found, layout, baseline=tables.baseline, name=name)]


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
    names = [*tables.axes, *(["replications"] if "replications" in summary else []), *figures]
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
