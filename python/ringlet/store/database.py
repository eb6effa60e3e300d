"""The SQLite file of a store: opened with care, and errors in words."""

import errno
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ringlet.errors import RingletError
from ringlet.store.file_system import is_on_network
from ringlet.store.rows import FAULTS, Damage, Table, columns, is_of_sqlite
from ringlet.store.schema import APPLICATION_ID, FORMAT, STATEMENTS

IN_MEMORY = ":memory:"

WAIT_S = 60.0
"""Seconds to wait for another process that writes to the same store."""

WAIT_ON_NETWORK_S = 5.0
"""Seconds to wait on a network file system, where the other process keeps the store until it ends."""

KEPT = "it was kept as it is: choose another place, or move it away"

SALVAGE = "it was kept as it is: move it away, or take out what is sound by 'ringlet store repair'"

IN_USE = "another process has it open, perhaps on another machine: on a network file system one at a time may"

MENDS = "the same sweep computes again what is damaged; 'ringlet store check' names all of it"

SHOWN_ROWS = 5
"""Damaged rows that a message names; `ringlet store check` names them all."""


class DamagedError(RingletError):
    """A store holds what was not written to it."""


class Database:
    """A connection, and transactions on it."""

    def __init__(self, path: Path | None) -> None:
        """Opens a store, or makes it; None: in memory.

        Raises:
            RingletError: the file is no store, of another format, damaged, or cannot be opened; it is never changed
            then. OSError: the disk is full or fails.
        """
        self.path = path
        self.name = IN_MEMORY if path is None else str(path)
        self.damage: list[Damage] = []
        """Rows that were found damaged or missing since it was opened."""
        with self.guard("opened"):
            shared = path is not None and is_on_network(path)
            wait_s = WAIT_ON_NETWORK_S if shared else WAIT_S
            self.connection = sqlite3.connect(self.name, timeout=wait_s, isolation_level=None)
            try:
                if shared:
                    # Before anything is read: the write-ahead log needs no memory that machines would have to share
                    # then.
                    self.connection.execute("PRAGMA locking_mode = EXCLUSIVE")
                self._prepare()
            except BaseException:
                self.connection.close()
                raise
        self.tables = {name: Table(self.connection, name, self.damage) for name in columns()}

    def _prepare(self) -> None:
        # Another process may be making the tables: all three as of one moment.
        self.connection.execute("BEGIN")
        try:
            kind, made_by = self._pragma("application_id"), self._pragma("user_version")
            # Not a file without pages: that process may have made them, and no more yet.
            empty = not kind and not self.connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        finally:
            self.connection.rollback()
        if not empty and kind != APPLICATION_ID:
            raise RingletError.not_allowed(self.name, "<another SQLite database>", f"a store of results; {KEPT}")
        if not empty and made_by != FORMAT:
            allowed = f"format {FORMAT}, which this version of ringlet reads; {KEPT}"
            raise RingletError.not_allowed(self.name, f"<a store of format {made_by}>", allowed)
        # The file may be damaged, or come from elsewhere: its structure is checked, and its tables call no function.
        self.connection.execute("PRAGMA cell_size_check = ON")
        self.connection.execute("PRAGMA trusted_schema = OFF")
        if not empty and (problem := self.connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise self._damaged(problem)
        if not empty and sorted(self._statements()) != sorted(STATEMENTS):
            raise self._damaged(f"its tables are not those of format {FORMAT}")
        self._log_ahead()
        # What is stored survives a power failure, too.
        self.connection.execute("PRAGMA synchronous = FULL")
        # The triggers run for a row that is replaced, too.
        self.connection.execute("PRAGMA recursive_triggers = ON")
        if empty:
            with self.transaction():
                # That process may have been faster.
                if not self._pragma("user_version"):
                    for statement in STATEMENTS:
                        self.connection.execute(statement)
                    self.connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                    self.connection.execute(f"PRAGMA user_version = {FORMAT}")

    def _log_ahead(self) -> None:
        """Readers do not wait for writers then, and a write that was cut off is undone at the next opening."""
        until = time.monotonic() + WAIT_S
        while True:
            try:
                self.connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                # SQLite itself does not wait here for another process that is opening the store.
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
            time.sleep(0.01)

    def _statements(self) -> list[str]:
        """Returns the statements that made the tables. `ANALYZE` adds some of its own."""
        query = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_stat%'"
        return [row[0] for row in self.connection.execute(query)]

    def _pragma(self, name: str) -> int:
        return int(self.connection.execute(f"PRAGMA {name}").fetchone()[0])

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written inside is stored together, or not at all."""
        with self.guard("written"):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextmanager
    def guard(self, done: str) -> Iterator[None]:
        """Says what went wrong with the file."""
        try:
            yield
        except FAULTS as error:
            raise self._in_words(error, done) from error

    def _in_words(self, error: sqlite3.Error | UnicodeDecodeError, done: str) -> Exception:
        if isinstance(error, UnicodeDecodeError) or not is_of_sqlite(error):
            return self._damaged(str(error))
        match error.sqlite_errorcode & 0xFF:
            case sqlite3.SQLITE_FULL:
                return OSError(errno.ENOSPC, "the disk is full; finished runs are kept", self.name)
            case sqlite3.SQLITE_BUSY:
                return RingletError(f"{self.name}: {IN_USE}")
            case sqlite3.SQLITE_IOERR:
                return OSError(
                    errno.EIO, f"the disk takes or gives no more ({error}); finished runs are kept", self.name
                )
            case (
                sqlite3.SQLITE_CORRUPT
                | sqlite3.SQLITE_NOTADB
                | sqlite3.SQLITE_TOOBIG
                | sqlite3.SQLITE_CONSTRAINT
                | sqlite3.SQLITE_ERROR
            ):
                return self._damaged(str(error))
            case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
                return RingletError(f"{self.name}: cannot be {done}: {error}")
        return OSError(errno.EIO, f"cannot be {done}: {error}", self.name)

    def _damaged(self, problem: str) -> DamagedError:
        return DamagedError(f"{self.name}: damaged, or no store of results ({problem}); {SALVAGE}")

    def check(self, noted: int) -> None:
        """Raises DamagedError if more damage is known than these first ones of `damage`."""
        found = list(dict.fromkeys(self.damage[noted:]))
        if found:
            rows = "; ".join(map(str, found[:SHOWN_ROWS]))
            more = f"; and {len(found) - SHOWN_ROWS} more" if len(found) > SHOWN_ROWS else ""
            raise DamagedError(f"{self.name}: damaged: {rows}{more}; {MENDS}")

    def close(self) -> None:
        """Closes the connection."""
        self.connection.close()
