"""Flows and messages that go to several nodes at once (docs/explanation/model.md, "Packets with several receivers")."""

import pytest

import ringlet as rl
from ringlet.errors import RingletError
from ringlet.scenario.activities.deadlines import deadline_line
from ringlet.scenario.activities.flows.activity import flows_line
from ringlet.theory.guarantee import guarantees

WITHOUT_ECHOES = {"protocol": "rpr"}


def scenario(flow, *, network=None, flow_control=None, **sections):
    sent = {"name": "video", "source": 0, "size": 64, "period": "10 us", "multicast": True, **flow}
    ring = {"nodes": 8, "hop_delay": 50, **(network or {})}
    content = {"network": ring, "flow_control": flow_control or WITHOUT_ECHOES, "flows": [sent]}
    return content | {"run": {"duration": "1 ms", "warmup": 0}} | sections


def flows(content):
    return {one["name"]: one for one in rl.run(content).to_dict(timing=False)["flows"]}


def test_each_receiver_has_a_row_of_its_own():
    found = flows(scenario({"destination": [5, 2, 7]}))
    assert list(found) == ["video to 7", "video to 2", "video to 5"]
    assert {name: one["delivered"] for name, one in found.items()} == dict.fromkeys(found, 100)
    assert {name: one["offered"] for name, one in found.items()} == dict.fromkeys(found, 100)
    # A hop takes 50 cycles of 2 ns, and nothing is in the way.
    nearest = found["video to 2"]["latency_min_ns"]
    assert found["video to 5"]["latency_min_ns"] == nearest + 300
    assert found["video to 7"]["latency_min_ns"] == nearest + 500


def test_a_message_with_several_receivers_is_offered_once():
    document = rl.run(scenario({"destination": [5, 2, 7]})).document
    seen = document["saw"]["flows"]
    assert {key: seen[key] for key in ("count", "offered", "copies", "delivered")} == {
        "count": 1,
        "offered": 100,
        "copies": 300,
        "delivered": 300,
    }
    assert flows_line(document).startswith("flows: 100 messages of one flow offered, 300 for all receivers, 300 deliv")


def test_a_receiver_that_gets_nothing_is_no_flow_without_deliveries():
    queues = {"receive": 1, "service_time": [0, 0, "1 s", 0, 0, 0, 0, 0]}
    document = rl.run(scenario({"destination": [4, 2]}, queues=queues)).document
    assert document["saw"]["flows"]["never_delivered"] == 0
    assert flows_line(document).endswith("; nothing delivered to one receiver of flows to several")
    # Nothing is known of a flow of which no receiver has had anything yet.
    document = rl.run(
        scenario({"destination": [4, 2], "period": "1 s"}, run={"duration": "100 ns", "warmup": 0})
    ).document
    assert document["saw"]["flows"]["never_delivered"] == 1
    assert flows_line(document).endswith("; nothing delivered of one flow")
    later = scenario(
        {"destination": [4, 2], "period": "1 s", "offset": "1 ms"}, run={"duration": "100 us", "warmup": 0}
    )
    later["flows"].append({"source": 1, "destination": 2, "period": "10 us", "size": 64})
    document = rl.run(later).document
    assert flows_line(document).endswith("; nothing offered by one flow")


def test_a_broadcast_goes_to_all_others():
    found = flows(scenario({"destination": "all", "source": 3}))
    assert sorted(one["destination"] for one in found.values()) == ["0", "1", "2", "4", "5", "6", "7"]
    assert all(one["delivered"] == 100 for one in found.values())


def test_one_packet_goes_round_and_not_one_for_each():
    content = scenario({"destination": [3, 2, 1]})
    run = rl.run(content).to_dict(timing=False)
    # 100 packets of 64 bytes in a millisecond: their data count once.
    sent = [node["throughput_MBps"] for node in run["nodes"]]
    assert sent == [pytest.approx(6.4), *[0] * 7]


def test_messages_of_many_packets_are_whole_at_each_receiver():
    found = flows(scenario({"destination": [4, 6], "size": {"100": 0.5, "1500": 0.5}, "jitter": "2 us"}))
    first, second = found.values()
    assert first["delivered"] == second["delivered"] > 90
    assert first["delivered_MBps"] == second["delivered_MBps"]


