"""CSV traces of plain numbers, which are read without an object for each packet: just as row by row."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from ringlet import RingletError
from ringlet.scenario.packet_trace import packets, plain_csv, reader
from ringlet.scenario.packet_trace.reader import read
from ringlet.scenario.packet_trace.rows import Stretch

pytest.importorskip("pyarrow", reason="CSV is read row by row without pyarrow (pip install 'ringlet[parquet]')")

ROWS = 500
NAMES = ("a", "b", "c", "d")


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Reads small files so, too, and in many blocks."""
    monkeypatch.setattr(plain_csv, "SMALLEST", 0)
    monkeypatch.setattr(plain_csv, "BLOCK", 300)


def columns(**changed):
    """Columns of a table as texts."""
    random = np.random.default_rng(1)
    source = random.integers(0, 4, ROWS)
    own = {
        "time_us": [f"{time:.4f}" for time in np.sort(random.uniform(0, 100, ROWS))],
        "source": source.tolist(),
        "destination": ((source + random.integers(0, 3, ROWS)) % 4).tolist(),
        "transaction": random.choice(["read64", "send80", "dmove64", "read64-request"], ROWS).tolist(),
        "priority": random.integers(0, 2, ROWS).tolist(),
        "id": list(range(1, 2 * ROWS, 2)),
    }
    return {name: values for name, values in (own | changed).items() if values is not None}


def with_value(name, value, row=300):
    values = list(columns()[name])
    values[row] = value
    return {name: values}


def written(folder, given, newline="\n", begin=""):
    file = Path(folder) / "t.csv"
    lines = [",".join(given), *(",".join(map(str, row)) for row in zip(*given.values(), strict=True))]
    file.write_text(begin + newline.join(lines) + newline, encoding="utf-8", newline="")
    return file


def found(file, **keys):
    """All columns of a trace, or what is wrong with it."""
    kinds: list[str] = []
    given = {"cycle_ns": 2.0, "nodes": 4, "levels": 2}
    try:
        pieces = list(read(Stretch(file, **given | keys), kinds))
    except RingletError as error:
        return str(error)
    names = ("time_ns", "source", "destination", "kind", "priority", "dependences", "depends_on")
    return kinds, {name: [value for piece in pieces for value in getattr(piece, name).tolist()] for name in names}


def both(monkeypatch, file, **keys):
    """What is found in one way and in the other."""

    def not_plain(*_):
        raise packets.NotPlainError
        yield

    with monkeypatch.context() as patched:
        patched.setattr(reader, "plain_records", not_plain)
        rowwise = found(file, **keys)
    with monkeypatch.context() as patched:
        patched.setattr(reader, "_by_rows", lambda *_: pytest.fail("it was read row by row"))
        plainly = found(file, **keys)
    return plainly, rowwise


