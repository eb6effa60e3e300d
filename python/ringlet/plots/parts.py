"""The parts of a figure: axes, series of values, and levels."""

import math
from dataclasses import dataclass
from typing import Literal

from ringlet.plots.palette import INK, Colour, Dashes, Marker

Scale = Literal["linear", "log"]
Mark = Literal["line", "points", "bars", "steps", "stairs"]


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
    whole: bool = False
    """Are there only whole numbers, such as counts of nodes?"""


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one kind over x: a curve, points, bars, a level per position, or stairs, which hold each value back
    to the x before and fall to 0 at the last."""

    name: str
    """Name in the legend. Series of one kind have one name in all panels."""
    x: tuple[float, ...]
    """Ascending."""
    y: tuple[float, ...]
    """Values along y, as many as `x` has; NaN where there is no value."""
    low: tuple[float, ...] = ()
    """Lower ends of the intervals around `y`; empty without."""
    high: tuple[float, ...] = ()
    """Upper ends."""
    mark: Mark = "line"
    colour: Colour = INK
    marker: Marker | None = "circle"
    """Shape of the markers; None: a line without."""
    dashes: Dashes = "solid"
    offset: float = 0.0
    """Distance from `x` of bars and points, so that series do not hide each other; of a line its intervals only."""
    width: float = 0.8
    """Width of a bar, in the unit of the x axis."""
    base: tuple[float, ...] = ()
    """Beginning of each bar; empty: at 0. Stacked bars begin where the one below ends: `y` is their upper end."""
    labels: tuple[str, ...] = ()
    """Text above each mark; empty without."""
    hollow: tuple[bool, ...] = ()
    """True for each point whose marker is hollow; empty: none is."""
    beyond: tuple[bool, ...] = ()
    """True for each point whose value is above the axis: its mark stands at the end of the axis, which is `y`."""
    legend: str = ""
    """Name in the legend, where several series share one; empty: `name`."""

    @property
    def legend_name(self) -> str:
        """The name that the legend lists."""
        return self.legend or self.name

    @property
    def feet(self) -> tuple[float, ...]:
        """Where those bars begin that have a value; empty for other marks."""
        if self.mark != "bars":
            return ()
        begins = self.base or (0.0,) * len(self.y)
        return tuple(base for base, y in zip(begins, self.y, strict=True) if math.isfinite(y))

    @property
    def has_interval(self) -> bool:
        """True if a point has an interval that can be seen: where nothing is random it has no width."""
        return any(low < high for low, high in zip(self.low, self.high, strict=True))


@dataclass(frozen=True, slots=True)
class Level:
    """A horizontal line across a panel, such as a published figure."""

    name: str
    """Name in the legend."""
    value: float
    colour: Colour = INK
    detail: str = ""
    """Case to which the level belongs, such as the protocol."""
    dashes: Dashes = "dashed"
