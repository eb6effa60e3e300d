"""Periodic message sets: the table, its files, priorities, utilisation."""

import json
import math
import pickle

import numpy as np
import pytest

import ringlet as rl
from ringlet import RingletError, Scenario
from ringlet.scenario.activities.messages.periodic import PeriodicMessage
from ringlet.theory.utilisation import utilisation

ALARM = {"name": "alarm", "source": 0, "destination": 2, "size": 64, "period": 1000}


def content(*messages, **sections):
    return {"network": {"nodes": 4}, "messages": [{**ALARM, **message} for message in messages or ({},)], **sections}


def scenario(*messages, **sections):
    return Scenario.from_dict(content(*messages, **sections))


def refused(*messages, **sections):
    with pytest.raises(RingletError) as caught:
        scenario(*messages, **sections)
    message = str(caught.value)
    assert "\n" not in message
    return message


def resolved(*messages, **sections):
    return scenario(*messages, **sections).periodic_messages


def test_a_message_becomes_a_flow():
    set_ = scenario({"size": "200 B", "period": "10.5 us", "deadline": "5 us", "priority": 7, "offset": "1 us"})
    (flow,) = set_.network_spec(1)["flows"]
    assert flow == {
        "source": 0,
        "priority": 7,
        "arrivals": {"kind": "periodic", "period": 5250.0, "phase": 500.0},
        "burst": 4,
        "deadline_cycles": 2500,
        "sizes": [(40, 1.0)],
        "response_symbols": None,
        "destinations": {"kind": "fixed", "node": 2},
        "groups": {"kind": "fixed", "group": 0},
    }
    # Four packets of 64 bytes carry 200: 50 each.
    assert set_.payloads()[0].bytes_each == 50


def test_the_deadline_is_the_period_unless_given_and_rounded_down():
    assert [one.deadline_cycles for one in resolved({}, {"name": "b", "deadline": "99 ns"})] == [1000, 49]


def test_periods_are_not_rounded():
    assert resolved({"period": "1001 ns"})[0].period_cycles == 500.5


def test_messages_alone_have_no_background_traffic_and_no_warm_up():
    alone = scenario()
    assert (alone.traffic.arrivals, alone.warmup) == ("none", 0)
    assert len(alone.network_spec(1)["flows"]) == 1
    both = scenario(traffic={"load": "10 MB/s"})
    assert both.warmup == "auto"
    flows = both.network_spec(1)["flows"]
    assert [flow["source"] for flow in flows] == [0, 1, 2, 3, 0]
    assert len(both.payloads()) == 5


@pytest.mark.parametrize(
    ("transaction", "symbols", "response", "packets"),
    [("read64", 8, 40, 16), ("nwrite64", 40, 8, 16), ("dmove256", 136, None, 4), ("dmove16", 16, None, 64)],
)
def test_a_message_is_cut_into_packets_of_a_transaction(transaction, symbols, response, packets):
    (flow,) = scenario({"size": "1 KiB"}, message_transaction=transaction).network_spec(1)["flows"]
    assert (flow["sizes"], flow["response_symbols"], flow["burst"]) == ([(symbols, 1.0)], response, packets)


def three(**sections):
    return resolved(
        {"period": 1000, "deadline": 900, "priority": 1},
        {"name": "b", "period": 400, "priority": 2},
        {"name": "c", "period": 1000, "deadline": 300},
        **sections,
    )


def test_priorities_are_given_or_follow_periods_or_deadlines():
    assert [one.priority for one in three()] == [1, 2, 0]
    assert [one.priority for one in three(message_priorities="rate-monotonic")] == [0, 1, 0]
    assert [one.priority for one in three(message_priorities="deadline-monotonic")] == [0, 1, 2]
    above = three(message_priorities="rate-monotonic", traffic={"load": "1 MB/s", "priorities": [0, 4]})
    assert [one.priority for one in above] == [5, 6, 5]


def test_scaling_keeps_priorities_and_divides_all_times():
    first = scenario({"period": 1000, "deadline": "1.6 us", "offset": 30}, {"name": "b", "period": 700})
    twice = first.scaled(2.0)
    assert [one.period_cycles for one in twice.periodic_messages] == [500, 350]
    assert [one.deadline_cycles for one in twice.periodic_messages] == [400, 350]
    assert twice.periodic_messages[0].offset_cycles == 15
    assert twice.flow_control == first.flow_control
    assert needed(twice).busiest_link == pytest.approx(2 * needed(first).busiest_link)


