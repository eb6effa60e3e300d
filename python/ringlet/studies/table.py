"""Tables as columns. Data frames are made of them where one is asked for: pandas takes longer to load than a small
sweep takes in all."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.lazy import library

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")

NONE = float("nan")
"""Cell of a record that lacks the column."""


class Columns:
    """A table: columns of equal length by their names, each an array or a list."""

    def __init__(self, by_name: Mapping[str, Any]) -> None:
        """Takes the columns in their order."""
        self.by_name = dict(by_name)

    @classmethod
    def of_frame(cls, frame: "pd.DataFrame") -> "Columns":
        """Returns the columns of a data frame."""
        return cls({str(name): frame[name].to_numpy() for name in frame.columns})

    @classmethod
    def of_records(cls, records: Sequence[Mapping[str, Any]]) -> "Columns":
        """Returns the columns of rows that may lack some of them."""
        first = tuple(records[0]) if records else ()
        if all(tuple(record) == first for record in records):
            columns = zip(*(record.values() for record in records), strict=True)
            return cls({name: _one_kind(list(column)) for name, column in zip(first, columns, strict=True)})
        names = dict.fromkeys(name for record in records for name in record)
        return cls({name: _one_kind([record.get(name, NONE) for record in records]) for name in names})

    @classmethod
    def joined(cls, tables: Sequence["Columns"]) -> "Columns":
        """Returns the rows of tables below each other; a table that lacks a column has no values there."""
        names = dict.fromkeys(name for table in tables for name in table.by_name)
        return cls({name: _one_kind([cell for table in tables for cell in table.cells(name)]) for name in names})

    def __len__(self) -> int:
        """Returns the number of rows."""
        return len(next(iter(self.by_name.values()), ()))

    def __contains__(self, name: object) -> bool:
        """Returns whether there is a column of this name."""
        return name in self.by_name

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - an array of any kind, or a list
        """Returns a column."""
        return self.by_name[name]

    def cells(self, name: str) -> list[Any]:
        """Returns a column as Python's own values; NaN in each row if there is none of this name."""
        column = self.by_name.get(name)
        if column is None:
            return [NONE] * len(self)
        return column.tolist() if isinstance(column, np.ndarray) else list(column)

    def rows(self) -> Iterable[tuple[Any, ...]]:
        """Yields the rows as Python's own values."""
        return zip(*map(self.cells, self.by_name), strict=True)

    def records(self) -> list[dict[str, Any]]:
        """Returns the rows by the names of the columns."""
        return [dict(zip(self.by_name, row, strict=True)) for row in self.rows()]

    def taken(self, rows: Sequence[int], names: Sequence[str]) -> "Columns":
        """Returns some rows of some columns, by their places."""
        columns = {name: self.by_name[name] for name in names}
        return Columns(
            {
                name: column[rows] if isinstance(column, np.ndarray) else [column[row] for row in rows]
                for name, column in columns.items()
            }
        )

    def head(self, rows: int) -> "Columns":
        """Returns the first rows."""
        return Columns({name: column[:rows] for name, column in self.by_name.items()})

    def frame(self) -> "pd.DataFrame":
        """Returns a data frame."""
        return pd.DataFrame(self.by_name)


def _one_kind(values: list[Any]) -> list[Any]:
    """Returns numbers as floats if one of them is: a column has one kind of numbers."""
    kinds = set(map(type, values))
    return list(map(float, values)) if kinds == {int, float} else values
