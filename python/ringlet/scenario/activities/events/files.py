"""Files of event building: the fragments of each source, and the times of triggers."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from ringlet.errors import RingletError
from ringlet.scenario.activities.tables import Columns, Row, file_rows, read_size, read_table
from ringlet.scenario.packet_trace.clock import TIME, Clock, exact_time
from ringlet.scenario.values.sizes import Sizes, SizesGiven
from ringlet.scenario.values.units import exact_ns
from ringlet.sections import Before, Field

COLUMNS = Columns(
    required=("source", "size"),
    optional=(),
    quantities=("size",),
    texts=("source",),
    read={"size": read_size},
)
"""Columns of a table of fragments."""


class FragmentRow(Row):
    """A row of a table of fragments."""

    source: Annotated[str, Before(str)] = Field(description="Name or number of the source.")
    size: Sizes = Field(description="Data of its fragments.")


class FragmentGiven(NamedTuple):
    """The fragments of a source as a file has them."""

    place: str
    """File and line, with which an error message begins."""
    source: str
    size: SizesGiven
    written: Any
    """Size as a scenario file has it."""


def read_fragments(file: Path) -> list[FragmentGiven]:
    """Reads a CSV or Parquet file with a source and the sizes of its fragments in each row.

    Raises:
        RingletError: the file cannot be read, or a row in it is bad; names file and line.
    """
    rows = read_table(file, COLUMNS, FragmentRow, "source")
    return [FragmentGiven(row.place, row.source, row.size, row.table()["size"]) for row in rows]


def read_times(file: Path) -> list[str]:
    """Reads the times of triggers from a CSV or Parquet file, from the first one on, which is 0.

    Raises:
        RingletError: the file cannot be read, has no column of times or two, or a time in it is bad or goes back; names
            file and line.
    """
    rows = file_rows(file)
    place, header = next(rows, (str(file), []))
    column, unit_ns = _column([str(head) for head in header], place)
    clock = Clock(unit_ns, start_ns=0, stop_ns=float("inf"))
    found = [f"{ns!r} ns" for ns in _times(rows, column, len(header), clock)]
    if not found:
        raise RingletError.not_allowed(str(file), "<no time>", "a header and at least one line below it")
    return found


def _column(header: list[str], place: str) -> tuple[int, Fraction]:
    """Returns the place of the column of times, and its unit in ns."""
    matches = [(i, match) for i, head in enumerate(header) if (match := TIME.fullmatch(head))]
    if len(matches) != 1:
        named = " and ".join(header[i] for i, _ in matches) or ", ".join(header) or "<nothing>"
        raise RingletError.not_allowed(place, named, "one column of times, such as time_ns or time_us")
    ((column, match),) = matches
    try:
        return column, exact_ns(f"1 {match[2] or match[3]}")
    except ValueError:
        allowed = "a head with its unit, such as time_ns or time_us"
        raise RingletError.not_allowed(place, header[column], allowed) from None


def _times(rows: Iterator[tuple[str, Any]], column: int, columns: int, clock: Clock) -> Iterator[float]:
    for place, cells in rows:
        if len(cells) != columns:
            raise RingletError.not_allowed(place, f"<{len(cells)} values>", f"{columns}, one per column")
        time = exact_time(cells[column])
        if time is None:
            raise RingletError.not_allowed(place, cells[column], "a time, a number")
        ns = clock.ns(time)
        if ns is None:
            raise RingletError.not_allowed(place, cells[column], "times that do not go back")
        yield ns
