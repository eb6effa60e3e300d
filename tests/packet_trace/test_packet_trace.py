"""Traces of packets: files, what they say, and what is wrong with them."""

import pickle
from pathlib import Path

import netrace_files
import numpy as np
import pytest
from netrace_files import READS

import ringlet as rl
from ringlet import RingletError, Scenario
from ringlet.scenario.packet_trace import reader
from ringlet.scenario.packet_trace.kinds import packet_kind
from ringlet.scenario.packet_trace.reader import read
from ringlet.scenario.packet_trace.rows import Stretch
from ringlet.scenario.values.transactions import TRANSACTIONS

NETRACE = Path(__file__).parents[2].parent / "shared" / "data" / "netrace"

CSV = """id,cycle,source,destination,transaction,priority,depends_on
1,0,0,2,read64,,
3,100,2,0,send80,0,1

4,100,0,3,dmove16,,1 3
"""


def scenario(file, folder=None, nodes=4, **keys):
    other = {name: keys.pop(name) for name in ("queues", "flow_control", "run", "network") if name in keys}
    content = {"network": {"nodes": nodes, "link_rate": "1 GB/s"}, "traffic": {"trace": {"file": str(file), **keys}}}
    return Scenario.from_dict({**content, **other}, base_dir=folder)


def refused(file, **keys):
    with pytest.raises(RingletError) as caught:
        scenario(file, **keys)
    message = str(caught.value)
    assert "\n" not in message
    return message


def text(folder, content, name="t.csv"):
    file = folder / name
    file.write_text(content, encoding="utf-8")
    return file


def records(file, **keys):
    """Everything of a file in one piece."""
    kinds = []
    found = list(read(Stretch(**{"file": file, "cycle_ns": 1.0, "nodes": 64, "levels": 4} | keys), kinds))
    columns = {
        name: np.concatenate([getattr(piece, name) for piece in found]).tolist()
        for name in ("time_ns", "source", "destination", "dependences", "depends_on")
    }
    return columns | {"kind": [kinds[place] for piece in found for place in piece.kind]}


def test_a_table_has_a_row_per_packet(tmp_path):
    assert records(text(tmp_path, CSV)) == {
        "time_ns": [0.0, 100.0, 100.0],
        "source": [0, 2, 0],
        "destination": [2, 0, 3],
        "kind": ["read64", "send80", "dmove16"],
        "dependences": [0, 1, 2],
        "depends_on": [0, 0, 1],
    }


def test_times_may_have_units_and_packets_bytes(tmp_path):
    found = records(text(tmp_path, "time_us,source,destination,bytes\n0.5,0,1,32\n1,0,1,32\n"))
    assert (found["time_ns"], found["kind"]) == ([0.0, 500.0], ["send32"] * 2)


def test_records_are_numbered_if_they_have_no_ids(tmp_path):
    found = records(text(tmp_path, "cycle,source,destination,bytes,depends_on\n0,0,1,32,\n5,1,0,32,1\n"))
    assert found["depends_on"] == [0]


def test_parquet_files_hold_the_same(tmp_path):
    pyarrow = pytest.importorskip(
        "pyarrow", reason="Parquet is not tested without pyarrow (pip install 'ringlet[parquet]')"
    )
    from pyarrow import parquet

    columns = {
        "id": [1, 3, 4],
        "cycle": [0, 100, 100],
        "source": [0, 2, 0],
        "destination": [2, 0, 3],
        "transaction": ["read64", "send80", "dmove16"],
        "depends_on": [[], [1], [1, 3]],
    }
    parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet")
    assert records(tmp_path / "t.parquet") == records(text(tmp_path, CSV))
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "t.parquet").read_bytes()[:-20])
    assert "cut.parquet: not a Parquet file, or a damaged one" in refused(tmp_path / "cut.parquet")


