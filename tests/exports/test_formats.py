"""`ringlet export`: what other tools, and ringlet itself, read of the files, and what is said of the rest."""

import csv
import io
import json
from pathlib import Path

import networkx as nx
import pytest

import ringlet as rl
from ringlet.cli import main
from ringlet.exports import write
from ringlet.exports.formats import FORMATS
from ringlet.exports.write import exported

RING = {
    "network": {"node_names": ["plc", "a b", "c,d", "1"], "link_rate": "500 MB/s", "hop_delay": [2, 3, "10 ns", 5]},
    "flow_control": {"protocol": "none"},
    "flow_transaction": "dmove256",
}
FLOWS = [
    {"source": "plc", "destination": "1", "size": 1500, "period": "123.4 us", "jitter": "3 us", "deadline": "60 us"},
    {"source": 1, "destination": ["plc", "c,d"], "size": {"64 B": 0.5, "1 KiB": 0.5}, "rate": "3 kHz", "priority": 1},
    {"source": 2, "destination": {"plc": 0.25, "1": 0.75}, "size": "9 kB", "rate": "1.7 MB/s", "arrivals": "periodic"},
    {"source": 3, "destination": "all", "size": {"mean": 4096, "deviation": "1 KiB", "least": 64}, "rate": "5 MB/s"},
    {"source": 0, "destination": 2, "size": {"least": 8, "most": "1 KiB"}, "times": ["0 us", "7 us"], "start": "1 us"},
    {
        **{"source": 1, "destination": 3, "size": 99, "arrivals": "pareto-on-off", "period": "20 us", "on": "50 us"},
        **{"off": "0.1 ms", "shape": 1.7, "stop": "3 ms", "total": 40},
    },
    {"name": "late", "source": 2, "destination": 3, "size": 9, "period": "40 us", "offset": "7 us", "drift": -30.5},
    {"name": "least", "source": 3, "destination": 2, "size": 9, "period": "40 us", "sporadic": "7 us"},
    {"name": "asks", "source": 0, "destination": 1, "size": 300, "window": 3, "think": "7 us", "total": 9},
    {"name": "drawn", "source": 0, "destination": 2, "size": 30, "arrivals": "closed", "think_times": "exponential"},
    {"name": "answer", "source": 3, "destination": 0, "size": 9, "after": "late", "delay": "2 us", "jitter": "1 us"},
    {"name": "full", "source": 3, "destination": 1, "size": 256, "arrivals": "saturated"},
]


def scenario(**sections):
    return rl.Scenario.from_dict({"run": {"duration": "1 ms"}, **sections})


def rows(files):
    return list(csv.DictReader(io.StringIO(files["ring-flows.csv"])))


def spec(one):
    """The engine's specification, but for what is a sum of roundings."""
    return json.loads(json.dumps(one.network_spec(1)), parse_float=lambda text: float(f"{float(text):.13g}"))


def test_flows_come_back_from_their_table(tmp_path):
    whole = scenario(**RING, flows=FLOWS)
    rl.export(whole, "csv", tmp_path)
    content = {**RING, "flows_file": "ring-flows.csv", "run": {"duration": "1 ms"}}
    assert spec(rl.Scenario.from_dict(content, base_dir=tmp_path)) == spec(whole)


def test_messages_become_flows_with_the_same_releases(tmp_path):
    messages = [
        {"source": 0, "destination": 2, "size": 640, "period": "100 us", "offset": "3 us", "deadline": "50 us"},
        {"source": 1, "destination": 0, "size": 64, "period": "70 us"},
    ]
    ring = {"network": {"nodes": 4}, "flow_control": {"protocol": "dfc"}}
    kept = {"message_priorities": "deadline-monotonic", "run": {"duration": "5 ms", "warmup": 0}}
    whole = scenario(**ring, messages=messages, **kept)
    rl.export(whole, "csv", tmp_path)
    table = rl.run(
        rl.Scenario.from_dict({**ring, "flows_file": "ring-flows.csv", "run": kept["run"]}, base_dir=tmp_path)
    )
    expected = rl.run(whole)
    found = table.part("flows")
    assert found["priority"].tolist() == expected.part("messages")["priority"].tolist()
    assert found["latency_max_ns"].tolist() == expected.part("messages")["worst_response_ns"].tolist()


