"""Files of other tools become scenarios, and what they do not say is asked for."""

import gzip
import os
import time
from pathlib import Path

import numpy as np
import pytest

import ringlet as rl
from ringlet import Scenario
from ringlet.cli import main
from ringlet.imports import libraries
from ringlet.imports.content import Answers
from ringlet.imports.formats import FORMATS, format_of
from ringlet.imports.read import read

FILES = Path(__file__).parent / "files"


def test_a_can_database_becomes_messages(imported):
    content, scenario, printed = imported(FILES / "socialledge.dbc")
    assert content["network"]["node_names"] == ["DBG", "DRIVER", "IO", "MOTOR", "SENSOR"]
    found = [(one.name, one.source, one.destination, one.period_cycles) for one in scenario.periodic_messages]
    assert found[:3] == [
        ("DRIVER_HEARTBEAT_MOTOR", 1, 3, 500_000_000),
        ("DRIVER_HEARTBEAT_SENSOR", 1, 4, 500_000_000),
        ("IO_DEBUG", 2, 0, 50_000_000),
    ]
    assert len(found) == 9
    assert "taken: 9 messages, one for each receiver" in printed
    assert "left out: identifiers" in printed


DBC = (FILES / "socialledge.dbc").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "what", "option", "answer"),
    [
        ('BA_ "GenMsgCycleTime" BO_ 101 100;\n', "", "no cycle time", "--period", "20 ms"),
        ("BO_ 101 MOTOR_CMD: 1 DRIVER", "BO_ 101 MOTOR_CMD: 1 Vector__XXX", "no sender", "--sender", "DRIVER"),
        ('"" MOTOR\n', '"" Vector__XXX\n', "no receiver", "--receiver", "IO"),
    ],
)
def test_what_a_message_lacks_is_asked_for(tmp_path, imported, refused, old, new, what, option, answer):
    file = tmp_path / "made.dbc"
    content = DBC.replace('""  ', '"" ')
    assert old in content
    file.write_text(content.replace(old, new), encoding="utf-8")
    assert f"message 'MOTOR_CMD': {what}; {option} says that of such messages" in refused(file)
    _, scenario, _ = imported(file, option, answer)
    assert "MOTOR_CMD" in [one.name for one in scenario.periodic_messages]
    for one in ("made.toml", "made.csv"):
        Path(one).unlink()
    _, scenario, printed = imported(file, option, "leave-out")
    assert "MOTOR_CMD" not in [one.name for one in scenario.periodic_messages]
    assert f"left out: MOTOR_CMD: {what}" in printed


def test_what_a_library_remarks_is_told_once_and_among_what_is_left_out(tmp_path, imported, refused, caplog):
    file = tmp_path / "made.dbc"
    file.write_text(DBC.replace("BO_ 400 MOTOR_STATUS", "BO_ 101 MOTOR_STATUS"), encoding="utf-8")
    *_, printed = imported(file, "--period", "20 ms")
    assert printed.count("left out: cantools: Overwriting message 'MOTOR_CMD' with 'MOTOR_STATUS' in the frame id") == 1
    # Its log would stand among our own messages.
    assert not caplog.records


def test_two_messages_of_a_database_with_one_name_are_refused_once(tmp_path, refused, caplog):
    file = tmp_path / "made.dbc"
    message = next(part for part in DBC.split("\n\n") if part.startswith("BO_ 400 "))
    file.write_text(DBC.replace(message, "\n\n".join(10 * [message])), encoding="utf-8")
    told = refused(file, "--period", "20 ms")
    assert "'MOTOR_STATUS_DRIVER' is not allowed; a name that no other message has" in told
    assert not caplog.records


def test_a_graph_that_is_a_ring_becomes_one(imported, refused):
    assert "length 110.0 has no unit; --length-unit says it" in refused(FILES / "metro.graphml")
    content, scenario, printed = imported(FILES / "metro.graphml", "--length-unit", "km")
    assert content["network"] == {
        "node_names": ["Linz", "Salzburg", "Klagenfurt", "Graz"],
        "cable_length": ["110.0 km", "140.5 km", "100.0 km", "160.0 km"],
        "link_rate": "10000000000.0 b/s",
    }
    assert scenario.symbol_time_ns == pytest.approx(1.6)
    assert "left out: attributes of nodes: Country" in printed


