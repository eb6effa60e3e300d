"""Routes round rings that are interrupted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringlet import RingletError, Scenario, guarantee, run
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


MESSAGES = [
    {"source": 0, "destination": 2, "size": 256, "period": "10 us", "offset": "1 us"},
    {"source": 3, "destination": 1, "size": 64, "period": "5 us", "offset": "1 us"},
    {"source": 2, "destination": 1, "size": 64, "period": "5 us", "offset": "1 us"},
]


def of_messages(network, **sections):
    return Scenario.from_dict({"network": network, "messages": MESSAGES, "run": {"duration": "40 us"}, **sections})


def test_a_network_without_a_ring_is_the_one_behind_the_failure_of_its_link():
    failed = of_messages(NETWORKS["dual ring"], errors={"links": [{"source": "0.1", "fails_at": 0}], "steers_after": 0})
    without = of_messages({**NETWORKS["dual ring"], "without_rings": ["ring rising"]})
    assert run(without).messages.equals(run(failed).messages)
    assert run(without).messages["missed"].sum() == 0
    whole = of_messages(NETWORKS["dual ring"])
    assert not run(without).messages.equals(run(whole).messages)


def test_responses_of_a_network_without_a_ring_are_within_their_bounds():
    without = of_messages({**NETWORKS["dual ring"], "without_rings": ["ring falling"]})
    bounds = guarantee(without)["bound_us"]
    assert bounds.notna().all()
    assert (run(without).messages["worst_response_ns"] <= 1e3 * bounds).all()


@pytest.mark.parametrize(
    ("without", "said"),
    [
        (["ring rising", "ring falling"], "there is none from N0 to N2"),
        (["ring 1"], "there is none from N3 to N1"),
        (["ring sideways"], r"network.without_rings\[0\]: 'ring sideways' is not allowed; the name of a ring"),
        (["ring rising", "ring rising"], r"network.without_rings\[1\]: 'ring rising' is not allowed; .* each once"),
        ([], "at least 1"),
    ],
)
def test_rings_that_packets_need_or_that_are_none_are_refused(without, said):
    with pytest.raises(RingletError, match=said):
        of_messages({**NETWORKS["dual ring"], "without_rings": without})


def test_responses_need_a_way_back_without_the_rings():
    # Node 2 is behind bridge c; the only way back from node 3 leads over the middle ring.
    with pytest.raises(RingletError, match="there is none from"):
        Scenario.from_dict(
            {
                "network": {**NETWORKS["parallel bridges"], "without_rings": ["r1"]},
                "message_transaction": "read64",
                "messages": [{"source": 0, "destination": 2, "size": 64, "period": "10 us"}],
            }
        )


def test_rings_are_not_left_out_where_parts_fail():
    with pytest.raises(RingletError, match=r"network.without_rings: .* none beside parts that fail"):
        of_messages(
            {**NETWORKS["dual ring"], "without_rings": ["ring rising"]},
            errors={"links": [{"source": 0, "fails_at": 5}]},
        )


def test_the_only_ring_is_none_to_do_without():
    """Without a switch there is no port to look for a way through."""
    network = {"topology": "rings", "rings": [{"name": "r0", "members": [0, 1, 2]}], "without_rings": ["r0"]}
    with pytest.raises(RingletError, match="rings without which every packet has a way; there is none from N"):
        run({"network": network, "traffic": {"load": "10 MB/s"}})
