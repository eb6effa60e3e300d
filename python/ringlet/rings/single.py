"""One ring, and one switch whose ports are on a ring each (richter1999, Figures 6.15 to 6.17)."""

import numpy as np
from numpy.typing import NDArray

from ringlet.rings.network import IntArray, Names, Network, Role, at_port, processors_and_memories
from ringlet.rings.routes import Entries, Routes


def one_ring(nodes: int) -> tuple[Network, Routes]:
    """Returns a single ring without any switch."""
    return _routed(np.arange(nodes).reshape(1, -1), _computers(nodes), ports=0)


def one_switch(nodes: int, ports: int, *, long_rings: bool, uma: bool) -> tuple[Network, Routes]:
    """Returns a switch and as many rings as it has ports, with equally many nodes on each.

    Args:
        nodes: a multiple of the ports, with `uma` and long rings of twice the ports.
        ports: of the switch.
        long_rings: with `uma` a ring leads from processors through the port to as many memories and back (Figures
            6.16 b and 6.17). Otherwise each node has its ringlet, with `uma` the processors at the first half of the
            ports (Figures 6.15 and 6.16 a).
        uma: half of the nodes are processors and half memories, the latter behind the former; otherwise every node
            computes and has memory.
    """
    port, numbers = at_port(np.arange(ports))[:, None], np.arange(nodes)
    roles = processors_and_memories(nodes // 2) if uma else _computers(nodes)
    if uma and long_rings:
        processors = numbers[: nodes // 2].reshape(ports, -1)
        return _routed(np.concatenate([processors, port, nodes // 2 + processors], axis=1), roles, ports)
    return _routed(np.concatenate([port, numbers.reshape(ports, -1)], axis=1), roles, ports)


def _computers(nodes: int) -> NDArray[np.int8]:
    return np.full(nodes, Role.COMPUTER, dtype=np.int8)


def _routed(block: IntArray, roles: NDArray[np.int8], ports: int) -> tuple[Network, Routes]:
    switches = min(ports, 1)
    names = Names(switch=lambda _: "the switch")
    network = Network.from_blocks([block], switch_start=np.arange(switches + 1) * ports, roles=roles, names=names)
    rings = np.arange(len(block))
    leaving, across = list[Entries](), list[Entries]()
    if switches:
        leaving.append((rings, rings * 0, rings))
        across.append((rings * 0, rings, rings))
    return network, Routes.from_entries(network, network.node_ring, len(block), leaving, across)
