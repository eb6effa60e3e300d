"""Single runs of a sweep that its report looks at more closely."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ringlet.plots import Chart, run_charts
from ringlet.plots.documents import Documents

if TYPE_CHECKING:
    import pandas as pd

    from ringlet.studies import SweepResult

MAX_EXAMPLES = 4
"""Runs beside each other that a reader can still distinguish."""


def examples(result: "SweepResult") -> dict[str, dict[str, Any]]:
    """Returns documents of runs by the settings of their points: of each curve the point with the largest load, the
    first replication.

    What is plotted along the x axis is the first axis with numbers, a load if there is one. Of more than four curves
    the first four count.
    """
    summary, axes = result.summary, list(result.axes)
    if summary.empty:
        return {}
    chosen = list(_points(summary, axes))[:MAX_EXAMPLES]
    return {name: result.document(point) for name, point in chosen}


def example_charts(documents: Documents) -> tuple[Chart, ...]:
    """Returns the figures of these runs: throughput of each node beside the optimum, latency, links, priorities."""
    return run_charts(documents) if documents else ()


def _points(summary: "pd.DataFrame", axes: list[str]) -> Iterator[tuple[str, int]]:
    from pandas.api.types import is_numeric_dtype

    varying = [axis for axis in axes if summary[axis].nunique() > 1]
    numeric = [axis for axis in varying if is_numeric_dtype(summary[axis])]
    x = next((axis for axis in numeric if axis.startswith("traffic.load")), next(iter(numeric), None))
    others = [axis for axis in varying if axis != x]
    groups = summary.groupby(others, sort=False, dropna=False) if others else [((), summary)]
    for _, rows in groups:
        row = rows.iloc[-1] if x is None else rows.iloc[int(rows[x].argmax())]
        words = ", ".join(f"{axis.rpartition('.')[2]} = {_short(row[axis])}" for axis in [*others, *([x] if x else [])])
        yield words or "the only point", int(row["point"])


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
