"""The real-time protocols' options, their defaults, and what does not fit."""

import re
from pathlib import Path

import pytest

import ringlet as rl
import ringlet.scenario.flow_control
from ringlet import RingletError, Scenario
from ringlet.scenario import json_schema
from ringlet.scenario.flow_control import PROTOCOLS

MESSAGE = {"name": "m", "source": 0, "destination": 1, "size": 64, "period": "1 ms"}


def content(protocol, options=None, **sections):
    return {
        "network": {"nodes": 8},
        "flow_control": {"protocol": protocol, **(options or {})},
        "queues": {"receive": 5},
        "traffic": {"transaction": "read64", "load": "10 MB/s"},
    } | sections


def resolved(protocol, options=None, **sections):
    return Scenario.from_dict(content(protocol, options, **sections)).network_spec(1)["flow_control"]


def refused(protocol, options=None, **sections):
    with pytest.raises(RingletError) as caught:
        Scenario.from_dict(content(protocol, options, **sections))
    message = str(caught.value)
    assert "\n" not in message
    return message


TWO_PRIORITIES = {"traffic": {"transaction": "read64", "load": "10 MB/s", "priorities": [0, 1]}}


def test_ppq_by_default():
    assert resolved("ppq", **TWO_PRIORITIES) == {
        "protocol": "ppq",
        "extension": "received",
        "release": "unblocked",
        # The longest packet and its idle, and two echoes with theirs.
        "bypass_symbols": 41 + 2 * 5,
        "late_echo": "service-end",
        "echo_wait_cycles": 400,
        "ageing_cycles": None,
        "inheritance": False,
        "overtakes": "lower",
        "event_symbols": 8,
    }
    assert resolved("ppq", {"ageing": "401 ns", "late_echo": "service-start"})["ageing_cycles"] == 201
    assert resolved("ppq", {"echo_wait": "200 ns"})["echo_wait_cycles"] == 100
    assert resolved("ppq", {"bypass": 41})["bypass_symbols"] == 41


def test_where_all_packets_have_one_priority_the_echoes_of_ppq_are_not_late():
    assert resolved("ppq")["late_echo"] == "none"
    assert resolved("ppq", {"late_echo": "service-end"})["late_echo"] == "service-end"
    messages = [{**MESSAGE, "priority": 3}]
    assert resolved("ppq", messages=messages)["late_echo"] == "service-end"


def test_the_idles_of_ppq_follow_the_rules_of_sci():
    for queues in ({}, {"receive": 5}):
        sci, ppq = (resolved(protocol, queues=queues) for protocol in ("sci", "ppq"))
        assert {key: ppq[key] for key in ("extension", "release")} == {
            key: sci[key] for key in ("extension", "release")
        }
    assert resolved("ppq", {"extension": "none", "release": "all"})["release"] == "all"


def test_train_by_default():
    assert resolved("train") == {
        "protocol": "train",
        "ticket_master": 0,
        "locomotive_symbols": 4,
        "ticket_symbols": 2,
        "delay_cycles": 4,
        "tickets_per_node": 8,
        "size_symbols": 8 * 41,
        "mode": "arbitrated",
        "shift_up": 0.8,
        "shift_down": 0.3,
        "load_cycles": 1024,
        "inheritance": True,
    }


def test_a_train_has_room_for_the_longest_packet_of_every_node():
    assert resolved("train", {"mode": "gearshift"})["size_symbols"] == 8 * 41
    assert resolved("train", {"tickets_per_node": 2})["size_symbols"] == 8 * 41
    assert resolved("train", {"mode": "switching", "size": 100})["size_symbols"] == 100
    assert resolved("train", {"size": "unlimited"})["size_symbols"] is None
    assert "flow_control.size: 'unlimited'" in refused("train", {"mode": "switching", "size": "unlimited"})


def test_dfc_by_default():
    assert resolved("dfc") == {
        "protocol": "dfc",
        "bypass_symbols": 41,
        "high_water": 5,
        "low_water": 1,
        "stop_thru": True,
        "fair": True,
        "control_symbols": 2,
    }
    assert resolved("dfc", queues={"receive": 1})["low_water"] == 0
    # A queue without limit stops nobody.
    assert resolved("dfc", queues={})["high_water"] == 2**32 - 1


def test_framing_makes_every_packet_longer():
    framed = {"network": {"nodes": 8, "framing": 1}}
    spec = Scenario.from_dict(content("ppq", **framed)).network_spec(1)
    assert spec["format"]["echo_symbols"] == 5
    assert (spec["flows"][0]["sizes"], spec["flows"][0]["response_symbols"]) == ([(9, 1.0)], 41)
    assert (spec["flow_control"]["bypass_symbols"], spec["flow_control"]["event_symbols"]) == (42 + 2 * 6, 9)
    assert resolved("train", **framed)["locomotive_symbols"] == 5


