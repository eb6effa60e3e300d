"""Figures of sweeps, from their tables: curves over what varies, with intervals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ringlet.drawable import DEFAULT_FIGURES
from ringlet.errors import RingletError
from ringlet.figures import BY_NAME, interval_name
from ringlet.plots.chart import Chart, Panel
from ringlet.plots.labels import label, setting, words_and_unit
from ringlet.plots.palette import INK, look
from ringlet.plots.parts import Axis, Series
from ringlet.statistics import CONFIDENCE

if TYPE_CHECKING:
    import pandas as pd

MODELLED = {"latency_mean_ns": "latency_model_ns"}
"""Columns that the queueing model has values for, and the columns with these."""

"""What is drawn of a sweep that does not say what to draw."""


def curves(summary: "pd.DataFrame", *, x: str, y: str, by: Sequence[str] = ()) -> Panel:
    """Returns one figure of a sweep over another column, with its 95 % intervals: a curve for each value of `by`.

    Beside throughputs stands the optimum, as a dashed line, if there is a column such as `optimum_MBps` and all curves
    have the same. Beside mean latencies stand those of the queueing model, as a dotted line, if there is a column
    `latency_model_ns`.
    Latencies have a logarithmic axis; an `x` that is not a number has a place for each value.

    Args:
        summary: one row per point, such as `SweepResult.summary`: what varies, means, and half widths of 95 % intervals
            (`throughput_ci95_MBps` beside `throughput_MBps`; left out where there is no such column). Marks are hollow
            where the column `warned_of`, if there is one, says "overloaded".
        x: column along the axis.
        y: column of the figure.
        by: columns whose values distinguish the curves.

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
    overloaded = _overloaded(summary)
    series = []
    groups = _groups(summary, by)
    step = _dodge(summary[x].unique() if numeric else range(len(categories)), len(groups))
    for i, (name, rows) in enumerate(groups):
        position = (
            rows[x].to_numpy(dtype=np.float64) if numeric else np.array([categories.index(str(v)) for v in rows[x]])
        )
        order = np.argsort(position, kind="stable")
        mean = rows[y].to_numpy(dtype=np.float64)[order]
        interval = interval_name(y)
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
                offset=(i - (len(groups) - 1) / 2) * step,
                hollow=tuple(overloaded.loc[rows.index].to_numpy()[order].tolist()),
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
    best = _common_optimum(summary, x, y) if numeric else None
    if best is not None:
        series.append(best)
    log = y in BY_NAME and BY_NAME[y].log
    shown = [*summary[y], *(best.y if best else ())]
    return Panel(
        Axis(label(x), categories=categories, whole=numeric and summary[x].dtype.kind in "iu"),
        Axis(label(y), scale="log") if log else _from_zero(label(y), np.array(shown, dtype=np.float64)),
        tuple(series),
        note="marks: means; lines: 95 % intervals" if any(one.has_interval for one in series) else "",
        hollow="overloaded" if overloaded.any() else "",
    )


OPTIMA = {"throughput_MBps": "optimum_MBps", "throughput_words_per_cycle": "optimum_words_per_cycle"}
"""Columns that have an optimum, and the columns with it."""
OPTIMUM = "optimum"


def _common_optimum(summary: "pd.DataFrame", x: str, y: str) -> Series | None:
    """Returns the line of the optimum; None without one, or where it is not the same for all curves."""
    best = OPTIMA.get(y, "")
    if best not in summary or summary[best].isna().any():
        return None
    each = summary.groupby(x)[best]
    low, high = each.min(), each.max()
    if low.empty or not np.allclose(low, high):
        return None
    return Series(
        OPTIMUM, tuple(map(float, low.index)), tuple(map(float, low)), colour=INK, marker=None, dashes="dashed"
    )


def _overloaded(summary: "pd.DataFrame") -> "pd.Series[bool]":
    """Returns whether more was offered at each point than is carried, as its runs say."""
    import pandas as pd

    if "warned_of" not in summary:
        return pd.Series(data=False, index=summary.index)
    return summary["warned_of"].map(lambda words: "overloaded" in words).astype(bool)


DODGE, SPREAD, NARROWEST = 0.012, 0.024, 0.5
"""Distance of two curves along x, and of the first from the last, as parts of its range: further, and a reader takes
them for other values of x. All curves together take at most so much of the way between two values."""


def _dodge(places: ArrayLike, curves: int) -> float:
    """Returns the offset of curves along x, so that marks and intervals of equal figures do not hide each other."""
    found = np.unique(np.asarray(places, dtype=np.float64))
    if curves < 2 or found.size < 2:
        return 0.0
    return float(
        min(min(DODGE, SPREAD / (curves - 1)) * (found[-1] - found[0]), NARROWEST * np.diff(found).min() / curves)
    )


