"""The store: kept, merged, and never overwritten when something is wrong with it."""

import resource
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.simulation import run
from ringlet.store import Record, Store, canonical_json, check, result_key, scenario_digest
from ringlet.store.file_system import is_on_network
from ringlet.store.record import compress, decompress
from ringlet.store.schema import APPLICATION_ID, FORMAT

SCENARIO = Scenario.from_dict({"network": {"nodes": 3}, "run": {"duration": "2 us", "warmup": 0}})
TEXT = canonical_json(SCENARIO.to_dict())


@pytest.fixture(scope="module")
def record():
    return Record.of(run(SCENARIO).to_dict(timing=False), wall_s=0.5)


def put(store, record, seed=1, engine="1.0"):
    with store.transaction():
        return store.put(TEXT, seed, engine, record)


def put_and_fail(store, record):
    with store.transaction():
        store.put(TEXT, 1, "1.0", record)
        raise ZeroDivisionError


def key(seed=1, engine="1.0"):
    return result_key(scenario_digest(TEXT), seed, engine)


def test_a_run_is_found_by_scenario_seed_and_engine(record):
    with Store.open() as store:
        number = put(store, record)
        assert store.find(key()) == number
        assert store.find(key(seed=2)) is None
        assert store.find(key(engine="1.1")) is None
        assert store.document(number) == run(SCENARIO).to_dict(timing=False)
        assert store.figures(number)["throughput_MBps"] == run(SCENARIO).document["total"]["throughput_MBps"]


def test_the_same_run_is_stored_once(record):
    with Store.open() as store:
        assert put(store, record) == put(store, record)
        assert len(store) == 1


def test_a_transaction_that_fails_leaves_nothing(record):
    with Store.open() as store:
        with pytest.raises(ZeroDivisionError):
            put_and_fail(store, record)
        assert len(store) == 0
        put(store, record)
        assert len(store) == 1


def test_stores_merge(tmp_path, record):
    with Store.open(tmp_path / "a.sqlite") as a, Store.open(tmp_path / "b.sqlite") as b:
        put(a, record, seed=1)
        put(b, record, seed=9)
        put(b, record, seed=1)
        assert a.merge(tmp_path / "b.sqlite") == 1
        assert sorted(a.document(number)["scenario"]["run"]["seed"] for number in a) == [1, 9]


def test_merging_what_is_not_there_is_an_error(tmp_path):
    with Store.open() as store, pytest.raises(RingletError, match="no such store"):
        store.merge(tmp_path / "nothing.sqlite")
    assert not (tmp_path / "nothing.sqlite").exists()


def a_text(path: Path) -> None:
    path.write_text("my notes\n" * 100, encoding="utf-8")


def another_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")


def a_store_without_checksums(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE results (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE)")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")


def a_later_format(path: Path) -> None:
    Store.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT + 1}")


def a_damaged_one(path: Path) -> None:
    with Store.open(path) as store:
        for seed in range(200):
            put(store, Record.of(run(SCENARIO).to_dict(timing=False), wall_s=0.0), seed=seed)
    content = bytearray(path.read_bytes())
    content[8192:20480] = b"\xff" * 12288
    path.write_bytes(content)


