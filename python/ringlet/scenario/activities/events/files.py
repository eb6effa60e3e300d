"""The file of event building: the fragments of each source."""

from pathlib import Path
from typing import Annotated, Any, NamedTuple

from ringlet.scenario.activities.tables import Columns, Row, read_size, read_table
from ringlet.scenario.values.sizes import Sizes, SizesGiven
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
