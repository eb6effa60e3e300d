"""The stored runs of each study."""

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import Any

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
    """By a defect of ringlet if it begins with `ringlet.errors.INTERNAL`."""


@dataclass(frozen=True, slots=True)
class Runs:
    """The finished runs of a study, in the order of points and replications, as columns."""

    point: NDArray[np.int64]
    replication: NDArray[np.int64]
    seed: NDArray[np.int64]
    scenario_key: list[str]
    """Beginning of the digest of each one's scenario without its seed."""
    engine: list[str]
    wall_s: NDArray[np.float64]
    figures: list[tuple[Layout, NDArray[np.int64], list[bytes]]]
    """For each layout: the rows that have it, and their packed figures."""


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
        found = [self._sound_rows(self._database.tables[part], study, set_aside=True) for part in PARTS]
        self._are_all_there(study, found)
        rows = (study, *_summed_up(found))
        self._database.connection.execute("INSERT OR REPLACE INTO parts VALUES (?, ?, ?)", rows)

    def _are_all_there(self, study: int, found: list[list[Row]]) -> None:
        """Notes it if the sound rows of a study are not all that it had."""
        query = "SELECT rows, checksum FROM parts WHERE study = ?"
        told = self._database.connection.execute(query, (study,)).fetchone()
        if told not in (None, _summed_up(found)):
            self._database.damage.append(Damage(f"parts {study}", "its points or failures are not all there"))

    def _numbers(self) -> list[int]:
        """Numbers of all studies, of those that are lost, too."""
        query = "SELECT id FROM studies UNION SELECT study FROM parts ORDER BY 1"
        return [row[0] for row in self._database.connection.execute(query)]

    def _sound_rows(self, table: Table, study: int, *, set_aside: bool = False) -> list[Row]:
        """Returns the sound rows of `points` or `failures` that a study has, with checksums; notes the others."""
        sound = []
        for row in table.of_study(study):
            if is_sound(table.name, row):
                sound.append(row)
                continue
            key = row[: len(table.key)]
            table.note(key, WRONG)
            if set_aside:
                table.set_aside(*key)
        return sound

    def _parts(self, study: int) -> list[list[Row]]:
        """Returns the rows of `points` and of `failures` that a study has.

        Raises:
            DamagedError: one is damaged or missing.
        """
        noted = len(self._database.damage)
        with self._database.guard("read"):
            found = [self._sound_rows(self._database.tables[part], study) for part in PARTS]
            self._are_all_there(study, found)
        self._database.check(noted)
        return found

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

    def runs(self, study: int) -> Runs:
        """Returns the finished runs of a study.

        Raises:
            DamagedError: what it needs is damaged or missing.
        """
        tables, noted = self._database.tables, len(self._database.damage)
        points, _ = self._parts(study)
        digests: dict[int, str] = {}
        layouts: dict[int, tuple[Layout, list[int], list[bytes]]] = {}
        rows: list[Row] = []
        with self._database.guard("read"):
            results = tables["results"].read_all([row[3] for row in points])
            for (_, point, replication, _, _), result in zip(points, results, strict=True):
                if result is None:
                    continue
                _, _, scenario, seed, engine, wall_s, layout, figures = result
                if scenario not in digests and (row := tables["scenarios"].read(scenario)) is not None:
                    digests[scenario] = row[1][:DIGEST_DIGITS]
                if layout not in layouts and (row := tables["layouts"].read(layout)) is not None:
                    layouts[layout] = (Layout.from_json(row[1]), [], [])
                if scenario in digests and layout in layouts:
                    _, members, packed = layouts[layout]
                    members.append(len(rows))
                    packed.append(figures)
                    rows.append((point, replication, seed, digests[scenario], engine, wall_s))
        self._database.check(noted)
        columns = list(zip(*rows, strict=True)) if rows else [()] * 6
        return Runs(
            point=np.array(columns[0], dtype=np.int64),
            replication=np.array(columns[1], dtype=np.int64),
            seed=np.array(columns[2], dtype=np.int64),
            scenario_key=list(columns[3]),
            engine=list(columns[4]),
            wall_s=np.array(columns[5], dtype=np.float64),
            figures=[
                (layout, np.array(members, dtype=np.int64), packed)
                for _, (layout, members, packed) in sorted(layouts.items())
            ],
        )

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

    def documents(self, study: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Yields point, replication and document, without its scenario, of each finished run of a study.

        Raises:
            DamagedError: one is damaged or missing.
        """
        for point, replication, (_, document) in self._each(study, "documents"):
            yield point, replication, json.loads(decompress(document))

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

    def scenarios(self, study: int) -> Iterator[tuple[int, int, int, str]]:
        """Yields point, replication, seed and the JSON of the scenario without its seed of each finished run.

        Raises:
            DamagedError: one is damaged or missing.
        """
        for point, replication, result in self._each(study, "results"):
            noted = len(self._database.damage)
            with self._database.guard("read"):
                scenario = self._database.tables["scenarios"].read(result[2])
            self._database.check(noted)
            assert scenario is not None
            yield point, replication, result[3], decompress(scenario[2])

    def _each(self, study: int, table: str) -> Iterator[tuple[int, int, Row]]:
        """Yields point, replication and the row of a table with the run's number."""
        points, _ = self._parts(study)
        noted = len(self._database.damage)
        with self._database.guard("read"):
            rows = self._database.tables[table].read_all([row[3] for row in points])
            for (_, point, replication, _, _), row in zip(points, rows, strict=True):
                self._database.check(noted)
                assert row is not None
                yield point, replication, row

    def failures(self, study: int) -> list[Failure]:
        """Returns the runs that could not be done.

        Raises:
            DamagedError: a row of the study is damaged or missing.
        """
        _, failures = self._parts(study)
        return [Failure(*row[1:4]) for row in failures]


def _summed_up(parts: list[list[Row]]) -> tuple[int, int]:
    """Number of rows, and the exclusive or of their checksums."""
    checksums = [row[-1] for rows in parts for row in rows]
    return len(checksums), reduce(xor, checksums, 0)