def test_a_set_survives_json_and_pickle():
    first = scenario({"priority": 3, "deadline": "1 us"}, message_priorities="deadline-monotonic")
    again = Scenario.from_dict(json.loads(json.dumps(first.to_dict())))
    assert again.network_spec(1) == first.network_spec(1)
    assert pickle.loads(pickle.dumps(first)).periodic_messages == first.periodic_messages


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"period": 0}, ["messages[0].period: 0", "above 0"]),
        ({"period": "0 us"}, ["messages[0].period: '0 us'", "above 0"]),
        ({"period": "1 ns"}, ["messages[0].period: '1 ns'", "1 to 2^53 cycles of 2 ns"]),
        ({"period": "-1 us"}, ["messages[0].period: '-1 us'"]),
        ({"deadline": 1001}, ["messages[0].deadline: 1001", "at most the period, 1000", "allow_late_deadlines"]),
        ({"deadline": "3 us"}, ["messages[0].deadline: '3 us'", "at most the period"]),
        ({"deadline": 0}, ["messages[0].deadline: 0", "above 0"]),
        ({"deadline": "1 ns"}, ["messages[0].deadline: '1 ns'", "1 to 2^53 cycles"]),
        ({"source": 4}, ["messages[0].source: 4", "a node below 4"]),
        ({"destination": 9}, ["messages[0].destination: 9", "a node below 4"]),
        ({"source": 2}, ["messages[0].destination: 2", "another node than the source"]),
        ({"source": -1}, ["messages[0].source: -1", "at least 0"]),
        ({"size": 0}, ["messages[0].size: 0"]),
        ({"size": "0.5 B"}, ["messages[0].size: '0.5 B'", "a whole number of bytes"]),
        ({"size": 2.5}, ["messages[0].size: 2.5", "a whole number of bytes"]),
        ({"size": "1 s"}, ["messages[0].size: '1 s'", "byte"]),
        ({"size": "1 GB"}, ["messages[0].size: '1 GB'", "at most 1000000 packets of 64 bytes"]),
        ({"priority": 256}, ["messages[0].priority: 256", "below 256"]),
        ({"priority": -1}, ["messages[0].priority: -1"]),
        ({"offset": "-1 s"}, ["messages[0].offset: '-1 s'"]),
        ({"offset": "1e18 ns"}, ["messages[0].offset", "2^53 cycles"]),
        ({"name": ""}, ["messages[0].name: ''"]),
        ({"perod": 5}, ["messages[0].perod: unknown key; did you mean 'period'?"]),
    ],
)
def test_a_bad_message_is_named(message, words):
    text = refused(message)
    for word in words:
        assert word in text, text


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"message_transaction": "send80"}, ["message_transaction: 'send80'", "'dmove64'"]),
        ({"message_transaction": "dmove00"}, ["message_transaction: 'dmove00'"]),
        ({"message_priorities": "edf"}, ["message_priorities: 'edf'", "'rate-monotonic'"]),
        ({"messages_file": "set.csv"}, ["messages_file: given together with messages"]),
        ({"allow_late_deadlines": "yes"}, ["allow_late_deadlines: 'yes'", "true or false"]),
        ({"messages": []}, ["messages", "at least 1"]),
        ({"messages": {}}, ["messages", "a list"]),
    ],
)
def test_a_bad_set_is_named(sections, words):
    text = refused(**sections)
    for word in words:
        assert word in text, text


def test_names_are_unique():
    assert "messages[1].name: 'alarm'" in refused({}, {"destination": 3})


def test_late_deadlines_have_to_be_allowed():
    assert resolved({"deadline": 5000}, allow_late_deadlines=True)[0].deadline_cycles == 5000


def test_more_priorities_than_levels():
    text = refused({}, {"name": "b"}, {"name": "c", "priority": 2}, queues={"priorities": 2})
    assert "messages[2].priority: 2 is not allowed; below 2, which queues.priorities sets" in text
    two = ({}, {"name": "b", "period": 5000})
    text = refused(*two, message_priorities="rate-monotonic", queues={"priorities": 1})
    assert "queues.priorities: 1 is not allowed; at least 2" in text
    sci = {"protocol": "sci", "priorities": 2}
    text = refused(
        *two, message_priorities="rate-monotonic", flow_control=sci, traffic={"load": "1 MB/s", "priority": 1}
    )
    assert "at least 4" in text


@pytest.mark.parametrize("key", ["message_transaction", "message_priorities", "allow_late_deadlines"])
def test_what_belongs_to_a_set_needs_one(key):
    value = {"message_transaction": "read64", "message_priorities": "rate-monotonic", "allow_late_deadlines": True}[key]
    with pytest.raises(RingletError, match=f"{key}: .* belongs to messages or messages_file"):
        Scenario.from_dict({"network": {"nodes": 4}, key: value})