@pytest.mark.parametrize("nodes", [2, 3])
def test_a_ring_may_be_shorter_than_its_train(nodes):
    network = {"nodes": nodes, "hop_delay": 1}
    made = content("train", {"delay": 0}, network=network, queues={"outstanding": "unlimited"})
    made |= {"traffic": {"transaction": "read64", "arrivals": "saturated"}, "run": {"duration": 20_000, "warmup": 0}}
    assert rl.run(Scenario.from_dict(made)).to_dict()["total"]["throughput_MBps"] > 100


def test_tickets_go_by_age_unless_a_scenario_says_otherwise():
    def order(protocol, **queues):
        return Scenario.from_dict(content(protocol, queues=queues)).network_spec(1)["queues"]["order"]

    assert (order("train"), order("dfc"), order("train", order="alternate")) == ("oldest", "alternate", "alternate")


@pytest.mark.parametrize(
    ("protocol", "options", "sections", "words"),
    [
        ("dfc", {"high_water": 6}, {}, ["flow_control.high_water: 6", "1 to 5", "queues.receive"]),
        ("dfc", {"high_water": 0}, {}, ["flow_control.high_water: 0", "at least 1"]),
        ("dfc", {"low_water": 5}, {}, ["flow_control.low_water: 5", "below flow_control.high_water, which is 5"]),
        ("dfc", {"high_water": 2, "low_water": 2}, {}, ["flow_control.low_water: 2", "which is 2"]),
        ("dfc", {"low_water": -1}, {}, ["flow_control.low_water: -1", "at least 0"]),
        ("dfc", {}, {"network": {"nodes": 257}}, ["network.nodes: 257", "at most 256", "8 bits"]),
        ("train", {"ticket_master": 8}, {}, ["flow_control.ticket_master: 8", "below 8"]),
        ("train", {"tickets_per_node": 0}, {}, ["flow_control.tickets_per_node: 0"]),
        ("train", {"tickets_per_node": 1025}, {}, ["flow_control.tickets_per_node: 1025", "1024"]),
        ("train", {"size": 0}, {}, ["flow_control.size: 0", "at least 1", "'unlimited'"]),
        ("train", {"shift_up": 1.5}, {}, ["flow_control.shift_up: 1.5", "at most 1"]),
        ("train", {"high_water": 3}, {}, ["flow_control.high_water: 3", "'train' has no such key"]),
        ("ppq", {"ageing": 0}, {}, ["flow_control.ageing: 0", "above 0"]),
        ("ppq", {"ageing": "1e18 ns"}, {}, ["flow_control.ageing", "2^53 cycles"]),
        ("ppq", {"bypass": 40}, {}, ["flow_control.bypass: 40", "at least 41 symbols"]),
        ("train", {"bypass": 41}, {}, ["bypass: 41", "'train' has no such key; 'ppq' and 'dfc' have it"]),
        ("sci", {"bypass": 41}, {}, ["bypass: 41", "'sci' has no such key; 'ppq' and 'dfc' have it"]),
        ("sci", {"groups": 8}, {}, ["flow_control.groups: 8", "'sci' has no such key; 'grouped' has it"]),
        ("sci", {"high_watr": 8}, {}, ["flow_control.high_watr: unknown key", "did you mean 'high_water'?"]),
        ("unheard-of", {}, {}, ["flow_control.protocol: 'unheard-of'", PROTOCOLS.names()]),
        ("sci", {"ticket_master": 0}, {}, ["flow_control.ticket_master: 0", "'sci' has no such key"]),
        ("dfc", {"priorities": 3}, {}, ["flow_control.priorities: 3", "'dfc' has no such key"]),
        ("ppq", {"stop_thru": False}, {}, ["flow_control.stop_thru: False", "'ppq' has no such key"]),
        ("metaring", {"most_packets": 2, "least_packets": 3}, {}, ["flow_control.least_packets: 3", "which is 2"]),
        ("metaring", {"most_packets": 0}, {}, ["flow_control.most_packets: 0", "at least 1"]),
        ("token-ring", {"packets": 0}, {}, ["flow_control.packets: 0", "at least 1"]),
        ("token-ring", {"release": "late"}, {}, ["flow_control.release: 'late'", "'early', 'header' or 'returned'"]),
        (
            "timed-token",
            {"target_rotation": 100},
            {},
            [
                "flow_control.target_rotation: 100",
                "385 to 281474976710656",
                "shares take 328",
                "rotation 16",
                "its idle 41",
            ],
        ),
        (
            "timed-token",
            {"target_rotation": 1600, "synchronous": [200, 0, 600, 200, 0, 200, 400, 0]},
            {},
            ["flow_control.target_rotation: 1600", "1657 to", "synchronous shares take 1600"],
        ),
        ("timed-token", {"target_rotation": 1 << 50}, {}, ["flow_control.target_rotation", "to 281474976710656"]),
        ("timed-token", {"synchronous": [41, 41]}, {}, ["flow_control.synchronous: <2 values>", "one time, or 8"]),
        (
            "timed-token",
            {"synchronous": 1 << 46},
            {},
            ["flow_control.synchronous: 70368744177664", "at most 281474976710656 cycles: one takes 562949953"],
        ),
        ("timed-token", {"synchronous": []}, {}, ["flow_control.synchronous"]),
        ("timed-token", {"thresholds": [5, 6]}, {}, ["flow_control.thresholds[1]: 6", "at most 5", "the one before"]),
        ("timed-token", {"thresholds": ["1 ms"]}, {}, ["flow_control.thresholds[0]: '1 ms'", "less than the target"]),
        ("slotted-ring", {}, {}, ["network.hop_delay: 1 is", "at least 5 cycles", "slots of 42 symbols"]),
        (
            "slotted-ring",
            {},
            {"network": {"nodes": 8, "hop_delay": 6}, "traffic": {"transaction": "send1516", "largest_packet": 1516}},
            ["network.hop_delay: 6 is", "at least 94 cycles", "slots of 760 symbols"],
        ),
        (
            "slotted-ring",
            {"slots": 2},
            {"network": {"nodes": 8, "hop_delay": 6}},
            ["flow_control.slots: 2", "at most 1"],
        ),
        (
            "slotted-ring",
            {"release": "destination"},
            {"network": {"nodes": 8, "hop_delay": 6}},
            ["flow_control.release: 'destination'", "'source' with echoes", "network.echoes = false"],
        ),
        ("rpr", {"transit_queue": 40}, {}, ["flow_control.transit_queue: 40", "at least 41"]),
        ("rpr", {"transit_queue": 80, "high_threshold": 90}, {}, ["flow_control.high_threshold: 90", "at most 80"]),
        ("rpr", {"low_threshold": 200}, {}, ["flow_control.low_threshold: 200", "the high threshold"]),
        ("rpr", {"aging_interval": 63}, {}, ["flow_control.aging_interval: 63", "at least 64 cycles"]),
        ("rpr", {"aging_interval": 1 << 40}, {}, ["flow_control.aging_interval: 1099511627776", "at most 8589934592"]),
        ("rpr", {"aging_interval": 1 << 33, "class_b": 1}, {}, ["flow_control.aging_interval", "at most 4294967295"]),
        ("rpr", {"transit_queue": 4294967295}, {}, ["flow_control.transit_queue: 4294967295", "at most 1000000"]),
        (
            "rpr",
            {"class_a": 0},
            {"traffic": {"transaction": "read64", "load": "10 MB/s", "priority": 2}},
            ["traffic.priority: 2", "below 2, which flow_control.class_a sets"],
        ),
        (
            "rpr",
            {"class_a": 0},
            {"traffic": {"load": 0}, "messages": [MESSAGE | {"priority": 2}]},
            ["messages[0].priority: 2", "below 2, which flow_control.class_a sets"],
        ),
        ("ppq", {}, {"queues": {"window": 0}}, ["queues.window: 0", "at least 1", "'unlimited'"]),
        ("ppq", {}, {"queues": {"responses": 0}}, ["queues.responses: 0", "at least 1"]),
        ("ppq", {}, {"queues": {"outstanding": 0}}, ["queues.outstanding: 0", "at least 1"]),
        ("ppq", {}, {"queues": {"order": "newest"}}, ["queues.order: 'newest'", "'alternate'"]),
        ("ppq", {}, {"queues": {"priorities": 257}}, ["queues.priorities: 257", "at most 256"]),
        ("ppq", {}, {"retry": {"reservation": True}}, ["retry.reservation: True", "false with protocol 'ppq'"]),
        ("ppq", {}, {"retry": {"reservation": 1}}, ["retry.reservation: 1", "true or false"]),
        ("ppq", {}, {"network": {"nodes": 8, "framing": 5}}, ["network.framing: 5", "at most 4"]),
    ],
)
def test_what_does_not_fit_is_named(protocol, options, sections, words):
    message = refused(protocol, options, **sections)
    for word in words:
        assert word in message, message