def test_a_graph_that_is_no_ring_asks_for_its_nodes(imported, refused):
    assert "not a ring: node 'Graz' has 3 neighbours; --ring says which" in refused(FILES / "metro.gml")
    assert "--ring: 'Wien' is not allowed" in refused(FILES / "metro.gml", "--ring", "Linz,Wien")
    assert "--ring, after 'Linz': 'Klagenfurt' is not allowed" in refused(
        FILES / "metro.gml", "--ring", "Linz,Klagenfurt,Salzburg"
    )
    content, _, printed = imported(FILES / "metro.gml", "--ring", "Linz,Salzburg,Graz")
    assert content["network"]["cable_length"] == ["110 km", "200 km", "160 km"]
    assert "left out: 2 links that are not on the ring" in printed


@pytest.mark.parametrize(
    ("labels", "names"), [("abc", ["a", "b", "c"]), ("aac", ["7", "8", "9"]), (None, ["7", "8", "9"])]
)
def test_labels_of_a_gml_file_are_names_where_each_node_has_one_of_its_own(tmp_path, imported, labels, names):
    said = [f'label "{label}"' for label in labels] if labels else [""] * 3
    nodes = "".join(f"node [ id {number} {label} ] " for number, label in zip((7, 8, 9), said, strict=True))
    links = "".join(f"edge [ source {one} target {other} ] " for one, other in ((7, 8), (8, 9), (9, 7)))
    file = tmp_path / "ring.gml"
    file.write_text(f"graph [ {nodes}{links}]", encoding="utf-8")
    assert imported(file)[0]["network"]["node_names"] == names