def test_a_saturated_flow_offers_as_many_copies_as_packets():
    content = scenario({"destination": [4, 6]})
    del content["flows"][0]["period"]
    one, other = flows(content).values()
    assert one["offered"] == other["offered"] > 1000
    assert abs(one["delivered"] - other["delivered"]) <= 5


@pytest.mark.parametrize("size", [64, 100, {"64": 0.5, "900": 0.5}])
def test_a_closed_flow_to_several_nodes_goes_on_as_one_to_the_last_of_them(size):
    content = scenario({"destination": [4, 6], "size": size, "window": 1}, run={"duration": "100 us", "warmup": 0})
    del content["flows"][0]["period"]
    last, passed = flows(content).values()
    assert (last["destination"], passed["destination"]) == ("6", "4")
    alone = {key: value for key, value in content["flows"][0].items() if key != "multicast"}
    (one,) = flows({**content, "flows": [{**alone, "destination": 6}]}).values()
    assert (last["offered"], last["delivered"]) == (one["offered"], one["delivered"])
    assert last["delivered"] <= passed["delivered"] <= last["offered"]
    simulation = rl.Simulation(content)
    for _ in range(100):
        simulation.advance("1 us")
    whole = rl.run(content).document["nodes"]
    assert simulation.counters().nodes["delivered_packets"].tolist() == [node["delivered_packets"] for node in whole]


def test_a_slow_receiver_loses_its_own_copies():
    queues = {"receive": 1, "service_time": [0, 0, "30 us", 0, 0, 0, 0, 0]}
    found = flows(scenario({"destination": [4, 2]}, queues=queues))
    assert (found["video to 4"]["delivered"], found["video to 4"]["lost"]) == (100, 0)
    assert found["video to 2"]["delivered"] < 40
    assert found["video to 2"]["lost"] > 60


@pytest.mark.parametrize("protocol", ["none", "metaring", "rpr", "token-ring", "timed-token", "slotted-ring"])
def test_protocols_without_echoes_take_it(protocol):
    for stripped_by in ("last-receiver", "source") if protocol != "rpr" else ("last-receiver",):
        network = {"echoes": False, "stripped_by": stripped_by}
        found = flows(scenario({"destination": [5, 2]}, network=network, flow_control={"protocol": protocol}))
        assert all(one["delivered"] >= 99 for one in found.values()), (protocol, stripped_by)


@pytest.mark.parametrize("protocol", ["sci", "grouped", "none"])
def test_with_echoes_the_packet_comes_back_as_its_own(protocol):
    content = scenario({"destination": [5, 2]}, flow_control={"protocol": protocol}, queues={"outstanding": 1})
    assert all(one["delivered"] == 100 for one in flows(content).values())


def test_stations_drop_second_copies_at_each_receiver():
    network = {"topology": "dual-attached-ring", "ways": "both"}
    errors = {"links": [{"source": 1, "fails_at": "300 us"}], "max_timeouts": 0}
    content = scenario({"destination": "all"}, network=network, flow_control={"protocol": "none"}, errors=errors)
    found = flows(content)
    assert len(found) == 7
    assert all((one["delivered"], one["lost"]) == (100, 0) for one in found.values())


def test_the_fair_share_takes_the_way_to_the_last_receiver():
    def share(destination, multicast):
        flow = {"destination": destination, "multicast": multicast, "arrivals": "saturated"}
        content = scenario(flow)
        del content["flows"][0]["period"]
        # Another flow shares the link from node 4.
        content["flows"].append({"source": 4, "destination": 5, "size": 64})
        return rl.bound(content)["max_min_MBps"].tolist()

    assert share([5, 2], True) == share(5, False)
    assert share([4, 2], True) == share(4, False) != share(5, False)


def test_what_the_source_strips_has_no_fair_share():
    content = scenario({"destination": [5, 2]}, network={"stripped_by": "source", "echoes": False})
    content["flow_control"] = {"protocol": "none"}
    with pytest.raises(
        RingletError, match=r"flows\[0\]\.multicast: True is not allowed; false where a packet goes round"
    ):
        rl.bound(content)
    assert rl.run(content).to_dict(timing=False)["total"]["fair_share_MBps"] is None


