"""A hop delay for each link: a list, or a table by name."""

import numpy as np
import pytest

from ringlet import RingletError, Scenario, guarantee, model, run
from ringlet.scenario.flow_control import PROTOCOLS

HOPS = [1, 7, 30, 2]
ONE_PACKET_AT_A_TIME = {
    "flow_control": {"protocol": "none"},
    "traffic": {"transaction": "send16", "pattern": "uniform", "arrivals": "periodic", "load": "1 MB/s"},
    "run": {"duration": "1 ms", "warmup": 0},
}


def scenario(hop_delay, **sections):
    network = {"nodes": 4, "hop_delay": hop_delay, **sections.pop("network", {})}
    return Scenario.from_dict({"network": network, **sections})


def to(destination):
    traffic = {**ONE_PACKET_AT_A_TIME["traffic"], "pattern": "permutation", "destinations": [1, *[destination] * 3]}
    return {**ONE_PACKET_AT_A_TIME, "traffic": {**traffic, "phase": [0, 4000, 8000, 12000]}}


def test_a_packet_takes_the_sum_of_the_hop_delays_on_its_way():
    nodes = run(scenario(HOPS, **to(0))).to_dict()["nodes"]
    # A cycle in which it is found, its way, and its 8 symbols.
    ways = [sum(HOPS[source:]) for source in (1, 2, 3)]
    assert [node["latency_ns"]["max"] for node in nodes[1:]] == [2 * (1 + way + 8) for way in ways]


def test_a_table_names_nodes_and_the_others():
    names = {"node_names": ["a", "b", "c", "d"]}
    table = {"c": 30, "1": "14 ns", "d": 2, "others": 1}
    assert scenario(table, network=names).hop_cycles.tolist() == HOPS
    assert scenario({"2": 9, "others": 3}).hop_cycles.tolist() == [3, 3, 9, 3]


def test_equal_hop_delays_are_one_hop_delay():
    assert run(scenario([3] * 4)).to_dict()["nodes"] == run(scenario(3)).to_dict()["nodes"]


def test_a_network_has_one_for_each_link_and_for_each_ring():
    network = {"topology": "switch", "memory": "numa"}
    table = {"others": 10, "ring 1": 20, "N1": 40, "0.3": 50}
    found = scenario(table, network=network)
    rings = found.routed_network[0]
    of_node = found.hop_cycles[rings.node_interface].tolist()
    of_port = found.hop_cycles[rings.port_interface].tolist()
    assert (of_node, of_port) == ([10, 40, 10, 10], [10, 20, 10, 50])
    # Ports keep the default of the topology.
    listed = scenario([1, 2, 3, 4], network=network)
    assert listed.hop_cycles[rings.node_interface].tolist() == [1, 2, 3, 4]
    assert set(listed.hop_cycles[rings.port_interface].tolist()) == {18}
    assert run(listed).to_dict()["total"]["throughput_MBps"] > 0


def test_the_model_adds_the_links_of_each_way():
    light = {**to(0), "traffic": {**to(0)["traffic"], "arrivals": "poisson", "load": "0.01 MB/s", "phase": 0}}
    latency = model(scenario(HOPS, **light))["latency_ns"].to_numpy()
    assert latency[1:] == pytest.approx([2 * (1 + sum(HOPS[source:]) + 8) for source in (1, 2, 3)], rel=1e-3)


@pytest.mark.parametrize("hops", [HOPS, [1, 50, 1, 1], [1, 1, 1, 50]])
def test_a_guarantee_takes_the_hop_delays_on_the_way(hops):
    messages = [{"source": 0, "destination": 2, "size": 64, "period": "100 us"}]
    sections = {"flow_control": {"protocol": "dfc"}, "traffic": {"arrivals": "none"}, "messages": messages}
    loaded = scenario(hops, **sections)
    (bound,) = guarantee(loaded)["bound_us"]
    (worst,) = run(loaded).messages["worst_response_ns"] / 1e3
    assert worst <= bound <= worst + 0.1


# Slots need a ring that is long enough for one.
@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.listed.keys() - {"slotted-ring"}))
def test_every_protocol_runs_with_unequal_links(protocol):
    traffic = {"transaction": "send80", "arrivals": "poisson", "load": "20 MB/s"}
    found = run(scenario(HOPS, flow_control={"protocol": protocol}, traffic=traffic))
    assert np.all(found.nodes["throughput_MBps"] > 15)


def test_slots_are_as_far_apart_as_the_shortest_hop_asks():
    traffic = {"transaction": "send16", "arrivals": "poisson", "load": "5 MB/s"}
    found = run(scenario([20, 20, 3, 20], flow_control={"protocol": "slotted-ring"}, traffic=traffic))
    assert np.all(found.nodes["throughput_MBps"] > 4)


@pytest.mark.parametrize(
    ("hop_delay", "message"),
    [
        ([1] * 3, "network.hop_delay: <3 values> is not allowed; one value, or 4, one per node"),
        ([1, 2, 0, 1], "network.hop_delay[2]: 0 is not allowed"),
        ([1, 2, "3 s", 1], "network.hop_delay[2]: '3 s' is not allowed; at most 1000000000 cycles of 2 ns"),
        (
            {"0": 1},
            "network.hop_delay: {'0': 1} is not allowed; a value for every node and link, or 'others' for the rest",
        ),
        ({"4": 1, "others": 1}, "network.hop_delay.4: '4' is not allowed; a node from 0 to 3"),
        ({"x": 1, "others": 1}, "network.hop_delay.x: 'x' is not allowed"),
        ({"0.1": 1, "others": 1}, "a node: there is no switch"),
        ({"others": "x"}, "network.hop_delay.others: 'x' is not allowed"),
    ],
)
def test_refused(hop_delay, message):
    with pytest.raises(RingletError) as refused:
        scenario(hop_delay)
    assert message in str(refused.value)
