"""Every call by which SQLite changes or synchronises a file fails, is cut short, or is the last: no finished run is
lost."""

import os
import sqlite3

import pytest

from campaign import worker
from campaign.kinds import faults
from campaign.worker import Failure
from store.interrupted import SYNC, Fault, Interrupted, is_possible

pytestmark = pytest.mark.skipif(
    not is_possible(), reason="Python's SQLite is no library of its own (apt install libsqlite3-0)"
)


def insert(path, fault):
    """Inserts in a child process; returns what SQLite says, which calls it made, and how the process ended."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        said, interrupted = "done", Interrupted(fault)
        try:
            with sqlite3.connect(path) as connection:
                connection.execute("CREATE TABLE a (b)")
        except sqlite3.OperationalError as error:
            said = str(error)
        os.write(writer, f"{said}, {' '.join(interrupted.names)}".encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        told = pipe.read()
    return told, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_call_is_interrupted_as_asked(tmp_path):
    told, status = insert(tmp_path / "whole", Fault(-1, "error"))
    assert (told.split(", ")[0], status) == ("done", 0)
    names = told.split(", ")[1].split()
    assert len(names) > 3
    sync = names.index(SYNC)
    assert insert(tmp_path / "sync", Fault(sync, "error"))[0].startswith("disk I/O error, ")
    assert insert(tmp_path / "last", Fault(sync, "kill")) == ("", -9)
    assert insert(tmp_path / "error", Fault(1, "error"))[0].startswith("disk I/O error, ")
    assert insert(tmp_path / "full", Fault(1, "full", 0.5))[0].startswith("database or disk is full, ")
    assert insert(tmp_path / "kill", Fault(1, "kill", 0.5)) == ("", -9)


def test_a_sweep_survives_calls_that_are_interrupted():
    # All of them in each way take a minute: the campaign makes those (docs/explanation/promises.md).
    seeds = range(0, 4 * faults.calls(), 17)
    ended = [worker.one_trial("faults", seed) for seed in seeds]
    assert not [one for one in ended if isinstance(one, Failure)]
    assert set(ended) >= set(faults.HOWS)
