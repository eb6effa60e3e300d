"""Figures of sweeps, from their tables: curves over what varies, with intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.plots.chart import Axis, Chart, Panel, Series
from ringlet.plots.labels import label
from ringlet.plots.palette import INK, look
from ringlet.statistics import CONFIDENCE
from ringlet.studies.columns import ci95_name

if TYPE_CHECKING:
    import pandas as pd

MODELLED = {"latency_mean_ns": "latency_model_ns"}
"""Columns that the queueing model has values for, and the columns with these."""

DEFAULT_FIGURES = ("throughput_MBps", "latency_mean_ns", "latency_p99_ns")
"""What is drawn of a sweep that does not say what to draw."""


def curves(summary: "pd.DataFrame", *, x: str, y: str, by: Sequence[str] = ()) -> Panel:
    """Returns one figure of a sweep over another column, with its 95 % intervals: a curve for each value of `by`.

    Beside mean latencies stand those of the queueing model, as a dotted line, if there is a column `latency_model_ns`.
    Latencies have a logarithmic axis; an `x` that is not a number has a place for each value.

    Args:
        summary: one row per point, such as `SweepResult.summary`: what varies, means, and half widths of 95 % intervals
            (`throughput_ci95_MBps` beside `throughput_MBps`; left out where there is no such column).
        x: column along the axis.
        y: column of the figure.
        by: columns whose values tell the curves apart.

    Raises:
        RingletError: no such column.
    """
    for column in (x, y, *by):
        if column not in summary.columns:
            raise RingletError.not_allowed(
                "column", column, f"one of the table's: {', '.join(map(str, summary.columns))}"
            )
    numeric = _is_numeric(summary, x)
    categories = () if numeric else tuple(map(str, dict.fromkeys(summary[x])))
    series = []
    for i, (name, rows) in enumerate(_groups(summary, by)):
        position = (
            rows[x].to_numpy(dtype=np.float64) if numeric else np.array([categories.index(str(v)) for v in rows[x]])
        )
        order = np.argsort(position, kind="stable")
        mean = rows[y].to_numpy(dtype=np.float64)[order]
        interval = ci95_name(y)
        half = rows[interval].to_numpy(dtype=np.float64)[order] if interval in rows else np.full(mean.shape, np.nan)
        colour, marker = look(i)
        series.append(
            Series(
                name or label(y),
                tuple(position[order].astype(float).tolist()),
                tuple(mean.tolist()),
                low=tuple((mean - half).tolist()),
                high=tuple((mean + half).tolist()),
                mark="line" if numeric else "points",
                colour=colour,
                marker=marker,
            )
        )
        model = MODELLED.get(y)
        if numeric and model in rows and rows[model].notna().any():
            series.append(
                Series(
                    f"{name}, model" if name else "model",
                    tuple(position[order].astype(float).tolist()),
                    tuple(rows[model].to_numpy(dtype=np.float64)[order].tolist()),
                    colour=colour,
                    marker=None,
                    dashes="dotted",
                )
            )
    log = y.startswith(("latency", "message_latency"))
    return Panel(
        Axis(label(x), categories=categories),
        Axis(label(y), scale="log") if log else Axis(label(y), low=_zero_if_none_below(summary[y])),
        tuple(series),
    )


def _is_numeric(table: "pd.DataFrame", column: str) -> bool:
    kind = table[column].dtype.kind
    return kind in "iuf"


def _zero_if_none_below(values: "pd.Series[Any]") -> float | None:
    return 0.0 if not len(values) or not (values < 0).any() else None


def _groups(table: "pd.DataFrame", by: Sequence[str]) -> list[tuple[str, "pd.DataFrame"]]:
    """The rows of each curve, with its name, in the order of the table."""
    if not by:
        return [("", table)]
    return [
        (", ".join(_named(column, value) for column, value in zip(by, values, strict=True)), rows)
        for values, rows in table.groupby(list(by), sort=False)
    ]


def _named(column: str, value: object) -> str:
    """A value of a column as a legend has it: words speak for themselves, numbers need their name."""
    if isinstance(value, str):
        return value
    name = label(column.rpartition(".")[2])
    return f"{name} {value:g}" if isinstance(value, int | float | np.number) else f"{name} {value}"


def sweep_chart(
    summary: "pd.DataFrame", *, x: str, y: Sequence[str], by: Sequence[str] = (), name: str = "sweep"
) -> Chart:
    """Returns figures of a sweep over one column, a panel for each; arguments and errors as for `curves`."""
    return Chart(
        name=name,
        title=_sentence(f"{_listed([label(each) for each in y])} over {label(x)}"),
        caption="Means over the replications. Bars: 95 % intervals.",
        panels=tuple(curves(summary, x=x, y=each, by=by) for each in y),
        columns=min(2, len(y)),
    )


def default_charts(summary: "pd.DataFrame", axes: Sequence[str]) -> tuple[Chart, ...]:
    """Returns throughput and latency over the first axis with a number, such as the load; the other axes tell curves apart.

    Args:
        summary: as for `curves`.
        axes: columns that vary.
    """
    varying = [axis for axis in axes if summary[axis].nunique() > 1]
    if not varying:
        return ()
    numeric = [axis for axis in varying if _is_numeric(summary, axis)]
    x = next((axis for axis in numeric if axis.startswith("traffic.load")), (numeric or varying)[0])
    figures = [figure for figure in DEFAULT_FIGURES if figure in summary]
    return (sweep_chart(summary, x=x, y=figures, by=[axis for axis in varying if axis != x]),)


def roll_off_chart(priorities: "pd.DataFrame", *, x: str, by: str | None = None) -> Chart:
    """Returns each priority's throughput and latency over the load: where the lower ones give way, and what the highest pays.

    Args:
        priorities: one row per run and priority, such as `SweepResult.priorities`; several runs of a point are averaged.
        x: column along the axis.
        by: column with a row of panels for each of its values, such as the protocol.

    Raises:
        RingletError: no such column.
    """
    y = ("throughput_MBps", "latency_mean_ns")
    keys = [x, *([by] if by else []), "priority"]
    for column in (*keys, *y):
        if column not in priorities.columns:
            raise RingletError.not_allowed("column", column, f"one of the table's: {', '.join(priorities.columns)}")
    groups = priorities.groupby(keys, sort=False)[list(y)]
    # Late, as everywhere: scipy takes a while to load.
    from scipy.special import stdtrit

    half_width = groups.sem() * stdtrit(groups.count() - 1, 0.5 + CONFIDENCE / 2)
    table = groups.mean().join(half_width.rename(columns=ci95_name)).reset_index()
    table = table.sort_values("priority", ascending=False, kind="stable")
    parts: Mapping[str, Any] = dict(_groups(table, [by])) if by else {"": table}
    panels = [
        replace(curves(part, x=x, y=figure, by=["priority"]), title=name)
        for name, part in parts.items()
        for figure in y
    ]
    return Chart(
        name="priorities",
        title=f"Throughput and latency of each priority over {label(x)}",
        caption="Means over the replications, the highest priority first. Bars: 95 % intervals.",
        panels=tuple(panels),
        columns=2,
    )


def with_published(panel: Panel, points: Sequence[tuple[float, float]], *, name: str = "published") -> Panel:
    """Returns the panel with published points over its curves.

    Args:
        panel: such as `curves` makes.
        points: x and y of each, in the units of the axes.
        name: as in the legend, such as the paper.
    """
    each = sorted(points)
    marks = Series(
        name, tuple(x for x, _ in each), tuple(y for _, y in each), mark="points", colour=INK, marker="diamond"
    )
    return replace(panel, series=(*panel.series, marks))


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
