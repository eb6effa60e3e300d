"""Figures in words: how a report writes them."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ringlet.figures import plus_minus, with_half_width
from ringlet.papers import Row
from ringlet.papers.agreement import verdict

UNKNOWN = -1e15
"""The number by which a cell without one is sorted."""


def number(value: "float | str | Shown", unit: str = "") -> str:
    """Returns a figure as a report shows it: two decimals for %, `yes` or `no` for a relation, words as they are."""
    if isinstance(value, Shown):
        return value.text
    if isinstance(value, str):
        return value
    if unit == "bool":
        return "holds" if value == 1 else "does not hold"
    if unit == "count":
        return f"{value:g}"
    if isinstance(value, int):
        return str(value)
    if unit == "%":
        return f"{value:z.2f}"
    return f"{value:z.0f}" if 1e4 <= abs(value) < 1e6 else f"{value:.4g}"


def unit(row: Row) -> str:
    """Returns the unit of a row as it stands behind a figure: empty for relations, counts and ratios."""
    return "" if row.figure.unit in ("bool", "count", "1") else row.figure.unit


def published(row: Row) -> str:
    """Returns the published figure or range."""
    figure = row.figure
    low = number(figure.value, figure.unit)
    return low if figure.value_hi is None else f"{low} to {number(figure.value_hi, figure.unit)}"


def with_spread(value: float, spread: float | None, unit: str) -> str:
    """Returns a figure with its standard deviation over the seeds."""
    return plus_minus(value, spread, alone=lambda figure: number(figure, unit))


@dataclass(frozen=True, slots=True)
class Shown:
    """A number in a table that is not written by itself, such as one with the precision of its interval."""

    value: float
    """Number by which the page sorts."""
    text: str


def rounded(value: float, half_width: float) -> tuple[Shown | str, Shown | str]:
    """Returns a figure and the half width of its interval as cells of a table; empty text where there is none."""
    texts = with_half_width(value, half_width, alone=number)
    first, second = (Shown(one, text) if text else "" for one, text in zip((value, half_width), texts, strict=True))
    return first, second


def is_figure(value: object) -> bool:
    """Says whether a cell of a table holds a number."""
    return isinstance(value, int | float | Shown)


@dataclass(frozen=True, slots=True)
class Counts:
    """Rows by verdict."""

    rows: int
    agree: int
    """Rows that agree whatever the paper does not say."""
    possible: int
    """Rows that agree for some of what it leaves open."""
    differ: int
    """Rows that agree for nothing of it."""
    obtained: int
    """Rows of which the obtained figure agrees, under the preset that counts."""
    obtained_other: int
    """Rows of which the obtained figure agrees, under the other preset; 0 without one."""


def counts(rows: Iterable[Row]) -> Counts:
    """Returns how many rows there are, of each class, and of which the obtained figures agree under each preset."""
    each = list(rows)
    found = Counter(row.verdict for row in each)
    return Counts(
        rows=len(each),
        agree=found["agrees"],
        possible=found["possible"],
        differ=found["differs"],
        obtained=sum(verdict(row.figure, row.obtained, ends=row.ends) == "agrees" for row in each),
        obtained_other=sum(row.agrees_other_preset or False for row in each),
    )


def by_place(rows: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    """Returns the rows of each table and figure of a paper, in the order in which they come first."""
    places: dict[str, list[Row]] = {}
    for row in rows:
        places.setdefault(row.figure.place, []).append(row)
    return list(places.items())


def reasons(rows: Sequence[Row]) -> list[str]:
    """Returns the different reasons that rows have, in order: a report numbers them from 1 below its table."""
    return list(dict.fromkeys(row.reason for row in rows if row.reason))


def obtained(row: Row) -> str:
    """Returns the obtained figure with its standard deviation, or ours of the two extremes that the paper prints."""
    unit = row.figure.unit
    return _between(row.ends, unit) if row.ends else with_spread(row.obtained, row.spread, unit)


def obtained_other(row: Row) -> str:
    """Returns the same under the other preset; empty without one."""
    if row.other is None:
        return ""
    unit = row.figure.unit
    return _between(row.other.ends, unit) if row.other.ends else with_spread(row.other.obtained, row.other.spread, unit)


def possible_range(row: Row) -> str:
    """Returns our range over the inputs that a row's paper leaves possible; empty where it gives them all."""
    each = [_between(found, row.figure.unit) for found in row.possible_ranges]
    return f"ours {' and '.join(each)}" if each else ""


def _between(ends: tuple[float, float], unit: str) -> str:
    low, high = (number(value, unit) for value in ends)
    return low if low == high else f"{low} to {high}"


def sort_key(value: float | Shown) -> str:
    """Returns a number as the page's tables sort it: without an exponent, what is not known below all numbers."""
    number = value.value if isinstance(value, Shown) else value
    return f"{UNKNOWN if math.isnan(number) else number:z.12f}"
