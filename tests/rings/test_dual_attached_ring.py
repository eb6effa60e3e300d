"""Dual-attached rings: what is on both rings, and which of them a packet takes."""

import numpy as np
import pytest

from ringlet.rings.survey import cost, ring_interfaces
from ringlet.rings.trace import follow
from ringlet.scenario.network.dual_attached_ring import DualAttachedRing


def every_pair(nodes):
    source, target = np.divmod(np.arange(nodes * nodes), nodes)
    return source[source != target], target[source != target]


@pytest.mark.parametrize("nodes", [2, 3, 8, 9])
@pytest.mark.parametrize("ways", ["shorter", "both"])
def test_a_packet_has_the_shorter_way_round(nodes, ways):
    network, routes = DualAttachedRing(nodes=nodes, ways=ways).built()
    source, target = every_pair(nodes)
    hops = follow(network, routes, source, target).hops
    assert hops.tolist() == np.minimum((target - source) % nodes, (source - target) % nodes).tolist()


def test_every_node_is_on_both_rings_in_opposite_directions():
    network, _ = DualAttachedRing(nodes=4).built()
    assert ring_interfaces(network) == [[0, 1, 2, 3], [3, 2, 1, 0]]
    assert (cost(network).adapters, cost(network).switches, cost(network).cables) == (8, 0, 8)
    assert network.second_interface.tolist() == [7, 6, 5, 4]
    assert network.interface_name(7) == "N0 on ring falling"


def test_half_of_the_way_round_even_nodes_send_one_way_and_odd_ones_the_other():
    network, _ = DualAttachedRing(nodes=8).built()
    assert network.ahead.tolist() == [4, 3] * 4
