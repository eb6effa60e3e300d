"""Parquet traces of plain numbers, which are read without an object for each packet: just as row by row."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from ringlet import RingletError
from ringlet.scenario.packet_trace import plain, reader
from ringlet.scenario.packet_trace.reader import read
from ringlet.scenario.packet_trace.rows import Stretch

pa = pytest.importorskip("pyarrow", reason="Parquet is not tested without pyarrow (pip install 'ringlet[parquet]')")
parquet = pytest.importorskip("pyarrow.parquet")

PACKETS = 500


def table(**columns):
    random = np.random.default_rng(1)
    source = random.integers(0, 4, PACKETS)
    own = {
        "time_us": np.sort(random.uniform(0, 100, PACKETS)),
        "source": source,
        "destination": (source + random.integers(0, 3, PACKETS)) % 4,
        "transaction": random.choice(["read64", "send80", "dmove64"], PACKETS),
        "priority": random.integers(0, 2, PACKETS).astype(np.int8),
        "id": np.arange(1, 2 * PACKETS, 2),
    }
    return {name: values for name, values in (own | columns).items() if values is not None}


def written(folder, columns):
    file = Path(folder) / "t.parquet"
    parquet.write_table(pa.table(columns), file, row_group_size=128)
    return file


def found(file, **keys):
    """All columns of a trace, or what is wrong with it."""
    kinds: list[str] = []
    stretch = Stretch(file, **({"cycle_ns": 2.0, "nodes": 4, "levels": 2, "regions": None} | BOUNDS | keys))
    try:
        pieces = list(read(stretch, kinds))
    except RingletError as error:
        return str(error)
    names = ("time_ns", "source", "destination", "kind", "priority", "dependences", "depends_on")
    return kinds, {name: [value for piece in pieces for value in getattr(piece, name).tolist()] for name in names}


BOUNDS = {"start_ns": 0.0, "stop_ns": float("inf")}


def rowwise(monkeypatch, file, **keys):
    def not_plain(*_):
        raise plain.NotPlainError
        yield

    with monkeypatch.context() as patched:
        patched.setattr(reader, "plain_records", not_plain)
        return found(file, **keys)


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"priority": None, "id": None},
        {"transaction": None, "bytes": np.full(PACKETS, 80)},
        {"time_us": None, "cycle": np.arange(PACKETS) // 3},
        {"time_us": None, "cycle": np.arange(PACKETS) * 1.0},
        {"transaction": pa.array(["read64", "send16"] * (PACKETS // 2)).dictionary_encode()},
    ],
)
@pytest.mark.parametrize("bounds", [{}, {"start_ns": 20_000.0}, {"start_ns": 300.0, "stop_ns": 700.0}])
def test_the_packets_are_those_of_the_rows(tmp_path, monkeypatch, columns, bounds):
    monkeypatch.setattr(plain, "BATCH", 64)
    file = written(tmp_path, table(**columns))
    monkeypatch.setattr(reader, "_by_rows", lambda *_: pytest.fail("it was read row by row"))
    plainly = found(file, **bounds)
    monkeypatch.undo()
    assert plainly == rowwise(monkeypatch, file, **bounds)
    assert len(plainly[1]["time_ns"]) > 0 or bounds


def changed(values, place, value):
    values = np.array(values)
    values[place] = value
    return values


@pytest.mark.parametrize(
    "columns",
    [
        {"time_us": changed(table()["time_us"], 300, 0.0)},
        {"time_us": changed(table()["time_us"], 300, np.nan)},
        {"time_us": None, "cycle": changed(np.arange(PACKETS) * 1.0, 300, 299.5)},
        {"source": changed(table()["source"], 300, 4)},
        {"destination": changed(table()["destination"], 300, -1)},
        {"priority": changed(table()["priority"], 300, 2)},
        {"id": changed(table()["id"], 300, 1)},
        {"id": changed(table()["id"].astype(np.uint64), 300, 2**63)},
        {"transaction": None, "bytes": changed(np.full(PACKETS, 80), 300, 0)},
        {"transaction": changed(table()["transaction"].astype(object), 300, "write64")},
    ],
)
def test_what_is_wrong_is_said_with_its_record(tmp_path, monkeypatch, columns):
    monkeypatch.setattr(plain, "BATCH", 64)
    file = written(tmp_path, table(**columns))
    plainly = found(file)
    assert "record 301" in plainly
    assert plainly == rowwise(monkeypatch, file)


def test_a_missing_priority_in_the_middle_is_read_row_by_row_from_there_on(tmp_path, monkeypatch):
    monkeypatch.setattr(plain, "BATCH", 64)
    priority = table()["priority"].tolist()
    priority[300] = None
    file = written(tmp_path, table(priority=pa.array(priority, pa.int8())))
    plainly = found(file)
    assert len(plainly[1]["time_ns"]) == PACKETS
    assert plainly == rowwise(monkeypatch, file)


def most_memory(folder, row_groups):
    rows = 1 << 12
    random = np.random.default_rng(1)
    last = 0.0
    schema = pa.schema({"time_ns": pa.float64(), "source": pa.int32(), "destination": pa.int32(), "bytes": pa.int32()})
    with parquet.ParquetWriter(folder / "t.parquet", schema) as writer:
        for _ in range(row_groups):
            times = last + np.cumsum(random.exponential(200.0, rows))
            last = times[-1]
            source = random.integers(0, 4, rows, dtype=np.int32)
            columns = [times, source, (source + 1) % 4, np.full(rows, 80, dtype=np.int32)]
            writer.write_table(pa.table(columns, schema=schema))
    tracemalloc.start()
    try:
        packets = sum(len(piece) for piece in read(Stretch(folder / "t.parquet", 2.0, 4, 1), []))
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert packets == row_groups * rows
    return most_bytes


def test_a_longer_trace_takes_no_more_memory(tmp_path):
    assert most_memory(tmp_path, 80) < 1.2 * most_memory(tmp_path, 10)
