"""Figures in columns: four significant digits of the largest, aligned."""

import math
from collections.abc import Iterable, Sequence

MISSING = "-"
"""Stands for a figure that there is not, such as a latency without a delivery."""

DIGITS = 4
MAX_DECIMALS = 6


def column(values: Iterable[float | None]) -> list[str]:
    """Returns figures of one column, all with as many decimals as give the largest four significant digits."""
    kept = list(values)
    present = [abs(value) for value in kept if value is not None]
    decimals = _decimals(max(present, default=0.0))
    return [MISSING if value is None else f"{value:.{decimals}f}" for value in kept]


def figure(value: float | None) -> str:
    """Returns one figure with four significant digits."""
    return column([value])[0]


def with_half_width(value: float, half_width: float) -> tuple[str, str]:
    """Returns a figure and the half width of its interval, both to the second significant digit of the half width.

    Without an interval (NaN), or with one of no width, the figure has six significant digits.
    """
    if not math.isfinite(value):
        return "", ""
    if not math.isfinite(half_width):
        return f"{value:.6g}", ""
    if half_width == 0:
        return f"{value:.6g}", "0"
    decimals = 1 - math.floor(math.log10(float(f"{half_width:.1e}")))
    shown = max(decimals, 0)
    return f"{round(value, decimals):.{shown}f}", f"{round(half_width, decimals):.{shown}f}"


def _decimals(largest: float) -> int:
    if largest == 0:
        return 0
    return min(MAX_DECIMALS, max(0, DIGITS - 1 - math.floor(math.log10(largest))))


def ranges(numbers: Sequence[int]) -> str:
    """Returns ascending whole numbers with runs joined, such as `0-3, 7`."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1] = [parts[-1][0], number]
        else:
            parts.append([number])
    return ", ".join("-".join(str(number) for number in part) for part in parts)