def mixed(digits, first=0):
    """Texts of times with so many decimals in turn."""
    return [f"{first + time}.{'0' * (count - 1)}{time % 9 + 1}" if count else f"{first + time}" for time, count in
            zip(range(ROWS), digits * ROWS, strict=False)]  # fmt: skip


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"priority": None, "id": None},
        {"transaction": None, "bytes": [80] * ROWS},
        {"transaction": None, "bytes": [64, 1500, 300, 9000] * (ROWS // 4)},
        {"time_us": None, "cycle": list(range(0, 3 * ROWS, 3))},
        {"time_us": mixed([0, 1, 3, 12, 7])},
        {"time_us": mixed([5], first=1_791_000_000_000_000_000_000)},
        {"time_us": None, "time_ns": mixed([0], first=1_791_000_000_000_000_000)},
        {"time_us": None, "time_ns": mixed([3, 0], first=1_791_000_000_000_000_000)},
        {"time_us": None, "time_s": mixed([9], first=1_791_000_000)},
        {"time_us": None, "time_ps": mixed([0, 2])},
        {"time_us": None, "time_min": mixed([7, 2])},
        {"priority": ["", 1] * (ROWS // 2)},
        {"source": [NAMES[node] for node in columns()["source"]]},
        {"source": [f'"{NAMES[node]}"' for node in columns()["source"]]},
        {"priority": ['""', '"1"'] * (ROWS // 2)},
    ],
)
@pytest.mark.parametrize("bounds", [{}, {"start_ns": 20_000.0}, {"start_ns": 300.0, "stop_ns": 700.0}])
def test_the_packets_are_those_of_the_rows(tmp_path, monkeypatch, changed, bounds):
    plainly, rowwise = both(monkeypatch, written(tmp_path, columns(**changed)), node_names=NAMES, **bounds)
    assert not isinstance(plainly, str), plainly
    assert plainly == rowwise


@pytest.mark.parametrize(("newline", "begin"), [("\r\n", ""), ("\n\n", "\n\n"), ("\n", "\ufeff")])
@pytest.mark.parametrize("quote", ["", '"'])
def test_lines_end_as_on_any_system(tmp_path, monkeypatch, newline, begin, quote):
    given = {f"{quote}{head}{quote}": values for head, values in columns().items()}
    plainly, rowwise = both(monkeypatch, written(tmp_path, given, newline, begin))
    assert len(plainly[1]["time_ns"]) == ROWS
    assert plainly == rowwise


@pytest.mark.parametrize(
    "changed",
    [
        with_value("time_us", "0.5"),
        with_value("time_us", "nan"),
        with_value("time_us", "-1"),
        with_value("time_us", ""),
        with_value("time_us", "1,5"),
        {"time_us": None, "cycle": [*range(300), "299.5", *range(301, ROWS)]},
        with_value("source", 4),
        with_value("source", "0x1"),
        with_value("destination", -1),
        with_value("priority", 2),
        with_value("id", 1),
        with_value("id", "0x7fff"),
        with_value("id", 2**63),
        with_value("transaction", "write64"),
        with_value("transaction", 'read64"'),
        with_value("transaction", '"read64'),
        with_value("transaction", "r\xe9ad64"),
        {"transaction": None, "bytes": [80] * 300 + [0] * (ROWS - 300)},
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_value(tmp_path, monkeypatch, changed):
    file = written(tmp_path, columns(**changed))
    said = found(file)
    assert ("line 302" in said) or '"read64' in changed.get("transaction", ())
    monkeypatch.setattr(plain_csv, "SMALLEST", 1 << 30)
    assert said == found(file)


@pytest.mark.parametrize(
    "changed",
    [
        with_value("transaction", '"read64\n"') | with_value("priority", '"1 "'),
        with_value("source", " 1"),
        {"time_us": [f"{time}e-2" for time in range(ROWS)]},
        {"time_us": [f"{time}.{time:031}" for time in range(ROWS)]},
    ],
)
def test_what_only_rows_may_have_is_read_row_by_row_from_there_on(tmp_path, monkeypatch, changed):
    file = written(tmp_path, columns(**changed))
    packets_found = found(file)
    assert len(packets_found[1]["time_ns"]) == ROWS
    monkeypatch.setattr(plain_csv, "SMALLEST", 1 << 30)
    assert packets_found == found(file)


def test_what_depends_on_others_is_read_row_by_row(tmp_path):
    waits = ["", *([1] if source == 9 else "" for source in columns()["source"][1:])]
    assert len(found(written(tmp_path, columns(depends_on=waits)))[1]["time_ns"]) == ROWS


def most_memory(folder, rows):
    with (folder / "t.csv").open("w", encoding="utf-8") as stream:
        stream.write("time_ns,source,destination,bytes\n")
        stream.writelines(f"{3 * row}.{row % 1000:03},{row % 4},{(row + 1) % 4},80\n" for row in range(rows))
    tracemalloc.start()
    try:
        found_packets = sum(len(piece) for piece in read(Stretch(folder / "t.csv", 2.0, 4, 1), []))
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found_packets == rows
    return most_bytes


def test_a_longer_trace_takes_no_more_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(plain_csv, "BLOCK", 1 << 16)
    most_memory(tmp_path, 10)
    assert most_memory(tmp_path, 200_000) < 1.2 * most_memory(tmp_path, 20_000)
