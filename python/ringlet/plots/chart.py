"""What a figure shows, apart from how it is drawn: matplotlib and the report's page both draw this description."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ringlet.plots.palette import INK, Colour, Marker

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Scale = Literal["linear", "log"]
Mark = Literal["line", "points", "bars", "steps"]
Dashes = Literal["solid", "dashed", "dotted"]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a panel."""

    label: str
    """Quantity and unit, such as `throughput (MB/s)`."""
    scale: Scale = "linear"
    low: float | None = None
    """Least value shown; None: what the data need."""
    high: float | None = None
    """Largest value shown."""
    categories: tuple[str, ...] = ()
    """Names of the positions 0, 1, 2, ... where the axis has no quantity."""


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one kind over x: a curve, points, bars, or a level per position."""

    name: str
    """As in the legend; the same in every panel for what is the same."""
    x: tuple[float, ...]
    """Ascending."""
    y: tuple[float, ...]
    """As long as `x`; NaN where there is no value."""
    low: tuple[float, ...] = ()
    """Lower ends of the intervals around `y`; empty without."""
    high: tuple[float, ...] = ()
    """Upper ends."""
    mark: Mark = "line"
    colour: Colour = INK
    marker: Marker | None = "circle"
    """None: a line without."""
    dashes: Dashes = "solid"
    offset: float = 0.0
    """How far the marks stand from `x`, so that series do not hide each other."""
    width: float = 0.8
    """Of a bar, in the unit of x."""
    base: tuple[float, ...] = ()
    """Where each bar begins; empty: at 0. Stacked bars begin where the one below ends: `y` is their upper end."""
    labels: tuple[str, ...] = ()
    """Text above each mark; empty without."""

    @property
    def has_interval(self) -> bool:
        """Whether any point has an interval."""
        return any(math.isfinite(end) for end in (*self.low, *self.high))


@dataclass(frozen=True, slots=True)
class Level:
    """A horizontal line across a panel, such as a published figure."""

    name: str
    """As in the legend."""
    value: float
    colour: Colour = INK
    detail: str = ""
    """What exactly the level is of, such as the protocol."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes and what is drawn between them."""

    x: Axis
    y: Axis
    series: tuple[Series, ...]
    title: str = ""
    levels: tuple[Level, ...] = ()

    def draw(self, axes: "Axes | None" = None) -> "Axes":
        """Draws the panel with matplotlib and returns the axes, which the caller may restyle.

        Args:
            axes: to draw into; default: the axes of a new figure.
        """
        from ringlet.plots.draw import draw_panel

        return draw_panel(self, axes)

    @property
    def y_values(self) -> list[float]:
        """All finite values along y: marks, ends of intervals, levels."""
        drawn = [value for one in self.series for value in (*one.y, *one.low, *one.high, *one.base)]
        return [value for value in (*drawn, *(level.value for level in self.levels)) if math.isfinite(value)]

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Returns the panel's figures as a table of text: the columns' names, and one row per x."""
        columns = (self.x.label, *(one.name for one in self.series))
        places = sorted({x for one in self.series for x in one.x})
        at = [dict(zip(one.x, range(len(one.x)), strict=True)) for one in self.series]
        rows = [
            (
                self._position(x),
                *(_entry(one, index[x]) if x in index else "" for one, index in zip(self.series, at, strict=True)),
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
    """What is shown, in sentences: the page gives it to those who cannot see the figure as well."""
    panels: tuple[Panel, ...]
    columns: int = 1
    """Panels beside each other."""
    legend_title: str = ""
    panel_inches: tuple[float, float] = (4.8, 3.6)
    """Width and height of a panel on paper."""
    scenarios: tuple[str, ...] = ()
    """Names of the scenario files behind the figure."""

    def draw(self) -> "Figure":
        """Draws all panels with matplotlib and returns the figure, which the caller may restyle."""
        from ringlet.plots.draw import draw_chart

        return draw_chart(self)

    @property
    def description(self) -> str:
        """One sentence for those who cannot see the figure: what is drawn over what, and for whom."""
        count = f"{len(self.panels)} panels" if len(self.panels) > 1 else "Chart"
        drawn = list(dict.fromkeys(f"{panel.y.label} over {panel.x.label}" for panel in self.panels))
        names = ", ".join(dict.fromkeys(one.name for panel in self.panels for one in panel.series))
        return f"{count}: {'; '.join(drawn)}. Series: {names}. The figures are in the table below it."

    def to_dict(self) -> dict[str, Any]:
        """Returns the description as JSON takes it: numbers with six digits, None for NaN, no defaults of empty tuples."""
        return {
            "name": self.name,
            "legendTitle": self.legend_title,
            "columns": self.columns,
            "panels": [
                {
                    "title": panel.title,
                    "x": _axis(panel.x),
                    "y": _axis(panel.y),
                    "series": [_series(one) for one in panel.series],
                    "levels": [
                        {"name": level.name, "value": _six(level.value), "colour": level.colour, "detail": level.detail}
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
    return document


def _sixes(values: Iterable[float]) -> list[float | None]:
    return [_six(value) for value in values]


def _six(value: float) -> float | None:
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _entry(series: Series, at: int) -> str:
    """A value with its interval in words."""
    value = series.y[at] - (series.base[at] if series.base else 0.0)
    if not math.isfinite(value):
        return ""
    text = f"{value:.4g}"
    if series.low and math.isfinite(series.low[at]) and math.isfinite(series.high[at]):
        text += f" ({series.low[at]:.4g} to {series.high[at]:.4g})"
    return text
