"""Figures in the words of sentences."""

from collections.abc import Mapping
from typing import Any

Record = Mapping[str, Any]
"""A record of a document."""


def plain(value: float) -> str:
    """Returns a figure with four significant digits, and no power of ten."""
    return f"{value:.4g}" if value < 1e4 else f"{value:z.0f}"


def long_time(us: float) -> str:
    """Returns a time in microseconds, or in years from one year on."""
    years = us / (365.25 * 86_400e6)
    return f"{plain(us)} us" if years < 1 else f"{years:.3g} years"


def percent(share: float) -> str:
    """Returns a share as a percentage with two significant digits, four from 99.5 % on."""
    # Two digits of 99.9 would be 1e+02.
    return f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.4g} %"