REFUSED = [
    ({"destination": [5]}, {}, r"flows\[0\]\.destination: <1 node> is not allowed; at least two receivers"),
    ({"destination": 5}, {}, r"flows\[0\]\.destination: <1 node> is not allowed; at least two receivers"),
    ({"destination": []}, {}, r"flows\[0\]\.destination: <no node> is not allowed; at least one node"),
    ({"destination": [5, "plant"]}, {}, r"flows\[0\]\.destination: \[5, 'plant'\] is not allowed; .*node_names"),
    ({"destination": [5, 0]}, {}, r"flows\[0\]\.destination: 0 is not allowed; another node than the source"),
    ({"destination": [5, 9]}, {}, r"flows\[0\]\.destination: 9 is not allowed; a node below 8 that receives"),
    ({"destination": [5, 5]}, {}, r"flows\[0\]\.destination: <a node twice> is not allowed; each node once"),
    ({"destination": {"1": 0.5, "2": 0.5}}, {}, r"<nodes with shares> is not allowed; a list of nodes or 'all'"),
    ({"destination": [5, 2]}, {"flow_transaction": "nwrite64"}, r"flow_transaction: .* one without responses"),
    (
        {"destination": [5, 2]},
        {"network": {"topology": "dual-ring", "nodes": 8}},
        r"flows\[0\]\.multicast: True is not allowed; false with several rings",
    ),
    (
        {"destination": [5, 2], "arrivals": "saturated", "period": None},
        {"network": {"topology": "dual-attached-ring", "nodes": 8}},
        r"flows\.arrivals: 'saturated' is not allowed; a load where a copy takes each ring",
    ),
    (
        {"destination": [5, 2]},
        {"flow_control": {"protocol": "ppq"}},
        r"flow_control\.protocol: 'ppq' is not allowed; one that does not act on echoes of each receiver",
    ),
    (
        {"destination": [5, 2]},
        {"flow_control": {"protocol": "sci"}, "network": {"nodes": 8, "stripped_by": "last-receiver"}},
        r"network\.stripped_by: 'last-receiver' is not allowed; 'source' with echoes",
    ),
    (
        {"destination": [5, 2]},
        {"network": {"nodes": 8, "stripped_by": "source"}},
        r"network\.stripped_by: 'source' is not allowed; 'last-receiver' with protocol 'rpr'",
    ),
    (
        {"destination": [5, 2]},
        {"network": {"nodes": 8, "echoes": True}},
        r"network\.echoes: True is not allowed; false with multicast flows and protocol 'rpr'",
    ),
    (
        {"destination": [5, 2]},
        {"flow_control": {"protocol": "sci"}, "errors": {"bit_error_rate": 1e-6}},
        r"errors: .* none with echoes and multicast flows",
    ),
    (
        {"destination": [5, 2], "multicast": False},
        {"network": {"nodes": 8, "stripped_by": "source"}},
        r"network\.stripped_by: 'source' is not allowed; none without flows that are multicast",
    ),
]


@pytest.mark.parametrize(("flow", "sections", "message"), REFUSED)
def test_bad_groups_of_receivers_are_refused(flow, sections, message):
    with pytest.raises(RingletError, match=message):
        rl.Scenario.from_dict(scenario(flow) | sections)


def test_a_flow_after_one_with_several_receivers_is_refused():
    content = scenario({"destination": [5, 2]})
    content["flows"].append({"source": 2, "destination": 0, "size": 64, "after": "video"})
    with pytest.raises(RingletError, match=r"flows\[1\]\.after: 'video' is not allowed; a flow without multicast"):
        rl.Scenario.from_dict(content)


def on_two_rings(flow, **network):
    content = scenario(flow, network={"topology": "dual-attached-ring", "echoes": False, **network})
    return content | {"flow_control": {"protocol": "none"}}


@pytest.mark.parametrize("ways", ["shorter", "lighter"])
def test_a_packet_takes_each_of_two_rings_to_the_receivers_that_are_nearer_that_way(ways):
    found = flows(on_two_rings({"destination": "all"}, ways=ways))
    assert {one["delivered"] for one in found.values()} == {100}
    assert {one["offered"] for one in found.values()} == {100}
    least = {name: one["latency_min_ns"] for name, one in found.items()}
    for node in range(1, 8):
        other = "7" if node > 4 else "1"
        hops = (8 - node if node > 4 else node) - 1
        assert least[f"video to {node}"] == least[f"video to {other}"] + 100 * hops
    assert least["video to 7"] == least["video to 1"]
    # The same data as of one packet, on four links of one ring and three of the other.
    run = rl.run(on_two_rings({"destination": "all"}, ways=ways)).to_dict(timing=False)
    assert run["total"]["throughput_MBps"] == pytest.approx(6.4)