@pytest.mark.parametrize(
    ("kind", "edges", "order"),
    [
        ("undirected", ["ab"], "ab"),
        ("directed", ["ab", "ba"], "ab"),
        ("directed", ["ac", "cb", "ba"], "acb"),
        ("directed", ["ab", "ba", "cc"], None),
        ("undirected", ["ab", "bc", "ca", "de", "ef", "fd"], None),
        ("undirected", [], None),
    ],
)
def test_a_ring_is_followed_link_by_link(tmp_path, imported, refused, kind, edges, order):
    nodes = "".join(f'<node id="{node}"/>' for node in sorted(set("".join(edges))))
    links = "".join(f'<edge source="{a}" target="{b}"/>' for a, b in edges)
    graph = f'<graph edgedefault="{kind}">{nodes}{links}</graph>'
    file = tmp_path / "g.graphml"
    file.write_text(f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{graph}</graphml>', encoding="utf-8")
    if order is None:
        assert str(file) in refused(file)
    else:
        assert imported(file)[0]["network"]["node_names"] == list(order)


def test_the_time_to_read_a_ring_grows_with_its_nodes(tmp_path):
    count = 20_000
    nodes = "".join(f'<node id="n{i}"/>' for i in range(count))
    links = "".join(f'<edge source="n{i}" target="n{(i + 7) % count}"/>' for i in range(count))
    file = tmp_path / "g.graphml"
    graph = f'<graph edgedefault="directed">{nodes}{links}</graph>'
    file.write_text(f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{graph}</graphml>', encoding="utf-8")
    begun = time.process_time()
    names = read(file, format_of(file, None), Answers()).scenario["network"]["node_names"]
    assert names[:3] == ["n0", "n7", "n14"]
    assert len(names) == count
    # Each look into a list of all names would take 15 s together.
    assert time.process_time() - begun < 8


def test_rates_that_differ_are_asked_for(tmp_path, refused, imported):
    file = tmp_path / "g.graphml"
    text = (FILES / "metro.graphml").read_text(encoding="utf-8")
    file.write_text(text.replace(">10000000000<", ">2500000000<", 1), encoding="utf-8")
    assert "and one is taken; --link-rate says it" in refused(file, "--length-unit", "km")
    content, _, _ = imported(file, "--length-unit", "km", "--link-rate", "2.5 Gb/s")
    assert content["network"]["link_rate"] == "2.5 Gb/s"


def test_a_network_of_sndlib_becomes_a_ring_with_demands(imported, refused):
    assert "its numbers have no unit; --unit says it" in refused(FILES / "triangle.xml")
    content, scenario, _ = imported(FILES / "triangle.xml", "--unit", "Mb/s")
    assert content["network"]["node_names"] == ["A", "B", "C"]
    assert content["traffic"]["matrix_unit"] == "Mb/s"
    assert scenario.resolved.load == ["160 Mb/s", "16 Mb/s", "0 Mb/s"]
    assert scenario.warnings() == []
    assert scenario.traffic_matrix().tolist() == [[0, 0.25, 0.75], [0, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize("kind", ["mtx", "npy", "csv", "tsv"])
def test_a_matrix_becomes_demands_in_every_format(tmp_path, imported, kind):
    demands = np.array([[0, 64, 128, 0], [0, 0, 128, 96], [0, 0, 0, 0], [96, 0, 0, 0]])
    file = FILES / "demands.mtx" if kind == "mtx" else tmp_path / f"demands.{kind}"
    if kind == "npy":
        np.save(file, demands)
    elif kind != "mtx":
        np.savetxt(file, demands, delimiter="," if kind == "csv" else "\t", fmt="%d")
    content, scenario, _ = imported(file, "--unit", "MB/s")
    assert content["traffic"]["matrix_unit"] == "MB/s"
    assert scenario.resolved.load == ["192 MB/s", "224 MB/s", "0 MB/s", "96 MB/s"]
    assert scenario.warnings() == []
    assert scenario.traffic_matrix()[0].tolist() == [0, 1 / 3, 2 / 3, 0]


def test_labels_of_a_matrix_are_names_and_demands_to_oneself_are_asked_for(tmp_path, imported, refused):
    file = tmp_path / "d.csv"
    file.write_text(";a;b\na;1;2,5\nb;3;0\n", encoding="utf-8")
    assert "node 'a' has a demand of 1 to itself; --own leave-out says" in refused(file, "--unit", "shares")
    content, _, _ = imported(file, "--unit", "shares", "--own", "leave-out")
    assert content["network"]["node_names"] == ["a", "b"]
    assert "load" not in content["traffic"]


def capture(file, frames, **kinds):
    import dpkt

    with file.open("wb") as stream:
        writer = dpkt.pcap.Writer(stream, **kinds)
        for time, content in frames:
            writer.writepkt(content, ts=time)


def ethernet(source, destination, payload):
    import dpkt

    addresses = [bytes([10, 0, 0, node]) for node in (source, destination)]
    ip = dpkt.ip.IP(src=addresses[0], dst=addresses[1], p=17, data=dpkt.udp.UDP(sport=1, dport=2, data=payload))
    ip.data.ulen = len(ip.data)
    return bytes(dpkt.ethernet.Ethernet(src=b"\2\0\0\0\0\1", dst=b"\2\0\0\0\0\2", data=ip))


def test_a_capture_becomes_a_trace(tmp_path, imported):
    frames = [
        (1_791_000_000.000001, ethernet(1, 2, b"x" * 1000)),
        (1_791_000_000.000003, ethernet(2, 1, b"y")),
        (1_791_000_000.000005, ethernet(1, 230, b"z").replace(bytes([10, 0, 0, 230]), bytes([230, 0, 0, 1]))),
    ]
    capture(tmp_path / "c.pcap", frames)
    content, scenario, printed = imported(tmp_path / "c.pcap")
    assert content["network"]["node_names"] == ["10.0.0.1", "10.0.0.2"]
    survey = scenario.replay.survey
    # 1042 bytes are 4 packets of 256 bytes and one of 64, padded by 46.
    assert (survey.packets, survey.kinds) == (6, ("dmove256", "dmove64"))
    assert survey.last_ns == 2000.0
    assert "left out: 1 frames to several nodes" in printed
    assert rl.run("made.toml").trace["complete"]


def test_a_log_of_candump_becomes_a_trace(imported, refused):
    assert "frames do not say who receives them; --receiver says the node that does" in refused(FILES / "can.log")
    content, scenario, _ = imported(FILES / "can.log", "--receiver", "gateway")
    assert content["network"]["node_names"] == ["can0", "gateway", "can1"]
    assert (scenario.replay.survey.packets, scenario.replay.survey.last_ns) == (3, 400_291_000.0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Jan 12 10:00:01 host sshd[12]: session opened\n", "line 1: 'Jan 12 10:00:01 host sshd[12]: session opened'"),
        ("\n\n", "<no frame> is not allowed; a log with frames"),
    ],
)
def test_a_log_of_another_kind_is_refused_as_that_and_not_asked_for_a_receiver(tmp_path, refused, text, words):
    (tmp_path / "syslog.log").write_text(text)
    told = refused(tmp_path / "syslog.log")
    assert words in told
    assert "--receiver" not in told


CANDUMPS = {
    "-l": ["(1594172461.968006) can0 1F0#0000000000001BC1", "(1594172461.968407) can1 486#R8"],
    "-l, CAN FD": ["(1594172461.968006) can0 1F0##100112233", "(1594172461.968407) can1 14C##016A0FFE0"],
    "-tz": [" (000.000000)  can0  0C8   [8]  F0 00 00 00 00 00 00 00", " (000.000401)  can1  0C8   [1]  31   '1'"],
    "-tA": [
        " (2020-12-19 23:59:59.999900)  can0  0C8   [2]  F0 00",
        " (2020-12-20 00:00:00.000301)  can1  0C8   [0]  remote request",
    ],
    "nanoseconds": ["(1594172461.968006000) can0 1F0#00", "(1594172461.968407000) can1 1F0#00"],
}


@pytest.mark.parametrize("lines", CANDUMPS.values(), ids=CANDUMPS)
def test_what_candump_prints_by_its_options_is_taken(tmp_path, imported, lines):
    file = tmp_path / "can.log"
    file.write_text("\n".join(lines) + "\n")
    content, scenario, _ = imported(file, "--receiver", "gateway")
    assert content["network"]["node_names"] == ["can0", "gateway", "can1"]
    assert (scenario.replay.survey.packets, scenario.replay.survey.last_ns) == (2, 401_000.0)


def test_times_of_a_log_are_exact(tmp_path, imported):
    file = tmp_path / "can.log"
    # A float of 1.6e9 s has steps of 0.24 us.
    file.write_text("(1594172461.000000001) can0 1F0#00\n(1594172461.000000003) can0 1F0#00\n")
    imported(file, "--receiver", "gateway")
    assert [row.split(",")[0] for row in Path("made.csv").read_text().splitlines()[1:]] == [
        "1594172461000000001",
        "1594172461000000003",
    ]


def test_frames_of_errors_are_left_out(tmp_path, imported):
    file = tmp_path / "can.log"
    error = " (000.000100)  can1  20000004   [8]  00 00 00 00 00 00 00 00   ERRORFRAME"
    file.write_text(f" (000.000000)  can0  0C8   [1]  F0\n{error}\n")
    content, scenario, printed = imported(file, "--receiver", "gateway")
    assert scenario.replay.survey.packets == 1
    assert content["network"]["node_names"] == ["can0", "gateway"]
    assert "left out: 1 frames of errors" in printed


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["  vcan0  1F0   [1]  00"], "line 1: <no time> is not allowed; times, as candump -l, -tz and -tA print them"),
        (["(0.2) can0 1#00", "(0.1) can0 1#00"], "line 2: '0.1' is not allowed; a time that is not before 0.2"),
        (["(1.2.3) can0 1#00"], "line 1: '1.2.3' is not allowed; seconds"),
        (["(1.5) can0 1#00", "rubbish"], "line 2: 'rubbish' is not allowed; a line of candump, such as "),
        (["(1.5) can0 1#00", "  can0  1F0   [1]  00"], "line 2: 'can0 1F0 [1] 00' is not allowed; a line of candump"),
    ],
)
def test_a_line_that_candump_does_not_print_is_named(tmp_path, refused, lines, message):
    file = tmp_path / "can.log"
    file.write_text("\n".join(lines) + "\n")
    assert f"{file}, {message}" in refused(file, "--receiver", "gateway")


