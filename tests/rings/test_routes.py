"""Every pair of nodes is reached, by the ways that the topologies promise."""

import numpy as np
import pytest
from hypothesis import given, settings
from networks import ALL, EXTRA_STAGE, MULTISTAGE, OTHERS, circle, connected_lists, pairs, senders_and_receivers, walk

from ringlet import RingletError
from ringlet.rings import (
    Banyan,
    ChosenRoute,
    check_routes,
    explicit_network,
    lengths,
    long_ring_network,
    path,
    ringlet_network,
    torus_of_long_rings,
    torus_of_ringlets,
)
from ringlet.rings.trace import follow
from ringlet.scenario.network.multistage import KINDS


@pytest.mark.parametrize("name", ALL)
def test_every_node_is_reached_from_every_other(name):
    network, routes = ALL[name]()
    for source, target in pairs(network):
        walk(network, routes, source, target)
    check_routes(network, routes)


@pytest.mark.parametrize("name", ["omega 2^3 ringlets", "baseline 2^3 closed one to one", "torus 3 x 4, long rings"])
def test_following_all_at_once_counts_what_walking_one_by_one_does(name):
    network, routes = ALL[name]()
    every = pairs(network)
    ways = follow(network, routes, *np.array(every).T)
    for (source, target), crossings, hops in zip(every, ways.crossings, ways.hops, strict=True):
        ports = walk(network, routes, source, target)
        assert crossings == len(ports) // 2
        stops = [network.node_interface[source], *network.port_interface[ports], network.node_interface[target]]
        links = 0
        for start, end in zip(stops[::2], stops[1::2], strict=True):
            ring = network.interface_ring[start]
            assert network.interface_ring[end] == ring
            links += (end - start) % network.ring_lengths[ring]
        assert hops == links


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("radix", "stages"), [(2, 4), (4, 2), (3, 3)])
def test_on_long_rings_a_packet_crosses_a_switch_for_each_port_that_does_not_fit(kind, radix, stages):
    banyan = Banyan(kind, radix, stages)
    network, routes = long_ring_network(banyan)
    digits = banyan.stage_lines % radix
    for source, target in senders_and_receivers(network):
        differing = np.count_nonzero(digits[:, source] != digits[:, target - banyan.size])
        assert len(walk(network, routes, source, target)) == 2 * differing
    mean = lengths(network, routes, network.senders, network.receivers).mean_crossings
    assert mean == pytest.approx(stages * (radix - 1) / radix)


@pytest.mark.parametrize("kind", KINDS)
def test_on_ringlets_a_request_crosses_every_stage_and_its_response_the_same_switches_back(kind):
    network, routes = ringlet_network(Banyan(kind, 2, 4))
    for source, target in senders_and_receivers(network):
        there = walk(network, routes, source, target)
        assert len(there) == 2 * 4
        assert walk(network, routes, target, source) == there[::-1]


def test_torus_routes_correct_the_last_dimension_first():
    shape = (4, 3, 2)
    network, routes = torus_of_ringlets(list(shape), 1)
    for source, target in pairs(network):
        a, b = (np.unravel_index(node, shape[::-1])[::-1] for node in (source, target))
        corrected = [i for i in reversed(range(3)) if a[i] != b[i]]
        ports = np.array(walk(network, routes, source, target)) % 4
        assert ports.tolist() == [0, *(port for i in corrected for port in (i + 1, i + 1)), 0]


def test_an_8_x_8_torus_has_the_means_of_theory():
    network, routes = torus_of_ringlets([8, 8], 1)
    found = lengths(network, routes, network.senders, network.receivers)
    assert found.mean_crossings == pytest.approx(1 + 2 * 7 / 8 * 64 / 63)
    # Ring hops, and two on ringlets.
    assert found.mean_hops == pytest.approx(2 * 3.5 * 64 / 63 + 2)