@pytest.mark.parametrize(
    ("traffic", "row"),
    [
        (
            {"arrivals": "saturated", "transaction": "dmove64"},
            {"destination": "all", "size_bytes": "64", "arrivals": "saturated"},
        ),
        (
            {"arrivals": "poisson", "load": "64 MB/s", "transaction": "dmove64", "priority": 0},
            {"destination": "all", "size_bytes": "64", "arrivals": "poisson", "period_us": "1"},
        ),
        (
            {"arrivals": "periodic", "load": "64 MB/s", "transaction": "dmove64", "pattern": "neighbour"},
            {"destination": "1", "size_bytes": "64", "arrivals": "periodic", "period_us": "1"},
        ),
        (
            {
                "arrivals": "bernoulli",
                "load": "32 MB/s",
                "transaction": "mixed",
                "pattern": "hot-spot",
                "hot_node": 0,
                "hot_fraction": 0.4,
            },
            {"size_bytes": "80: 0.4; 16: 0.6", "arrivals": "bernoulli"},
        ),
    ],
)
def test_background_traffic_becomes_a_flow_of_each_node(traffic, row):
    found = rows(rl.export(scenario(network={"nodes": 4}, traffic=traffic), "csv"))
    assert [one["source"] for one in found] == ["0", "1", "2", "3"]
    assert row.items() <= found[0].items()


def test_shares_of_a_table_are_those_of_the_pattern(tmp_path):
    traffic = {"arrivals": "poisson", "load": "8 MB/s", "pattern": "hot-spot", "hot_node": 2, "hot_fraction": 0.4}
    whole = scenario(network={"nodes": 4}, traffic=traffic)
    rl.export(whole, "csv", tmp_path)
    back = rl.Scenario.from_dict({"network": {"nodes": 4}, "flows_file": "ring-flows.csv"}, base_dir=tmp_path)
    assert back.traffic_matrix() == pytest.approx(whole.traffic_matrix())


@pytest.mark.parametrize("nodes", [2, 4])
def test_a_ring_comes_back_from_its_graph(tmp_path, monkeypatch, nodes):
    monkeypatch.chdir(tmp_path)
    network = {"nodes": nodes, "link_rate": "2.5 Gb/s", "cable_length": [f"{3 + node} km" for node in range(nodes)]}
    whole = scenario(network=network)
    rl.export(whole, "graphml", tmp_path)
    assert main(["import", "ring-links.graphml", "--to", "back.toml"]) == 0
    back = rl.Scenario.load("back.toml")
    assert back.symbol_time_ns == pytest.approx(whole.symbol_time_ns)
    assert back.hop_cycles.tolist() == whole.hop_cycles.tolist()
    assert back.network.node_names == [str(node) for node in range(nodes)]


def test_a_graph_of_a_network_joins_its_rings_by_switches(tmp_path):
    omega = scenario(network={"topology": "omega", "size": 4}, traffic={"arrivals": "poisson", "load": "1 MB/s"})
    (tmp_path / "g.graphml").write_text(rl.export(omega, "graphml")["ring-links.graphml"], encoding="utf-8")
    graph = nx.read_graphml(tmp_path / "g.graphml")
    network = omega.routed_network[0]
    kinds = [kind for _, kind in graph.nodes(data="kind")]
    assert (kinds.count("node"), kinds.count("port"), kinds.count("switch")) == (
        network.nodes,
        network.ports,
        network.switches,
    )
    assert nx.is_strongly_connected(graph)
    links = [one for *_, one in graph.edges(data=True) if one["kind"] == "link"]
    assert len(links) == network.interfaces
    assert {one["rate_MBps"] for one in links} == {500.0}


def test_a_graph_of_flows_has_an_edge_to_each_destination(tmp_path):
    files = rl.export(scenario(**RING, flows=FLOWS), "graphml")
    (tmp_path / "g.graphml").write_text(files["ring-flows.graphml"], encoding="utf-8")
    graph = nx.read_graphml(tmp_path / "g.graphml")
    edges = [(a, b, one["name"], one["share"]) for a, b, one in graph.edges(data=True)]
    assert ("c,d", "1", "c,d-plc+1", 0.75) in edges
    assert [(a, b) for a, b, name, _ in edges if name == "1-all"] == [("1", "plc"), ("1", "a b"), ("1", "c,d")]
    assert {one["period_us"] for *_, one in graph.edges(data=True) if one["name"] == "plc-1"} == {123.4}