def test_lighter_ways_count_a_packet_to_several_nodes_once():
    """A group of all others is as heavy as one packet to the farthest, so that both rings get half of the way."""

    def ahead(flow):
        network = rl.Scenario.from_dict(on_two_rings(flow, ways="lighter")).routed_network[0]
        return network.ahead.tolist()[flow["source"]]

    # Links 3 and 4 of the first ring are busy with another flow, whose way is shorter there.
    content = on_two_rings({"destination": [3, 4]}, ways="lighter")
    content["flows"].append({"source": 2, "destination": 4, "size": 64, "rate": "300 MB/s", "arrivals": "poisson"})
    network = rl.Scenario.from_dict(content).routed_network[0]
    assert network.ahead.tolist()[0] < 3
    assert ahead({"source": 0, "destination": [1, 2]}) >= 2


def test_one_of_two_rings_that_fails_takes_the_copies_behind_it_alone():
    content = on_two_rings({"destination": "all", "source": 0})
    content["errors"] = {"links": [{"source": "2.rising", "fails_at": "500 us"}]}
    found = flows(content)
    lost = {one["destination"] for one in found.values() if one["delivered"] < 60}
    assert lost == {"3", "4"}
    assert all(one["delivered"] == 100 for one in found.values() if one["destination"] not in lost)


@pytest.mark.parametrize("ways", ["shorter", "lighter"])
def test_a_message_to_several_nodes_takes_both_rings(ways):
    network = {"topology": "dual-attached-ring", "ways": ways, "echoes": False}
    content = set_of({"destination": "all", "jitter": "1 us"}, network=network, flow_control={"protocol": "none"})
    found = of_messages(content)
    assert len(found) == 7
    assert all(one["missed"] == 0 and one["completed"] == one["released"] > 90 for one in found.values())
    bounds = guarantees(rl.Scenario.from_dict(content))
    assert {one.why for one in bounds} == {"bounds of packets with several receivers are proven of one ring"}


def test_theory_of_one_receiver_says_so():
    content = scenario({"destination": [5, 2], "arrivals": "poisson"}, flow_control={"protocol": "none"})
    with pytest.raises(RingletError, match=r"flows\[0\]\.multicast: True is not allowed; .*one receiver"):
        rl.model(content)


def test_a_table_says_which_flows_are_multicast(tmp_path):
    table = tmp_path / "flows.csv"
    table.write_text("name,source,destination,multicast,size_bytes,period_us\nvideo,0,5; 2,true,64,10\nx,1,3,,64,10\n")
    content = scenario({"destination": [5, 2]}) | {"flows_file": str(table)}
    del content["flows"]
    assert list(flows(content)) == ["video to 5", "video to 2", "x"]


def set_of(message, **sections):
    """Returns a scenario with a periodic message that goes to several nodes."""
    content = scenario({}, **sections)
    del content["flows"]
    sent = {"name": "state", "source": 0, "destination": [5, 2], "multicast": True, "size": 200, "period": "10 us"}
    return content | {"messages": [sent | message]}


def of_messages(content):
    return {one["name"]: one for one in rl.run(content).to_dict(timing=False)["messages"]}


@pytest.mark.parametrize("times", [{}, {"jitter": "2 us"}, {"sporadic": "3 us"}])
def test_a_message_to_several_nodes_is_complete_at_each_receiver(times):
    found = of_messages(set_of(times))
    assert list(found) == ["state to 5", "state to 2"]
    last, first = found.values()
    assert last["released"] == first["released"] > 70
    assert last["completed"] == first["completed"] == last["released"]
    # Three hops of 50 cycles, and a cycle at each node that it passes.
    assert last["worst_response_ns"] - first["worst_response_ns"] == pytest.approx(306, abs=6)


