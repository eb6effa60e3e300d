"""Networks of Saihu and systems of pyCPA become flows with the arrival curves of the file."""

import json
from pathlib import Path

import pytest

import ringlet as rl
from ringlet import Scenario

FILES = Path(__file__).parent / "files"


def flows(scenario):
    return {one.name: one for one in scenario.resolved.flow_table}


def test_output_ports_in_the_order_of_a_ring_become_one(imported):
    content, scenario, printed = imported(FILES / "ports.json")
    assert content["network"] == {
        "node_names": ["p0", "p1", "p2", "p3"],
        # Of the first server that of the larger rate.
        "hop_delay": ["1000000 ns", "10000 ns", "2000 ns", "2000 ns"],
        "link_rate": "12.5 MB/s",
    }
    found = flows(scenario)
    ends = {name: (one.source, one.destination) for name, one in found.items()}
    assert ends == {"f0#p0": (1, 3), "f0#far": (1, 0), "f1": (2, 3)}
    assert "left out: further segments of the arrival curves of 2 flows" in printed
    # 2000 bytes and 0.1 MB/s: 500 bytes in 5 ms, with room for three more.
    (first,) = [one for name, one in found.items() if name == "f0#p0"]
    assert (first.size, first.period, first.jitter) == ("500 bytes", "5000 us", "15000 us")
    assert (found["f1"].size, found["f1"].period, found["f1"].jitter) == ("100 bytes", "100 us", 0)


def with_ports(tmp_path, change):
    content = json.loads((FILES / "ports.json").read_text(encoding="utf-8"))
    change(content)
    file = tmp_path / "n.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


def test_ports_that_are_no_ring_ask_for_one_or_for_the_receiver(tmp_path, imported, refused):
    file = with_ports(tmp_path, lambda content: content["flows"][1].update(path=["p2", "p1"]))
    message = "flow 1 ('f1'): no ring in the order of the servers: server 'p1' follows 'p2'; --ring says"
    assert message in refused(file)
    assert "--ring: 'x' is not allowed; each server of" in refused(file, "--ring", "p0,x")
    content, scenario, printed = imported(file, "--receiver", "sink")
    assert content["network"] == {"node_names": ["p0", "p1", "p2", "p3", "sink"]}
    assert {one.destination for one in scenario.resolved.flow_table} == {4}
    assert "left out: paths and service curves: the servers are no ring" in printed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c.pop("servers"), "not a network of Saihu: it needs 'servers', an array"),
        (lambda c: c["network"].pop("rate_unit"), "capacity: 100 is not allowed; a quantity with its unit"),
        (
            lambda c: c["flows"][1]["arrival_curve"].update(bursts=["9 s"]),
            "bursts: '9 s' is not allowed; a quantity in",
        ),
        (lambda c: c["flows"][1]["arrival_curve"].update(rates=[0]), "<burst 100 bytes, rate 0 MB/s> is not allowed"),
        (lambda c: c["flows"][1]["arrival_curve"].update(rates=[]), "'bursts' and 'rates', arrays of equal lengths"),
        (lambda c: c["flows"][1].update(path=["p9"]), "flow 1 ('f1'), path: 'p9' is not allowed; a server of the file"),
        (lambda c: c["flows"][1].update(path=[]), "flow 1 ('f1'), path: '[]' is not allowed; names of servers"),
        (
            lambda c: c["servers"][1].update(capacity=9),
            "capacities from 1.125 to 12.5 MB/s, and one is taken; --link",
        ),
        (lambda c: c["servers"][1].update(name="p0"), "'p0' is not allowed; a name of its own for each server"),
        (lambda c: c.update(flows=[]), "<no flow> is not allowed; a network with flows"),
        (lambda c: c.update(flows=[3]), "flow 0: '3' is not allowed; an object with a 'name'"),
    ],
)
def test_a_bad_network_is_refused_with_its_place(tmp_path, refused, change, message):
    assert message in refused(with_ports(tmp_path, change))


FLOWS = [
    {"name": "speed", "source": "a", "destination": "c", "size": 1500, "period": "100 us", "jitter": "20 us",
     "deadline": "90 us", "labels": {"owner": "brakes"}},
    {"name": "either", "source": "b", "destination": {"d": 0.25, "a": 0.75}, "size": "4 KiB", "period": "1 ms"},
    {"name": "asks", "source": "c", "destination": "a", "size": 64, "window": 3, "think": "7 us", "priority": 1},
]  # fmt: skip
RING = {
    "network": {
        "node_names": ["a", "b", "c", "d"],
        "link_rate": "2 GB/s",
        "hop_delay": ["4 ns", "8 ns", "6 ns", "4 ns"],
    },
    "flow_transaction": "dmove256",
}


