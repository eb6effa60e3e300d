"""Checks a store as a whole, and takes what is sound out of a damaged one."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ringlet.errors import RingletError
from ringlet.store.database import IN_USE
from ringlet.store.rows import FAULTS, Damage
from ringlet.store.salvage import Survey
from ringlet.store.store import Store

SIDE_FILES = ("-wal", "-shm")
"""Suffixes of the files that SQLite writes beside one: what was committed and is not yet in it, and its index."""


@dataclass(frozen=True, slots=True)
class Checked:
    """The contents of a store that was checked."""

    runs: int
    """Sound runs."""
    studies: int
    damage: list[Damage]
    """All that is not as it was written."""

    @property
    def is_sound(self) -> bool:
        """True if nothing is damaged."""
        return not self.damage


def check(path: Path) -> Checked:
    """Looks at the structure of a store and at the checksum of every row; changes nothing.

    Raises:
        RingletError: there is no such file, or it was never a store of this format.
    """
    with _opened(path) as survey:
        runs, studies = survey.everything()
        return Checked(runs, studies, survey.damage)


def repair(path: Path) -> tuple[Path, int]:
    """Makes a new store of the sound runs of a damaged one, which is kept under another name.

    Returns that name, and the number of runs. Studies are not taken over: the sweep of a study finds its runs again,
    and computes those that were damaged.

    Raises:
        RingletError: there is no such file, it was never a store of this format, it is in use, or has no sound run.
        OSError: the disk is full or fails.
    """
    _refuse_if_in_use(path)
    new = _free(path, "new")
    try:
        with _opened(path) as survey, Store.open(new) as store:
            runs = store.take_in(survey, str(path))
        if not runs and survey.damage:
            raise RingletError(f"{path}: no sound run can be read in it; it was kept as it is: move it away")
        aside = _free(path, "damaged")
        for end in ("", *SIDE_FILES):
            if path.with_name(path.name + end).exists():
                path.with_name(path.name + end).replace(aside.with_name(aside.name + end))
        new.replace(path)
    finally:
        for end in ("", *SIDE_FILES):
            new.with_name(new.name + end).unlink(missing_ok=True)
    return aside, runs


@contextmanager
def _opened(path: Path) -> Iterator[Survey]:
    """Opens a store as it is, to be read only."""
    if not path.is_file():
        raise RingletError(f"{path}: no such store")
    # Not the path alone: SQLite would take a question mark in it for the beginning of options.
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    with closing(connection):
        _refuse_if_locked(connection, path)
        survey = Survey(connection)
        if (kind := survey.another_kind()) is not None:
            raise RingletError.not_allowed(str(path), *kind)
        yield survey


def _refuse_if_locked(connection: sqlite3.Connection, path: Path) -> None:
    """Raises RingletError if another process keeps the store for itself."""
    try:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except FAULTS as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            raise RingletError(f"{path}: {IN_USE}") from None


def _refuse_if_in_use(path: Path) -> None:
    """Raises RingletError if another process writes to the store."""
    try:
        with closing(sqlite3.connect(path, timeout=1, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
            connection.rollback()
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
            raise RingletError(f"{path}: another process writes to it; end that first") from None


def _free(path: Path, kind: str) -> Path:
    """Returns a name beside a path that no file has."""
    names = (path.with_name(f"{path.name}.{kind}{number}") for number in ("", *(f"-{i}" for i in range(2, 10_000))))
    return next(name for name in names if not os.path.lexists(name))
