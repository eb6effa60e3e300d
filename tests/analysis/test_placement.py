"""Which node goes where."""

import itertools
from types import UnionType
from typing import Annotated, Union, get_args, get_origin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringlet import RingletError, Scenario
from ringlet.analysis.placement import (
    exchanged,
    groups_needed,
    least_distance,
    least_distance_of_kinds,
    travelled,
)
from ringlet.scenario.flow_control import PROTOCOLS
from ringlet.scenario.keys.scenario_file import ScenarioFile
from ringlet.scenario.network import TOPOLOGIES
from ringlet.theory import placement as placing
from ringlet.theory.placement import Placement


def ring_distance(nodes):
    place = np.arange(nodes)
    return ((place[None, :] - place[:, None]) % nodes).astype(float)


def scenario(**traffic):
    return Scenario.from_dict({"network": {"nodes": 8}, "traffic": {"load": "100 MB/s", **traffic}})


CYCLE = [3, 4, 5, 6, 7, 0, 1, 2]
"""Node i sends to i + 3: in another order all are neighbours."""


def test_nodes_in_a_cycle_become_neighbours():
    placement = Placement.of(scenario(destinations=CYCLE))
    order = placement.places("distance")
    assert placement.figures(np.arange(8))["distance_links"] == 3
    assert placement.figures(order)["distance_links"] == 1
    placed = placement.placed(order)
    assert [to.weights.index(1.0) for to in placed.resolved.pattern.destinations] == [1, 2, 3, 4, 5, 6, 7, 0]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000))
def test_no_order_of_a_few_nodes_is_much_nearer(seed):
    traffic = np.random.default_rng(seed).random((5, 5)) * (1 - np.eye(5))
    distance = ring_distance(5)
    best = min(travelled(traffic, distance, np.array(order)) for order in itertools.permutations(range(5)))
    found = travelled(traffic, distance, least_distance(traffic, distance))
    assert best <= found + 1e-9
    assert found <= travelled(traffic, distance, np.arange(5)) + 1e-9
    assert found <= 1.2 * best


def test_link_loads_are_those_of_packets_and_echoes():
    placement = Placement.of(scenario(destinations=[1, 0, 0, 0, 0, 0, 0, 0], load=["100 MB/s"] + ["0 MB/s"] * 7))
    # 80 bytes at 100 MB/s: 1.25 packets per us of 500 cycles, of 41 symbols each on link 0, and echoes of 5 behind it.
    assert placement.link_loads(np.arange(8)) == pytest.approx([0.0025 * 41] + [0.0025 * 5] * 7)


def test_the_worst_link_is_never_worse_than_before():
    placement = Placement.of(scenario(random_matrix={"family": "sparse", "seed": 3}, load="20 MB/s"))
    before, after = (placement.figures(order) for order in (np.arange(8), placement.places("load")))
    assert after["worst_link_symbols_per_cycle"] < before["worst_link_symbols_per_cycle"]


def test_lists_with_a_value_for_each_node_move_along():
    loads = [f"{10 * (node + 1)} MB/s" for node in range(8)]
    placement = Placement.of(scenario(destinations=CYCLE, load=loads))
    order = placement.places("distance")
    placed = placement.placed(order)
    assert [placed.traffic.load[place] for place in order] == loads


PER_NODE = {
    "queues.responses": [1, 2, 3, 4, 5, 6, 7, 8],
    "queues.window": [1, 2, 3, 4, 5, 6, 7, 8],
    "queues.transmit": [1, 2, 3, 4, 5, 6, 7, 8],
    "queues.outstanding": [1, 2, 3, 4, 5, 6, 7, 8],
    "retry.strategy": ["linear", *["constant"] * 7],
    "retry.delay": [f"{node} us" for node in range(8)],
    "flow_control.synchronous_packets": [1, 2, 3, 4, 5, 6, 7, 8],
    "flow_control.synchronous": [f"{node + 1} us" for node in range(8)],
    "flow_control.assignment": [0, 1, 1, 2, 2, 3, 3, 0],
}
PROTOCOL = {
    "flow_control.synchronous_packets": {"protocol": "metaring"},
    "flow_control.synchronous": {"protocol": "timed-token", "target_rotation": "1 ms"},
    "flow_control.assignment": {"protocol": "grouped", "groups": 4},
}


