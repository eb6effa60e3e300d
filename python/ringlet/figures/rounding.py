"""Figures with half widths as text: both to the second significant digit of the half width."""

import math
from collections.abc import Callable

NOISE = 1e-9
"""Half widths below this part of a figure come from the rounding of numbers, not from runs."""


def with_half_width(
    value: float, half_width: float | None, *, alone: Callable[[float], str] = "{:.6g}".format
) -> tuple[str, str]:
    """Returns a figure and the half width of its interval, or its standard deviation, as text.

    Args:
        value: the figure; there is no text for one that is not finite.
        half_width: in the same unit; None or NaN where there is none.
        alone: writes a figure without a half width, or with one of 0.

    >>> with_half_width(119.0321, 3.0064), with_half_width(48213.0, 1530.0), with_half_width(0.25, None)
    (('119.0', '3.0'), ('48200', '1500'), ('0.25', ''))
    """
    if not math.isfinite(value):
        return "", ""
    if half_width is None or not math.isfinite(half_width):
        return alone(value), ""
    if half_width <= NOISE * abs(value):
        return alone(value), "0"
    # What two digits round up to may be ten times as much: 0.0996 is 0.10.
    decimals = 1 - math.floor(math.log10(float(f"{half_width:.1e}")))
    shown = max(decimals, 0)
    # Adding 0 makes 0 of -0.
    return f"{round(value, decimals) + 0.0:z.{shown}f}", f"{round(half_width, decimals):z.{shown}f}"


def plus_minus(value: float, half_width: float | None, *, alone: Callable[[float], str] = "{:.6g}".format) -> str:
    """Returns both in one text, such as `119.0 ± 3.0`; the figure only where there is no half width."""
    figure, half = with_half_width(value, half_width, alone=alone)
    return f"{figure} ± {half}" if half else figure