def workbook(file, rows, *, sheets=1):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "messages"
    for row in rows:
        book.active.append(row)
    for number in range(1, sheets):
        book.create_sheet(f"other{number}")
    book.save(file)


ROWS = [
    ["Message", "Sender", "Receiver", "Bytes", "Period [ms]", "Remark"],
    ["speed", "wheel", "brake", 8, 10, "safety"],
    ["light", "switch", "lamp", 2, 100.5, None],
]


def test_a_sheet_becomes_messages(tmp_path, imported):
    workbook(tmp_path / "m.xlsx", ROWS)
    _, scenario, printed = imported(tmp_path / "m.xlsx")
    found = [(one.name, one.source, one.destination, one.period_cycles) for one in scenario.periodic_messages]
    assert found == [("speed", 0, 1, 5_000_000), ("light", 2, 3, 50_250_000)]
    assert "taken: labels, which come back in results: columns 'Remark'" in printed
    assert [dict(one.labels) for one in scenario.resolved.message_table] == [{"Remark": "safety"}, {}]
    assert [one.get("labels") for one in rl.run("made.toml").to_dict()["messages"]] == [{"Remark": "safety"}, {}]


def test_a_column_that_is_like_a_key_is_no_label(tmp_path, imported):
    workbook(tmp_path / "m.xlsx", [[*row, extra] for row, extra in zip(ROWS, ("Prioritys", 1, 2), strict=True)])
    _, scenario, printed = imported(tmp_path / "m.xlsx")
    assert "left out: columns 'Prioritys': labels are" in printed
    assert [dict(one.labels) for one in scenario.resolved.message_table] == [{"Remark": "safety"}, {}]


