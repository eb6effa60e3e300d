"""Ticks of logarithmic axes, and their labels as plain numbers."""

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.ticker import LogFormatter, LogLocator, MaxNLocator

_NARROW_LOG = 8
"""Ratio of the ends of a logarithmic axis below which powers of ten are too few."""

_BETWEEN = (((2, 3, 4, 6), 0.12), ((2, 4), 0.3), ((3,), 0.47))
"""First digits of labels between powers of ten, many or few, and the least distance of two labels, in decades."""
_LETTER = 0.6
"""Width of a letter, in font sizes."""


class PlainLogLocator(LogLocator):
    """Places ticks at powers of ten; on an axis that spans less than a decade, where powers of ten are one or none, at
    round numbers that are equally far apart."""

    def tick_values(self, vmin: float, vmax: float) -> Any:  # noqa: ANN401 - as matplotlib has it
        """Returns the places of ticks between two ends."""
        if not is_narrow(vmin, vmax):
            return super().tick_values(vmin, vmax)
        ticks = MaxNLocator(5, steps=[1, 2, 5, 10]).tick_values(vmin, vmax)
        return np.array([tick for tick in ticks if tick > 0 and min(vmin, vmax) <= tick <= max(vmin, vmax)])


def is_narrow(low: float, high: float) -> bool:
    """Returns whether a logarithmic axis with these ends has too few powers of ten."""
    return low > 0 and high > 0 and max(low, high) / min(low, high) < _NARROW_LOG


class PlainLogFormatter(LogFormatter):
    """Labels powers of ten, and what lies between them where the axis spans few decades, as plain numbers."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Returns the label of a tick, empty for none."""
        axis: Any = self.axis
        narrow = is_narrow(*axis.get_view_interval())
        if narrow and x not in axis.get_major_locator()():
            return ""
        if not narrow and not super().__call__(x, pos):
            return ""
        if not narrow and axis.axis_name == "x" and not self._has_room(x):
            return ""
        return _plain(x)

    def _has_room(self, x: float) -> bool:
        """Returns whether the label of a tick along x stands apart from those beside it."""
        digit = round(float(x / 10 ** np.floor(np.log10(x) + 1e-9)))
        if digit == 1:
            return True
        axis: Any = self.axis
        low, high = sorted(axis.get_view_interval())
        points = axis.axes.bbox.width * 72 / axis.figure.dpi / np.log10(high / low)
        letters = max(len(_plain(10.0 ** np.floor(np.log10(end)))) for end in (low, high))
        longest = _LETTER * mpl.rcParams["font.size"] * (1 + letters)
        return digit in next((digits for digits, decades in _BETWEEN if decades * points >= longest), ())


def _plain(x: float) -> str:
    return np.format_float_positional(x, precision=12, fractional=False, trim="-")
