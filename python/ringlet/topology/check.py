"""Checks that all routes lead to their destinations."""

import numpy as np

from ringlet.errors import RingletError
from ringlet.topology.network import Network
from ringlet.topology.reach import reach
from ringlet.topology.routes import Routes
from ringlet.topology.trace import follow

CHUNK = 1 << 20
"""Ways that are followed at a time."""


def check_routes(network: Network, routes: Routes) -> None:
    """Follows the packets of every node to every other one.

    Raises:
        RingletError: a route that ends where it should not, or loops.
    """
    every = np.arange(network.nodes)
    lost = reach(network, routes, every, every).stranded
    if lost is not None:
        at = network.names.ring(lost.ring) if lost.ring is not None else network.names.switch(lost.switch or 0)
        target = network.node_name(int(np.flatnonzero(routes.address == lost.address)[0]))
        raise RingletError(f"network: a route to {target} ends at {at}; every node has to be reached from every other")
    # One packet from each ring to each address stands for all others; the first node of each will do.
    _, sources = np.unique(network.node_ring, return_index=True)
    _, targets = np.unique(routes.address, return_index=True)
    rows = max(1, CHUNK // len(targets))
    for first in range(0, len(sources), rows):
        some = sources[first : first + rows]
        follow(network, routes, np.repeat(some, len(targets)), np.tile(targets, len(some)))