@pytest.mark.parametrize("path", PER_NODE)
def test_what_a_node_has_moves_with_it(path):
    section, key = path.split(".")
    flow_control = {"protocol": "sci", **PROTOCOL.get(path, {})}
    content = {"network": {"nodes": 8}, "traffic": {"load": "1 MB/s", "destinations": CYCLE, "transaction": "nwrite64"}}
    content |= {"flow_control": flow_control}
    content[section] = content.get(section, {}) | {key: PER_NODE[path]}
    placement = Placement.of(Scenario.from_dict(content))
    order = placement.places("distance")
    placed = placement.placed(order).to_dict()[section][key]
    assert [placed[place] for place in order] == PER_NODE[path]


HOSTS = {
    "slots": [1, 2, 3, 4],
    "fill_time": [10, 20, 30, 40],
    "fill_delay": {"0": 1, "others": 2},
    "receive_delay": ["1 us", "2 us", "3 us", "4 us"],
    "store_delay": [5, 6, 7, 8],
}


@pytest.mark.parametrize("key", HOSTS)
def test_what_a_host_has_moves_with_it(key):
    content = {"network": {"topology": "torus", "shape": [2, 2]}, "traffic": {"load": "1 MB/s"}}
    host = {"slots": 8, key: HOSTS[key]} if key.startswith("fill") else {key: HOSTS[key]}
    placement = Placement.of(Scenario.from_dict(content | {"host": host}))
    order = np.array([3, 1, 0, 2])
    placed = placement.placed(order)
    each = [one.resolved.of_nodes(f"host.{key}", getattr(one.host, key)) for one in (placement.scenario, placed)]
    assert len(set(each[0])) > 1
    assert [each[1][place] for place in order] == each[0]


@pytest.mark.parametrize("several", [True, False])
def test_adapters_move_with_their_nodes(several):
    first = {"nodes": [0, 3], "streams": 4}
    adapter = [first, {"streams": 1}] if several else first
    content = {"network": {"topology": "torus", "shape": [2, 2]}, "traffic": {"load": "1 MB/s"}}
    placed = Placement.of(Scenario.from_dict(content | {"host": {"adapter": adapter}})).placed(np.array([3, 1, 0, 2]))
    found = list(placed.host.adapters.values())
    assert found[0].nodes == [3, 2]
    assert [one.streams for one in found] == ([4, 1] if several else [4])


