"""Charts of a study: those that it names, or those that every sweep has."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.figures import BY_NAME
from ringlet.lazy import library
from ringlet.plots.chart import Chart
from ringlet.plots.charts.differences import drawn_differences
from ringlet.plots.sweeps import (
    Layout,
    chosen_rows,
    default_charts,
    default_layout,
    drawn_sweep,
    roll_off_chart,
)
from ringlet.studies.columns import axis_columns
from ringlet.studies.plot import Plot
from ringlet.theory.latency_model import model_records

if TYPE_CHECKING:
    import pandas as pd

    from ringlet.studies import SweepResult
    from ringlet.studies.sweep_frames import Piece
else:
    pd = library("pandas")

MAX_DRAWN = 5000
"""Points of a study up to which all are drawn; of more so many, evenly spaced along each axis."""
MAX_MODELLED = 500
"""Points up to which the queueing model stands beside the latencies: some milliseconds each."""
MAX_PRIORITIES = 6
"""Priorities that are drawn: a reader cannot distinguish more curves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The tables of a sweep that are drawn."""

    summary: "pd.DataFrame"
    """One row per point: what varies, means, half widths of 95 % intervals, and values of the queueing model."""
    axes: Sequence[str]
    """Columns of `summary` that vary."""
    priorities: "pd.DataFrame"
    """One row per run and priority; empty where there is one only."""
    layouts: Sequence[Layout]
    """Figures that the study names; by default throughput and latency over the first axis with a number."""
    differences: "pd.DataFrame | None"
    """One row per point beside its baseline; None without one."""
    baseline: str
    """Baseline in words."""


def tables_of(result: "SweepResult", piece: "Piece") -> Drawn:
    """Returns what is drawn of some points of a sweep."""
    summary = piece.summary
    priorities = [table.frame() for _, table in piece.part_tables("priorities")]
    return Drawn(
        summary=_modelled(summary, piece),
        axes=result.axes,
        priorities=pd.concat(priorities, ignore_index=True) if priorities else pd.DataFrame(),
        layouts=[laid_out(plot, result, summary) for plot in result.study.plots] if len(summary) else [],
        differences=piece.differences if len(piece.differences) else None,
        baseline=result.study.baseline_in_words,
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


def _modelled(summary: "pd.DataFrame", piece: "Piece") -> "pd.DataFrame":
    """Returns the summary of points with mean latencies by the queueing model, NaN for points that it does not cover.

    Without that column if there are too many points, or it covers none.
    """
    if summary.empty or len(summary) > MAX_MODELLED:
        return summary
    latencies = []
    for scenario in piece.scenarios():
        try:
            latencies.append(model_records(scenario)["total"]["latency_ns"])
        except RingletError:
            latencies.append(None)
    return summary.assign(latency_model_ns=np.array(latencies, dtype=np.float64)) if any(latencies) else summary


def study_charts(tables: Drawn) -> tuple[Chart, ...]:
    """Returns the charts that the study names, or those that every sweep has.

    Raises:
        RingletError: a plot names a column that is not there.
    """
    summary = tables.summary
    if summary.empty:
        return ()
    if tables.layouts:
        charts = []
        for number, layout in enumerate(tables.layouts, start=1):
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


def _beside_baseline(tables: Drawn, layout: Layout, name: str) -> list[Chart]:
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
