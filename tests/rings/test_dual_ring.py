"""Dual rings: which of the two a packet takes."""

import pytest
from networks import pairs, walk

from ringlet.scenario.network.dual_ring import DualRing


@pytest.mark.parametrize("nodes", [2, 3, 8, 9])
def test_a_packet_takes_the_ring_on_which_its_way_is_shorter(nodes):
    network, routes = DualRing(nodes=nodes).built()
    for source, target in pairs(network):
        off, out, into, last = walk(network, routes, source, target)
        assert (off % 3, last % 3) == (0, 0)
        rising, falling = (target - source) % nodes, (source - target) % nodes
        taken = rising if out % 3 == 1 else falling
        assert taken == min(rising, falling)
        assert network.port_switch[into] == target


def test_half_of_the_way_round_even_stations_send_one_way_and_odd_ones_the_other():
    network, routes = DualRing(nodes=8).built()
    assert [walk(network, routes, one, (one + 4) % 8)[1] % 3 for one in range(8)] == [1, 2] * 4


def test_uniform_traffic_loads_every_link_of_both_rings_alike():
    network, routes = DualRing(nodes=8).built()
    load = {}
    for source, target in pairs(network):
        out = walk(network, routes, source, target)[1] % 3
        step = 1 if out == 1 else -1
        station = source
        while station != target:
            load[out, station] = load.get((out, station), 0) + 1
            station = (station + step) % 8
    assert len(load) == 16
    # Each of the eight links of a ring carries the same but for the ways of half a round.
    assert max(load.values()) - min(load.values()) <= 1