def values_of(annotation):
    """Types of the values that a key may have."""
    if get_origin(annotation) is Annotated:
        return values_of(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [one for part in get_args(annotation) for one in values_of(part)]
    return [annotation]


def test_all_keys_with_a_value_for_each_node_are_known():
    sections = [(name, key.annotation) for name, key in ScenarioFile.fields.items()]
    sections = [(name, one) for name, each in sections for one in values_of(each) if hasattr(one, "fields")]
    # Protocols have keys of their own.
    sections += [("flow_control", protocol) for protocol in PROTOCOLS.listed.values()]
    sections += [("network", topology) for topology in TOPOLOGIES.listed.values()]
    of_each = set()
    for name, section in sections:
        for key, field in section.fields.items():
            types = values_of(field.annotation)
            lists = [one for one in types if get_origin(one) is list]
            # One value, or a list of such values.
            if any(set(values_of(get_args(one)[0])) <= set(types) for one in lists):
                of_each.add((name, key))
    assert set(placing.PER_NODE) <= of_each
    assert of_each - set(placing.PER_NODE) == {
        # Links stay where they are.
        ("network", "hop_delay"),
        ("network", "cable_length"),
        ("network", "link_rate"),
        # Not a value of each node; moved apart.
        ("host", "adapter"),
        ("flow_control", "assignment"),
        # Refused as a whole.
        ("scatter_gather", "work_time"),
    }


def test_base_nodes_and_groups_of_pairs_move_with_the_nodes():
    content = {"network": {"nodes": 8}, "traffic": {"load": "1 MB/s", "destinations": CYCLE}}
    placement = Placement.of(Scenario.from_dict(content | {"flow_control": {"protocol": "dfc", "base_nodes": [1, 4]}}))
    order = placement.places("distance")
    placed = placement.placed(order).to_dict()["flow_control"]["base_nodes"]
    assert placed == [int(order[1]), int(order[4])]
    groups = np.arange(64).reshape(8, 8) % 4
    flow_control = {"protocol": "grouped", "groups": 4, "assignment": groups.tolist()}
    placement = Placement.of(Scenario.from_dict(content | {"flow_control": flow_control}))
    order = placement.places("distance")
    placed = np.array(placement.placed(order).to_dict()["flow_control"]["assignment"])
    assert (placed[np.ix_(order, order)] == groups).all()


def test_base_nodes_of_one_of_several_rings_are_refused():
    own = {"ring 0": {"flow_control": {"protocol": "dfc", "base_nodes": [0]}}}
    content = {"network": {"topology": "torus", "shape": [2, 2]}, "traffic": {"load": "1 MB/s"}, "rings": own}
    with pytest.raises(RingletError) as caught:
        Placement.of(Scenario.from_dict(content))
    assert str(caught.value).startswith('rings."ring 0".flow_control.base_nodes: [0] is not allowed; none of this ring')


def test_groups_of_each_step_move_with_the_nodes():
    steps = [{"at": 0, "groups": [0, 1, 2, 3]}, {"at": "1 us", "groups": [3, 3, 1, 0]}]
    flow_control = {"protocol": "grouped", "groups": 4, "schedule": steps}
    content = {"network": {"nodes": 4}, "traffic": {"load": "1 MB/s"}, "flow_control": flow_control}
    order = [3, 1, 0, 2]
    placed = Placement.of(Scenario.from_dict(content)).placed(np.array(order)).to_dict()["flow_control"]["schedule"]
    assert [one["at"] for one in placed] == [0, "1 us"]
    assert [[one["groups"][place] for place in order] for one in placed] == [one["groups"] for one in steps]


@pytest.mark.parametrize(("network", "place"), [({"nodes": 4}, 2), ({"topology": "dual-attached-ring", "nodes": 4}, 3)])
def test_a_ticket_master_moves_where_it_is_a_node_and_not_a_place_on_each_ring(network, place):
    flow_control = {"protocol": "train", "ticket_master": 3}
    content = {"network": network, "traffic": {"load": "1 MB/s"}, "flow_control": flow_control}
    placed = Placement.of(Scenario.from_dict(content)).placed(np.array([3, 1, 0, 2]))
    assert placed.flow_control.ticket_master == place


def test_shares_of_the_places_on_each_ring_stay():
    flow_control = {"protocol": "timed-token", "synchronous": ["1 us", "2 us"]}
    content = {"network": {"topology": "torus", "shape": [2, 2]}, "traffic": {"load": "1 MB/s"}}
    placed = Placement.of(Scenario.from_dict(content | {"flow_control": flow_control})).placed(np.array([3, 1, 0, 2]))
    assert placed.flow_control.synchronous == ["1 us", "2 us"]


def test_long_packets_stay_allowed():
    placement = Placement.of(scenario(transaction="send1516", largest_packet=1516, destinations=CYCLE))
    assert placement.placed(placement.places("distance")).traffic.largest_packet == 1516


def test_pairs_that_share_no_link_need_no_groups_of_their_own():
    neighbours = np.roll(np.eye(6), 1, axis=1)
    assert groups_needed(neighbours) == 1
    two_fans = np.zeros((6, 6))
    two_fans[[0, 1, 2, 3, 4, 5], [2, 2, 3, 5, 5, 0]] = 1
    assert groups_needed(two_fans) == 3


def test_exchanges_stop_at_the_best_order_or_when_they_are_used_up():
    def cost(order):
        return (float(np.abs(order - np.arange(6)[::-1]).sum()),)

    assert exchanged(np.arange(6), cost, np.zeros(6, int), most=1000).tolist() == [5, 4, 3, 2, 1, 0]
    assert exchanged(np.arange(6), cost, np.zeros(6, int), most=0).tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"network": {"nodes": 129}}, "network.nodes: 129 is not allowed; at most 128"),
        ({"network": {"nodes": 4}, "errors": {"bit_error_rate": 1e-9}}, "errors: <[errors]> is not allowed; none"),
        (
            {"network": {"nodes": 4}, "traffic": {"senders": [0], "receivers": [1]}},
            "traffic.arrivals: 'saturated' is not allowed; one with a load",
        ),
    ],
)
def test_refused(content, message):
    with pytest.raises(RingletError) as caught:
        Placement.of(Scenario.from_dict(content))
    assert message in str(caught.value)


