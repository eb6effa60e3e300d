"""Figures in the words of sentences."""

from collections.abc import Mapping
from typing import Any

Record = Mapping[str, Any]
"""A record of a document."""


def plain(value: float) -> str:
    """Returns a figure with four significant digits, and no power of ten."""
    return f"{value:.4g}" if value < 1e4 else f"{value:z.0f}"


LONGER = {"s": 1e6, "minutes": 6e7, "hours": 3.6e9, "days": 8.64e10, "years": 3.15576e13, "million years": 3.15576e19}
"""Microseconds of the units in which a long time is told."""

MOST_TOLD_US = 1e9 * LONGER["years"]
"""Microseconds from which on a time is no figure to anybody."""


def time_in_words(us: float) -> str:
    """Returns a time in microseconds, and from two seconds on in a unit in which it is no long number.

    >>> [time_in_words(us) for us in (12.5, 3e7, 1.2e20, 1e30)]
    ['12.5 us', 'some 30 s', 'some 3.8 million years', 'more than a billion years']

    Args:
        us: the time.
    """
    if us < 2 * LONGER["s"]:
        return f"{plain(us)} us"
    if us > MOST_TOLD_US:
        return "more than a billion years"
    unit = [one for one, length in LONGER.items() if us >= 2 * length][-1]
    number = us / LONGER[unit]
    return f"some {number:.2g} {unit}" if number < 99.5 else f"some {number:z.0f} {unit}"


def percent(share: float) -> str:
    """Returns a share as a percentage with two significant digits, four from 99.5 % on."""
    # Two digits of 99.9 would be 1e+02.
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.4g} %"
