"""Tables of nodes and others, and the figures in their columns: four significant digits of the largest, aligned."""

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence

SHOWN_NODES = 32
"""Rows of nodes, priorities or messages that a table shows; JSON has all."""

MISSING = "-"
"""Stands for a figure that there is not, such as a latency without a delivery."""

DIGITS = 4
MAX_DECIMALS = 6


GAP = "  "
"""Space between two columns."""


class Table:
    """A table of text: a first column of names, then figures, which end below each other, or words, which do not."""

    def __init__(self, columns: Sequence[str], *, words: Sequence[str] = (), title: str | None = None) -> None:
        """Takes the headings of names and figures, and behind them those of words; a line break in one sets the unit
        apart."""
        self._headings, self._figures, self._title = [*columns, *words], len(columns) - 1, title
        self._rows: list[tuple[Sequence[str], str | None]] = []

    def add_row(self, *cells: str, style: str | None = None) -> None:
        """Adds a row; cells that are not given are empty, and one alone is a sentence that goes over the columns."""
        self._rows.append((cells, style))

    def lines(self, styled: Callable[[str, str | None], str]) -> Iterator[str]:
        """Yields the lines of the table, as wide as it is, so that no figure is cut.

        Args:
            styled: returns a text in a style, such as `bold`.
        """
        headings = [heading.split("\n") for heading in self._headings]
        height = max(map(len, headings))
        # The last lines of all headings stand beside each other.
        above = [[""] * (height - len(lines)) + lines for lines in headings]
        rows = [(cells, "bold") for cells in zip(*above, strict=True)] + self._rows
        cells = [[*row, *[""] * (len(headings) - len(row))] for row, _ in rows]
        # A row of one cell is a sentence: it takes the whole line.
        counted = [line for (row, _), line in zip(rows, cells, strict=True) if len(row) > 1 or len(headings) == 1]
        widths = [max(map(width, column)) for column in zip(*counted, strict=True)]
        if self._title is not None:
            yield styled(self._title, "bold")
        for row, (_, style) in zip(cells, rows, strict=True):
            blanks = [" " * (most - width(cell)) for cell, most in zip(row, widths, strict=True)]
            aligned = [
                blank + cell if 0 < place <= self._figures else cell + blank
                for place, (cell, blank) in enumerate(zip(row, blanks, strict=True))
            ]
            yield styled(GAP.join(aligned).rstrip(), style)


def width(text: str) -> int:
    """Returns the places that a text takes in a terminal: two for each wide character, such as a Chinese one, and none
    for one that combines with the one before it."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def left_out(rows: int, table: Table, *, what: str = "", where: str = "--json has all") -> None:
    """Adds a line that says how many of its rows the table does not show, if it does not show all.

    Args:
        rows: how many there are.
        table: which shows the first of them.
        what: more about the others, such as `that missed less`.
        where: all are.
    """
    if rows > SHOWN_NODES:
        more = f"... {rows - SHOWN_NODES} more {what}".rstrip()
        table.add_row(f"{more}; {where}")


def column(values: Iterable[float | None]) -> list[str]:
    """Returns figures of one column, all with as many decimals as give the largest four significant digits."""
    kept = list(values)
    present = [abs(value) for value in kept if value is not None]
    decimals = _decimals(max(present, default=0.0))
    return [MISSING if value is None else f"{value:z.{decimals}f}" for value in kept]


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
