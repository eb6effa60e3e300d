"""Which stored runs make up a study."""

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.store.database import Database
from ringlet.store.figures import Layout
from ringlet.store.keys import canonical_json, scenario_digest
from ringlet.store.record import decompress

DIGEST_DIGITS = 12
"""Hexadecimal digits of a scenario's digest that tables show."""


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
        connection = self._database.connection
        text = canonical_json(content)
        digest = scenario_digest(f"{text} {engine} {resolved}")
        values = (digest, text, engine, time.time())
        connection.execute(
            "INSERT INTO studies (digest, content, engine, begun) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (digest) DO UPDATE SET begun = excluded.begun",
            values,
        )
        return int(connection.execute("SELECT id FROM studies WHERE digest = ?", (digest,)).fetchone()[0])

    def add(self, study: int, runs: Iterable[tuple[int, int, int]]) -> None:
        """Adds runs to a study: point, replication, number of the result. They may have failed before."""
        rows = [(study, *run) for run in runs]
        connection = self._database.connection
        connection.executemany("INSERT OR REPLACE INTO points VALUES (?, ?, ?, ?)", rows)
        forget = "DELETE FROM failures WHERE study = ? AND point = ? AND replication = ?"
        connection.executemany(forget, (row[:3] for row in rows))

    def fail(self, study: int, failures: Iterable[Failure]) -> None:
        """Notes runs that could not be done."""
        rows = ((study, failure.point, failure.replication, failure.reason) for failure in failures)
        self._database.connection.executemany("INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?)", rows)

    def latest(self) -> StoredStudy | None:
        """Returns the study that was run last, None if there is none."""
        query = "SELECT id, content, engine FROM studies ORDER BY begun DESC, id DESC LIMIT 1"
        with self._database.guard("read"):
            row = self._database.connection.execute(query).fetchone()
        return None if row is None else StoredStudy(row[0], json.loads(row[1]), row[2])

    def runs(self, study: int) -> Runs:
        """Returns the finished runs of a study."""
        query = f"""
            SELECT points.point, points.replication, results.seed, substr(scenarios.digest, 1, {DIGEST_DIGITS}),
                results.engine, results.wall_s, results.layout, results.figures
            FROM points JOIN results ON results.id = points.result JOIN scenarios ON scenarios.id = results.scenario
            WHERE points.study = ? ORDER BY points.point, points.replication"""
        with self._database.guard("read"):
            rows = self._database.connection.execute(query, (study,)).fetchall()
            known = self._database.connection.execute("SELECT id, content FROM layouts").fetchall()
        columns = list(zip(*rows, strict=True)) if rows else [()] * 8
        layout, packed = np.array(columns[6], dtype=np.int64), columns[7]
        groups = []
        for number, content in known:
            members = np.flatnonzero(layout == number)
            if members.size:
                groups.append((Layout.from_json(content), members, [packed[i] for i in members]))
        return Runs(
            point=np.array(columns[0], dtype=np.int64),
            replication=np.array(columns[1], dtype=np.int64),
            seed=np.array(columns[2], dtype=np.int64),
            scenario_key=list(columns[3]),
            engine=list(columns[4]),
            wall_s=np.array(columns[5], dtype=np.float64),
            figures=groups,
        )

    def documents(self, study: int) -> Iterator[tuple[int, int, dict[str, Any]]]:
        """Yields point, replication and document, without its scenario, of each finished run of a study."""
        query = """
            SELECT points.point, points.replication, documents.document
            FROM points JOIN documents ON documents.result = points.result
            WHERE points.study = ? ORDER BY points.point, points.replication"""
        with self._database.guard("read"):
            for point, replication, document in self._database.connection.execute(query, (study,)):
                yield point, replication, json.loads(decompress(document))

    def result(self, study: int, point: int, replication: int) -> int | None:
        """Returns the number of a run's result, None if it is not done."""
        query = "SELECT result FROM points WHERE study = ? AND point = ? AND replication = ?"
        with self._database.guard("read"):
            row = self._database.connection.execute(query, (study, point, replication)).fetchone()
        return None if row is None else int(row[0])

    def scenarios(self, study: int) -> Iterator[tuple[int, int, int, str]]:
        """Yields point, replication, seed and the JSON of the scenario without its seed of each finished run."""
        query = """
            SELECT points.point, points.replication, results.seed, scenarios.content
            FROM points JOIN results ON results.id = points.result JOIN scenarios ON scenarios.id = results.scenario
            WHERE points.study = ? ORDER BY points.point, points.replication"""
        with self._database.guard("read"):
            for point, replication, seed, content in self._database.connection.execute(query, (study,)):
                yield point, replication, seed, decompress(content)

    def failures(self, study: int) -> list[Failure]:
        """Returns the runs that could not be done."""
        query = "SELECT point, replication, reason FROM failures WHERE study = ? ORDER BY point, replication"
        with self._database.guard("read"):
            return [Failure(*row) for row in self._database.connection.execute(query, (study,))]
