"""Single runs of a sweep that its report looks at more closely."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ringlet.plots import Chart, run_charts
from ringlet.plots.documents import Documents
from ringlet.plots.labels import setting
from ringlet.plots.sweeps import load_axis

if TYPE_CHECKING:
    import pandas as pd

    from ringlet.studies import SweepResult

MAX_EXAMPLES = 4
"""Runs beside each other that a reader can still distinguish."""


def examples(result: "SweepResult", summary: "pd.DataFrame") -> dict[str, dict[str, Any]]:
    """Returns documents of runs by the settings of their points: of each curve the point with the largest load, the
    first replication.

    What is plotted along the x axis is what the study's first figure has there; without one the first axis with
    numbers, a load if there is one. Of more than four curves the first four count.

    Args:
        result: of the sweep.
        summary: the points from which they are chosen.
    """
    axes = list(result.axes)
    if summary.empty:
        return {}
    chosen = list(_points(summary, axes, [plot.x for plot in result.study.plots]))[:MAX_EXAMPLES]
    return {name: result.document(point) for name, point in chosen}


def example_charts(documents: Documents) -> tuple[Chart, ...]:
    """Returns the charts of these runs that have axes."""
    return tuple(chart for chart in run_charts(documents) if chart.panels) if documents else ()


def _points(summary: "pd.DataFrame", axes: list[str], drawn: list[str]) -> Iterator[tuple[str, int]]:
    varying = [axis for axis in axes if summary[axis].nunique() > 1]
    # The column of a key may go on with a unit.
    named = (axis for key in drawn for axis in varying if axis == key or axis.startswith(f"{key}_"))
    x = next((axis for axis in named if load_axis(summary, [axis])), load_axis(summary, varying))
    others = [axis for axis in varying if axis != x]
    groups = summary.groupby(others, sort=False, dropna=False) if others else [((), summary)]
    for _, rows in groups:
        row = rows.iloc[-1] if x is None else rows.iloc[int(rows[x].argmax())]
        words = ", ".join(setting(axis, row[axis]) for axis in [*others, *([x] if x else [])])
        yield words or "the only point", int(row["point"])