# A set from a file.

CSV = "name, source, destination, size, period_us, deadline, priority\na b,0,2,1 KiB,10,5 us,3\n\nc,1,0,64,2.5,,\n"


def load(tmp_path, text, **sections):
    (tmp_path / "set.csv").write_text(text, encoding="utf-8")
    return Scenario.from_dict({"network": {"nodes": 4}, "messages_file": "set.csv", **sections}, base_dir=tmp_path)


def test_a_set_from_a_csv_file(tmp_path):
    loaded = load(tmp_path, CSV)
    assert loaded.periodic_messages == (
        PeriodicMessage("a b", 0, 2, 3, 1024, 16, 5000.0, 2500, 0.0),
        PeriodicMessage("c", 1, 0, 0, 64, 1, 1250.0, 1250, 0.0),
    )
    content = loaded.to_dict()
    assert "messages_file" not in content
    assert Scenario.from_dict(content).periodic_messages == loaded.periodic_messages
    assert loaded.scaled(2).periodic_messages[0].period_cycles == 2500


HEADER = "name,source,destination,size,period\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["set.csv: <no message>"]),
        (HEADER, ["set.csv: <no message>"]),
        ("name,source\n", ["line 1: column 'destination' is missing"]),
        ("name,source,destination,size,perod\n", ["line 1: 'perod'", "columns are source"]),
        ("name,source_us,destination,size,period\n", ["line 1: 'source_us'"]),
        ("name,name,source,destination,size,period\n", ["line 1: 'name'", "one column of each"]),
        ("name,source,destination,size,period,period_us\n", ["line 1: 'period'", "one column of each"]),
        (HEADER + "a,0,1,64\n", ["line 2: <4 values>", "5, one per column"]),
        (HEADER + "a,0,1,64,1000\n\nb,zero,1,64,1000\n", ["line 4, source: 'zero'", "a whole number"]),
        (HEADER + "a,0.5,1,64,1000\n", ["line 2, source: '0.5'", "a whole number"]),
        (HEADER + "a,0,1,64,0\n", ["line 2, period: 0"]),
        (HEADER + "a,0,1,64,\n", ["line 2, period: missing"]),
        (HEADER + "a,0,1,64,1 GB\n", ["line 2, period: '1 GB'"]),
        ("name,source,destination,size,period_furlong\na,0,1,64,1\n", ["line 2, period: '1 furlong'"]),
        ("name,source,destination,size,period_us\na,0,1,64,1 us\n", ["line 2, period: '1 us us'"]),
        (HEADER + "a,0,0,64,1000\n", ["set.csv, line 2, destination: 0", "another node"]),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, words):
    with pytest.raises(RingletError) as caught:
        load(tmp_path, text)
    for word in words:
        assert word in str(caught.value), caught.value


def test_a_file_that_is_missing(tmp_path):
    with pytest.raises(RingletError, match=r"no\.csv: no such file"):
        Scenario.from_dict({"network": {"nodes": 4}, "messages_file": "no.csv"}, base_dir=tmp_path)


# Utilisation.


def needed(whole):
    return utilisation(whole.resolved, whole.resolved.flows)


def test_a_move_needs_its_path_and_its_echo_the_rest_of_the_ring():
    found = needed(scenario({"source": 3, "destination": 1, "size": 128}))
    # Two packets of 41 symbols in 1000 cycles over links 3 and 0, two echoes of 5 over links 1 and 2.
    np.testing.assert_allclose(found.links, [0.082, 0.01, 0.01, 0.082])


def test_a_response_goes_the_other_way():
    found = needed(scenario(message_transaction="read64", network={"nodes": 4, "framing": 1}))
    request, response, echo = 10, 42, 6
    there, back = (request + echo) / 1000, (response + echo) / 1000
    np.testing.assert_allclose(found.links, [there, there, back, back])


def test_servers_serve_requests_at_the_destination_and_responses_at_the_source():
    found = needed(scenario(message_transaction="nwrite64", queues={"service_time": 300}))
    np.testing.assert_allclose(found.servers, [0, 0, 0.3, 0, 0.3, 0, 0, 0])


