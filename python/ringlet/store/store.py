"""The store of finished runs."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError
from ringlet.store.database import Database
from ringlet.store.figures import Layout
from ringlet.store.keys import result_key, scenario_digest
from ringlet.store.record import Record, compress, decompress
from ringlet.store.schema import TAKE_IN
from ringlet.store.studies import Studies


class Store:
    """Finished runs in one SQLite file, in write-ahead mode.

    Several processes of one machine may read and write it at a time. Not so on a network file system: there, let every
    machine have a store of its own and `merge` them.
    """

    def __init__(self, database: Database) -> None:
        """Wraps an open database; `Store.open` is what callers want."""
        self._database = database
        self.studies = Studies(database)
        """Which runs make up which study."""

    @classmethod
    def open(cls, path: str | Path | None = None) -> "Store":
        """Opens a store, or makes it with the folders above it; None: in memory.

        Raises:
            RingletError: the file is no store, of another format, damaged (it is kept as it is), or cannot be opened.
            OSError: the disk is full or fails.
        """
        if path is None:
            return cls(Database(None))
        path = Path(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RingletError(f"{path.parent}: cannot be made: {error.strerror}") from None
        return cls(Database(path))

    @property
    def path(self) -> Path | None:
        """The file; None: in memory."""
        return self._database.path

    def transaction(self) -> AbstractContextManager[None]:
        """All that is written inside is stored together and durably, or not at all."""
        return self._database.transaction()

    def find(self, key: str) -> int | None:
        """Returns the number of the run with a key, None if there is none."""
        with self._database.guard("read"):
            row = self._database.connection.execute("SELECT id FROM results WHERE key = ?", (key,)).fetchone()
        return None if row is None else int(row[0])

    def put(self, scenario_json: str, seed: int, engine: str, record: Record) -> int:
        """Adds a run inside a `transaction` and returns its number; one that is there already stays as it is.

        Args:
            scenario_json: the resolved scenario without its seed, as `canonical_json`.
            seed: of the run.
            engine: `engine_version()` where it was computed.
            record: what was found.
        """
        connection = self._database.connection
        digest = scenario_digest(scenario_json)
        key = result_key(digest, seed, engine)
        if (there := self.find(key)) is not None:
            return there
        row = connection.execute("SELECT id FROM scenarios WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            content = (digest, compress(scenario_json))
            scenario = connection.execute("INSERT INTO scenarios (digest, content) VALUES (?, ?)", content).lastrowid
        else:
            scenario = row[0]
        values = (key, scenario, seed, engine, record.wall_s, self._layout(record.layout.to_json()), record.figures)
        insert = (
            "INSERT INTO results (key, scenario, seed, engine, wall_s, layout, figures) VALUES (?, ?, ?, ?, ?, ?, ?)"
        )
        number = connection.execute(insert, values).lastrowid
        assert number is not None
        connection.execute("INSERT INTO documents (result, document) VALUES (?, ?)", (number, record.document))
        return number

    def _layout(self, content: str) -> int:
        # Asked each time: an insert that was undone, or of another process, must not be remembered.
        connection = self._database.connection
        connection.execute("INSERT OR IGNORE INTO layouts (content) VALUES (?)", (content,))
        return int(connection.execute("SELECT id FROM layouts WHERE content = ?", (content,)).fetchone()[0])

    def figures(self, result: int) -> dict[str, float]:
        """Returns the totals of a run by its number, units in the names; NaN where there is none."""
        query = "SELECT layouts.content, figures FROM results JOIN layouts ON layouts.id = layout WHERE results.id = ?"
        with self._database.guard("read"):
            content, packed = self._database.connection.execute(query, (result,)).fetchone()
        return Layout.from_json(content).values(packed)

    def document(self, result: int) -> dict[str, Any]:
        """Returns the whole document of a run by its number, as `Result.to_dict(timing=False)` gave it."""
        query = """
            SELECT documents.document, scenarios.content, results.seed FROM results
            JOIN documents ON documents.result = results.id JOIN scenarios ON scenarios.id = results.scenario
            WHERE results.id = ?"""
        with self._database.guard("read"):
            row = self._database.connection.execute(query, (result,)).fetchone()
        if row is None:
            raise KeyError(result)
        content, scenario, seed = row
        document = json.loads(decompress(content))
        document["scenario"] = with_seed(json.loads(decompress(scenario)), seed)
        return dict(document)

    def merge(self, other: str | Path) -> int:
        """Takes in the runs of another store that are not here yet; returns how many they were.

        Raises:
            RingletError: the other file is no store, of another format, or damaged.
            OSError: the disk is full or fails.
        """
        other = Path(other)
        if not other.is_file():
            raise RingletError(f"{other}: no such store")
        Database(other).close()
        before = len(self)
        connection = self._database.connection
        with self._database.guard("read"):
            connection.execute("ATTACH DATABASE ? AS other", (str(other),))
        try:
            with self.transaction():
                for statement in TAKE_IN.split(";\n"):
                    connection.execute(statement)
        finally:
            connection.execute("DETACH DATABASE other")
        return len(self) - before

    def __len__(self) -> int:
        """Runs stored."""
        with self._database.guard("read"):
            return int(self._database.connection.execute("SELECT count(*) FROM results").fetchone()[0])

    def __iter__(self) -> Iterator[int]:
        """Numbers of the runs."""
        with self._database.guard("read"):
            yield from (row[0] for row in self._database.connection.execute("SELECT id FROM results ORDER BY id"))

    def close(self) -> None:
        """Closes the file."""
        self._database.close()

    def __enter__(self) -> "Store":
        """Closes the file at the end of a `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the file."""
        self.close()


def with_seed(scenario: dict[str, Any], seed: int) -> dict[str, Any]:
    """Returns a scenario's content with a seed."""
    return {**scenario, "run": {**scenario.get("run", {}), "seed": seed}}


def without_seed(scenario: dict[str, Any]) -> dict[str, Any]:
    """Returns a scenario's content without its seed."""
    return {**scenario, "run": {key: value for key, value in scenario.get("run", {}).items() if key != "seed"}}
