"""Tables of nodes and others, and the figures in their columns: four significant digits of the largest, aligned."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

SHOWN_NODES = 32
"""Rows of nodes, priorities or messages that a table shows; JSON has all."""

MISSING = "-"
"""Stands for a figure that there is not, such as a latency without a delivery."""

DIGITS = 4
MAX_DECIMALS = 6


def table(columns: Sequence[str], *, title: str | None = None) -> "Table":
    """Returns an empty table: a first column of names, then figures. A line break in a heading sets the unit apart."""
    from rich.table import Table

    made = Table(title=title, title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for place, heading in enumerate(columns):
        made.add_column(heading, justify="right" if place else "left", no_wrap=True, vertical="bottom")
    return made


def left_out(rows: int, table: "Table") -> None:
    """Adds a line that says how many of its rows the table does not show, if it does not show all."""
    if rows > SHOWN_NODES:
        table.add_row(f"... {rows - SHOWN_NODES} more")


def column(values: Iterable[float | None]) -> list[str]:
    """Returns figures of one column, all with as many decimals as give the largest four significant digits."""
    kept = list(values)
    present = [abs(value) for value in kept if value is not None]
    decimals = _decimals(max(present, default=0.0))
    return [MISSING if value is None else f"{value:.{decimals}f}" for value in kept]


def figure(value: float | None) -> str:
    """Returns one figure with four significant digits."""
    return column([value])[0]


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
