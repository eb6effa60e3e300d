"""When an obtained figure agrees with a published one: one rule for every row of every paper."""

from ringlet.papers.published import PublishedFigure

RELATIVE_TOLERANCE = 0.05
"""Largest difference from the published figure, as a part of it."""
POINTS_TOLERANCE = 2.0
"""Largest difference in percentage points, for figures in %."""

RULE = (
    f"A row agrees if the obtained figure is within {RELATIVE_TOLERANCE:.0%} of the published one, or within "
    f"{POINTS_TOLERANCE:g} percentage points where the unit is %, or inside the published range, or if its stated "
    "relation holds."
)
"""The rule in words, printed with every table."""


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
