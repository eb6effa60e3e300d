"""What does not fit in a network's arrays is said in words, before anything is computed of it."""

from dataclasses import replace

import numpy as np
import pytest

from ringlet.rings import misfit, one_switch, torus_of_ringlets

MADE, ROUTES = one_switch(4, 4, long_rings=False, uma=False)


@pytest.mark.parametrize(
    ("built", "nodes"),
    [((MADE, ROUTES), 4), (one_switch(8, 4, long_rings=False, uma=False), 8), (torus_of_ringlets((3, 3), 1), 9)],
)
def test_networks_of_ringlet_fit(built, nodes):
    assert misfit(*built, nodes) is None


@pytest.mark.parametrize(
    ("network", "says"),
    [
        (one_switch(2, 2, long_rings=False, uma=False)[0], "roles of 2 nodes, not of 4"),
        (replace(MADE, node_names=("a",)), "names of 1 nodes, not of 4"),
        (replace(MADE, ring_start=MADE.ring_start[:-1]), "a ring_start that does not lead from 0 to 8"),
        (replace(MADE, switch_start=np.array([1, 4])), "a switch_start that does not ascend from 0 on"),
        (replace(MADE, interface_port=MADE.interface_port * 0 - 1), "an interface that is not that of one node or"),
        (replace(MADE, interface_node=MADE.interface_node[::-1]), "an interface that is not that of one node or"),
        (replace(MADE, interface_node=MADE.interface_node + 99), "an interface that is not that of one node or"),
        (replace(MADE, interface_node=np.minimum(MADE.interface_node, 0)), "nodes that have not one interface each"),
        (replace(MADE, interface_port=np.minimum(MADE.interface_port, 0)), "ports that have not one interface each"),
        (replace(MADE, roles=None), "arrays of other shapes or types (TypeError)"),
    ],
)
def test_a_network_that_does_not_fit_says_why(network, says):
    assert misfit(network, ROUTES, 4).startswith(says)


@pytest.mark.parametrize(
    ("routes", "says"),
    [
        (one_switch(8, 4, long_rings=False, uma=False)[1], "addresses of 8 nodes, not of 4"),
        (replace(ROUTES, ring=ROUTES.switch), "tables of 1 rings, not of 4"),
        (replace(ROUTES, switch=ROUTES.ring), "tables of 4 switches, not of 1"),
        (replace(ROUTES, ring=replace(ROUTES.ring, port=ROUTES.ring.port + 9)), "a table of rings with an interval or"),
        (replace(ROUTES, address=ROUTES.address + 9), "an address that no table has"),
    ],
)
def test_routes_that_do_not_fit_say_why(routes, says):
    assert misfit(MADE, routes, 4).startswith(says)
