"""The curves of a sweep in one panel: means with intervals over what varies, beside the fair share and the model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringlet.errors import RingletError
from ringlet.figures import BY_NAME, interval_name
from ringlet.lazy import library
from ringlet.plots.chart import Panel
from ringlet.plots.labels import NO_LABELS, label, setting
from ringlet.plots.palette import INK, Look, look, look_of
from ringlet.plots.parts import Axis, Scale, Series

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")

MODELLED = {"latency_mean_ns": "latency_model_ns"}
"""Columns that the queueing model has values for, and the columns with these."""

FAIR_SHARES = {"throughput_MBps": "optimum_MBps", "throughput_words_per_cycle": "optimum_words_per_cycle"}
"""Columns that have a fair share, and the columns with it."""
FAIR_SHARE, MODEL, OVERLOADED = "fair share", "model", "overloaded"
"""Names in a legend."""

LOADS = ("traffic.load", "events.rate")
"""Keys that say how much is offered."""

KEYS_OF_A_LOOK = 3
"""Keys that tell curves apart by colour, marker and line; the values of more are counted through."""

Limits = Mapping[str, tuple[float, float]]
"""Ends of axes, by the columns along them."""

Looks = Mapping[tuple[Any, ...], Look]
"""Looks of curves by their values of the columns that tell them apart."""


def curves(
    summary: "pd.DataFrame",
    *,
    x: str,
    y: str,
    by: Sequence[str] = (),
    log: Sequence[str] | None = None,
    limits: Limits | None = None,
    labels: Mapping[str, str] = NO_LABELS,
    model: bool = True,
    looks: Looks | None = None,
) -> Panel:
    """Returns one figure of a sweep over another column, with its 95 % intervals: a curve for each value of `by`.

    Beside throughputs stands the fair share, as a dashed line, if there is a column such as `optimum_MBps` and all
    curves have the same. Beside mean latencies stand those of the queueing model, as a dotted line, if there is a
    column `latency_model_ns`.
    An `x` that is not a number has a place for each value. Over a load the curve of a latency ends at the first point
    that is overloaded: more has no steady value.

    Args:
        summary: one row per point, such as `SweepResult.summary`: what varies, means, and half widths of 95 % intervals
            (`throughput_ci95_MBps` beside `throughput_MBps`; left out where there is no such column). Marks are hollow
            where the column `warned_of`, if there is one, says "overloaded".
        x: column along the axis.
        y: column of the figure.
        by: columns whose values distinguish the curves: of two or three the first by colour, the second by marker, the
            third by line.
        log: columns with a logarithmic axis; default: latencies.
        limits: ends of the axes of these columns.
        labels: words for columns and for values, in place of the usual ones.
        model: whether the queueing model is drawn.
        looks: of the curves; default: in the order of the table.

    Raises:
        RingletError: no such column, or several points of a curve at one place.
    """
    check_columns(summary, (x, y, *by))
    ends = {} if limits is None else limits
    across = Axis(labels.get(x, label(x)), scale=_scale(x, log), **_ends(ends, x))
    if numeric := is_numeric(summary, x):
        across = replace(across, whole=summary[x].dtype.kind in "iu")
    else:
        categories = tuple(labels.get(str(value), str(value)) for value in dict.fromkeys(summary[x]))
        across = Axis(across.label, categories=categories)
    drawn = _Drawn(summary, x, y, numeric=numeric, latency=_is_latency(y))
    series: list[Series] = []
    groups = grouped(summary, by)
    looks = looks_of(summary, by) if looks is None else looks
    places = np.unique(drawn.places_of(summary))
    step = 0.0 if across.scale == "log" else _dodge(places, len(groups))
    for i, (values, rows) in enumerate(groups):
        name = ", ".join(setting(column, value, labels) for column, value in zip(by, values, strict=True))
        offset = (i - (len(groups) - 1) / 2) * step
        series.append(drawn.curve(name or labels.get(y, label(y)), rows, looks[values], offset))
        if model and numeric and (line := drawn.model(name, rows, looks[values])) is not None:
            series.append(line)
    best = _common_fair_share(summary, x, y) if numeric else None
    if best is not None:
        series.append(best)
    return Panel(
        across,
        drawn.axis(labels.get(y, label(y)), _scale(y, log), ends, series),
        tuple(series),
        note="marks: means; lines: 95 % intervals" if any(one.has_interval for one in series) else "",
        hollow=OVERLOADED if any(any(one.hollow) for one in series) else "",
    )


def check_columns(table: "pd.DataFrame", names: Sequence[str]) -> None:
    """Finds columns that a table lacks.

    Raises:
        RingletError: there is one.
    """
    for name in names:
        if name not in table.columns:
            raise RingletError.not_allowed("column", name, f"one of the table's: {', '.join(map(str, table.columns))}")


class _Drawn:
    """A figure over a column, of which curves are made."""

    def __init__(self, table: "pd.DataFrame", x: str, y: str, *, numeric: bool, latency: bool) -> None:
        self.x, self.y, self.numeric, self.latency = x, y, numeric, latency
        self.ends_curves = latency and x.startswith(LOADS)
        self._categories = {value: place for place, value in enumerate(dict.fromkeys(table[x]))}
        self.overloaded = _overloaded(table)
        self.top = self._top(table) if latency else np.inf

    def places_of(self, rows: "pd.DataFrame") -> NDArray[np.float64]:
        """Returns where points stand along x."""
        if self.numeric:
            return rows[self.x].to_numpy(dtype=np.float64)
        return np.array([self._categories[value] for value in rows[self.x]], dtype=np.float64)

    def _top(self, table: "pd.DataFrame") -> float:
        """Largest latency that is shown: overloaded points, which have no steady one, would squash all others."""
        steady = table.loc[~self.overloaded, self.y].to_numpy(dtype=np.float64)
        steady = steady[np.isfinite(steady)]
        return ROOM_ABOVE_STEADY * float(steady.max()) if self.overloaded.any() and len(steady) else np.inf

    def curve(self, name: str, rows: "pd.DataFrame", its: Look, offset: float) -> Series:
        """Returns the curve of some rows."""
        place = self.places_of(rows)
        if len(np.unique(place)) < len(place):
            twice = rows[self.x][rows[self.x].duplicated()].iloc[0]
            raise RingletError(
                f"x: {self.x} is {twice} at several points of one curve; allowed: what tells them apart in by, facet "
                "or where"
            )
        order = np.argsort(place, kind="stable")
        mean = rows[self.y].to_numpy(dtype=np.float64)[order]
        interval = interval_name(self.y)
        half = rows[interval].to_numpy(dtype=np.float64)[order] if interval in rows else np.full(mean.shape, np.nan)
        hollow = self.overloaded.loc[rows.index].to_numpy()[order]
        if self.ends_curves and hollow.any():
            kept = slice(0, int(hollow.argmax()) + 1)
            order, mean, half, hollow = order[kept], mean[kept], half[kept], hollow[kept]
        if np.isfinite(self.top):
            half = np.where(hollow, np.nan, half)
        beyond = hollow & ~(mean <= self.top) & np.isfinite(self.top)
        mean = np.where(beyond, self.top, mean)
        return Series(
            name,
            tuple(place[order].tolist()),
            tuple(mean.tolist()),
            low=tuple((mean - half).tolist()),
            high=tuple((mean + half).tolist()),
            mark="line" if self.numeric else "points",
            colour=its.colour,
            marker=its.marker,
            dashes=its.dashes,
            offset=offset,
            hollow=tuple(hollow.tolist()),
            beyond=tuple(beyond.tolist()) if beyond.any() else (),
        )

    def model(self, name: str, rows: "pd.DataFrame", its: Look) -> Series | None:
        """Returns the curve of the queueing model, None where it covers no point, or the figure is none of it."""
        column = MODELLED.get(self.y)
        if column not in rows:
            return None
        shown = rows[~self.overloaded.loc[rows.index]]
        if not shown[column].notna().any():
            return None
        place = self.places_of(shown)
        order = np.argsort(place, kind="stable")
        return Series(
            f"{name}, {MODEL}" if name else MODEL,
            tuple(place[order].tolist()),
            tuple(shown[column].to_numpy(dtype=np.float64)[order].tolist()),
            colour=its.colour,
            marker=None,
            dashes="dotted",
            legend=MODEL,
        )

    def axis(self, name: str, scale: Scale, limits: Limits, series: Sequence[Series]) -> Axis:
        """Returns the axis of the figure."""
        given = _ends(limits, self.y)
        if scale == "log" or given:
            high = self.top * ABOVE_TOP if any(any(one.beyond) for one in series) else None
            return Axis(name, **{"scale": scale, "high": high, **given})
        return _from_zero(name, np.array([value for one in series for value in one.y], dtype=np.float64))


ROOM_ABOVE_STEADY, ABOVE_TOP = 2.0, 1.15
"""Largest latency that is shown beside the largest steady one, and the end of the axis beside it."""


def _scale(column: str, log: Sequence[str] | None) -> Scale:
    if log is None:
        return "log" if _is_latency(column) else "linear"
    return "log" if column in log else "linear"


def _is_latency(column: str) -> bool:
    """Returns whether a figure grows without end where more is offered than is carried."""
    return column in BY_NAME and BY_NAME[column].log


def _ends(limits: Limits, column: str) -> dict[str, Any]:
    return dict(zip(("low", "high"), limits[column], strict=True)) if column in limits else {}


def _common_fair_share(summary: "pd.DataFrame", x: str, y: str) -> Series | None:
    """Returns the line of the fair share; None without one, or where it is not the same for all curves."""
    best = FAIR_SHARES.get(y, "")
    if best not in summary or summary[best].isna().any():
        return None
    each = summary.groupby(x)[best]
    low, high = each.min(), each.max()
    if low.empty or not np.allclose(low, high):
        return None
    return Series(
        FAIR_SHARE, tuple(map(float, low.index)), tuple(map(float, low)), colour=INK, marker=None, dashes="dashed"
    )


def _overloaded(summary: "pd.DataFrame") -> "pd.Series[bool]":
    """Returns whether more was offered at each point than is carried, as its runs say."""
    if "warned_of" not in summary:
        return pd.Series(data=False, index=summary.index)
    return summary["warned_of"].map(lambda words: OVERLOADED in words).astype(bool)


DODGE, SPREAD, NARROWEST = 0.012, 0.024, 0.5
"""Distance of the intervals of two curves along x, and of the first from the last, as parts of its range: further, and
a reader takes them for other values of x. All together take at most so much of the way between two values."""


def _dodge(places: ArrayLike, curves: int) -> float:
    """Returns the offset of intervals along x, so that those of equal figures do not hide each other."""
    found = np.unique(np.asarray(places, dtype=np.float64))
    if curves < 2 or found.size < 2:
        return 0.0
    return float(
        min(min(DODGE, SPREAD / (curves - 1)) * (found[-1] - found[0]), NARROWEST * np.diff(found).min() / curves)
    )


def is_numeric(table: "pd.DataFrame", column: str) -> bool:
    """Returns whether a column holds numbers."""
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


def grouped(table: "pd.DataFrame", by: Sequence[str]) -> list[tuple[tuple[Any, ...], "pd.DataFrame"]]:
    """Returns the rows of each combination of the values of some columns, in the order of the table."""
    if not by:
        return [((), table)]
    return [(tuple(values), rows) for values, rows in table.groupby(list(by), sort=False)]


def looks_of(table: "pd.DataFrame", by: Sequence[str]) -> Looks:
    """Returns the looks of curves, by their values of the columns that tell them apart."""
    combinations = [values for values, _ in grouped(table, by)]
    if not 1 < len(by) <= KEYS_OF_A_LOOK:
        return {values: look(i) for i, values in enumerate(combinations)}
    places = [{value: place for place, value in enumerate(dict.fromkeys(table[column]))} for column in by]
    return {
        values: look_of(*(each[value] for each, value in zip(places, values, strict=True))) for values in combinations
    }
