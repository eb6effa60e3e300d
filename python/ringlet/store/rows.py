"""Rows with checksums: a row that is not as it was written is found when it is read."""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import Any

from ringlet.store.schema import STATEMENTS

Row = tuple[Any, ...]
"""The columns of a row, without its checksum."""

MISSING = "missing"
WRONG = "its checksum is wrong"

SHARED = ("scenarios", "layouts")
"""Tables whose rows belong to many runs."""

MOST_SEEN = 1000
"""Rows of such a table that are known to be sound without another look, at most: runs that share one are neighbours."""

TOGETHER = 200
"""Rows that are read by one query."""

LARGEST_ID = 2**62
"""Numbers of rows are given out one after the other, so none comes near."""


@dataclass(frozen=True, slots=True)
class Damage:
    """Something in a store that is not as it was written."""

    place: str
    """A table and the key of a row, such as `results 17` or `points 1, 3, 0`; or `file`."""
    problem: str

    def __str__(self) -> str:
        """Place and problem."""
        return f"{self.place}: {self.problem}"


def checksum(table: str, row: Row) -> int:
    """Returns the checksum of a row: 64 bits of BLAKE2b.

    A row is sound in its own table only: whole pages may be misplaced.
    """
    last = row[-1]
    # A column of bytes is the last one.
    text = repr(row[:-1]).encode() + b"\0" + last if isinstance(last, bytes) else repr(row).encode()
    return int.from_bytes(blake2b(text, digest_size=8, person=table.encode()).digest(), "little", signed=True)


def is_sound(table: str, row: Row) -> bool:
    """Returns whether a row that ends with its checksum is as it was written."""
    return bool(row[-1] == checksum(table, row[:-1]))


@cache
def columns() -> dict[str, tuple[tuple[str, ...], int]]:
    """Returns the columns of each table whose rows have checksums, without these, and how many of them are its key."""
    connection = sqlite3.connect(":memory:")
    for statement in STATEMENTS:
        connection.execute(statement)
    found = {}
    for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        info = connection.execute(f"SELECT name, pk FROM pragma_table_info('{table}')").fetchall()
        if info[-1][0] == "checksum" and table != "parts":
            found[table] = tuple(name for name, _ in info[:-1]), sum(pk > 0 for _, pk in info)
    connection.close()
    return found