def test_what_is_exported_for_saihu_comes_back(tmp_path, imported):
    whole = Scenario.from_dict({**RING, "flows": FLOWS})
    (file,) = rl.export(whole, "saihu", to=tmp_path)
    content, scenario, _ = imported(file)
    assert content["flow_transaction"] == "dmove256"
    assert content["network"]["node_names"] == RING["network"]["node_names"]
    for key in ("flow_table", "symbol_time_ns"):
        before, after = getattr(whole.resolved, key), getattr(scenario.resolved, key)
        if key == "symbol_time_ns":
            assert before == after
            continue
        for one, other in zip(before, after, strict=True):
            assert (one.name, one.source, one.destination, one.priority, one.labels) == (
                *(other.name, other.source, other.destination, other.priority),
                other.labels,
            )
    # The same flows and links, so the same network for the other tool.
    again = json.loads(rl.export(scenario, "saihu")["ring-saihu.json"])
    first = json.loads(Path(file).read_text(encoding="utf-8"))
    assert again["servers"] == first["servers"]
    assert [one["arrival_curve"] for one in again["flows"]] == [one["arrival_curve"] for one in first["flows"]]


def test_without_the_key_of_ringlet_the_curve_decides(tmp_path, imported):
    (file,) = rl.export({**RING, "flows": FLOWS[:1]}, "saihu", to=tmp_path)
    content = json.loads(Path(file).read_text(encoding="utf-8"))
    del content["flows"][0]["ringlet"]
    Path(file).write_text(json.dumps(content), encoding="utf-8")
    _, scenario, _ = imported(file)
    (found,) = scenario.resolved.flow_table
    # Packets on a link: 256 bytes, a header of 16, an idle of 2.
    assert found.size == "274 bytes"
    assert float(found.period.removesuffix(" us")) == pytest.approx(100 / 6)


def test_a_physical_network_becomes_flows_of_its_stations(imported):
    content, scenario, printed = imported(FILES / "physical.xml", "--format", "saihu")
    assert content["network"] == {"node_names": ["a", "b", "c"]}
    found = flows(scenario)
    assert [(name, one.source, one.destination) for name, one in found.items()] == [
        ("two#near", 0, 1),
        ("two#far", 0, 2),
        ("tick", 2, 0),
    ]
    assert (found["two#far"].size, found["two#far"].period, found["two#far"].jitter) == (
        "50 bytes",
        "5000 us",
        "10000 us",
    )
    # Numbers without a unit are milliseconds and bytes.
    assert (found["tick"].size, found["tick"].period, found["tick"].jitter) == ("64 bytes", "20000 us", "500 us")
    assert found["tick"].deadline == "5000 us"
    assert "left out: stations and switches that no flow begins or ends at: s" in printed


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('lb-rate="80kbps"', 'lb-rate="80"', "flow 0 ('two'), lb-rate: '80' is not allowed; a quantity with its unit"),
        ('source="c"', 'source="z"', "flow 1 ('tick'), source: 'z' is not allowed; a station or switch: a, b, c, s"),
        ('<path node="a"/>', '<path node="q"/>', "flow 1 ('tick'), target 0: 'q' is not allowed; a station or switch"),
        (' period="20"', "", "flow 1 ('tick'): <no arrival-curve> is not allowed; arrival-curve='leaky-bucket', or"),
        ("<elements>", "<elements", "not XML: "),
    ],
)
def test_a_bad_physical_network_is_refused_with_its_flow(tmp_path, refused, old, new, message):
    text = (FILES / "physical.xml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "n.xml").write_text(text.replace(old, new), encoding="utf-8")
    assert message in refused(tmp_path / "n.xml", "--format", "saihu")


SMFF = ["--format", "smff", "--size", "8 B", "--time-unit", "us"]


def test_links_of_tasks_become_flows_between_resources(imported, refused):
    assert "messages have a transmission time and no size; --size says that of all" in refused(
        FILES / "smff.xml", *SMFF[:2]
    )
    assert "its times have no unit; --time-unit says it" in refused(FILES / "smff.xml", *SMFF[:4])
    content, scenario, printed = imported(FILES / "smff.xml", *SMFF)
    assert content["network"] == {"node_names": ["ResId-0", "ResId-2"]}
    (found,) = scenario.resolved.flow_table
    assert (found.name, found.source, found.destination, found.size) == ("command", 1, 0, "8 B")
    assert (found.period, found.jitter, found.labels) == ("500 us", "20 us", {"spp": "3"})
    assert "left out: one link of tasks on one resource" in printed


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (' activationPeriod="500"', "", "application 7, link 'command', first task: '0' is not allowed; a task with a"),
        ('tid="2" rid="0"', 'tid="2" rid="9"', "link 'command': 'task 2' is not allowed; a task that is mapped"),
        ('"20"', '"late"', "task 0, jitter: 'late' is not allowed; a quantity in ns"),
        (
            'tid="2" rid="0"',
            'tid="2" rid="2"',
            "<no link> is not allowed; a link of tasks from one resource to another",
        ),
    ],
)
def test_a_bad_system_is_refused_with_its_link(tmp_path, refused, old, new, message):
    text = (FILES / "smff.xml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "s.xml").write_text(text.replace(old, new), encoding="utf-8")
    assert message in refused(tmp_path / "s.xml", *SMFF)