@pytest.mark.parametrize(
    "pattern",
    [
        {},
        {"pattern": "neighbour"},
        {"hot_node": 1, "hot_fraction": 0.4},
        {"matrix": [[0, 0.5, 0.25, 0.25], [1.0, 0, 0, 0], [0, 0, 0, 1.0], [0.5, 0.5, 0, 0]]},
    ],
)
def test_background_traffic_counts_by_its_matrix(pattern):
    both = scenario(traffic={"transaction": "nwrite64", "load": "10 MB/s", **pattern})
    found = utilisation(both.resolved, both.resolved.flows[:-1]).links
    matrix, rate = both.traffic_matrix(), 0.02 / 64
    expected = np.zeros(4)
    for source, destination in np.ndindex(4, 4):
        for hop in range(4):
            going = hop < (destination - source) % 4
            expected[(source + hop) % 4] += rate * matrix[source, destination] * (41 + 5 if going else 9 + 5)
    np.testing.assert_allclose(found, expected)


def test_a_set_that_needs_too_much_is_warned_of_and_runs():
    assert scenario().warnings() == []
    (line,) = scenario({"size": 64 * 26}).warnings()
    assert line == "overload: utilisation 1.07 of link 0, above 1"
    ring = [{"name": str(i), "source": i, "destination": (i + 2) % 4, "size": 64 * 16} for i in range(4)]
    assert scenario(*ring).warnings()[0].startswith("overload: utilisation 1.47 of the ring's bandwidth")
    (line,) = scenario(queues={"service_time": 1100}).warnings()
    assert line == "overload: utilisation 1.1 of receive queue for requests of node 2, above 1"


@pytest.mark.parametrize("of", ["messages", "flows"])
@pytest.mark.parametrize("network", [{"nodes": 4}, {"topology": "switch", "nodes": 4}])
@pytest.mark.parametrize(("places", "lost"), [(2, True), (3, False)])
def test_messages_that_never_find_room_are_warned_of_and_lost(of, network, places, lost):
    one = {"source": 0, "destination": 2, "size": 148, "period": "1 us"}
    run = {"duration": "100 us", "warmup": 0}
    silent = {"network": network, "traffic": {"arrivals": "none"}, "queues": {"transmit": places}, "run": run}
    result = rl.run(rl.Scenario.from_dict(silent | {of: [one]}))
    node = "P0" if "topology" in network else "node 0"
    line = f"all lost: messages of 3 packets from {node} find no room in a transmit queue of 2 (queues.transmit)"
    assert [line] * lost == result.warnings
    assert (result.document["total"]["delivered_packets"] == 0) == lost


def test_of_messages_of_several_sizes_all_that_find_no_room_are_warned_of():
    """Of 8, 5, 3 and 2 packets from one node, and of 3 from another one: two of them find room."""
    sent = [(0, 8), (0, 3), (0, 5), (0, 2), (1, 3)]
    messages = [
        {"name": f"{place}", "source": source, "destination": 2, "size": 64 * packets, "period": "10 us"}
        for place, (source, packets) in enumerate(sent)
    ]
    silent = {"network": {"nodes": 4}, "traffic": {"arrivals": "none"}, "queues": {"transmit": 2}}
    run = {"duration": "100 us", "warmup": 0}
    result = rl.run({**silent, "messages": messages, "run": run})
    where = "find no room in a transmit queue of 2 (queues.transmit)"
    assert result.warnings == [
        f"all lost: messages of 3 to 8 packets from node 0 {where}",
        f"all lost: messages of 3 packets from node 1 {where}",
    ]
    assert (result.messages["completed"] > 0).tolist() == [False, False, False, True, False]


@pytest.mark.parametrize("hosts", [{"slots": 1}, {"slots": [1, 1, 1, 1]}])
def test_no_message_is_warned_of_that_finds_room_in_slots(hosts):
    silent = {"network": {"topology": "switch", "nodes": 4}, "traffic": {"arrivals": "none"}, "queues": {"transmit": 2}}
    messages = [{"source": 0, "destination": 2, "size": 148, "period": "1 us"}]
    assert rl.Scenario.from_dict(silent | {"host": hosts, "messages": messages}).warnings() == []


def test_links_and_switches_of_a_network_are_warned_of():
    torus = {"network": {"topology": "torus", "shape": [2, 2]}, "traffic": {"arrivals": "none"}}
    heavy = [{"source": 0, "destination": 3, "size": 64 * 26, "period": 1000}]
    assert scenario(*heavy, **torus).warnings() == [
        "overload: utilisation 1.07 of link from N0 on ring 0, above 1",
    ]


def test_releases_and_deadlines_are_counted_to_the_cycle():
    one = PeriodicMessage("m", 0, 1, 0, 64, 1, 2.5, 4, 1.0)
    releases = [math.ceil(1 + 2.5 * k) for k in range(20)]
    assert [one.released(cycle) for cycle in range(20)] == [sum(r <= cycle for r in releases) for cycle in range(20)]
    assert [one.due(cycle) for cycle in range(20)] == [sum(r + 4 <= cycle for r in releases) for cycle in range(20)]
