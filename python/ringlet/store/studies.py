"""The stored runs of each study."""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ringlet.store.database import Database
from ringlet.store.figures import Layout
from ringlet.store.record import canonical_json, decompress, scenario_digest
from ringlet.store.rows import WRONG, Damage, Row, Table, is_sound

DIGEST_DIGITS = 12
"""Hexadecimal digits of a scenario's digest that tables show."""

PARTS = ("points", "failures")
"""Tables whose rows belong to a study."""

Sum = tuple[int, int]
"""Number of rows, and the exclusive or of their checksums."""


@dataclass(frozen=True, slots=True)
class StoredStudy:
    """A study that was run with a store."""

    id: int
    content: dict[str, Any]
    """Base scenario, axes and replications, as JSON takes them."""
    engine: str
    """Version of the code that ran it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A run that could not be done."""

    point: int
    replication: int
    reason: str
    """Message of the failure, which is a defect of ringlet if it begins with `ringlet.errors.INTERNAL`."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Finished runs of a study, in the order of points and replications, as columns."""

    point: NDArray[np.int64]
    replication: NDArray[np.int64]
    result: list[int]
    """Numbers of the results."""
    seed: NDArray[np.int64]
    scenario_key: list[str]
    """Beginning of the digest of each one's scenario without its seed."""
    engine: list[str]
    wall_s: NDArray[np.float64]
    figures: list[tuple[Layout, NDArray[np.int64], list[bytes]]]
    """Figures by layout: each layout of a run of the study, the rows that have it, and their packed figures."""


