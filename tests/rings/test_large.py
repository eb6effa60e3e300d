"""65,536 nodes: tables stay small, and are made at once."""

import pytest
from networks import random_pairs, walk

from ringlet.rings import (
    Banyan,
    check_deadlock,
    cost,
    long_ring_network,
    ringlet_network,
    torus_of_long_rings,
    torus_of_ringlets,
)

LARGE = {
    "4,096 rings of 16 in a torus": (lambda: torus_of_ringlets([64, 64], 16), 41_000),
    "a 16-ary 4-cube of long rings": (lambda: torus_of_long_rings([16] * 4, 1), 910_000),
    "Omega of ringlets": (lambda: ringlet_network(Banyan("omega", 2, 15)), 4_600_000),
    "Omega of long rings": (lambda: long_ring_network(Banyan("omega", 2, 15)), 1_250_000),
}


@pytest.mark.parametrize("name", LARGE)
def test_tables_are_short_and_lead_to_every_node(name):
    make, most_entries = LARGE[name]
    network, routes = make()
    assert cost(network).adapters == 65_536
    assert len(routes.ring.port) + len(routes.switch.port) <= most_entries
    for source, target in random_pairs(network, 200):
        walk(network, routes, source, target)


def test_deadlock_of_a_large_torus_is_checked_on_all_its_ways():
    checks = check_deadlock(*torus_of_ringlets([64, 64], 16))
    assert [check.free for check in checks] == [True, False, True]