@pytest.mark.parametrize("name", ["t.tra", "t.tra.bz2"])
def test_netrace_records_name_those_that_wait_for_them(tmp_path, name):
    found = records(netrace_files.write(tmp_path, name=name))
    assert found["time_ns"] == [0.0, 24.0, 30.0, 30.0, 54.0]
    assert found["kind"] == ["read64-request", "read64-response", "nwrite64", "read64-request", "read64-response"]
    assert (found["dependences"], found["depends_on"]) == ([0, 1, 0, 0, 1], [0, 3])


def test_only_a_piece_is_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "PIECE", 2)
    pieces = list(read(Stretch(netrace_files.write(tmp_path), 1.0, 4, 1), []))
    assert [len(piece) for piece in pieces] == [2, 2, 1]


def test_regions_are_counted_in_packets(tmp_path):
    file = netrace_files.write(tmp_path, regions=[2, 0, 1, 2])
    assert records(file, regions=(2, 3))["time_ns"] == [30.0, 30.0, 54.0]
    assert records(file, regions=(0, 1))["time_ns"] == [0.0, 24.0]
    assert "regions[0]: 4 is not allowed; 0 to 3" in refused(file, regions=[4])
    assert "successive regions" in refused(file, regions=[0, 2])


def test_dependences_on_what_is_not_replayed_do_not_count(tmp_path):
    found = records(netrace_files.write(tmp_path), start_ns=34.0, stop_ns=64.0)
    assert (found["time_ns"], found["dependences"]) == ([24.0, 30.0, 30.0], [0, 0, 0])
    found = records(text(tmp_path, CSV), start_ns=50.0)
    assert (found["dependences"], found["depends_on"]) == ([0, 1], [0])


def test_every_transaction_may_be_in_a_trace():
    for name, moves in TRANSACTIONS.items():
        kind = packet_kind(name)
        assert (kind.packet_bytes, kind.response_bytes) == (moves.mean_request_bytes, moves.response_bytes)
        assert (packet_kind(f"{name}-response") is None) == (moves.response_bytes is None)
    response = packet_kind("read64-response")
    assert (response.packet_bytes, response.is_response, response.data_bytes) == (80, True, 64)
    assert packet_kind("read64-request").data_bytes == 0
    assert packet_kind("mread00-request").packet_bytes == 16
    for wrong in (
        "",
        "send",
        "send7",
        "send81",
        "send65410",
        "read65",
        "read64-echo",
        "mread00",
        "send80-request",
        "x",
    ):
        assert packet_kind(wrong) is None


def test_each_source_kind_and_priority_is_a_flow(tmp_path):
    found = scenario(text(tmp_path, CSV)).network_spec(1)["flows"]
    assert [(flow["source"], flow["sizes"], flow["response_symbols"]) for flow in found] == [
        (0, [(8, 1.0)], 40),
        (0, [(16, 1.0)], None),
        (2, [(40, 1.0)], None),
    ]
    assert found[0]["arrivals"] == {"kind": "trace", "responses": False, "dependence_driven": True}


def test_times_are_scaled_and_rounded_up_to_cycles(tmp_path):
    file = text(tmp_path, "cycle,source,destination,bytes\n7,0,1,32\n10,0,1,32\n12,0,1,32\n")
    ns = np.array([0.0, 3.0, 5.0])
    assert scenario(file).replay.cycles(2 * ns).tolist() == [0, 3, 5]
    replay = scenario(file, clock="1 GHz").replay
    assert (replay.cycles(ns).tolist(), replay.last_cycle) == ([0, 2, 3], 3)
    assert scenario(file, clock="3 GHz", time_scale=6.0).replay.cycles(ns / 3).tolist() == [0, 3, 5]


@pytest.mark.parametrize("last", ["2e7", "2e10", "1e290"])
def test_a_trace_of_more_than_2_to_the_53_cycles_is_refused(tmp_path, last):
    file = text(tmp_path, f"time_s,source,destination,bytes\n0,0,1,32\n{last},0,1,32\n")
    message = refused(file)
    assert message.startswith(f"{file}: ")
    for word in ("2^53 cycles of 2 ns", "unit of its times", "traffic.trace.time_scale"):
        assert word in message