def test_a_message_to_several_nodes_takes_what_the_flow_takes():
    run = rl.run(set_of({"destination": "all"})).to_dict(timing=False)
    flow = {"size": 200, "destination": "all"}
    other = rl.run(scenario(flow)).to_dict(timing=False)
    assert run["nodes"] == other["nodes"]
    assert run["total"]["throughput_MBps"] == other["total"]["throughput_MBps"] == pytest.approx(20)
    assert [one["worst_response_ns"] for one in run["messages"]] == [one["latency_max_ns"] for one in other["flows"]]


def test_each_receiver_of_a_message_misses_its_own_deadlines():
    queues = {"receive": 1, "service_time": [0, 0, "30 us", 0, 0, 0, 0, 0]}
    content = set_of({"size": 64}, queues=queues)
    document = rl.run(content).document
    last, first = document["messages"]
    assert (last["missed"], last["completed"]) == (0, 100)
    assert first["missed"] > 60
    assert document["saw"]["messages"] | {"count": 2, "copies": 1} == document["saw"]["messages"]
    assert deadline_line(document["messages"], document["saw"]["messages"]).startswith(
        "deadlines: 1 of 2 receivers of one message misses some; state to 2 most"
    )
    document = rl.run(set_of({})).document
    line = deadline_line(document["messages"], document["saw"]["messages"])
    assert line.startswith("deadlines: all 2 receivers of one message meet all of theirs (")


def test_a_message_to_several_nodes_is_read_from_a_table(tmp_path):
    table = tmp_path / "set.csv"
    table.write_text("name,source,destination,multicast,size,period\nstate,0,5; 2,true,200,10 us\nlog,1,3,,64,20 us\n")
    content = set_of({})
    del content["messages"]
    file = rl.Scenario.from_dict(content | {"messages_file": str(table)})
    names = ["state to 5", "state to 2", "log"]
    assert [one.name for one in file.periodic_messages] == names
    # And what a run keeps of it is the same set.
    assert [one.name for one in rl.Scenario.from_dict(file.to_dict()).periodic_messages] == names


def test_a_bound_holds_at_each_receiver_of_a_message():
    content = set_of({}, network={"echoes": False}, flow_control={"protocol": "none"})
    content["messages"].append({"source": 2, "destination": 6, "size": 64, "period": "5 us"})
    bounds = {one.name: one for one in guarantees(rl.Scenario.from_dict(content))}
    found = of_messages(content)
    assert set(bounds) == set(found) == {"state to 5", "state to 2", "2-6"}
    for name, one in bounds.items():
        assert found[name]["worst_response_ns"] <= one.bound_cycles * 2


REFUSED_MESSAGES = [
    ({"multicast": False}, {}, r"messages\[0\]\.destination: <a list> .* a node, or multicast = true with several"),
    ({"destination": "all", "multicast": False}, {}, r"destination: 'all' .* a node, or multicast = true with several"),
    ({"destination": 5}, {}, r"messages\[0\]\.destination: <1 node> is not allowed; at least two receivers"),
    ({"destination": [5]}, {}, r"messages\[0\]\.destination: <1 node> is not allowed; at least two receivers"),
    ({"destination": []}, {}, r"messages\[0\]\.destination: <no node> is not allowed; at least two receivers"),
    ({"destination": [5, "plant"]}, {}, r"messages\[0\]\.destination: \[5, 'plant'\] is not allowed; .*node_names"),
    ({"destination": [5, 9]}, {}, r"messages\[0\]\.destination: 9 is not allowed; a node below 8"),
    ({"destination": [5, 0]}, {}, r"messages\[0\]\.destination: 0 is not allowed; another node than the source"),
    ({"destination": [5, 5]}, {}, r"messages\[0\]\.destination: <a node twice> is not allowed; each node once"),
    ({}, {"message_transaction": "nwrite64"}, r"message_transaction: .* one without responses, with multicast"),
    ({}, {"network": {"topology": "dual-ring", "nodes": 8}}, r"messages\[0\]\.multicast: .* false with several rings"),
]


@pytest.mark.parametrize(("message", "sections", "words"), REFUSED_MESSAGES)
def test_bad_receivers_of_a_message_are_refused(message, sections, words):
    with pytest.raises(RingletError, match=words):
        rl.Scenario.from_dict(set_of(message) | sections).resolved.messages  # noqa: B018 - what it refuses
