"""Tables of nodes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

SHOWN_NODES = 32
"""Rows of nodes, priorities or messages that a table shows; JSON has all."""


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