def test_groups_are_those_of_one_ring():
    placement = Placement.of(Scenario.from_dict({"network": {"topology": "torus", "shape": [2, 2]}}))
    with pytest.raises(RingletError, match="--least: 'groups' is not allowed"):
        placement.places("groups")


def named(**tables):
    return Scenario.from_dict({"network": {"nodes": 8, "node_names": list("abcdefgh")}, **tables})


MESSAGES = [{"source": node, "destination": to, "size": 64, "period": "2 us"} for node, to in enumerate(CYCLE)]


def test_messages_move_with_their_nodes_and_names():
    placement = Placement.of(named(messages=MESSAGES))
    order = placement.places("distance")
    assert placement.figures(np.arange(8))["distance_links"] == pytest.approx(3)
    assert placement.figures(order)["distance_links"] == pytest.approx(1)
    placed = placement.placed(order)
    assert {(one.source + 1) % 8 - one.destination for one in placed.resolved.messages} == {0}
    names = placed.network.node_names
    pairs = {(names[one.source], names[one.destination]) for one in placed.resolved.messages}
    assert pairs == {("abcdefgh"[node], "abcdefgh"[to]) for node, to in enumerate(CYCLE)}


def test_flows_load_links_as_messages_do():
    flows = [one | {"arrivals": "periodic"} for one in MESSAGES]
    by_flows, by_messages = Placement.of(named(flows=flows)), Placement.of(named(messages=MESSAGES))
    loads = by_flows.link_loads(np.arange(8))
    # A packet of 40 symbols and the idle behind it, each 1,000 cycles, of three nodes; and echoes of 5 of the others.
    assert loads == pytest.approx([(3 * 41 + 5 * 5) / 1000] * 8)
    assert loads == pytest.approx(by_messages.link_loads(np.arange(8)))


def test_destinations_that_are_drawn_and_background_traffic_move_too():
    drawn = {"source": 1, "size": {"64": 0.5, "640": 0.5}, "rate": "10 MB/s"}
    flows = [
        drawn | {"destination": {"5": 0.75, "6": 0.25}},
        drawn | {"destination": [2, 3]},
        drawn | {"destination": "all"},
    ]
    scenario = named(flows=flows, traffic={"destinations": CYCLE, "load": "20 MB/s"})
    placement = Placement.of(scenario)
    order = np.roll(np.arange(8), 3)
    placed = Placement.of(placement.placed(order))
    # What the links carry is what was computed before anything moved.
    assert placed.link_loads(np.arange(8)) == pytest.approx(placement.link_loads(order))
    assert placed.traffic.sum() == pytest.approx(placement.traffic.sum())
    row = placed.scenario.resolved.flows[8].destinations.row(int(order[1]), 8)
    assert (row[order[5]], row[order[6]]) == pytest.approx((0.75, 0.25))