def a_cut_one(path: Path) -> None:
    a_damaged_one(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (a_text, "damaged, or no store of results"),
        (another_database, "<another SQLite database> is not allowed; a store of results"),
        (a_store_without_checksums, f"<a store of format 1> is not allowed; format {FORMAT}"),
        (a_later_format, f"<a store of format {FORMAT + 1}> is not allowed; format {FORMAT}"),
        (a_damaged_one, "damaged, or no store of results"),
        (a_cut_one, "damaged, or no store of results"),
    ],
)
def test_a_file_that_is_no_good_store_is_named_and_kept(tmp_path, spoil, message):
    path = tmp_path / "store.sqlite"
    spoil(path)
    before = path.read_bytes()
    with pytest.raises(RingletError) as caught:
        Store.open(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "; it was kept as it is" in str(caught.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("place", ["folder", "file/store.sqlite"])
def test_a_place_that_cannot_be_written_is_named(tmp_path, place):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(RingletError, match=f"{tmp_path}/{place.partition('/')[0]}"):
        Store.open(tmp_path / place)


FILL = """
import sys
from ringlet.store import Record, Store
from ringlet.store.figures import Layout
path, first = sys.argv[1], int(sys.argv[2])
record = Record(Layout(("x_ns",), ("float",)), b"\\0" * 8, bytes(20_000), 0.0)
with Store.open(path) as store:
    for seed in range(first, first + 100):
        with store.transaction():
            store.put("{}", seed, "1.0", record)
        print(seed, flush=True)
"""


def test_two_processes_may_write_to_one_store(tmp_path):
    path = tmp_path / "store.sqlite"
    writers = [
        subprocess.Popen([sys.executable, "-c", FILL, path, str(first)], stdout=subprocess.DEVNULL) for first in (0, 50)
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    with Store.open(path) as store:
        assert len(store) == 150


def test_on_a_network_file_system_a_store_is_for_one_process_at_a_time(tmp_path, monkeypatch, record):
    path = tmp_path / "store.sqlite"
    monkeypatch.setattr("ringlet.store.database.is_on_network", lambda path: True)
    monkeypatch.setattr("ringlet.store.database.WAIT_ON_NETWORK_S", 0.05)
    with Store.open(path) as store:
        put(store, record)
        # Nothing lies beside it that machines would have to share.
        assert not path.with_name("store.sqlite-shm").exists()
        for use in (Store.open, check):
            with pytest.raises(RingletError, match="another process has it open, perhaps on another machine"):
                use(path)
    assert check(path).runs == 1
    with Store.open(path) as store:
        assert len(store) == 1


MOUNTS = """\
21 1 8:1 / / rw - ext4 /dev/sda1 rw
22 21 0:30 / /home rw shared:5 - nfs4 server:/home rw
23 22 8:2 / /home/local\\040disk rw - xfs /dev/sdb1 rw
"""


@pytest.mark.parametrize(
    ("path", "shared"), [("/home/me/s.sqlite", True), ("/homes/s.sqlite", False), ("/home/local disk/s.sqlite", False)]
)
def test_a_network_file_system_is_told_by_the_mount_that_is_nearest(tmp_path, path, shared):
    (tmp_path / "mounts").write_text(MOUNTS, encoding="utf-8")
    assert is_on_network(Path(path), tmp_path / "mounts") is shared


def test_a_document_that_grows_without_bound_is_refused(monkeypatch):
    monkeypatch.setattr("ringlet.limits.FILE_BYTES", 1000)
    with pytest.raises(RingletError, match="takes more than 0 MiB when it is unpacked"):
        decompress(compress("a" * 1001))
    assert decompress(compress("a" * 1000)) == "a" * 1000


MAKE = """
import sys, time
from ringlet.store import Store
while time.time() < float(sys.argv[2]):
    pass
Store.open(sys.argv[1]).close()
"""


def test_two_processes_may_make_the_same_store(tmp_path):
    path, at = tmp_path / "store.sqlite", time.time() + 1.5
    makers = [subprocess.Popen([sys.executable, "-c", MAKE, path, str(at)]) for _ in range(3)]
    assert [maker.wait(60) for maker in makers] == [0, 0, 0]
    with Store.open(path) as store:
        assert len(store) == 0


def test_a_full_disk_is_said_and_what_is_stored_is_kept(tmp_path):
    path = tmp_path / "store.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", FILL, path, "0"],
        capture_output=True,
        text=True,
        check=False,
        # No file grows beyond it.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, 500_000)),
    )
    assert done.returncode == 1
    assert f"finished runs are kept: '{path}'" in done.stderr
    with Store.open(path) as store:
        assert len(store) == len(done.stdout.split()) > 5
