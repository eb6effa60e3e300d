"""Ranges of axes that several panels share."""

from collections.abc import Sequence
from dataclasses import replace

from ringlet.plots.chart import Panel
from ringlet.plots.parts import Axis, Scale


def with_common_ranges(panels: Sequence[Panel]) -> tuple[Panel, ...]:
    """Returns the panels with one range of x and one of y that hold what is in any of them; ends given already stay."""
    x = _range([x for panel in panels for one in panel.series for x in one.x], panels[0].x.scale)
    y = _range([value for panel in panels for value in panel.y_values], panels[0].y.scale)
    return tuple(
        replace(panel, x=panel.x if panel.x.categories else _within(panel.x, *x), y=_within(panel.y, *y))
        for panel in panels
    )


def _range(values: Sequence[float], scale: Scale) -> tuple[float | None, float | None]:
    """The range that holds the values and leaves room for their marks; none without values."""
    shown = [value for value in values if value > 0] if scale == "log" else values
    if not shown:
        return None, None
    low, high = min(shown), max(shown)
    if scale == "log":
        return low / _LOG_ROOM, high * _LOG_ROOM
    room = _ROOM * (high - low or abs(high) or 1.0)
    return low - room, high + room


_ROOM, _LOG_ROOM = 0.05, 1.2
"""Room beyond the data: as a part of their range, and as a factor."""


def _within(axis: Axis, low: float | None, high: float | None) -> Axis:
    return replace(axis, low=low if axis.low is None else axis.low, high=high if axis.high is None else axis.high)