def test_a_time_beyond_all_numbers_is_refused_with_its_line(tmp_path):
    file = text(tmp_path, "time_s,source,destination,bytes\n0,0,1,32\n1e305,0,1,32\n")
    assert refused(file).startswith(f"{file}, line 3: ")


def test_the_traffic_matrix_is_that_of_the_trace(tmp_path):
    matrix = scenario(text(tmp_path, CSV)).traffic_matrix()
    assert matrix.tolist() == [[0, 0, 0.5, 0.5], [0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]


def test_a_trace_names_the_pattern_and_has_no_warm_up(tmp_path):
    given = scenario(text(tmp_path, CSV))
    assert (given.traffic.pattern, given.traffic.arrivals, given.warmup, given.measured_cycles) == (
        "trace",
        "none",
        0,
        None,
    )


CUT = """id,cycle,source,destination,bytes,depends_on
1,0,0,1,1000,
2,0,0,1,7,
3,5,1,2,81,1
"""

CUT_BY_HAND = """id,cycle,source,destination,bytes,depends_on
1,0,0,1,288,
2,0,0,1,288,
3,0,0,1,288,
4,0,0,1,136,
5,0,0,1,16,
6,5,1,2,82,1 2 3 4
"""


def test_a_record_of_many_bytes_is_cut_into_packets_and_the_last_is_filled_up(tmp_path):
    one, other = (scenario(text(tmp_path, table)).network_spec(1) for table in (CUT, CUT_BY_HAND))
    assert one["flows"] == other["flows"]


def test_what_depends_on_a_record_waits_for_all_its_packets(tmp_path):
    documents = [rl.run(scenario(text(tmp_path, table))).document for table in (CUT, CUT_BY_HAND)]
    whole, by_hand = ({key: one[key] for key in ("cycles", "nodes", "total")} for one in documents)
    assert whole == by_hand
    assert documents[0]["trace"]["packets"] == 6


def test_a_packet_of_a_wide_link_is_filled_up_to_its_symbols(tmp_path):
    file = text(tmp_path, "cycle,source,destination,bytes\n0,0,1,17\n")
    content = {"network": {"nodes": 4, "link_width": 64}, "traffic": {"pattern": "trace", "trace": {"file": str(file)}}}
    [flow] = Scenario.from_dict(content).network_spec(1)["flows"]
    assert flow["sizes"] == [(3, 1.0)]


def test_files_are_relative_to_the_scenario_file(tmp_path):
    text(tmp_path, CSV)
    assert scenario("t.csv", folder=tmp_path).replay.survey.packets == 3


def test_the_resolved_scenario_knows_its_trace_by_path_and_content(tmp_path):
    file = text(tmp_path, CSV)
    first = scenario("t.csv", folder=tmp_path).to_dict()
    assert first["traffic"]["trace"]["file"] == str(file)
    assert Scenario.from_dict(first).to_dict() == first
    file.write_text(CSV.replace("send80", "send64"), encoding="utf-8")
    assert scenario("t.csv", folder=tmp_path).to_dict() != first
    with pytest.raises(RingletError, match=r"traffic\.trace\.sha256: .* is not allowed; that of"):
        Scenario.from_dict(first)


def test_a_scenario_with_a_trace_travels(tmp_path):
    given = scenario(text(tmp_path, CSV))
    assert given.replay is not None
    assert pickle.loads(pickle.dumps(given)).network_spec(1) == given.network_spec(1)


BAD_ROWS = {
    "cycle,source,destination\n0,0,1\n": "header: has neither; it needs one of transaction or bytes",
    "source,destination,bytes\n0,1,32\n": "header: has neither; it needs one of cycle or time_ns",
    "cycle,time_ns,source,destination,bytes\n0,0,0,1,32\n": "header: has cycle and time_ns; it needs one of cycle or "
    "time_ns",
    "cycle,source,bytes\n0,0,32\n": "header: column 'destination' is missing",
    "cycle,source,destination,bytes,depend_on\n": "header: 'depend_on' is not allowed; columns are cycle",
    "cycle,source,source,destination,bytes\n": "header: 'source' is not allowed; each column once",
    "time_parsec,source,destination,bytes\n": "header: 'time_parsec' is not allowed; a unit of time",
    "": "header: has neither",
    "cycle,source,destination,bytes\n": "<no packet> is not allowed; a trace with packets",
    "cycle,source,destination,bytes\n0,0,1,32\n0,0,1\n": "line 3: <3 values> is not allowed; 4, one per column",
    "cycle,source,destination,bytes\n0,0,1,0\n": "line 2, bytes: '0' is not allowed; a number of bytes from 1 to "
    "18,874,080, 65,535 packets of traffic.largest_packet, 288",
    "cycle,source,destination,bytes\n0,0,1,18874081\n": "line 2, bytes: '18874081' is not allowed; a number of bytes",
    "cycle,source,destination,transaction\n0,0,1,fetch\n": "line 2, transaction: 'fetch' is not allowed; 'sendN'",
    "cycle,source,destination,bytes\n0,0,1,32\nx,0,1,32\n": "line 3, cycle: 'x' is not allowed; a whole number, at "
    "least 0",
    "cycle,source,destination,bytes\n0.5,0,1,32\n": "line 2, cycle: '0.5' is not allowed; a whole number",
    "cycle,source,destination,bytes\n-1,0,1,32\n": "line 2, cycle: '-1' is not allowed; a whole number",
    "time_ns,source,destination,bytes\nnan,0,1,32\n": "line 2, time_ns: 'nan' is not allowed; a number, at least 0",
    "cycle,source,destination,bytes\n0,0,1.5,32\n": "line 2, destination: '1.5' is not allowed; a whole number",
    "cycle,source,destination,bytes\n0,0,4,32\n": "line 2: <destination 4> is not allowed; nodes 0 to 3, as in the "
    "network",
    "cycle,source,destination,bytes\n0,9,1,32\n": "line 2: <source 9> is not allowed; nodes 0 to 3, as in the network",
    "cycle,source,destination,bytes\n5,0,1,32\n4,0,1,32\n": "line 3, cycle: '4' is not allowed; at least 5",
    "cycle,source,destination,bytes,priority\n0,0,1,32,1\n": "line 2: <priority 1> is not allowed; below 1",
    "id,cycle,source,destination,bytes\n5,0,0,1,32\n5,0,0,1,32\n": "line 3: <id 5> is not allowed; above 5: ids rise",
    "cycle,source,destination,bytes,depends_on\n0,0,1,32,7\n": "line 2: <depends_on 7> is not allowed; the id of a "
    "packet before it",
    "cycle,source,destination,bytes,depends_on\n0,0,1,32,1\n": "line 2: <depends_on 1> is not allowed; the id of a "
    "packet before it",
    "cycle,source,destination,bytes,depends_on\n0,0,1,32,\n9,2,0,32,1\n": "line 3: <a dependence on record 1> is "
    "not allowed; packets delivered "
    "at its source, node 2, and transactions of this node that have a response",
    "cycle,source,destination,bytes,depends_on\n0,0,1,32,\n9,0,2,32,1\n": "line 3: <a dependence on record 1> is "
    "not allowed",
}


@pytest.mark.parametrize("content", BAD_ROWS)
def test_a_bad_table_is_refused_with_its_line(tmp_path, content):
    file = text(tmp_path, content)
    message = refused(file)
    assert message.startswith(str(file))
    assert BAD_ROWS[content] in message


def test_lines_are_counted_as_editors_do(tmp_path):
    head = "\n\ncycle,source,destination,bytes\n0,0,1,32\n\n"
    assert "t.csv, line 6, cycle: 'x' is not allowed" in refused(text(tmp_path, f"{head}x,0,1,32\n"))
    assert "u.csv, line 6: <source 9>" in refused(text(tmp_path, f"{head}1,9,1,32\n", "u.csv"))


def test_dependences_reach_back_so_far_only(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "REACH", 3)
    rows = "".join(f"{n},0,1,32,\n" for n in range(9))
    header = "cycle,source,destination,bytes,depends_on\n"
    assert "line 11: <depends_on 3>" in refused(text(tmp_path, f"{header}{rows}9,1,0,32,3\n"))
    assert "at most 3" in refused(text(tmp_path, f"{header}{rows}9,1,0,32,6\n", "u.csv"))
    assert records(text(tmp_path, f"{header}{rows}9,1,0,32,7\n", "v.csv"))["depends_on"] == [6]


def test_a_file_of_another_kind_is_refused(tmp_path):
    assert "is not allowed; a file .csv, .parquet, .tra or .tra.bz2" in refused(text(tmp_path, CSV, "t.txt"))
    assert "no such file" in refused(tmp_path / "nowhere.csv")
    assert "no such file" in refused(tmp_path / "nowhere.tra.bz2")
    (tmp_path / "folder.csv").mkdir()
    assert "folder.csv: <a directory> is not allowed" in refused(tmp_path / "folder.csv")
    (tmp_path / "latin.csv").write_bytes(b"cycle,source,destination,bytes\n0,0,1,\xff\n")
    assert "not in UTF-8" in refused(tmp_path / "latin.csv")
    assert "regions: [0] is not allowed; none: only netrace files" in refused(text(tmp_path, CSV), regions=[0])


def changed(number, **fields):
    """The records with one of them changed."""
    names = ("cycle", "id", "type", "source", "destination", "dependants")
    values = dict(zip(names, READS[number], strict=True)) | fields
    return [*READS[:number], tuple(values.values()), *READS[number + 1 :]]


BAD_FILES = {
    "another magic number": ({"magic": 0x12345678}, "header: <magic number 0x12345678> is not allowed; 0x484a5455"),
    "another version": ({"version": 2.0}, "header: <version 2> is not allowed; version 1"),
    "more regions than packets": ({"regions": [3, 3]}, "header: <regions of 6 packets> is not allowed; 5, as many"),
    "an unknown type": ({"records": changed(2, type=9)}, "record 3 of 5: <type 9> is not allowed; types 1, 2"),
    "a node out of range": ({"records": changed(1, source=4)}, "record 2: <source 4> is not allowed; nodes 0 to 3"),
    "a decreasing cycle": (
        {"records": changed(3, cycle=39)},
        "record 4 of 5: <a start in cycle 39> is not allowed; at least 40, ",
    ),
    "a dependant that is not there": (
        {"records": changed(0, dependants=[1, 77])},
        "record 1: <dependant 77> is not allowed; the id",
    ),
    "a dependant elsewhere": (
        {"records": changed(0, dependants=[2, 3])},
        "record 3: <a dependence on record 1> is not allowed",
    ),
    "records left out": ({"packets": 6, "regions": [6]}, "record 6 of 6: the file ends 21 bytes early; it is cut off"),
    "records too many": (
        {"packets": 4, "regions": [4], "records": changed(3, dependants=[])},
        "behind record 4: <more bytes>",
    ),
}


@pytest.mark.parametrize("what", BAD_FILES)
def test_a_bad_netrace_file_is_refused_with_its_record(tmp_path, what):
    keywords, expected = BAD_FILES[what]
    file = netrace_files.write(tmp_path, **keywords)
    message = refused(file)
    assert message.startswith(str(file))
    assert expected in message


def test_a_netrace_file_that_is_cut_off_is_refused_wherever_it_is_cut(tmp_path):
    raw = netrace_files.content()
    header = len(netrace_files.content([]))
    for size in range(len(raw)):
        file = tmp_path / f"cut{size}.tra"
        file.write_bytes(raw[:size])
        place = "header" if size < header else "record "
        assert f"{file}, {place}" in refused(file)


def test_a_compressed_file_that_is_cut_off_or_damaged_is_refused(tmp_path):
    compressed = netrace_files.write(tmp_path).read_bytes()
    for size in range(4, len(compressed), 7):
        file = tmp_path / f"cut{size}.tra.bz2"
        file.write_bytes(compressed[:size])
        assert "it is cut off" in refused(file)
    (tmp_path / "damaged.tra.bz2").write_bytes(compressed[:60] + b"\0\0" + compressed[62:])
    assert "not in bzip2's format" in refused(tmp_path / "damaged.tra.bz2")


BAD_KEYS = {
    "traffic.trace.clock": {"clock": "2 parsec"},
    "traffic.trace.time_scale": {"time_scale": 0.0},
    "traffic.trace.replay": {"replay": "closed-loop"},
    "traffic.trace.sha256": {"sha256": "12"},
    "traffic.trace.stop": {"stop": "1 furlong"},
    "queues.transmit": {"queues": {"transmit": 4}},
    "run.precision": {"run": {"precision": 0.1}},
}


@pytest.mark.parametrize("key", BAD_KEYS)
def test_a_key_that_does_not_fit_is_named(tmp_path, key):
    assert refused(text(tmp_path, CSV), **BAD_KEYS[key]).startswith(f"{key}: ")


TRAFFIC = {
    "traffic.trace: missing": {"pattern": "trace"},
    "traffic.load": {"trace": {"file": "t.csv"}, "load": "5 MB/s"},
    "traffic.transaction": {"trace": {"file": "t.csv"}, "transaction": "read64"},
    "traffic.arrivals": {"trace": {"file": "t.csv"}, "arrivals": "saturated"},
    "traffic.trace: ": {"trace": {"file": "t.csv"}, "pattern": "uniform"},
    "traffic.locality": {"trace": {"file": "t.csv"}, "locality": 0.5, "pattern": "trace"},
}


@pytest.mark.parametrize("start", TRAFFIC)
def test_what_the_trace_says_nobody_else_may_say(tmp_path, start):
    text(tmp_path, CSV)
    with pytest.raises(RingletError, match=f"^{start}"):
        Scenario.from_dict({"network": {"nodes": 4}, "traffic": TRAFFIC[start]}, base_dir=tmp_path)


def test_an_open_loop_may_lose_packets(tmp_path):
    assert scenario(text(tmp_path, CSV), replay="open-loop", queues={"transmit": 1}).replay is not None


PUBLISHED = [
    ("shrtex", 12, 0, 9),
    ("example", 175, 4, 136),
    ("multiregion", 22_968, 500, 13_168),
    ("lngrex", 81_749, 1_406, 52_672),
]
"""Of each published trace: name, packets, packets to the own node, dependences."""


def test_the_page_has_the_dependences_of_the_published_traces():
    page = (Path(__file__).parents[2] / "docs/explanation/network-model.md").read_text(encoding="utf-8")
    dependences = sum(found for *_, found in PUBLISHED)
    assert f"all {dependences:,} dependences of the four traces that we have" in " ".join(page.split())


@pytest.mark.skipif(not NETRACE.is_dir(), reason="the published traces are not there")
@pytest.mark.parametrize(("name", "packets", "local", "dependences"), PUBLISHED)
def test_published_traces_are_read(name, packets, local, dependences):
    file = NETRACE / f"{name}.tra.bz2"
    found = scenario(file, nodes=64).replay.survey
    assert (found.packets, found.local) == (packets, local)
    assert sum(records(file)["dependences"]) == dependences


def test_the_example_is_what_its_program_writes():
    import runpy

    folder = Path(__file__).parents[2] / "examples" / "traces"
    before = (folder / "stencil.csv").read_bytes()
    packets = runpy.run_path(str(folder / "stencil.py"))["packets"]()
    survey = rl.Scenario.load(folder.parent / "replay-ring.toml").replay.survey
    assert survey.packets == len(packets) == before.count(b"\n") - 1
    assert survey.last_ns == max(packet[0] for packet in packets)
