"""The store of finished runs."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError
from ringlet.store.database import Database
from ringlet.store.figures import Layout
from ringlet.store.record import Record, compress, decompress, result_key, scenario_digest
from ringlet.store.rows import Damage, Row
from ringlet.store.salvage import Survey
from ringlet.store.studies import Studies


class Store:
    """Finished runs in one SQLite file, in write-ahead mode.

    Several processes of one machine may read and write it at a time. Not so on a network file system: there, let every
    machine have a store of its own and `merge` them.
    """

    def __init__(self, database: Database) -> None:
        """Wraps an open database; callers use `Store.open`."""
        self._database = database
        self.studies = Studies(database)
        """Runs that make up each study."""

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

    @property
    def damage(self) -> Sequence[Damage]:
        """The damage found since the store was opened, also in stores that were merged."""
        return list(dict.fromkeys(self._database.damage))

    def find(self, key: str) -> int | None:
        """Returns the number of the run with a key, None if there is none, or if it is damaged."""
        with self._database.guard("read"):
            number, run = self._database.tables["results"].lookup("key", key)
            return number if run is not None and self._is_whole(run) else None

    def _is_whole(self, run: Row) -> bool:
        """Returns whether all that a row of `results` refers to is there and sound."""
        number, _, scenario, _, _, _, layout, _ = run
        parts = (("documents", number), ("scenarios", scenario), ("layouts", layout))
        return all(self._database.tables[name].is_there_and_sound(of) for name, of in parts)

    def _read(self, result: int, *names: str) -> list[Row]:
        """Returns the row of a run, and those that it refers to in other tables.

        Raises:
            KeyError: there is none with this number.
            DamagedError: it is damaged.
        """
        tables, noted = self._database.tables, len(self._database.damage)
        with self._database.guard("read"):
            if not tables["results"].is_there(result):
                raise KeyError(result)
            run = tables["results"].read(result)
            of = {} if run is None else {"documents": run[0], "scenarios": run[2], "layouts": run[6]}
            rows = [run, *(tables[name].read(of[name]) for name in names if name in of)]
        self._database.check(noted)
        return [row for row in rows if row is not None]

    def put(self, scenario_json: str, seed: int, engine: str, record: Record) -> int:
        """Adds a run inside a `transaction` and returns its number; one that is there already stays as it is.

        One that is there and damaged is moved into the table `damaged`, and gets its number.

        Args:
            scenario_json: the resolved scenario without its seed, as `canonical_json`.
            seed: of the run.
            engine: `engine_version()` where it was computed.
            record: what was found.
        """
        digest = scenario_digest(scenario_json)
        key = result_key(digest, seed, engine)
        number, run = self._database.tables["results"].lookup("key", key)
        if number is not None and run is not None and self._is_whole(run):
            return number
        return self._write(
            number,
            (key, seed, engine, record.wall_s, record.figures),
            document=record.document,
            scenario=lambda: (digest, compress(scenario_json)),
            digest=digest,
            layout=record.layout.to_json(),
        )

    def _write(
        self,
        number: int | None,
        run: tuple[str, int, str, float, bytes],
        *,
        document: bytes,
        digest: str,
        scenario: Callable[[], Row],
        layout: str,
    ) -> int:
        """Writes a run, with its number if there is a damaged one."""
        # Looked up each time: an insert that was undone, or of another process, must not be cached.
        places = self._shared("scenarios", digest, scenario), self._shared("layouts", layout, lambda: (layout,))
        key, seed, engine, wall_s, figures = run
        row = (key, places[0], seed, engine, wall_s, places[1], figures)
        results, documents = (self._database.tables[name] for name in ("results", "documents"))
        if number is None:
            number = results.add(*row)
            documents.write(number, document)
        else:
            results.replace(number, *row)
            documents.replace(number, document)
        return number

    def _shared(self, name: str, value: str, row: Callable[[], Row]) -> int:
        """Returns the number of a row that runs share, by its unique value; writes it if it is missing or damaged."""
        table = self._database.tables[name]
        number, sound = table.place(table.columns[1], value)
        if number is None:
            return table.add(*row())
        if not sound:
            table.replace(number, *row())
        return number

    def figures(self, result: int) -> dict[str, float]:
        """Returns the totals of a run by its number, units in the names; NaN where there is none.

        Raises:
            KeyError: there is no such run.
            DamagedError: it is damaged.
        """
        run, layout = self._read(result, "layouts")
        return Layout.from_json(layout[1]).values(run[7])

    def document(self, result: int) -> dict[str, Any]:
        """Returns the whole document of a run by its number, as `Result.to_dict(timing=False)` gave it.

        Raises:
            KeyError: there is no such run.
            DamagedError: it is damaged.
        """
        run, content, scenario = self._read(result, "documents", "scenarios")
        document = json.loads(decompress(content[1]))
        document["scenario"] = with_seed(json.loads(decompress(scenario[2])), run[3])
        return dict(document)

    def merge(self, other: str | Path) -> int:
        """Takes in the runs of another store that are not here yet; returns how many they were.

        What is damaged there is left out, and noted in `damage`.

        Raises:
            RingletError: the other file is no store, of another format, or damaged as a whole.
            OSError: the disk is full or fails.
        """
        other = Path(other)
        if not other.is_file():
            raise RingletError(f"{other}: no such store")
        theirs = Database(other)
        try:
            with theirs.guard("read"):
                return self.take_in(Survey(theirs.connection), theirs.name)
        finally:
            theirs.close()

    def take_in(self, survey: Survey, name: str) -> int:
        """Takes in the sound runs of another store; returns how many were not here yet.

        Args:
            survey: of the other store.
            name: the other store's, for messages.
        """
        before, results = len(self), self._database.tables["results"]
        with self.transaction():
            for result, document, scenario, layout in survey.runs():
                number, run = results.lookup("key", result[1])
                if run is None or not self._is_whole(run):
                    _, key, _, seed, engine, wall_s, _, figures = result
                    self._write(
                        number,
                        (key, seed, engine, wall_s, figures),
                        document=document[1],
                        digest=scenario[1],
                        scenario=partial(tuple, scenario[1:]),
                        layout=layout[1],
                    )
        self._database.damage += [Damage(f"{name}: {each.place}", each.problem) for each in survey.damage]
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