def _is_numeric(table: "pd.DataFrame", column: str) -> bool:
    kind = table[column].dtype.kind
    return kind in "iuf"


FLAT, ROOM = 0.75, 1.05
"""Least value beside the largest from which on curves look flat, and the end of their axis beside the largest: room
that drawing leaves above values would follow their range, and cut their marks."""


def _from_zero(name: str, given: np.ndarray) -> Axis:
    """Returns an axis from 0 on, unless a value is below."""
    values = given[np.isfinite(given)]
    if (values < 0).any():
        return Axis(name)
    most = float(values.max()) if len(values) else 0.0
    return Axis(name, low=0.0, high=ROOM * most if most > 0 and values.min() > FLAT * most else None)


def _groups(table: "pd.DataFrame", by: Sequence[str]) -> list[tuple[str, "pd.DataFrame"]]:
    """The rows of each curve, with its name, in the order of the table."""
    if not by:
        return [("", table)]
    return [
        (", ".join(setting(column, value) for column, value in zip(by, values, strict=True)), rows)
        for values, rows in table.groupby(list(by), sort=False)
    ]


def sweep_chart(
    summary: "pd.DataFrame", *, x: str, y: Sequence[str], by: Sequence[str] = (), name: str = "sweep"
) -> Chart:
    """Returns figures of a sweep over one column, a panel for each; arguments and errors as for `curves`."""
    panels = tuple(curves(summary, x=x, y=each, by=by) for each in y)
    return Chart(
        name=name,
        title=sentence(f"{listed([words_and_unit(each)[0] for each in y])} over {words_and_unit(x)[0]}"),
        caption=" ".join(_sentences(panels)),
        panels=panels,
        columns=min(2, len(y)),
    )


def _sentences(panels: Sequence[Panel]) -> Iterator[str]:
    """Returns the sentences that explain the marks of curves."""
    yield "Means over the replications; curves stand a little apart so that none hides another."
    if any(one.has_interval for panel in panels for one in panel.series):
        yield "Lines through the marks: 95 % intervals."
    if any(one.name == OPTIMUM for panel in panels for one in panel.series):
        yield "Dashed: the optimum, max-min fair; what is less fair may carry more."
    if any(panel.hollow for panel in panels):
        yield "Hollow: overloaded, so that latencies have no steady value."


def default_charts(summary: "pd.DataFrame", axes: Sequence[str]) -> tuple[Chart, ...]:
    """Returns throughput and latency over the first axis with a number, such as the load; other axes distinguish
    curves.

    Args:
        summary: as for `curves`.
        axes: columns that vary.
    """
    if not any(summary[axis].nunique() > 1 for axis in axes):
        return ()
    x, others = default_axes(summary, axes)
    figures = [figure for figure in DEFAULT_FIGURES if figure in summary]
    return (sweep_chart(summary, x=x, y=figures, by=others),)


LOADS = ("traffic.load", "events.rate")
"""Keys that say how much is offered."""


def default_axes(summary: "pd.DataFrame", axes: Sequence[str]) -> tuple[str, list[str]]:
    """Returns the column along x, which is the first load, else the first number, and those that distinguish curves."""
    varying = [axis for axis in axes if summary[axis].nunique() > 1]
    x = load_axis(summary, varying) or varying[0]
    return x, [axis for axis in varying if axis != x]


def load_axis(summary: "pd.DataFrame", varying: Sequence[str]) -> str | None:
    """Returns the first of these columns that is a load, else the first with numbers; None without one."""
    numeric = [axis for axis in varying if _is_numeric(summary, axis)]
    return next((axis for axis in numeric if axis.startswith(LOADS)), next(iter(numeric), None))


def roll_off_chart(priorities: "pd.DataFrame", *, x: str, by: str | None = None) -> Chart:
    """Returns each priority's throughput and latency over the load: where the lower ones give way, and what the highest
    pays.

    Args:
        priorities: one row per run and priority, such as `SweepResult.priorities`; several runs of a point are
            averaged.
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
    table = groups.mean().join(half_width.rename(columns=interval_name)).reset_index()
    table = table.sort_values("priority", ascending=False, kind="stable")
    parts: Mapping[str, Any] = dict(_groups(table, [by])) if by else {"": table}
    panels = [
        replace(curves(part, x=x, y=figure, by=["priority"]), title=name)
        for name, part in parts.items()
        for figure in y
    ]
    return Chart(
        name="priorities",
        title=f"Throughput and latency of each priority over {words_and_unit(x)[0]}",
        caption="Means over the replications, the highest priority first. Lines: 95 % intervals.",
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


def sentence(words: str) -> str:
    """Returns words with a capital letter."""
    return words[:1].upper() + words[1:]


def listed(names: Sequence[str]) -> str:
    """Returns names as a sentence lists them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