def test_what_has_no_rate_or_is_no_table_is_refused():
    saturated = [{"source": 0, "destination": 1, "size": 64, "arrivals": "saturated"}]
    with pytest.raises(RingletError, match=r"flows\[0\].arrivals: 'saturated' is not allowed; one with a rate"):
        Placement.of(named(flows=saturated))
    with pytest.raises(RingletError, match=r"traffic.arrivals: 'saturated' .* one with a load beside messages, whose"):
        Placement.of(named(messages=MESSAGES, traffic={"pattern": "uniform", "arrivals": "saturated"}))
    with pytest.raises(
        RingletError, match=r"loops: its nodes have their parts in it; allowed: a pattern, events, flows"
    ):
        Placement.of(named(loops=[{"name": "steer", "nodes": [0, 3], "size": 64, "period": "10 us"}]))


KINDS = np.array([0, 0, 0, 0, 1, 1, 1, 1])


@pytest.mark.parametrize("seed", range(4))
def test_no_order_of_a_few_processors_and_memories_is_nearer(seed):
    random = np.random.default_rng(seed)
    traffic = np.zeros((8, 8))
    traffic[:4, 4:] = random.random((4, 4)) ** 4
    distance = random.integers(1, 9, (8, 8)).astype(float)
    order = least_distance_of_kinds(traffic, distance, KINDS)
    assert (KINDS[order] == KINDS).all()
    every = (
        np.array(first + second)
        for first in itertools.permutations(range(4))
        for second in itertools.permutations(range(4, 8))
    )
    least = min(travelled(traffic, distance, one) for one in every)
    assert travelled(traffic, distance, order) <= least * 1.05


@pytest.mark.parametrize("topology", ["omega", "butterfly", "baseline", "switch"])
@pytest.mark.parametrize("least", ["distance", "load"])
def test_processors_and_memories_keep_to_their_sides(topology, least):
    matrix = np.zeros((8, 16))
    matrix[np.arange(8), 8 + np.array([3, 0, 5, 1, 7, 6, 2, 4])] = 1
    traffic = {
        "pattern": "matrix",
        "matrix": matrix.tolist(),
        "load": [f"{10 + one} MB/s" for one in range(8)] + [0] * 8,
    }
    network = {"topology": topology, **({"nodes": 16} if topology == "switch" else {"size": 8})}
    placement = Placement.of(Scenario.from_dict({"network": network, "traffic": traffic}))
    order = placement.places(least)
    assert ((order < 8) == (np.arange(16) < 8)).all()
    before, after = placement.figures(np.arange(16)), placement.figures(order)
    figure = "distance_links" if least == "distance" else "worst_link_symbols_per_cycle"
    assert after[figure] <= before[figure]
    # The same data in all, at other places.
    placed = placement.placed(order)
    again = Placement.of(placed)
    assert again.link_loads(np.arange(16)) == pytest.approx(placement.link_loads(order))


def test_sources_and_builders_of_events_move_with_their_fragments():
    names = list("abcdefgh")
    events = {"rate": "10 kHz", "builders": ["a", "d"], "fragment": 512, "fragments": {"b": 1024}}
    content = {"network": {"nodes": 8, "node_names": names}, "events": events, "traffic": {"arrivals": "none"}}
    placement = Placement.of(Scenario.from_dict(content))
    order = placement.places("distance")
    assert placement.figures(order)["distance_links"] < placement.figures(np.arange(8))["distance_links"]
    placed = placement.placed(order)
    there = placed.network.node_names
    found = placed.to_dict()["events"]
    assert [there[place] for place in found["builders"]] == ["a", "d"]
    assert [there[place] for place in found["sources"]] == list("bcefgh")
    assert {there[int(place)]: size for place, size in found["fragments"].items()} == {"b": 1024}
    again = Placement.of(placed)
    assert again.link_loads(np.arange(8)) == pytest.approx(placement.link_loads(order))