def test_columns_of_one_head_are_no_labels(tmp_path, imported):
    rows = [[*row, extra] for row, extra in zip(ROWS, ("Remark", "x", "y"), strict=True)]
    workbook(tmp_path / "m.xlsx", rows)
    _, scenario, printed = imported(tmp_path / "m.xlsx")
    assert "left out: columns 'Remark': labels are of one column each, and unlike a key" in printed
    assert [dict(one.labels) for one in scenario.resolved.message_table] == [{}, {}]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda rows: rows[0].__setitem__(4, "Period"), [], "column 'Period' has no unit; --time-unit says it"),
        (lambda rows: rows[0].__setitem__(1, "ECU"), [], "no column has the source: heads are 'Message', 'ECU'"),
        (lambda rows: rows[0].__setitem__(5, "to"), [], "'Receiver' and 'to' both say the destination; --column"),
        (lambda rows: rows[2].__setitem__(3, 2.5), [], "cell D3: '2.5' is not allowed; a whole number"),
        (lambda rows: rows[2].__setitem__(4, "soon"), [], "cell E3: 'soon' is not allowed; a number of ms"),
        (lambda rows: rows[1].__setitem__(1, None), [], "cell B2: <an empty cell> is not allowed; the source of a"),
        (lambda rows: rows[1].__setitem__(3, 0), [], "as a scenario it is refused"),
        (lambda rows: None, ["--sheet", "x"], "--sheet: 'x' is not allowed; a sheet of"),
    ],
)
def test_a_bad_sheet_is_refused_with_its_cell(tmp_path, refused, change, options, message):
    rows = [list(row) for row in ROWS]
    change(rows)
    workbook(tmp_path / "m.xlsx", rows)
    assert message in refused(tmp_path / "m.xlsx", *options)


def test_columns_and_sheets_are_said_by_options(tmp_path, imported, refused):
    rows = [["Message", "ECU", "Receiver", "Bytes", "Period"], ["speed", "wheel", "brake", 8, 10]]
    workbook(tmp_path / "m.xlsx", rows, sheets=2)
    assert "it has sheets messages, other1; --sheet says which one" in refused(tmp_path / "m.xlsx")
    said = ["--sheet", "messages", "--column", "source=ECU", "--time-unit", "us"]
    _, scenario, _ = imported(tmp_path / "m.xlsx", *said)
    assert [one.period_cycles for one in scenario.periodic_messages] == [5000]


SIGNAL = ["Signal Byte No.", "Signal Bit No.", "Signal Length [Bit]", "Byteorder"]


def matrix(*rows):
    return [["ID", "Frame Name", "Cycle Time [ms]", *SIGNAL, "wheel", "brake", "lamp", "Value"], *rows]


