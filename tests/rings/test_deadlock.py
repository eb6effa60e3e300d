"""Which networks can deadlock, and that the check sees every dependency."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import ALL, EXTRA_STAGE, MULTISTAGE, circle, connected_lists, pairs, senders_and_receivers, walk

from ringlet.rings import (
    check_deadlock,
    explicit_network,
    one_switch,
    ring_of_rings,
    torus_of_long_rings,
    torus_of_ringlets,
)
from ringlet.rings.reach import reach, reach_in_pairs
from ringlet.scenario import Scenario
from ringlet.theory.warnings import relevant_check


def verdicts(network, routes):
    return {check.buffers: check.free for check in check_deadlock(network, routes)}


@pytest.mark.parametrize("name", [name for name in (*MULTISTAGE, *EXTRA_STAGE) if "ringlets" in name])
def test_ringlet_networks_cannot_deadlock_as_requests_go_on_and_responses_back(name):
    assert all(verdicts(*ALL[name]()).values())


@pytest.mark.parametrize("name", [name for name in MULTISTAGE if "long rings" in name])
def test_long_ring_networks_need_separate_buffers_for_responses(name):
    assert verdicts(*ALL[name]()) == {"requests": True, "shared": False, "separate": True}


@pytest.mark.parametrize(
    "made",
    [
        torus_of_ringlets([3, 3], 1),
        torus_of_ringlets([2, 3, 2], 2),
        torus_of_long_rings([3, 3], 1),
        torus_of_long_rings([2, 3, 2], 2),
        ring_of_rings([2, 3, 2]),
        one_switch(8, 4, long_rings=True, uma=False),
    ],
)
def test_dimension_order_and_trees_need_separate_buffers_for_responses(made):
    assert verdicts(*made) == {"requests": True, "shared": False, "separate": True}


def test_one_ring_has_no_ports_to_wait_for():
    assert all(verdicts(*ALL["one ring"]()).values())


@pytest.mark.parametrize("rings", [5, 6, 9])
def test_rings_in_a_circle_deadlock_whatever_the_buffers(rings):
    assert not any(verdicts(*circle(rings)).values())


@pytest.mark.parametrize("rings", [4, 5, 9])
def test_up_down_routes_make_a_circle_safe(rings):
    assert verdicts(*circle(rings, search="up-down")) == {"requests": True, "shared": False, "separate": True}


def test_mixed_orders_of_dimensions_deadlock():
    """A torus as lists, in which parity decides whether a packet goes along its row or its column first."""
    k = 3
    switches = {f"n{node}": 3 for node in range(k * k)}
    rings = {f"own{node}": [node, f"n{node}.0"] for node in range(k * k)}
    rings |= {f"row{y}": [f"n{y * k + x}.1" for x in range(k)] for y in range(k)}
    rings |= {f"column{x}": [f"n{y * k + x}.2" for y in range(k)] for x in range(k)}
    assert not verdicts(*explicit_network(rings, switches, k * k))["requests"]
    assert verdicts(*explicit_network(rings, switches, k * k, search="up-down"))["requests"]


def test_a_cycle_is_a_circle_of_neighbours():
    requests, shared, _ = check_deadlock(*circle(5))
    assert len(requests.cycle) == 10
    assert len(set(requests.cycle)) == 10
    for buffer, following in zip(requests.cycle, [*requests.cycle[1:], requests.cycle[0]], strict=True):
        bridge, place = buffer.rsplit(" port ", 1)
        assert place.split()[1] in ("receive", "transmit")
        assert (bridge == following.rsplit(" port ", 1)[0]) == place.endswith("receive")
    assert shared.cycle


def dependencies(network, routes, ways):
    """Returns every wait of one port for another, from one way after the other."""
    crossed, carried, injected = set(), set(), set()
    for source, target in ways:
        ports = walk(network, routes, source, target)
        crossed |= set(zip(ports[::2], ports[1::2], strict=True))
        carried |= set(zip(ports[1::2], ports[2::2], strict=False))
        injected |= {(int(network.node_ring[source]), port) for port in ports[:1]}
    return crossed, carried, injected


def found(packets):
    return tuple(
        {tuple(pair) for pair in pairs.tolist()} for pairs in (packets.crossed, packets.carried, packets.injected)
    )


@pytest.mark.parametrize("name", ALL)
def test_the_dependencies_found_are_those_of_all_ways(name):
    network, routes = ALL[name]()
    packets = reach(network, routes, network.senders, network.receivers)
    assert packets.stranded is None
    assert found(packets) == dependencies(network, routes, senders_and_receivers(network))


@given(connected_lists())
@settings(max_examples=60, deadline=None)
def test_the_dependencies_found_are_those_of_all_ways_in_any_network(lists):
    members, switches, nodes = lists
    network, routes = explicit_network(members, switches, nodes)
    every = np.arange(nodes)
    assert found(reach(network, routes, every, every)) == dependencies(network, routes, pairs(network))
    assert not check_deadlock(*explicit_network(members, switches, nodes, search="up-down"))[0].cycle


@given(connected_lists(), st.data())
@settings(max_examples=60, deadline=None)
def test_the_dependencies_of_some_ways_are_those_of_no_others(lists, data):
    members, switches, nodes = lists
    network, routes = explicit_network(members, switches, nodes)
    some = data.draw(st.lists(st.sampled_from(list(pairs(network))), min_size=1, max_size=8, unique=True))
    senders, destinations = np.array(some).T
    # Routing is by ring and address: who is on the same ring goes the same way.
    expected = dependencies(network, routes, some)
    assert found(reach_in_pairs(network, routes, senders, destinations)) == expected


LONG_RINGS = {"topology": "omega", "size": 8, "connection": "long-ring"}


@pytest.mark.parametrize(
    ("traffic", "free"),
    [
        # Each processor asks its own memory, on its ring: no packet crosses a switch.
        ({"pattern": "local", "locality": 1}, True),
        ({"pattern": "local", "locality": 0.5}, False),
        ({}, False),
    ],
)
def test_only_the_traffic_that_there_is_can_deadlock(traffic, free):
    content = {"network": LONG_RINGS, "switch": {"pooled": True}, "traffic": {"transaction": "read64", **traffic}}
    scenario = Scenario.from_dict(content)
    assert relevant_check(scenario.resolved).free is free
    assert any("can deadlock" in line for line in scenario.warnings()) is not free