class Table:
    """A table whose rows have checksums. All that writes belongs inside a transaction."""

    def __init__(self, connection: sqlite3.Connection, name: str, damage: list[Damage]) -> None:
        """Wraps a table of an open store; what is found damaged is added to `damage`."""
        self.name = name
        self.columns, keys = columns()[name]
        self.key = self.columns[:keys]
        self._connection = connection
        self._damage = damage
        self._seen: dict[int, Any] = {}
        # Rows that many runs share; their number alone does not say what they hold: an insert may be undone.
        where = " AND ".join(f"{name} = ?" for name in self.key)
        self._select = f"SELECT {', '.join(self.columns)}, checksum FROM {name} WHERE {where}"
        self._is_there = f"SELECT count(*) FROM {name} WHERE {where}"
        marks = ", ".join("?" * (len(self.columns) + 1))
        self._write = f"INSERT OR REPLACE INTO {name} ({', '.join(self.columns)}, checksum) VALUES ({marks})"
        content = " || ' ' || ".join(
            f"typeof({column}) || ':' || hex({column})" for column in (*self.columns, "checksum")
        )
        self._keep = f"INSERT INTO damaged (found, place, content) SELECT ?, ?, {content} FROM {name} WHERE {where}"
        self._delete = f"DELETE FROM {name} WHERE {where}"

    def read(self, *key: int) -> Row | None:
        """Returns the columns of a row, None if it is missing or damaged, which is noted."""
        try:
            row = self._connection.execute(self._select, key).fetchone()
        except sqlite3.OperationalError as error:
            if is_of_sqlite(error):
                raise
            row = ()
        if row and is_sound(self.name, row):
            if self.name in SHARED:
                if len(self._seen) >= MOST_SEEN:
                    self._seen.clear()
                self._seen[row[0]] = row[1]
            return tuple(row[:-1])
        self.note(key, MISSING if row is None else WRONG)
        return None

    def is_there(self, *key: int) -> bool:
        """Returns whether there is a row with a key, damaged or not."""
        return bool(self._connection.execute(self._is_there, key).fetchone()[0])

    def note(self, key: Row, problem: str) -> None:
        """Notes damage."""
        self._damage.append(Damage(f"{self.name} {', '.join(map(str, key))}", problem))

    def is_there_and_sound(self, number: int) -> bool:
        """Returns whether there is a sound row with a number, as far as it was not seen before."""
        return number in self._seen or self.read(number) is not None

    def place(self, column: str, value: str) -> tuple[int | None, bool]:
        """Returns the number of the row with a value in a unique column, if there is one, and whether it is sound."""
        found = self._connection.execute(f"SELECT id FROM {self.name} WHERE {column} = ?", (value,)).fetchone()
        if found is not None and self._seen.get(found[0]) == value:
            return found[0], True
        number, row = self.lookup(column, value)
        return number, row is not None

    def lookup(self, column: str, value: str) -> tuple[int | None, Row | None]:
        """Returns number and row that have a value in a unique column; None where there is none, or it is damaged."""
        query = f"SELECT id FROM {self.name} WHERE {column} = ?"
        found = self._connection.execute(query, (value,)).fetchone()
        if found is None:
            return None, None
        row = self.read(*found)
        if row is not None and row[self.columns.index(column)] != value:
            # The index leads to another row; it is made from the rows again.
            self.note(found, f"the index leads here for {value}")
            self._connection.execute(f"REINDEX {self.name}")
            found = self._connection.execute(query, (value,)).fetchone()
            return (None, None) if found is None else (int(found[0]), self.read(*found))
        return int(found[0]), row

    def read_all(self, numbers: Sequence[int]) -> Iterator[Row | None]:
        """Yields the rows with these numbers, in their order; None for a missing or damaged one, which is noted."""
        names = ", ".join(self.columns)
        query = f"SELECT {names}, checksum FROM {self.name} WHERE {self.key[0]} IN (SELECT value FROM json_each(?))"
        for start in range(0, len(numbers), TOGETHER):
            part = numbers[start : start + TOGETHER]
            try:
                rows = self._connection.execute(query, (json.dumps(part),)).fetchall()
            except sqlite3.OperationalError as error:
                if is_of_sqlite(error):
                    raise
                rows = []
            sound = {row[0]: tuple(row[:-1]) for row in rows if is_sound(self.name, row)}
            for number in part:
                yield sound.get(number) or self.read(number)

    def of_study(self, study: int) -> Iterator[Row]:
        """Yields the rows of a study with their checksums, in the order of their keys."""
        order = ", ".join(self.key)
        query = f"SELECT {', '.join(self.columns)}, checksum FROM {self.name} WHERE study = ? ORDER BY {order}"
        yield from self._connection.execute(query, (study,))

    def add(self, *values: Any) -> int:  # noqa: ANN401 - what a column takes
        """Adds a row with a new number, which it returns."""
        (last,) = self._connection.execute(f"SELECT max(id) FROM {self.name}").fetchone()
        if last is not None and not 0 <= last < LARGEST_ID:
            raise sqlite3.DatabaseError(f"{self.name} has a row with the number {last}")
        row = (1 if last is None else last + 1, *values)
        self._connection.execute(self._write, (*row, checksum(self.name, row)))
        return int(row[0])

    def write(self, *row: Any) -> None:  # noqa: ANN401 - what a column takes
        """Writes a row, over one with the same key."""
        self._connection.execute(self._write, (*row, checksum(self.name, row)))

    def replace(self, *row: Any) -> None:  # noqa: ANN401 - what a column takes
        """Writes a row, over one with the same key, which is set aside if it is damaged."""
        key = row[: len(self.key)]
        if self.is_there(*key) and self.read(*key) is None:
            self.set_aside(*key)
        self.write(*row)

    def write_all(self, rows: Iterable[Row]) -> None:
        """Writes rows, over those with the same keys."""
        self._connection.executemany(self._write, ((*row, checksum(self.name, row)) for row in rows))

    def set_aside(self, *key: Any) -> None:  # noqa: ANN401 - what a damaged key may be
        """Moves a row into the table `damaged`."""
        self._connection.execute(self._keep, (time.time(), f"{self.name} {', '.join(map(str, key))}", *key))
        self._connection.execute(self._delete, key)


FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""Exceptions that reading a damaged file raises; the second one if the damage is in what SQLite says of it."""


def is_of_sqlite(error: Exception) -> bool:
    """Returns whether SQLite reported an error; otherwise Python did: a text that is no UTF-8."""
    return hasattr(error, "sqlite_errorcode")
