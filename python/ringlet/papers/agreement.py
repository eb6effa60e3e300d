"""The class of a row, one rule for every row of every paper, and our explanation of a row that does not agree."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ringlet.papers.published import End, PublishedFigure

Explanations = Sequence[tuple[str, str]]
"""Pattern of row ids without the paper's name, and the explanation; the first that matches counts."""

Verdict = Literal["agrees", "possible", "differs"]
"""The class of a row: ours agrees whatever the paper does not say, or for some of what it leaves open, or never."""
WORST_FIRST: tuple[Verdict, ...] = ("differs", "possible", "agrees")

RELATIVE_TOLERANCE = 0.05
"""Largest difference from the published figure, as a part of it."""
POINTS_TOLERANCE = 2.0
"""Largest difference in percentage points, for figures in %."""
CONFIDENCE = 0.95
"""Confidence level of the intervals that say whether a verdict is certain."""

RULE = (
    "The class of a row comes from ringlet's range: the obtained figure or, where the paper does not give an input on "
    "which the figure hangs, all that ours come to over the inputs that it leaves possible. A row agrees if the whole "
    f"range does: within {RELATIVE_TOLERANCE:.0%} of the published figure, or within {POINTS_TOLERANCE:g} percentage "
    "points where the unit is %, or inside the published range, or if its stated relation holds. It is possible if a "
    "part of the range does. It differs if all of the range lies outside. Where the paper prints two extremes, each of "
    "ours is compared with its own. The note names the missing input and the range."
)
"""The rule in words, printed with every table."""

Range = tuple[float, float]
"""Smallest and largest obtained figure, in the unit of the row."""


@dataclass(frozen=True, slots=True)
class MissingInput:
    """An input that a paper does not give and on which a figure hangs, and our range over the possible ones."""

    reason: str
    """The input, in words."""
    low: float
    """Smallest obtained figure over the possible inputs, in the unit of the row."""
    high: float
    """Largest one."""
    upper: Range | None = None
    """The range of the larger extreme, where the paper prints two; `low` and `high` are then of the smaller one."""


def agrees(figure: PublishedFigure, obtained: float) -> bool:
    """Says whether `obtained`, in the unit of `figure`, agrees with it by `RULE`; NaN never does."""
    low, high = _agreeing(figure)
    return low <= obtained <= high


def _agreeing(figure: PublishedFigure) -> Range:
    """Returns the smallest and the largest figure that agree."""
    if figure.kind == "shape":
        return figure.value, figure.value
    if figure.value_hi is not None:
        return figure.value, figure.value_hi
    # Rounded, so that a figure which differs by just the tolerance agrees, as its digits say.
    points = POINTS_TOLERANCE if figure.unit == "%" else 0.0
    tolerance = max(RELATIVE_TOLERANCE * abs(figure.value), points)
    return round(figure.value - tolerance, 12), round(figure.value + tolerance, 12)


class Interval(Protocol):
    """The range in which a figure lies with `CONFIDENCE`, in the unit of its row."""

    @property
    def low(self) -> float:
        """Lower end of the range, in the unit of the row."""
        ...

    @property
    def high(self) -> float:
        """Upper end of the range, in the unit of the row."""
        ...

    @property
    def end(self) -> End:
        """The published extreme with which it is compared; empty for a figure that is not one of two."""
        ...

    @property
    def joint(self) -> tuple[float, float]:
        """Ends of the interval, widened so that it and the intervals of the figures beside it hold all at once."""
        ...


def inside(figure: PublishedFigure, interval: Interval) -> bool:
    """Says whether every figure of an interval agrees by `RULE`; NaN never does."""
    figure = figure.at(interval.end)
    return agrees(figure, interval.low) and agrees(figure, interval.high)


def outside(figure: PublishedFigure, interval: Interval) -> bool:
    """Says whether no figure of an interval agrees by `RULE`, even made wider; NaN at an end says nothing."""
    low, high = interval.joint
    least, most = _agreeing(figure.at(interval.end))
    return high < least or low > most


def certain(figure: PublishedFigure, intervals: Sequence[Interval]) -> bool:
    """Says whether the intervals leave no doubt of the verdict: all are inside what agrees, or one is outside it.

    The one figure that counts is the furthest of those whose intervals these are. To call all of them inside wrongly,
    the one that is not must look so: that is as rare for many figures as for one. One of many looks outside by chance
    the more often the more there are: `outside` takes ends that hold together (Bonferroni).
    """
    return all(inside(figure, each) for each in intervals) or any(outside(figure, each) for each in intervals)


def verdict(
    figure: PublishedFigure, obtained: float, missing: MissingInput | None = None, *, ends: Range | None = None
) -> Verdict:
    """Returns the class of a row by `RULE`.

    Args:
        figure: what the paper states.
        obtained: what ours comes to, in the unit of `figure`.
        missing: the input that the paper does not give, if the figure depends on one.
        ends: our two extremes, where the paper prints two; they stand in place of `obtained`.
    """
    if ends is None:
        return _of_range(figure, obtained, (missing.low, missing.high) if missing else None)
    upper = missing.upper if missing else None
    lower = (missing.low, missing.high) if missing and upper else None
    both = {_of_range(figure.at("low"), ends[0], lower), _of_range(figure.at("high"), ends[1], upper)}
    return next(each for each in WORST_FIRST if each in both)


def _of_range(figure: PublishedFigure, obtained: float, possible: Range | None) -> Verdict:
    """The class of one figure and its range, which holds the obtained figure."""
    found = [obtained, *(possible or ())]
    if all(agrees(figure, each) for each in found):
        return "agrees"
    finite = [each for each in found if not math.isnan(each)]
    least, most = _agreeing(figure)
    if possible is None or not finite or max(finite) < least or min(finite) > most:
        return "differs"
    return "possible"


def explanation(row_id: str, explanations: Explanations) -> str:
    """Returns our best explanation of a disagreement in a row, empty if there is none."""
    name = row_id.partition(".")[2]
    return next((text for pattern, text in explanations if re.fullmatch(pattern, name)), "")
