"""Routes round rings that are interrupted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringlet import Scenario
from ringlet.rings import routes_without
from ringlet.rings.trace import legs

NETWORKS = {
    "dual ring": {"topology": "dual-ring", "nodes": 6},
    "torus of ringlets": {"topology": "torus", "shape": [3, 3]},
    "torus of long rings": {"topology": "torus", "shape": [3, 3], "connection": "long-ring"},
    "chordal ring": {"topology": "chordal-ring", "nodes": 8, "chord": 3},
    "omega of ringlets": {"topology": "omega", "size": 8},
    "omega of long rings": {"topology": "omega", "size": 8, "connection": "long-ring"},
    "ring of rings": {"topology": "ring-of-rings", "shape": [3, 3]},
    "parallel bridges": {
        "topology": "rings",
        "rings": [
            {"members": [0, 1, "a.0", "b.0"]},
            {"members": ["b.1", "a.1", 2, "c.1"]},
            {"members": [3, "c.0", "a.2"]},
        ],
        "switches": [{"name": "a", "ports": 3}, {"name": "b", "ports": 2}, {"name": "c", "ports": 2}],
    },
}


def routed(name):
    return Scenario.from_dict({"network": NETWORKS[name]}).routed_network


def ways(network, routes):
    """Returns for each pair of nodes the rings on its way, in order."""
    source, target = (one.ravel() for one in np.meshgrid(network.senders, network.receivers, indexing="ij"))
    other = source != target
    found = {pair: [] for pair in zip(source[other].tolist(), target[other].tolist(), strict=True)}
    pairs = list(found)
    for leg in legs(network, routes, source[other], target[other]):
        for packet, ring in zip(leg.packet.tolist(), network.interface_ring[leg.start].tolist(), strict=True):
            found[pairs[packet]].append(ring)
    return found


def connected(network, dead):
    """Returns for each ring the rings that can be reached from it over switches and rings that work."""
    reached = {ring: {ring} for ring in range(network.rings) if not dead[ring]}
    changed = True
    while changed:
        changed = False
        for switch in range(network.switches):
            first, end = network.switch_start[switch : switch + 2]
            beside = [ring for ring in network.port_ring[first:end].tolist() if ring in reached]
            union = set().union(*(reached[ring] for ring in beside)) if beside else set()
            for ring in union:
                if not union <= reached[ring]:
                    reached[ring] |= union
                    changed = True
    return reached


@pytest.mark.parametrize("name", NETWORKS)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_every_way_that_there_is_leads_round_what_is_interrupted(name, data):
    network, routes = routed(name)
    dead = np.array(data.draw(st.lists(st.booleans(), min_size=network.rings, max_size=network.rings)))
    before, reached = ways(network, routes), connected(network, dead)
    after = ways(network, routes_without(network, routes, dead))
    for (source, target), rings in after.items():
        first, last = network.node_ring[[source, target]].tolist()
        if last in reached.get(first, ()):
            assert not dead[rings].any()
        if not dead[before[source, target]].any():
            # What still leads to its destination stays as it is.
            assert rings == before[source, target]


@pytest.mark.parametrize("name", NETWORKS)
def test_without_an_interruption_routes_stay(name):
    network, routes = routed(name)
    same = routes_without(network, routes, np.zeros(network.rings, dtype=bool))
    assert ways(network, same) == ways(network, routes)