def test_saihu_gets_servers_and_arrival_curves():
    whole = scenario(**RING, flows=FLOWS)
    found = json.loads(rl.export(whole, "saihu")["ring-saihu.json"])
    assert [one["name"] for one in found["servers"]] == ["plc to a b", "a b to c,d", "c,d to 1", "1 to plc"]
    assert [one["service_curve"] for one in found["servers"]] == [
        {"latencies": [delay], "rates": [4000.0]} for delay in (0.008, 0.012, 0.012, 0.02)
    ]
    flows = {one["name"]: one for one in found["flows"]}
    assert list(flows) == ["plc-1", "c,d-plc+1", "late", "least", "asks"]
    assert flows["plc-1"]["path"] == ["plc to a b", "a b to c,d", "c,d to 1"]
    # 1500 bytes are 6 packets of 256 bytes of data, a header of 16 and an idle of 2; up to 3 us late.
    message = 6 * (256 + 16 + 2)
    assert flows["plc-1"]["arrival_curve"]["bursts"] == pytest.approx([message * (1 + 3 / 123.4)])
    assert flows["plc-1"]["arrival_curve"]["rates"] == pytest.approx([8 * message / 123.4])
    assert flows["plc-1"]["max_packet_length"] == 274
    # Of several destinations the farthest.
    assert flows["c,d-plc+1"]["path"] == ["c,d to 1", "1 to plc"]
    # A clock that runs faster.
    assert flows["late"]["arrival_curve"]["rates"] == pytest.approx([8 * 274 / (40 * (1 - 30.5e-6))])
    # Three messages of two packets in each think time.
    assert flows["asks"]["arrival_curve"]["bursts"] == pytest.approx([3 * 2 * 274])
    assert flows["asks"]["arrival_curve"]["rates"] == pytest.approx([8 * 3 * 2 * 274 / 7])


@pytest.mark.parametrize("by", ["messages", "flows"])
def test_an_arrival_curve_bounds_what_is_released(by):
    sets = {"source": 0, "destination": 2, "size": 300, "period": "10 us", "jitter": "25 us"}
    ring = {"network": {"nodes": 4}, "traffic": {"arrivals": "none"}, by: [sets]}
    (flow,) = json.loads(rl.export(ring, "saihu")["ring-saihu.json"])["flows"]
    burst, rate = flow["arrival_curve"]["bursts"][0], flow["arrival_curve"]["rates"][0] / 8
    message = 5 * (64 + 16 + 2)
    for releases in range(1, 50):
        # The closest that so many releases can come: the first as late as it may, all others in time.
        window_us = max(0.0, (releases - 1) * 10 - 25)
        assert releases * message <= burst + rate * window_us + 1e-9


SAID = [
    ({}, "flow control sci: the servers send whatever waits, in any order", "dfc"),
    ({}, "echoes: 4 symbols and an idle for each packet, on the rest of the ring", "metaring"),
    ({"message_transaction": "read64"}, "responses: they start when a request has been served", "sci"),
    ({"queues": {"service_time": "9 ns"}}, "the service of packets at their destinations (queues.service_time)", "sci"),
    ({"queues": {"receive": 3}}, "packets that are sent again (queues.receive is finite)", "sci"),
]


@pytest.mark.parametrize(("sections", "sentence", "without"), SAID)
def test_what_bounds_of_saihu_leave_out_is_said(sections, sentence, without):
    messages = [{"source": 0, "destination": 2, "size": 64, "period": "10 us"}]
    ring = {"network": {"nodes": 4}, "messages": messages}
    assert sentence in exported(scenario(**ring, **sections), "saihu", "ring").left_out
    other = exported(scenario(**ring, flow_control={"protocol": without}), "saihu", "ring").left_out
    assert sentence not in other


