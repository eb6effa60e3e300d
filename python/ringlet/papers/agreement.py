"""The verdict on a row, one rule for every row of every paper, and our explanation of a row that does not agree."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ringlet.papers.published import PublishedFigure

Explanations = Sequence[tuple[str, str]]
"""Pattern of row ids without the paper's name, and the explanation; the first that matches counts."""

Verdict = Literal["agrees", "differs", "not determined"]
"""What is said of an obtained figure beside the published one."""

RELATIVE_TOLERANCE = 0.05
"""Largest difference from the published figure, as a part of it."""
POINTS_TOLERANCE = 2.0
"""Largest difference in percentage points, for figures in %."""
CONFIDENCE = 0.95
"""Of the intervals that say whether a verdict is certain."""

RULE = (
    f"A row agrees if the obtained figure is within {RELATIVE_TOLERANCE:.0%} of the published one, or within "
    f"{POINTS_TOLERANCE:g} percentage points where the unit is %, or inside the published range, or if its stated "
    "relation holds. Otherwise it differs; or it is not determined, if the paper does not give an input on which the "
    "figure hangs: the note names the input and the range of ours over the inputs that it leaves possible."
)
"""The rule in words, printed with every table."""


@dataclass(frozen=True, slots=True)
class Undetermined:
    """The reason why a paper does not determine a figure, and our range over the possible inputs."""

    reason: str
    """The input that the paper does not give."""
    low: float
    """Smallest obtained figure over the possible inputs, in the unit of the row."""
    high: float
    """Largest one."""


def agrees(figure: PublishedFigure, obtained: float) -> bool:
    """Says whether `obtained`, in the unit of `figure`, agrees with it by `RULE`; NaN never does."""
    if figure.kind == "shape":
        return obtained == figure.value
    if figure.value_hi is not None:
        return figure.value <= obtained <= figure.value_hi
    difference = abs(obtained - figure.value)
    return difference <= RELATIVE_TOLERANCE * abs(figure.value) or (
        figure.unit == "%" and difference <= POINTS_TOLERANCE
    )


class Interval(Protocol):
    """The range in which a figure lies with `CONFIDENCE`, in the unit of its row."""

    @property
    def low(self) -> float:
        """Its lower end."""
        ...

    @property
    def high(self) -> float:
        """Its upper end."""
        ...

    @property
    def joint(self) -> tuple[float, float]:
        """Its ends made wider, so that it holds together with those of the figures beside it."""
        ...


def inside(figure: PublishedFigure, interval: Interval) -> bool:
    """Says whether every figure of an interval agrees by `RULE`; NaN never does."""
    return agrees(figure, interval.low) and agrees(figure, interval.high)


def outside(figure: PublishedFigure, interval: Interval) -> bool:
    """Says whether no figure of an interval agrees by `RULE`, even made wider; NaN at an end says nothing."""
    low, high = interval.joint
    if agrees(figure, low) or agrees(figure, high):
        return False
    # What agrees is itself an interval around the published figure, or the published range.
    return high < figure.value or low > (figure.value_hi or figure.value)


def certain(figure: PublishedFigure, intervals: Sequence[Interval]) -> bool:
    """Says whether the intervals leave no doubt of the verdict: all are inside what agrees, or one is outside it.

    The one figure that counts is the furthest of those whose intervals these are. To call all of them inside wrongly,
    the one that is not must look so: that is as rare for many figures as for one. One of many looks outside by chance
    the more often the more there are: `outside` takes ends that hold together (Bonferroni).
    """
    return all(inside(figure, each) for each in intervals) or any(outside(figure, each) for each in intervals)


def verdict(figure: PublishedFigure, obtained: float, undetermined: Undetermined | None = None) -> Verdict:
    """Returns the verdict on `obtained`, in the unit of `figure`, by `RULE`.

    Args:
        figure: what the paper states.
        obtained: what ours comes to.
        undetermined: the input that the paper does not give, if the figure depends on one.
    """
    if agrees(figure, obtained):
        return "agrees"
    return "not determined" if undetermined else "differs"


def explanation(row_id: str, explanations: Explanations) -> str:
    """Returns our best explanation of a disagreement in a row, empty if there is none."""
    name = row_id.partition(".")[2]
    return next((text for pattern, text in explanations if re.fullmatch(pattern, name)), "")
