"""Networks to test, and a plain way through them."""

import numpy as np
from hypothesis import strategies as st

from ringlet.rings import (
    Banyan,
    explicit_network,
    long_ring_network,
    one_ring,
    one_switch,
    ring_of_rings,
    ringlet_network,
    torus_of_long_rings,
    torus_of_ringlets,
)
from ringlet.rings.routes import HERE
from ringlet.scenario.network.chordal_ring import ChordalRing
from ringlet.scenario.network.dual_ring import DualRing
from ringlet.scenario.network.multistage import KINDS

SIZES = ((2, 1), (2, 3), (2, 4), (3, 2), (4, 2), (5, 1))
"""Radix and stages."""

OTHERS = {
    "one ring": lambda: one_ring(5),
    "a node alone": lambda: one_ring(1),
    "UMA, ringlets": lambda: one_switch(6, 6, long_rings=False, uma=True),
    "UMA, long rings": lambda: one_switch(16, 4, long_rings=True, uma=True),
    "NUMA, ringlets": lambda: one_switch(4, 4, long_rings=False, uma=False),
    "NUMA, long rings": lambda: one_switch(9, 3, long_rings=True, uma=False),
    "torus 5": lambda: torus_of_ringlets([5], 1),
    "torus 4 x 3, ringlets": lambda: torus_of_ringlets([4, 3], 2),
    "torus 2 x 3 x 4, ringlets": lambda: torus_of_ringlets([2, 3, 4], 1),
    "torus 3 x 4, long rings": lambda: torus_of_long_rings([3, 4], 2),
    "torus 3 x 2 x 2, long rings": lambda: torus_of_long_rings([3, 2, 2], 1),
    "chordal ring 6, 3": lambda: ChordalRing(nodes=6, chord=3).built(),
    "chordal ring 14, 5": lambda: ChordalRing(nodes=14, chord=5).built(),
    "dual ring 2": lambda: DualRing(nodes=2).built(),
    "dual ring 7": lambda: DualRing(nodes=7).built(),
    "dual ring 16": lambda: DualRing(nodes=16).built(),
    "ring of rings 2 x 3": lambda: ring_of_rings([2, 3]),
    "ring of rings 3 x 2 x 4": lambda: ring_of_rings([3, 2, 4]),
}

MULTISTAGE = {
    f"{kind} {radix}^{stages} {how}": (lambda k=kind, r=radix, n=stages, make=make: make(Banyan(k, r, n)))
    for kind in KINDS
    for radix, stages in SIZES
    for how, make in {
        "ringlets": ringlet_network,
        "long rings": long_ring_network,
        "closed one to one": lambda banyan: long_ring_network(banyan, one_to_one=True),
    }.items()
}

EXTRA_STAGE = {
    f"{kind} {radix}^{digits} ringlets, extra stage": (
        lambda k=kind, r=radix, n=digits: ringlet_network(Banyan(k, r, n + 1, extra_stage=True))
    )
    for kind in KINDS
    for radix, digits in SIZES
}

ALL = {**OTHERS, **MULTISTAGE, **EXTRA_STAGE}


def walk(network, routes, source, target):
    """Returns the ports that a packet meets, alternately off a ring and onto one; one lookup after the other."""
    address = routes.address[[target]]
    ring, ports = network.node_ring[[source]], []
    while (port := int(routes.ring.look_up(ring, address)[0])) != HERE:
        assert network.port_ring[port] == ring[0], "a packet leaves a ring at a port that is on it"
        switch = network.port_switch[[port]]
        out = int(routes.switch.look_up(switch, address)[0])
        assert network.port_switch[out] == switch[0], "a packet leaves a switch at one of its ports"
        ports += [port, out]
        assert len(ports) <= 2 * network.ports, "no route loops"
        ring = network.port_ring[[out]]
    assert ring[0] == network.node_ring[target], "a packet is delivered on the ring of its target"
    return ports


def circle(rings, nodes_each=1, **keywords):
    """Returns rings in a circle, each joined to the next by a bridge."""
    bridges = {f"b{ring}": 2 for ring in range(rings)}
    members = {
        f"r{ring}": [
            *range(ring * nodes_each, (ring + 1) * nodes_each),
            f"b{ring}.0",
            f"b{(ring - 1) % rings}.1",
        ]
        for ring in range(rings)
    }
    return explicit_network(members, bridges, rings * nodes_each, **keywords)


@st.composite
def connected_lists(draw):
    """Draws rings and switches that are joined, with a node on every ring."""
    rings = draw(st.integers(2, 6))
    members = {f"r{ring}": [ring] for ring in range(rings)}
    switches: dict[str, int] = {}

    def join(*joined):
        name = f"s{len(switches)}"
        switches[name] = len(joined)
        for port, ring in enumerate(joined):
            members[f"r{ring}"].append(f"{name}.{port}")

    for ring in range(1, rings):
        join(draw(st.integers(0, ring - 1)), ring)
    for _ in range(draw(st.integers(0, 3))):
        some = draw(st.lists(st.integers(0, rings - 1), min_size=2, max_size=4, unique=True))
        join(*some)
    return {ring: draw(st.permutations(there)) for ring, there in members.items()}, switches, rings


def senders_and_receivers(network):
    return [(int(a), int(b)) for a in network.senders for b in network.receivers if a != b]


def pairs(network):
    return [(a, b) for a in range(network.nodes) for b in range(network.nodes) if a != b]


def random_pairs(network, count, seed=1):
    rng = np.random.default_rng(seed)
    return [(int(a), int(b)) for a, b in rng.integers(0, network.nodes, (count, 2)) if a != b]
