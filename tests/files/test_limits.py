"""Hostile files: none takes all memory or never ends, whatever it claims of itself."""

import bz2
import datetime
import json
import os
import re
import struct
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest
from netrace_files import READ_REQUEST, content, write

from ringlet import RingletError, Scenario, limits
from ringlet.scenario.file.reading import read_json, read_text, read_toml

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "limits.md").read_text(encoding="utf-8")


UNIFORM = [[float(to != node) / 1023 for to in range(1024)] for node in range(1024)]

LARGE = {
    "torus of 64 x 64 nodes": {"network": {"topology": "torus", "shape": [64, 64]}},
    "Omega network of 4,096 nodes": {"network": {"topology": "omega", "radix": 2, "size": 4096}},
    "ring of 1,024 nodes with a traffic matrix": {
        "network": {"nodes": 1024},
        "traffic": {"pattern": "matrix", "matrix": UNIFORM},
    },
}

VALIDATE = """
import json, re, sys
from pathlib import Path
import ringlet
ringlet.Scenario.from_dict(json.load(sys.stdin))
# Of this program alone: what getrusage returns is at least what its parent takes.
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


def refused(read):
    start = time.process_time()
    with pytest.raises(RingletError) as caught:
        read()
    assert time.process_time() - start < 5
    return str(caught.value)


def replayed(file):
    return refused(lambda: Scenario.from_dict({"network": {"nodes": 4}, "traffic": {"trace": {"file": str(file)}}}))


def test_a_file_that_says_it_is_too_large_is_refused_before_it_is_read(tmp_path):
    (tmp_path / "flows.csv").touch()
    os.truncate(tmp_path / "flows.csv", 10 << 30)
    tracemalloc.start()
    message = refused(lambda: read_text(tmp_path / "flows.csv", "a CSV file"))
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert message.endswith("flows.csv: <its size> is not allowed; a CSV file of at most 268,435,456 bytes")
    assert most_bytes < limits.MIB


def test_the_page_for_users_has_every_limit():
    for name, value in vars(limits).items():
        if name.isupper() and name != "MIB":
            shown = f"{value // limits.MIB} MiB" if value >= limits.MIB else f"{value:,}"
            assert f"`{name}` | {shown} |" in PAGE, name


@pytest.mark.parametrize("read", [lambda file: read_toml(file, "a scenario"), lambda file: read_json(file, "a run")])
def test_a_device_without_an_end_is_read_so_far_only(read):
    assert refused(lambda: read(Path("/dev/zero"))).startswith("/dev/zero: <its size> is not allowed; ")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.tra", "t.tra.bz2"])
def test_a_trace_is_no_device(tmp_path, name):
    (tmp_path / name).symlink_to("/dev/zero")
    assert "a device or pipe" in replayed(tmp_path / name)


def test_a_trace_is_no_pipe(tmp_path):
    os.mkfifo(tmp_path / "t.csv")
    assert "a device or pipe" in replayed(tmp_path / "t.csv")


@pytest.mark.parametrize("key", ["a" + ".a" * 50_000, 'a."a" . ' * 25_000 + "a", "a." * 64 + "a"])
def test_a_key_has_so_many_parts_only(tmp_path, key):
    file = tmp_path / "t.toml"
    for line in (f"{key} = 1", f"[{key}]", f"a = {{{key} = 1}}"):
        file.write_text(f"title = ''\n{line}\n")
        assert refused(lambda: read_toml(file, "a scenario")).startswith(f"{file}, line 2: ")


def test_words_numbers_and_dots_are_no_deep_keys(tmp_path):
    file = tmp_path / "t.toml"
    matrix = [[0.5] * 200] * 3
    file.write_text(f"title = '{'.' * 500}'\nmatrix = {matrix}\n{'a' * 100_000} = {'1.5' * 1!s}\na.b.c.d = 1\n")
    assert read_toml(file, "a scenario")["matrix"] == matrix


def test_a_key_set_on_the_command_line_has_so_many_parts_only(tmp_path):
    (tmp_path / "t.toml").write_text("[network]\nnodes = 4\n")
    message = refused(lambda: Scenario.load(tmp_path / "t.toml", ["a" + ".a" * 50_000 + "=1"]))
    assert message.startswith("--set: ")
    assert "64 parts" in message


def test_a_line_of_a_trace_is_so_long_only(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("cycle,source,destination,bytes,depends_on\n0,0,1,32,\n1,0,1,32," + "1 " * limits.LINE_CHARACTERS)
    assert replayed(file).startswith(f"{file}, line 3: <its length> is not allowed; ")


def test_a_netrace_header_has_so_many_regions_and_notes_only(tmp_path):
    for name, place in (("notes", 56), ("regions", 60)):
        header = bytearray(content(notes=b"", regions=[]))
        struct.pack_into("<I", header, place, 2**32 - 1)
        (tmp_path / "t.tra.bz2").write_bytes(bz2.compress(bytes(header) + bytes(64 * limits.MIB), 1))
        message = replayed(tmp_path / "t.tra.bz2")
        assert name in message
        assert f"<{2**32 - 1} " in message


def test_netrace_records_name_so_many_that_are_still_to_come_only(tmp_path):
    packets = limits.AWAITING_PACKETS // 255 + 1
    file = write(tmp_path, [(0, i, READ_REQUEST, 0, 1, [2**20] * 255) for i in range(packets)])
    assert replayed(file).startswith(f"{file}, record {packets}: <255 dependants> is not allowed; ")


TYPES = {
    "list": [[0], [1]],
    "struct": [{"a": 0}, {"a": 1}],
    "date": [datetime.date(2026, 1, 1)] * 2,
    "duration": [datetime.timedelta(seconds=1)] * 2,
    "time": [datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)] * 2,
    "binary": [b"0", b"1"],
    "bool": [False, True],
}


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", ["cycle", "source", "bytes", "priority", "id", "depends_on"])
def test_columns_of_a_parquet_file_hold_numbers_and_text(tmp_path, kind, name):
    if (kind, name) == ("list", "depends_on"):
        pytest.skip("lists of ids")
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {"cycle": [0, 5], "source": [0, 1], "destination": [1, 2], "bytes": [32, 32]}
    parquet.write_table(pyarrow.table({**columns, name: TYPES[kind]}), tmp_path / "t.parquet")
    assert replayed(tmp_path / "t.parquet").startswith(f"{tmp_path / 't.parquet'}, column '{name}': <")


@pytest.mark.parametrize("name", ["a\0b.csv", "a\0b.parquet", "a\0b.tra", "\udcff.csv"])
def test_a_name_that_no_file_can_have_is_refused(tmp_path, name):
    assert "network" not in (message := replayed(tmp_path / name))
    assert message.isprintable()
    for read in (read_toml, read_json):
        assert refused(lambda read=read: read(tmp_path / name, "a file")).startswith(str(tmp_path))


def test_deep_json_is_refused(tmp_path):
    (tmp_path / "t.json").write_text("[" * 100_000)
    assert "not JSON" in refused(lambda: read_json(tmp_path / "t.json", "a run"))


def test_a_name_that_no_file_can_have_is_shown_in_part():
    message = refused(lambda: read_toml(Path("n" * 200_000), "a scenario"))
    assert message == f"{'n' * 300}...: cannot be read: File name too long"


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is no /proc on this machine")
def test_a_trace_that_fails_while_it_is_read_is_named(tmp_path):
    (tmp_path / "t.tra").symlink_to("/proc/self/mem")
    assert replayed(tmp_path / "t.tra").endswith("t.tra: cannot be read: Input/output error")


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc on this machine")
@pytest.mark.parametrize("name", LARGE)
def test_a_large_network_takes_the_memory_that_the_page_says(name):
    command = [sys.executable, "-c", VALIDATE]
    done = subprocess.run(command, input=json.dumps(LARGE[name]), text=True, capture_output=True, check=True)
    (most,) = re.findall(rf"\| {re.escape(name)} \| ([\d.]+) GB \|", PAGE)
    assert 1024 * int(done.stdout) < float(most) * 1e9


def test_a_small_file_does_not_take_the_memory_of_the_largest_one(tmp_path):
    file = tmp_path / "matrix.csv"
    file.write_text("0,1\n1,0\n")
    tracemalloc.start()
    try:
        assert read_text(file, "a CSV file") == "0,1\n1,0\n"
        _, most_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most_bytes < limits.FILE_BYTES / 50