class Studies:
    """The studies of a store. All that writes belongs inside a transaction."""

    def __init__(self, database: Database) -> None:
        """Wraps an open database."""
        self._database = database

    def begin(self, content: dict[str, Any], engine: str, resolved: str = "") -> int:
        """Returns the number of a study, new or known.

        Args:
            content: base scenario, axes and replications, as JSON takes them.
            engine: version of the code.
            resolved: a digest of what the study names, such as files: it is another study if they change.
        """
        text = canonical_json(content)
        digest = scenario_digest(f"{text} {engine} {resolved}")
        studies = self._database.tables["studies"]
        self._set_aside_damaged(studies, keep=digest)
        number, _ = studies.lookup("digest", digest)
        if number is None:
            number = studies.add(digest, text, engine, time.time())
        else:
            studies.replace(number, digest, text, engine, time.time())
        self._mend_parts(number)
        return number

    def _set_aside_damaged(self, studies: Table, *, keep: str) -> None:
        """Moves studies that are damaged away, but for the one with a digest, which is about to be written."""
        connection = self._database.connection
        ours, _ = studies.lookup("digest", keep)
        for number in self._numbers():
            if number != ours and studies.read(number) is None:
                studies.set_aside(number)
                for part in (*PARTS, "parts"):
                    connection.execute(f"DELETE FROM {part} WHERE study = ?", (number,))

    def _mend_parts(self, study: int) -> None:
        """Moves damaged rows of a study away, and sums up what is left: the sweep that begins adds what is missing."""
        connection = self._database.connection
        told = connection.execute("SELECT rows, checksum FROM parts WHERE study = ?", (study,)).fetchone()
        left = [self._sound(self._database.tables[part], study, set_aside=True) for part in PARTS]
        self._are_all_there(study, told, left)
        connection.execute("INSERT OR REPLACE INTO parts VALUES (?, ?, ?)", (study, *_together(left)))

    def _are_all_there(self, study: int, told: tuple[int, int] | None, found: list[Sum]) -> None:
        """Notes it if the sound rows of a study are not all that it had."""
        if told not in (None, _together(found)):
            self._database.damage.append(Damage(f"parts {study}", "its points or failures are not all there"))

    def _numbers(self) -> list[int]:
        """Numbers of all studies, of those that are lost, too."""
        query = "SELECT id FROM studies UNION SELECT study FROM parts ORDER BY 1"
        return [row[0] for row in self._database.connection.execute(query)]

    def _sound(self, table: Table, study: int, *, set_aside: bool = False) -> Sum:
        """Sums up the sound rows of `points` or `failures` that a study has; notes the others."""
        rows, together, damaged = 0, 0, []
        for row in table.of_study(study):
            if is_sound(table.name, row):
                rows, together = rows + 1, together ^ row[-1]
            else:
                damaged.append(row[: len(table.key)])
        for key in damaged:
            table.note(key, WRONG)
            if set_aside:
                table.set_aside(*key)
        return rows, together

    def check(self, study: int) -> None:
        """Looks at all points and failures of a study.

        Raises:
            DamagedError: one is damaged or missing.
        """
        noted = len(self._database.damage)
        with self._database.guard("read"):
            query = "SELECT rows, checksum FROM parts WHERE study = ?"
            told = self._database.connection.execute(query, (study,)).fetchone()
            self._are_all_there(study, told, [self._sound(self._database.tables[part], study) for part in PARTS])
        self._database.check(noted)

    def add(self, study: int, runs: Iterable[tuple[int, int, int]]) -> None:
        """Adds runs to a study: point, replication, number of the result. They may have failed before."""
        rows = [(study, *run) for run in runs]
        self._database.tables["points"].write_all(rows)
        forget = "DELETE FROM failures WHERE study = ? AND point = ? AND replication = ?"
        self._database.connection.executemany(forget, (row[:3] for row in rows))

    def fail(self, study: int, failures: Iterable[Failure]) -> None:
        """Notes runs that could not be done."""
        rows = ((study, failure.point, failure.replication, failure.reason) for failure in failures)
        self._database.tables["failures"].write_all(rows)

    def latest(self) -> StoredStudy | None:
        """Returns the study that was run last, None if there is none.

        Raises:
            DamagedError: a study is damaged or lost, so that the last one cannot be found.
        """
        studies, noted = self._database.tables["studies"], len(self._database.damage)
        with self._database.guard("read"):
            found = [study for number in self._numbers() if (study := studies.read(number)) is not None]
        self._database.check(noted)
        if not found:
            return None
        number, _, content, engine, _ = max(found, key=lambda study: (study[4], study[0]))
        return StoredStudy(number, json.loads(content), engine)

    def runs(self, study: int, *, points: Sequence[int] | None = None) -> Runs:
        """Returns the finished runs of a study.

        Args:
            study: its number.
            points: only runs of these, ascending; default: all.

        Raises:
            DamagedError: what it needs is damaged or missing.
        """
        self.check(study)
        among = "" if points is None else "AND point IN (SELECT value FROM json_each(?))"
        query = f"SELECT point, replication, result FROM points WHERE study = ? {among} ORDER BY point, replication"
        with self._database.guard("read"):
            more = () if points is None else (json.dumps(points),)
            rows = self._database.connection.execute(query, (study, *more)).fetchall()
        return self._read(rows, self._layouts(study))

    def pieces(self, study: int, rows: int) -> Iterator[Runs]:
        """Yields the finished runs of a study, about `rows` at a time; all runs of a point are in one piece.

        Raises:
            DamagedError: what it needs is damaged or missing.
        """
        self.check(study)
        layouts, connection = self._layouts(study), self._database.connection
        query = (
            "SELECT point, replication, result FROM points WHERE study = ? AND point {} ? AND replication > ? "
            "ORDER BY point, replication LIMIT ?"
        )
        last = -1
        while True:
            with self._database.guard("read"):
                piece = connection.execute(query.format(">"), (study, last, -1, rows)).fetchall()
                if len(piece) == rows:
                    piece += connection.execute(query.format("="), (study, *piece[-1][:2], -1)).fetchall()
            if not piece:
                return
            last = piece[-1][0]
            yield self._read(piece, layouts)

    def _layouts(self, study: int) -> dict[int, Layout]:
        """Returns the layouts of a study's runs by their numbers.

        Raises:
            DamagedError: one is damaged or missing.
        """
        query = (
            "SELECT DISTINCT layout FROM points JOIN results ON results.id = points.result WHERE study = ? ORDER BY 1"
        )
        noted = len(self._database.damage)
        with self._database.guard("read"):
            numbers = [row[0] for row in self._database.connection.execute(query, (study,)).fetchall()]
            rows = [self._database.tables["layouts"].read(number) for number in numbers]
        self._database.check(noted)
        return {row[0]: Layout.from_json(row[1]) for row in rows if row is not None}

    def _read(self, points: list[tuple[int, int, int]], layouts: Mapping[int, Layout]) -> Runs:
        """Returns runs, given by point, replication and number of the result."""
        tables, noted = self._database.tables, len(self._database.damage)
        digests: dict[int, str] = {}
        members: dict[int, tuple[list[int], list[bytes]]] = {number: ([], []) for number in layouts}
        rows: list[Row] = []
        with self._database.guard("read"):
            results = tables["results"].read_all([number for _, _, number in points])
            for (point, replication, number), result in zip(points, results, strict=True):
                if result is None:
                    continue
                _, _, scenario, seed, engine, wall_s, layout, figures = result
                if scenario not in digests and (row := tables["scenarios"].read(scenario)) is not None:
                    digests[scenario] = row[1][:DIGEST_DIGITS]
                # One with another layout has been stored since the layouts were read.
                if scenario in digests and layout in layouts:
                    members[layout][0].append(len(rows))
                    members[layout][1].append(figures)
                    rows.append((point, replication, number, seed, digests[scenario], engine, wall_s))
        self._database.check(noted)
        columns = list(zip(*rows, strict=True)) if rows else [()] * 7
        return Runs(
            point=np.array(columns[0], dtype=np.int64),
            replication=np.array(columns[1], dtype=np.int64),
            result=list(columns[2]),
            seed=np.array(columns[3], dtype=np.int64),
            scenario_key=list(columns[4]),
            engine=list(columns[5]),
            wall_s=np.array(columns[6], dtype=np.float64),
            figures=[
                (layouts[number], np.array(of, dtype=np.int64), packed) for number, (of, packed) in members.items()
            ],
        )

    def count(self, study: int, part: Literal["points", "failures"] = "points") -> int:
        """Returns the number of a study's runs that are finished, or that failed."""
        with self._database.guard("read"):
            query = f"SELECT count(*) FROM {part} WHERE study = ?"
            return int(self._database.connection.execute(query, (study,)).fetchone()[0])

    def finished(self, study: int, points: range, replications: int) -> set[int]:
        """Returns which points of a range have that many finished runs, or more, all of them sound."""
        tables = self._database.tables
        query = "SELECT point, result FROM points WHERE study = ? AND point BETWEEN ? AND ? ORDER BY point, replication"
        with self._database.guard("read"):
            rows = self._database.connection.execute(query, (study, points[0], points[-1])).fetchall()
            numbers = [number for _, number in rows]
            runs, documents = (tables[name].read_all(numbers) for name in ("results", "documents"))
            whole: Counter[int] = Counter()
            for (point, _), run, document in zip(rows, runs, documents, strict=True):
                whole[point] += (
                    run is not None
                    and document is not None
                    and tables["scenarios"].is_there_and_sound(run[2])
                    and tables["layouts"].is_there_and_sound(run[6])
                )
        return {point for point, count in whole.items() if count >= replications}

    def documents(self, results: Sequence[int]) -> Iterator[dict[str, Any]]:
        """Yields the documents of runs, without their scenarios, given by the numbers of their results.

        Raises:
            DamagedError: one is damaged or missing.
        """
        for row in self._each("documents", results):
            yield json.loads(decompress(row[1]))

    def result(self, study: int, point: int, replication: int) -> int | None:
        """Returns the number of a run's result, None if it is not done.

        Raises:
            DamagedError: its row is damaged.
        """
        points, noted = self._database.tables["points"], len(self._database.damage)
        with self._database.guard("read"):
            row = points.read(study, point, replication) if points.is_there(study, point, replication) else None
        self._database.check(noted)
        return None if row is None else int(row[3])

    def scenarios(self, results: Sequence[int]) -> Iterator[str]:
        """Yields the scenario without its seed, as JSON, of each of some runs.

        Raises:
            DamagedError: one is damaged or missing.
        """
        for result in self._each("results", results):
            noted = len(self._database.damage)
            with self._database.guard("read"):
                scenario = self._database.tables["scenarios"].read(result[2])
            self._database.check(noted)
            assert scenario is not None
            yield decompress(scenario[2])

    def _each(self, table: str, results: Sequence[int]) -> Iterator[Row]:
        """Yields the rows of a table with the numbers of runs."""
        noted = len(self._database.damage)
        with self._database.guard("read"):
            for row in self._database.tables[table].read_all(results):
                self._database.check(noted)
                assert row is not None
                yield row

    def failures(self, study: int) -> Iterator[Failure]:
        """Yields the runs that could not be done.

        Raises:
            DamagedError: a row of the study is damaged or missing.
        """
        self.check(study)
        with self._database.guard("read"):
            for row in self._database.tables["failures"].of_study(study):
                yield Failure(*row[1:4])


def _together(sums: Iterable[Sum]) -> Sum:
    rows, together = 0, 0
    for more, checksum in sums:
        rows, together = rows + more, together ^ checksum
    return rows, together