def test_a_communication_matrix_becomes_its_frames(tmp_path, imported):
    # The second signal of a frame begins at bit 4 of the third byte, and has 11 bits; another frame has two receivers.
    rows = matrix(
        ["10h", "speed", 10, 1, 0, 16, "i", "s", "r", None, None],
        ["10h", "speed", 10, 3, 4, 11, "m", "s", "r", None, None],
        ["20h", "state", "20", 1, 0, 1, "i", "r", "s", "r", 0],
        ["20h", "state", "20", 1, 0, 1, "i", "r", "s", "r", 1],
        ["30h", "echo", 40, 1, 0, 8, "i", "r/s", None, "r", None],
    )
    workbook(tmp_path / "m.xlsx", rows)
    _, scenario, printed = imported(tmp_path / "m.xlsx")
    names = scenario.network.node_names
    found = {
        one.name: (names[one.source], names[one.destination], one.period_cycles) for one in scenario.periodic_messages
    }
    assert found == {
        "speed": ("wheel", "brake", 5_000_000),
        "state_lamp": ("brake", "lamp", 10_000_000),
        "state_wheel": ("brake", "wheel", 10_000_000),
        "echo": ("wheel", "lamp", 20_000_000),
    }
    assert "speed,wheel,brake,4,10 ms" in Path("made.csv").read_text(encoding="utf-8")
    assert "left out: bytes of a frame behind its last signal: the sheet does not say them; --size says all" in printed
    Path("made.toml").unlink()
    Path("made.csv").unlink()
    _, _, printed = imported(tmp_path / "m.xlsx", "--size", "8 B")
    assert "speed,wheel,brake,8 B,10 ms" in Path("made.csv").read_text(encoding="utf-8")
    assert "behind its last signal" not in printed


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (["10h", "speed", None, 1, 0, 8, "i", "s", "r", None, None], "message 'speed': no cycle time; --period says"),
        (["10h", "speed", 10, 1, 0, 8, "i", None, "r", None, None], "message 'speed': no sender; --sender says"),
        (["10h", "speed", 10, 1, 0, 8, "i", "s", None, None, None], "message 'speed': no receiver; --receiver says"),
        (["10h", "speed", "soon", 1, 0, 8, "i", "s", "r", None, None], "row 2, Cycle Time [ms]: 'soon' is not allowed"),
        (["10h", "speed", 10, 1, 0.5, 8, "i", "s", "r", None, None], "row 2, Signal Bit No.: '0.5' is not allowed"),
    ],
)
def test_a_bad_communication_matrix_is_refused_with_its_row(tmp_path, refused, row, message):
    workbook(tmp_path / "m.xlsx", matrix(row))
    assert message in refused(tmp_path / "m.xlsx")


@pytest.mark.parametrize("suffix", [suffix for one in FORMATS for suffix in one.suffixes.split()])
@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe" * 40, b"hello world\n", b"<a>", b"{"])
def test_a_file_of_another_kind_is_refused_with_its_name(tmp_path, refused, suffix, content):
    file = tmp_path / f"file{suffix}"
    file.write_bytes(content)
    assert str(file) in refused(file, "--receiver", "r", "--unit", "MB/s")


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ("2 2 1\n1 2 64\0\n", r"demands.mtx, line 3: '1 2 64\x00' is not allowed; 3 numbers"),
        ("2 2 1\n1 2 64MB/s\n", "demands.mtx, line 3: '1 2 64MB/s' is not allowed; 3 numbers"),
        ("2 2 1\n% a demand\n1 2 64 7\n", "demands.mtx, line 4: '1 2 64 7' is not allowed; 3 numbers"),
        ("2 2 1\n1 2 1e308" + "{" * 10_000 + "\n3", "demands.mtx, line 3: '1 2 1e308{"),
        ("2 2 9007199254740993\n1 2 64\n", "<9007199254740993 entries> is not allowed; at most 4"),
        ("2 2 99999999999999999999\n1 2 64\n", "not a Matrix Market file: Integer out of range."),
    ],
    ids=["zero", "unit", "more", "garbage", "entries", "integer"],
)
def test_a_matrix_that_its_library_fails_on_is_refused(tmp_path, refused, entries, message):
    file = tmp_path / "demands.mtx"
    file.write_text(f"%%MatrixMarket matrix coordinate real general\n{entries}")
    assert message in refused(file, "--unit", "MB/s")


def test_a_library_that_fails_is_named_with_its_error(tmp_path, refused):
    file = tmp_path / "net.xml"
    file.write_text('<?xml version="1.0" encoding="ISO-8859-0"?><network/>')
    assert "net.xml: not a network of SNDlib, in XML: LookupError: unknown encoding: ISO-8859-0" in refused(file)


