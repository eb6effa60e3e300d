"""Figures in words: how a report writes them."""

from collections.abc import Iterable, Sequence

from ringlet.papers import Row


def number(value: float | str, unit: str = "") -> str:
    """Returns a figure as a report shows it: two decimals for %, `yes` or `no` for a relation, words as they are."""
    if isinstance(value, str):
        return value
    if unit == "bool":
        return "holds" if value == 1 else "does not hold"
    if unit == "count":
        return f"{value:g}"
    if isinstance(value, int):
        return str(value)
    if unit == "%":
        return f"{value:.2f}"
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e6 else f"{value:.4g}"


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
    return number(value, unit) if spread is None else f"{number(value, unit)} ± {number(spread, unit)}"


def agreement_counts(rows: Iterable[Row]) -> tuple[int, int, int]:
    """Returns how many rows agree, how many under the other preset (0 without one), and how many there are."""
    each = list(rows)
    return sum(row.agrees for row in each), sum(row.agrees_other_preset or False for row in each), len(each)


def by_place(rows: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    """Returns the rows of each table and figure of a paper, in the order in which they come first."""
    places: dict[str, list[Row]] = {}
    for row in rows:
        places.setdefault(row.figure.place, []).append(row)
    return list(places.items())


def explanations(rows: Sequence[Row]) -> list[str]:
    """Returns the different explanations of disagreements, in order: a report numbers them from 1 below its table."""
    return list(dict.fromkeys(row.disagreement for row in rows if row.disagreement))


def sort_key(value: float) -> str:
    """Returns a number as the page's tables sort it: without an exponent."""
    return f"{value:.12f}"