def test_on_a_torus_of_long_rings_a_row_of_ones_own_is_left_at_the_column_of_the_destination():
    network, routes = torus_of_long_rings([4, 4], 1)
    for source, target in pairs(network):
        ports = walk(network, routes, source, target)
        if source // 4 == target // 4:
            assert ports == []
        else:
            column, row = target % 4, source // 4
            assert [port // 2 for port in ports] == [row * 4 + column] * 2 + [target] * 2


@given(connected_lists())
@settings(max_examples=60, deadline=None)
def test_searched_routes_are_the_shortest(lists):
    members, switches, nodes = lists
    network, routes = explicit_network(members, switches, nodes)
    far = np.full((network.rings, network.rings), np.inf)
    np.fill_diagonal(far, 0)
    joined = [(network.port_switch == switch).nonzero()[0] for switch in range(network.switches)]
    for _ in range(network.rings):
        for ports in joined:
            rings = network.port_ring[ports]
            far[rings] = np.minimum(far[rings], far[rings].min(axis=0) + 1)
    for source, target in pairs(network):
        ports = walk(network, routes, source, target)
        assert len(ports) // 2 == far[network.node_ring[source], network.node_ring[target]]


@given(connected_lists())
@settings(max_examples=60, deadline=None)
def test_up_down_routes_never_rise_again(lists):
    members, switches, nodes = lists
    network, routes = explicit_network(members, switches, nodes, search="up-down")
    check_routes(network, routes)
    level = levels(network, root=int(np.argmax(np.bincount(network.port_ring))))
    for source, target in pairs(network):
        heights = [level["ring", int(network.node_ring[source])]]
        ports = walk(network, routes, source, target)
        for into, out in zip(ports[::2], ports[1::2], strict=True):
            heights += [level["switch", int(network.port_switch[into])], level["ring", int(network.port_ring[out])]]
        lowest = heights.index(min(heights))
        assert heights[: lowest + 1] == sorted(heights[: lowest + 1], reverse=True)
        assert heights[lowest:] == sorted(heights[lowest:])


def levels(network, root):
    """Returns how far each ring and switch is from a ring."""
    level, reached = {("ring", root): 0}, [("ring", root)]
    for kind, number in reached:
        ends = (network.port_ring, network.port_switch) if kind == "ring" else (network.port_switch, network.port_ring)
        for other in ends[1][ends[0] == number].tolist():
            following = ("switch" if kind == "ring" else "ring", other)
            if following not in level:
                level[following] = level[kind, number] + 1
                reached.append(following)
    return level


def test_parallel_bridges_share_the_traffic():
    rings = {"a": [0, "s.0", "t.0"], "b": ["s.1", 1, "t.1", "u.0"], "c": ["u.1", 2]}
    network, routes = explicit_network(rings, {"s": 2, "t": 2, "u": 2}, 3)
    first, second = (walk(network, routes, 0, target)[0] for target in (1, 2))
    assert first != second


def test_a_chosen_route_counts_more_than_the_shortest():
    network, routes = circle(
        4,
        chosen=[
            ChosenRoute("r0", ["r1"], "b3.1"),
            ChosenRoute("b3", ["r1"], "b3.0"),
            ChosenRoute("r3", ["r1"], "b2.1"),
            ChosenRoute("b2", ["r1"], "b2.0"),
            ChosenRoute("r2", ["r1"], "b1.1"),
            ChosenRoute("b1", ["r1"], "b1.0"),
        ],
    )
    check_routes(network, routes)
    assert len(walk(network, routes, 0, 1)) == 2 * 3
    assert len(walk(network, routes, 1, 0)) == 2 * 1


def test_a_loop_is_named():
    network, routes = circle(3, chosen=[ChosenRoute("b0", ["r1"], "b0.0"), ChosenRoute("r0", ["r1"], "b0.0")])
    with pytest.raises(RingletError, match="from N0 to N1 loops through switch 'b0'"):
        check_routes(network, routes)
    with pytest.raises(RingletError, match="loops"):
        path(network, routes, 0, 1)


def test_a_path_names_what_is_on_it():
    network, routes = ringlet_network(Banyan("omega", 2, 2))
    names = path(network, routes, 0, 4)
    assert names[0] == "P0"
    assert names[-1] == "M0"
    assert "switch 0 (stage 0) port 0" in names


def test_a_sample_of_senders_stands_for_all_of_a_large_network():
    network, routes = torus_of_ringlets([16, 16], 8)
    found = lengths(network, routes, network.senders, network.receivers)
    assert found.pairs == 2048 * 2047
    assert found.followed < found.pairs
    assert sum(found.crossings) == found.followed
    pairs_elsewhere = 2 * 15 / 16 + 1 - 1 / 256
    assert found.mean_crossings == pytest.approx(pairs_elsewhere * 2048 / 2047, rel=1e-3)


def test_names_of_all_cases_differ():
    assert len(ALL) == len(OTHERS) + len(MULTISTAGE) + len(EXTRA_STAGE)
