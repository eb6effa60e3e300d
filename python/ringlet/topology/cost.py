"""The cost of a network: parts to count and to pay for."""

from dataclasses import dataclass

import numpy as np

from ringlet.topology.network import Network


@dataclass(frozen=True)
class Cost:
    """Counts of parts. The ports of switches dominate the price (richter1999, Section 6.7)."""

    switches: int
    """Switches, bridges and routers."""
    ports: int
    """Ports of all switches."""
    rings: int
    """Rings, ringlets among them."""
    ringlets: int
    """Rings of two interfaces."""
    cables: int
    """Links, each from an interface to the next one on its ring, in one direction."""
    adapters: int
    """Interfaces of nodes."""


def cost(network: Network) -> Cost:
    """Counts the parts of a network."""
    lengths = network.ring_lengths
    return Cost(
        switches=network.switches,
        ports=network.ports,
        rings=network.rings,
        ringlets=int(np.count_nonzero(lengths == 2)),
        cables=int(lengths[lengths > 1].sum()),
        adapters=network.nodes,
    )
