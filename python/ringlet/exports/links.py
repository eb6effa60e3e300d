"""Topology of a scenario as links between interfaces, and switches that join them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ringlet.exports.nodes import Nodes
from ringlet.rings.network import NONE
from ringlet.scenario.resolved.scenario import Resolved


@dataclass(frozen=True, slots=True)
class Interface:
    """A place on a ring: that of a node, or a port of a switch; and the link that leaves it."""

    name: str
    switch: str
    """Name of the switch whose port it is; empty: it is that of a node."""
    following: int
    """Number of the interface to which its link leads."""
    ring: str
    link_rate_MBps: float  # noqa: N815 - the unit of results
    """Data rate of the link."""
    hop_delay_ns: float
    """Time from the output of this interface to the input of the following one, the cable included."""


def interfaces(resolved: Resolved) -> Sequence[Interface]:
    """Returns every interface, ring by ring, in the direction in which packets travel."""
    network, nodes = resolved.routed_network[0], Nodes.of(resolved)
    switches, rings = list(resolved.switches), list(resolved.rings)
    following = np.arange(network.interfaces) + 1
    following[network.ring_start[1:] - 1] = network.ring_start[:-1]
    symbol_ns = resolved.symbol_time_ns * resolved.interface_symbol_cycles
    rates = 1e3 * resolved.link_format.symbol_bytes / (resolved.symbol_time_ns * resolved.link_cycles)
    delays = resolved.hop_symbols * symbol_ns
    found = []
    for place in range(network.interfaces):
        node, port = int(network.interface_node[place]), int(network.interface_port[place])
        found.append(
            Interface(
                nodes.name(node) if port == NONE else network.port_name(port),
                "" if port == NONE else switches[network.port_switch[port]],
                int(following[place]),
                rings[network.interface_ring[place]],
                float(f"{rates[place]:.15g}"),
                float(f"{delays[place]:.15g}"),
            )
        )
    return found
