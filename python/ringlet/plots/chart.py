"""The description of a figure, apart from how it is drawn: matplotlib and the report's page both draw it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Any

from ringlet.plots.parts import Axis, Level, Scale, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_ROOM, _LABEL_ROOM, _LOG_ROOM = 0.05, 0.14, 1.2
"""Room beyond the data: as a part of their range, above labelled marks, and as a factor."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes and what is drawn between them."""

    x: Axis
    y: Axis
    series: tuple[Series, ...]
    title: str = ""
    levels: tuple[Level, ...] = ()
    note: str = ""
    """Meaning of marks and bars, in few words; stands in the figure."""
    hollow: str = ""
    """Meaning of hollow marks, as the legend says it; empty: no mark is hollow."""

    def draw(self, axes: "Axes | None" = None) -> "Axes":
        """Draws the panel with matplotlib and returns the axes, which the caller may restyle.

        Args:
            axes: to draw into; default: the axes of a new figure.
        """
        from ringlet.plots import draw

        into = draw.new_axes() if axes is None else axes
        draw.draw_panel(into, self.x, self.y, self.series, self.levels, title=self.title, note=self.note)
        if self.hollow:
            draw.explain_hollow(into, self.hollow)
        if axes is None:
            draw.add_own_legend(into)
        return into

    @property
    def names(self) -> tuple[str, ...]:
        """The names that a legend lists, in its order."""
        hollow = (self.hollow,) if self.hollow else ()
        # What several series share comes behind them.
        series = [one.legend_name for one in sorted(self.series, key=lambda one: bool(one.legend))]
        return (*series, *(level.name for level in self.levels), *hollow)

    @property
    def y_values(self) -> list[float]:
        """All finite values along y: marks, ends of intervals and of bars, levels."""
        drawn = [value for one in self.series for value in (*one.y, *one.low, *one.high, *one.feet)]
        return [value for value in (*drawn, *(level.value for level in self.levels)) if math.isfinite(value)]

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Returns the panel's figures as a table of text: the columns' names, and one row per x."""
        columns = (self.x.label, *(one.name for one in self.series))
        places = sorted({x for one in self.series for x in one.x})
        at = [dict(zip(one.x, range(len(one.x)), strict=True)) for one in self.series]
        rows = [
            (
                self._position(x),
                *(
                    _entry(one, index[x], self.hollow) if x in index else ""
                    for one, index in zip(self.series, at, strict=True)
                ),
            )
            for x in places
        ]
        return columns, rows

    def _position(self, x: float) -> str:
        """An x in words: its category's name, or the number."""
        return " ".join(self.x.categories[int(x)].split()) if self.x.categories else f"{x:g}"


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure of one or more panels."""

    name: str
    """File name without suffix."""
    title: str
    caption: str
    """Description of what is shown, in sentences: the page gives it to those who cannot see the figure as well."""
    panels: tuple[Panel, ...]
    columns: int = 1
    """Panels beside each other."""
    legend_title: str = ""
    heading: str = ""
    """Words above the drawing; empty for none, since a page or a paper has the title beside it."""
    panel_inches: tuple[float, float] = (4.8, 3.6)
    """Width and height of a panel on paper."""
    scenarios: tuple[str, ...] = ()
    """Names of the scenario files behind the figure."""

    def draw(self, *, width_inches: float | None = None) -> "Figure":
        """Draws all panels with matplotlib, with one legend, and returns the figure, which the caller may restyle.

        Args:
            width_inches: of the whole figure, such as that of a paper's column; default: what the panels take.
        """
        from ringlet.plots import draw

        figure, grid = draw.new_grid(len(self.panels), self.columns, self.panel_inches, width_inches=width_inches)
        for panel, axes in zip(self.panels, grid.flat, strict=False):
            panel.draw(axes)
        if any(panel.note for panel in self.panels):
            draw.raise_titles(grid)
        draw.share_labels(figure, grid)
        names = dict.fromkeys(name for panel in self.panels for name in panel.names)
        # What hollow marks are comes last.
        last = {panel.hollow: None for panel in self.panels if panel.hollow}
        order = [name for name in names if name not in last] + list(last)
        draw.add_legend(figure, order, title=self.legend_title, heading=self.heading)
        if width_inches is not None:
            draw.wrap_labels(figure)
        return figure

    def __repr__(self) -> str:
        """Returns one line: the name, and what is drawn over what."""
        return f"<Chart {self.name!r}: {self._drawn}>"

    def _repr_html_(self) -> str:
        """Returns what a notebook shows: the drawing, and what it shows in words."""
        from ringlet.plots.draw import as_svg

        caption = f"<figcaption>{escape(self.caption)}</figcaption>" if self.caption else ""
        drawing = f'<div role="img" aria-label="{escape(self.description)}">{as_svg(self.draw)}</div>'
        return f"<figure>{drawing}{caption}</figure>"

    @property
    def description(self) -> str:
        """One sentence for those who cannot see the figure: what is drawn over what, and for whom."""
        count = f"{len(self.panels)} panels" if len(self.panels) > 1 else "Chart"
        names = ", ".join(dict.fromkeys(one.legend_name for panel in self.panels for one in panel.series))
        return f"{count}: {self._drawn}. Series: {names}. The figures are in the table below it."

    @property
    def _drawn(self) -> str:
        return "; ".join(dict.fromkeys(f"{panel.y.label} over {panel.x.label}" for panel in self.panels))

    def to_dict(self) -> dict[str, Any]:
        """Returns the description as JSON takes it: numbers with six digits, None for NaN, no defaults of empty
        tuples."""
        return {
            "name": self.name,
            "legendTitle": self.legend_title,
            "columns": self.columns,
            "panels": [
                {
                    "title": panel.title,
                    "note": panel.note,
                    "hollow": panel.hollow,
                    "x": _axis(panel.x),
                    "y": _axis(panel.y),
                    "series": [_series(one) for one in panel.series],
                    "levels": [
                        {
                            "name": level.name,
                            "value": _six(level.value),
                            "colour": level.colour,
                            "dashes": level.dashes,
                            "detail": level.detail,
                        }
                        for level in panel.levels
                    ],
                }
                for panel in self.panels
            ],
        }


def _axis(axis: Axis) -> dict[str, Any]:
    return {
        "label": axis.label,
        "scale": axis.scale,
        "low": axis.low,
        "high": axis.high,
        "categories": list(axis.categories),
        "whole": axis.whole,
    }


def _series(series: Series) -> dict[str, Any]:
    document: dict[str, Any] = {
        "name": series.name,
        "x": _sixes(series.x),
        "y": _sixes(series.y),
        "mark": series.mark,
        "colour": series.colour,
        "marker": series.marker,
        "dashes": series.dashes,
        "offset": series.offset,
        "width": series.width,
    }
    if series.has_interval:
        document |= {"low": _sixes(series.low), "high": _sixes(series.high)}
    if series.base:
        document["base"] = _sixes(series.base)
    if series.labels:
        document["labels"] = list(series.labels)
    if any(series.hollow):
        document["hollow"] = list(series.hollow)
    if any(series.beyond):
        document["beyond"] = list(series.beyond)
    if series.legend:
        document["legend"] = series.legend
    return document


def _sixes(values: Iterable[float]) -> list[float | None]:
    return [_six(value) for value in values]


def _six(value: float) -> float | None:
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _four(value: float) -> str:
    """A number with four digits, as the page says it under the pointer: 43010, where Python writes 4.301e+04."""
    text = f"{value:.4g}"
    return f"{float(text):z.0f}" if "e+" in text else text


def _entry(series: Series, at: int, hollow: str) -> str:
    """A value with its interval in words, and what a hollow mark says."""
    value = series.y[at] - (series.base[at] if series.base else 0.0)
    if not math.isfinite(value):
        return ""
    text = _four(value)
    if series.beyond and series.beyond[at]:
        text = f"above {text}"
    if series.low and math.isfinite(series.low[at]) and math.isfinite(series.high[at]):
        text += f" ({_four(series.low[at])} to {_four(series.high[at])})"
    if series.hollow and series.hollow[at]:
        text += f", {hollow}"
    return text


def with_common_ranges(panels: Sequence[Panel]) -> tuple[Panel, ...]:
    """Returns the panels with one range of x and one of y that hold what is in any of them; ends given already stay."""
    x = _range([x for panel in panels for one in panel.series for x in one.x], panels[0].x.scale)
    values = [value for panel in panels for value in panel.y_values]
    labelled = any(one.labels for panel in panels for one in panel.series)
    low, high = _range(values, panels[0].y.scale, labelled=labelled)
    if any(one.mark == "bars" for panel in panels for one in panel.series) and min(values, default=1.0) == 0:
        # Bars stand on the axis.
        low = 0.0
    return tuple(
        replace(panel, x=panel.x if panel.x.categories else _within(panel.x, *x), y=_within(panel.y, low, high))
        for panel in panels
    )


def _range(values: Sequence[float], scale: Scale, *, labelled: bool = False) -> tuple[float | None, float | None]:
    """The range that holds the values and leaves room for their marks; none without values."""
    shown = [value for value in values if value > 0] if scale == "log" else values
    if not shown:
        return None, None
    low, high = min(shown), max(shown)
    if scale == "log":
        return low / _LOG_ROOM, high * _LOG_ROOM
    length = high - low or abs(high) or 1.0
    return low - _ROOM * length, high + (_LABEL_ROOM if labelled else _ROOM) * length


def _within(axis: Axis, low: float | None, high: float | None) -> Axis:
    return replace(axis, low=low if axis.low is None else axis.low, high=high if axis.high is None else axis.high)