def levels(**sections):
    return Scenario.from_dict({"network": {"nodes": 4}, **sections}).network_spec(1)["queues"]["priorities"]


def test_levels_of_the_queues():
    assert levels() == 1
    assert levels(flow_control={"protocol": "sci", "priorities": 3}) == 3
    assert levels(flow_control={"protocol": "sci"}, queues={"priorities": 9}) == 9
    assert levels(flow_control={"protocol": "train"}) == 256
    assert levels(flow_control={"protocol": "ppq"}, queues={"priorities": 128}) == 128


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"traffic": {"priority": 1}}, ["traffic.priority: 1", "below 1"]),
        ({"traffic": {"priorities": [0, 1]}}, ["traffic.priorities[1]: 1", "below 1"]),
        ({"traffic": {"priorities": []}}, ["traffic.priorities", "at least 1"]),
        ({"traffic": {"priorities": [-1]}}, ["traffic.priorities[0]: -1"]),
        (
            {"traffic": {"priorities": [0, 1, 0]}, "queues": {"priorities": 2}},
            ["traffic.priorities[2]: 0", "each priority once"],
        ),
        ({"traffic": {"priorities": [0], "priority": 1}, "queues": {"priorities": 2}}, ["traffic.priorities: given"]),
        ({"traffic": {"priority": 256}, "flow_control": {"protocol": "dfc"}}, ["traffic.priority: 256", "below 256"]),
        (
            {"traffic": {"priority": [0, 0, 0, 8]}, "queues": {"priorities": 8}},
            ["traffic.priority[3]: 8", "below 8, which queues.priorities sets"],
        ),
        # Groups have no priorities of their own: the queues do.
        (
            {"flow_control": {"protocol": "grouped"}, "traffic": {"priority": 1}},
            ["traffic.priority: 1", "below 1, which queues.priorities sets"],
        ),
        ({"flow_control": {"reserve": 0.1}}, ["flow_control.reserve: 0.1", "flow_control.priorities of 2 to 4"]),
        (
            {"flow_control": {"priorities": 2, "reserve": 0.6}},
            ["flow_control.reserve: 0.6", "at most 0.5"],
        ),
        # SCI has fewer priorities of its own than its queues could have.
        (
            {
                "flow_control": {"protocol": "sci", "priorities": 2},
                "queues": {"priorities": 8},
                "traffic": {"priority": 2},
            },
            ["traffic.priority: 2", "below 2, which flow_control.priorities sets"],
        ),
        (
            {"flow_control": {"protocol": "sci", "priorities": 4}, "queues": {"priorities": 2}},
            ["flow_control.priorities: 4", "at most 2, the levels that queues.priorities sets"],
        ),
    ],
)
def test_priorities_have_to_be_levels(sections, words):
    with pytest.raises(RingletError) as caught:
        Scenario.from_dict({"network": {"nodes": 4}, **sections})
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("protocol", PROTOCOLS.listed)
def test_just_one_table_of_the_json_schema_fits_a_section(protocol):
    schema = json_schema()
    tables = [schema["$defs"][one["$ref"].rpartition("/")[2]] for one in schema["properties"]["flow_control"]["oneOf"]]
    named = [table for table in tables if table["properties"]["protocol"]["const"] == protocol]
    unnamed = [
        table["properties"]["protocol"]["const"] for table in tables if "protocol" not in table.get("required", ())
    ]
    assert (len(named), unnamed) == (1, ["sci"])


@pytest.mark.parametrize("protocol", PROTOCOLS.listed)
def test_a_protocol_without_options_survives_a_round_trip(protocol):
    ring = {"nodes": 4, "hop_delay": 10}
    content = {"network": ring, "queues": {"receive": 5}, "flow_control": {"protocol": protocol}}
    assert Scenario.from_dict(content).to_dict()["flow_control"] == {"protocol": protocol}


def test_protocols_are_known_to_their_modules_only():
    package = Path(ringlet.scenario.flow_control.__file__).parents[2]
    own = [package / "scenario" / "flow_control", package / "papers", package / "benchmarks"]
    sources = [path for kind in ("py", "js", "j2") for path in package.rglob(f"*.{kind}")]
    assert len(sources) > 200
    others = [path for path in sources if not any(path.is_relative_to(place) for place in own)]
    assert [path for path in others if re.search(r"""["'](ppq|dfc)["']""", path.read_text(encoding="utf-8"))] == []