def test_what_has_no_arrival_curve_is_named(tmp_path):
    left = exported(scenario(**RING, flows=FLOWS), "saihu", "ring").left_out
    named = {one.partition(":")[0] for one in left if "no arrival curve" in one}
    assert named == {"a b-plc+c,d", "1-all", "plc-c,d", "a b-1", "full", "drawn", "answer"}
    with pytest.raises(rl.RingletError, match=r"<no such flow> is not allowed; messages or flows that are periodic"):
        rl.export(scenario(network={"nodes": 4}), "saihu")
    with pytest.raises(rl.RingletError, match=r"network.topology: 'omega' is not allowed; one ring, for Saihu"):
        rl.export({"network": {"topology": "omega", "size": 4}}, "saihu")


def test_traffic_that_is_no_flow_is_named():
    events = {"rate": "10 kHz", "builders": [3], "fragment": 64}
    closed = {"arrivals": "closed", "transaction": "dmove64"}
    assert exported(scenario(network={"nodes": 4}, events=events), "csv", "ring").left_out == [
        "[events]: its packets wait for others"
    ]
    found = exported(scenario(network={"nodes": 4}, traffic=closed), "csv", "ring")
    assert found.left_out == ["[traffic]: its blocks wait for the ends of others"]
    assert list(found.files) == ["-links.csv"]


@pytest.fixture
def ring_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = '[network]\nnodes = 3\n[[messages]]\nsource = 0\ndestination = 1\nsize = 64\nperiod = "10 us"\n'
    Path("x.toml").write_text(text, encoding="utf-8")


def test_the_command_writes_files_and_says_what_it_took(ring_file, capsys):
    assert main(["export", "x.toml", "--format", "csv"]) == 0
    assert (
        capsys.readouterr().out == "taken: links: 3\ntaken: flows of messages: 1\nwritten: x-links.csv, x-flows.csv\n"
    )
    assert Path("x-flows.csv").read_text(encoding="utf-8") == rl.export("x.toml", "csv")["x-flows.csv"]


def test_explain_writes_nothing_and_says_what_is_lost_on_the_way_back(ring_file, capsys):
    assert main(["export", "x.toml", "--format", "csv", "--explain"]) == 0
    assert "back: not in the flows: message_transaction = 'dmove64'\n" in capsys.readouterr().out
    assert [one.name for one in Path().iterdir()] == ["x.toml"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--to", "missing"], "--to: 'missing' is not allowed; a folder that is there"),
        (["--set", "network.node_names=['a','b;c','d']"], "x.toml, line 1: network.node_names[1]: 'b;c' is not"),
    ],
)
def test_bad_input_of_the_command_is_one_message(ring_file, capsys, words, message):
    assert main(["export", "x.toml", "--format", "csv", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out.count("written") == 0
    assert message.partition(": ")[2] in printed.err


def test_a_file_that_is_there_is_not_replaced(ring_file, capsys):
    Path("x-flows.csv").write_text("mine", encoding="utf-8")
    assert main(["export", "x.toml", "--format", "csv"]) == 2
    assert "--to: 'x-flows.csv' is not allowed; a file that is not there yet" in capsys.readouterr().err
    assert sorted(one.name for one in Path().iterdir()) == ["x-flows.csv", "x.toml"]
    assert Path("x-flows.csv").read_text(encoding="utf-8") == "mine"


def test_a_format_that_is_not_there_is_refused():
    with pytest.raises(rl.RingletError, match="format: 'xml' is not allowed; 'csv' or 'graphml' or 'saihu'"):
        rl.export({"network": {"nodes": 4}}, "xml")


def test_the_help_lists_the_formats_that_there_are(capsys):
    assert main(["export", "--help"]) == 0
    printed = capsys.readouterr().out
    for one in FORMATS:
        assert f"{one.name:7}  {one.files}" in printed


def test_an_interrupt_between_two_files_leaves_none_of_them(tmp_path, monkeypatch):
    def interrupted(path, text):
        if path.name == "ring-flows.graphml":
            raise KeyboardInterrupt
        write_text(path, text)

    write_text = write.write_text
    monkeypatch.setattr(write, "write_text", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rl.export({**RING, "flows": FLOWS}, "graphml", tmp_path)
    assert not list(tmp_path.iterdir())
