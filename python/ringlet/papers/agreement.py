"""The verdict on a row, one rule for every row of every paper, and our explanation of a row that does not agree."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ringlet.papers.published import PublishedFigure

Explanations = Sequence[tuple[str, str]]
"""Pattern of row ids without the paper's name, and the explanation; the first that matches counts."""

Verdict = Literal["agrees", "differs", "not determined"]
"""What is said of an obtained figure beside the published one."""

RELATIVE_TOLERANCE = 0.05
"""Largest difference from the published figure, as a part of it."""
POINTS_TOLERANCE = 2.0
"""Largest difference in percentage points, for figures in %."""

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