def test_a_message_does_not_quote_a_line_of_any_length(tmp_path, refused):
    file = tmp_path / "can.log"
    file.write_text(f"(1{'(' * 100_000}) can0 123#00\n")
    assert len(refused(file, "--sender", "leave-out", "--receiver", "leave-out")) < 1000


@pytest.mark.parametrize(
    "suffix", [".dbc", ".arxml", ".kcd", ".graphml", ".gml", ".xml", ".mtx", ".npy", ".csv", ".xlsx"]
)
def test_a_file_that_no_library_could_hold_is_refused_at_once(tmp_path, refused, suffix):
    file = tmp_path / f"large{suffix}"
    file.touch()
    os.truncate(file, 10 << 30)
    begun = time.process_time()
    assert "<its size> is not allowed; " in refused(file)
    assert time.process_time() - begun < 2


@pytest.mark.parametrize("content", [b"", b'{"a": 1}', b"PK\x03\x04 an archive of NumPy"])
def test_what_is_no_array_of_numpy_is_refused_in_one_line(tmp_path, refused, content):
    (tmp_path / "x.npy").write_bytes(content)
    assert refused(tmp_path / "x.npy", "--unit", "MB/s").endswith(
        "x.npy: not a NumPy array file: it does not begin as numpy.save writes it\n"
    )


def test_what_is_no_file_of_a_known_kind_is_refused(tmp_path, refused):
    assert "a file that ends with .dbc" in refused(tmp_path / "x.docx")
    assert "x.dbc: cannot be read: No such file" in refused(tmp_path / "x.dbc")
    assert "<a directory> is not allowed; a database of CAN messages" in refused(tmp_path, "--format", "can-database")


def test_a_file_that_is_there_is_not_replaced(tmp_path, imported, refused):
    imported(FILES / "demands.mtx", "--unit", "MB/s")
    kept = Path("made.toml").read_text(encoding="utf-8")
    message = refused(FILES / "demands.mtx", "--unit", "kB/s", "--to", "made.toml")
    assert "--to: 'made.csv' is not allowed; a file that is not there yet" in message
    assert Path("made.toml").read_text(encoding="utf-8") == kept


@pytest.mark.parametrize(("file", "opener"), [("demands.csv", open), ("demands.csv.gz", gzip.open)])
def test_a_matrix_as_csv_is_imported_where_it_lies_as_the_page_says(tmp_path, monkeypatch, capsys, file, opener):
    monkeypatch.chdir(tmp_path)
    with opener(file, "wt", encoding="utf-8") as stream:
        stream.write(",a,b\na,0,64\nb,32,0\n")
    kept = Path(file).read_bytes()
    assert main(["import", file, "--unit", "MB/s"]) == 0, capsys.readouterr().err
    assert Path(file).read_bytes() == kept
    table = "demands-table.csv" if file == "demands.csv" else "demands.csv"
    assert f"written: {table}, demands.toml; next" in capsys.readouterr().out
    assert Scenario.load("demands.toml").traffic_matrix().tolist() == [[0, 1], [1, 0]]


def test_explain_writes_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["import", str(FILES / "socialledge.dbc"), "--explain"]) == 0
    printed = capsys.readouterr().out
    assert "a database of CAN messages" in printed
    assert "left out: signals" in printed
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "encoding"), [("sndlib", "utf-8"), ("sndlib", "utf-16"), ("smff", "utf-16"), ("saihu", "utf-8")]
)
def test_entities_which_could_stand_for_any_length_are_refused(tmp_path, refused, name, encoding):
    text = f"<?xml version='1.0' encoding='{encoding}'?><!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"
    (tmp_path / "net.xml").write_bytes(text.encode(encoding))
    assert "<an entity> is not allowed; XML without declarations" in refused(tmp_path / "net.xml", "--format", name)


def test_a_library_that_is_missing_is_named_with_its_extra(monkeypatch, refused):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(libraries, "import_module", missing)
    assert "need cantools: pip install 'ringlet[import]'" in refused(FILES / "socialledge.dbc")


def test_the_help_lists_the_formats_that_there_are(capsys):
    assert main(["import", "--help"]) == 0
    printed = capsys.readouterr().out
    for one in FORMATS:
        assert f"{one.name:12}  {one.suffixes or '--format'}" in printed
