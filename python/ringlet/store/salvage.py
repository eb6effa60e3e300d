"""Separates the sound rows of a store from damaged ones, however damaged the file is."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import xor

from ringlet.store.rows import FAULTS, MISSING, WRONG, Damage, Row, columns, is_sound
from ringlet.store.schema import APPLICATION_ID, FORMAT, STATEMENTS

STRETCH = 500
"""Rows that are read at a time."""

LEAST_ROW_BYTES = 16
"""Every row with a number takes more: a file has at most so many."""

MOST_PROBLEMS = 10_000
"""Problems of the file's structure that SQLite lists at most."""


@dataclass(slots=True)
class Survey:
    """A walk through all rows of a store."""

    connection: sqlite3.Connection
    damage: list[Damage] = field(default_factory=list)
    """Damage, in the order in which it was found."""

    def another_kind(self) -> tuple[str, str] | None:
        """Returns what the file is and what is allowed, if it was never a store of this format; else None."""
        try:
            kind, version = self._pragma("application_id"), self._pragma("user_version")
            if self._has_our_tables() or self._is_empty():
                return None
        except FAULTS:
            return None
        if kind != APPLICATION_ID:
            return "<another SQLite database>", "a store of results"
        return None if version == FORMAT else (f"<a store of format {version}>", f"format {FORMAT}")

    def _is_empty(self) -> bool:
        """Returns whether the making of the store was cut off before its tables were there."""
        (tables,) = self.connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        return not self._pragma("application_id") and not tables

    def _has_our_tables(self) -> bool:
        query = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_stat%'"
        return sorted(row[0] for row in self.connection.execute(query)) == sorted(STATEMENTS)

    def note(self, place: str, problem: str) -> None:
        """Notes damage."""
        self.damage.append(Damage(place, problem))

    def runs(self) -> Iterator[tuple[Row, Row, Row, Row]]:
        """Yields the rows of each sound run: result, document, scenario, layout."""
        shared: dict[tuple[str, int], Row | None] = {}

        def of(table: str, number: int) -> Row | None:
            if (table, number) not in shared:
                shared[table, number] = self._row(table, number)
            return shared[table, number]

        for result in self.rows("results"):
            document = self._row("documents", result[0])
            scenario, layout = of("scenarios", result[2]), of("layouts", result[6])
            if document is not None and scenario is not None and layout is not None:
                yield result, document, scenario, layout

    def _row(self, table: str, number: int) -> Row | None:
        """Returns the row with a number that another row refers to."""
        noted = len(self.damage)
        row = next(self._between(table, number, number), None)
        if row is None and len(self.damage) == noted:
            self.note(f"{table} {number}", MISSING)
        return row

    def rows(self, table: str) -> Iterator[Row]:
        """Yields the sound rows of a table whose key is a number."""
        end = self._last_number(table)
        for first in range(1, end + 1, STRETCH):
            yield from self._between(table, first, min(first + STRETCH - 1, end))

    def _between(self, table: str, first: int, last: int) -> Iterator[Row]:
        """Yields the sound rows with these numbers. A page that cannot be read costs the rows on it alone."""
        names, _ = columns()[table]
        query = f"SELECT {', '.join(names)}, checksum FROM {table} WHERE {names[0]} BETWEEN ? AND ? ORDER BY {names[0]}"
        try:
            rows = self.connection.execute(query, (first, last)).fetchall()
        except FAULTS as error:
            if first == last:
                self.note(f"{table} {first}", f"cannot be read ({error})")
                return
            middle = (first + last) // 2
            yield from self._between(table, first, middle)
            yield from self._between(table, middle + 1, last)
            return
        for row in rows:
            if is_sound(table, row):
                yield row[:-1]
            else:
                self.note(f"{table} {row[0]}", WRONG)

    def _last_number(self, table: str) -> int:
        """Returns a number that no row exceeds."""
        (key, *_), _ = columns()[table]
        most = self._pragma("page_count") * self._pragma("page_size") // LEAST_ROW_BYTES
        try:
            (last,) = self.connection.execute(f"SELECT max({key}) FROM {table}").fetchone()
        except FAULTS as error:
            self.note(table, f"where it ends cannot be read ({error})")
            return most
        if last is not None and last > most:
            self.note(f"{table} {last}", "there is no such number")
            return most
        return last or 0

    def _pragma(self, name: str) -> int:
        return int(self.connection.execute(f"PRAGMA {name}").fetchone()[0])

    def everything(self) -> tuple[int, int]:
        """Looks at the file's structure and at every row; returns the numbers of sound runs and studies."""
        try:
            if self._is_empty():
                return 0, 0
            self._structure()
            runs = {result[0] for result, _, _, _ in self.runs()}
            for table in ("documents", "scenarios", "layouts"):
                for _ in self.rows(table):
                    pass
            studies = {row[0] for row in self.rows("studies")}
            self._parts(runs, studies)
        except FAULTS as error:
            self.note("file", str(error))
            return 0, 0
        self.damage = list(dict.fromkeys(self.damage))
        return len(runs), len(studies)

    def _structure(self) -> None:
        for pragma, right in (("application_id", APPLICATION_ID), ("user_version", FORMAT)):
            if (found := self._pragma(pragma)) != right:
                self.note("file", f"its {pragma} is {found}, not {right}")
        if not self._has_our_tables():
            self.note("file", f"its tables are not those of format {FORMAT}")
        for (problem,) in self.connection.execute(f"PRAGMA integrity_check({MOST_PROBLEMS})"):
            if problem != "ok":
                self.note("file", " ".join(problem.split()))

    def _parts(self, runs: set[int], studies: set[int]) -> None:
        """Looks at points and failures: each one, what it refers to, and whether all of a study's are there."""
        sums: dict[int, list[int]] = {}
        for table in ("points", "failures"):
            names, keys = columns()[table]
            try:
                for row in self.connection.execute(f"SELECT {', '.join(names)}, checksum FROM {table}"):
                    place = f"{table} {', '.join(map(str, row[:keys]))}"
                    if not is_sound(table, row):
                        self.note(place, WRONG)
                        continue
                    sums.setdefault(row[0], []).append(row[-1])
                    if table == "points" and row[3] not in runs:
                        self._row("results", row[3])
            except FAULTS as error:
                self.note(table, f"cannot be read ({error})")
        told = {row[0]: row[1:] for row in self.connection.execute("SELECT study, rows, checksum FROM parts")}
        for study in sorted({*told, *studies, *sums}):
            found = sums.get(study, [])
            if told.get(study) != (len(found), reduce(xor, found, 0)):
                self.note(f"parts {study}", "its points or failures are not all there")
            if study not in studies:
                self._row("studies", study)
