"""A network of rings: the nodes and ports of each ring, in order, and the switches that join the rings.

Everything is held in flat integer arrays, so that 65,536 nodes are a few megabytes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]

MAX_DRAWN = 4096
"""Interfaces up to which a network is drawn: a larger drawing cannot be read."""

NONE = -1
"""No node, or no port, at an interface."""


class Role(IntEnum):
    """The role of a node (richter1999, Section 6.6)."""

    PROCESSOR = 0
    """Sends requests and takes responses."""
    MEMORY = 1
    """Takes requests and sends responses."""
    COMPUTER = 2
    """Processor and memory: a computing node with a memory of its own."""


@dataclass(frozen=True)
class Names:
    """The names of rings, switches and nodes in tables and messages."""

    ring: Callable[[int], str] = "ring {}".format
    switch: Callable[[int], str] = "switch {}".format


@dataclass(frozen=True, eq=False)
class Network:
    """Rings, nodes, and switches with their ports.

    An *interface* is a place on a ring; it belongs to a node or to a switch port. Interfaces are numbered ring by ring,
    in the direction in which packets travel. A node has one interface, or all nodes have two: one on each of two rings.
    Ports are numbered switch by switch.
    """

    ring_start: IntArray
    """First interface of each ring and, at the end, how many interfaces there are; shape (rings + 1,)."""
    interface_node: IntArray
    """Node at each interface, or `NONE`; shape (interfaces,)."""
    interface_port: IntArray
    """Port at each interface, or `NONE`; shape (interfaces,)."""
    switch_start: IntArray
    """First port of each switch and, at the end, how many ports there are; shape (switches + 1,)."""
    roles: NDArray[np.int8]
    """`Role` of each node; shape (nodes,)."""
    names: Names = field(default_factory=Names)
    node_names: tuple[str, ...] = ()
    """Names of nodes that are not called by their roles; empty: all are."""
    ahead: IntArray | None = None
    """Number of nodes behind each, in the order of their numbers, to which it sends on the first ring, where nodes have
    two interfaces, and to the others on the second one; None: a copy of each packet takes each ring; shape (nodes,)."""

    @classmethod
    def from_blocks(
        cls,
        blocks: Sequence[IntArray],
        *,
        switch_start: IntArray,
        roles: NDArray[np.int8],
        names: Names | None = None,
        ahead: IntArray | None = None,
    ) -> "Network":
        """Makes a network from blocks of rings with equally many interfaces each.

        Args:
            blocks: shape (rings, interfaces) each: a node, or `at_port` of a port.
            switch_start: first port of each switch and the number of ports.
            roles: of each node.
            names: what rings and switches are called.
            ahead: of nodes with two interfaces, which destinations are on the first ring.
        """
        lengths = np.concatenate([np.full(len(block), block.shape[1]) for block in blocks])
        places = np.concatenate([block.ravel() for block in blocks])
        return cls(
            ring_start=np.concatenate([[0], np.cumsum(lengths)]),
            interface_node=np.where(places >= 0, places, NONE),
            interface_port=np.where(places < 0, at_port(places), NONE),
            switch_start=switch_start,
            roles=roles,
            names=names or Names(),
            ahead=ahead,
        )

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.roles)

    @property
    def rings(self) -> int:
        """Number of rings."""
        return len(self.ring_start) - 1

    @property
    def switches(self) -> int:
        """Number of switches."""
        return len(self.switch_start) - 1

    @property
    def ports(self) -> int:
        """Number of ports of all switches."""
        return int(self.switch_start[-1])

    @property
    def interfaces(self) -> int:
        """Number of interfaces of all rings, which is also the number of their links."""
        return len(self.interface_node)

    @cached_property
    def ring_lengths(self) -> IntArray:
        """Interfaces of each ring; shape (rings,)."""
        return np.diff(self.ring_start)

    @cached_property
    def interface_ring(self) -> IntArray:
        """Ring of each interface; shape (interfaces,)."""
        return np.repeat(np.arange(self.rings), self.ring_lengths)

    @cached_property
    def node_interface(self) -> IntArray:
        """Interface of each node, the first of two; shape (nodes,)."""
        return _inverse(self.interface_node, self.nodes)

    @cached_property
    def second_interface(self) -> IntArray | None:
        """Second interface of each node, if nodes have two; shape (nodes,)."""
        if np.count_nonzero(self.interface_node != NONE) == self.nodes:
            return None
        seconds = self.interface_node.copy()
        seconds[self.node_interface] = NONE
        return _inverse(seconds, self.nodes)

    @property
    def sends_copies(self) -> bool:
        """True if a copy of each packet takes each of two rings."""
        return self.second_interface is not None and self.ahead is None

    @cached_property
    def node_ring(self) -> IntArray:
        """Ring of each node; shape (nodes,)."""
        return self.interface_ring[self.node_interface]

    @cached_property
    def port_interface(self) -> IntArray:
        """Interface of each port; shape (ports,)."""
        return _inverse(self.interface_port, self.ports)

    @cached_property
    def port_ring(self) -> IntArray:
        """Ring of each port; shape (ports,)."""
        return self.interface_ring[self.port_interface]

    @cached_property
    def port_switch(self) -> IntArray:
        """Switch of each port; shape (ports,)."""
        return np.repeat(np.arange(self.switches), np.diff(self.switch_start))

    @cached_property
    def senders(self) -> IntArray:
        """Nodes that send requests, ascending."""
        return np.flatnonzero(self.roles != Role.MEMORY)

    @cached_property
    def receivers(self) -> IntArray:
        """Nodes that take requests, ascending."""
        return np.flatnonzero(self.roles != Role.PROCESSOR)

    @cached_property
    def _place_in_role(self) -> IntArray:
        places = np.zeros(self.nodes, dtype=np.int64)
        for role in Role:
            nodes = np.flatnonzero(self.roles == role)
            places[nodes] = np.arange(len(nodes))
        return places

    def node_name(self, node: int) -> str:
        """Returns what a node is called.

        Without a name of its own, `P3` the fourth processor, `M0` the first memory, `N7` computing node 7.
        """
        if self.node_names:
            return self.node_names[node]
        letter = {Role.PROCESSOR: "P", Role.MEMORY: "M", Role.COMPUTER: "N"}[Role(int(self.roles[node]))]
        return f"{letter}{self._place_in_role[node]}"

    def port_name(self, port: int) -> str:
        """Returns what a port is called: its switch and its number there."""
        switch = int(self.port_switch[port])
        return f"{self.names.switch(switch)} port {port - int(self.switch_start[switch])}"

    def interface_name(self, interface: int) -> str:
        """Returns the name of the node or port at an interface."""
        node, port = int(self.interface_node[interface]), int(self.interface_port[interface])
        if self.second_interface is not None:
            return f"{self.node_name(node)} on {self.names.ring(int(self.interface_ring[interface]))}"
        return self.port_name(port) if node == NONE else self.node_name(node)


def processors_and_memories(pairs: int) -> NDArray[np.int8]:
    """Returns the roles of so many processors and, behind them, as many memories."""
    return np.repeat(np.array([Role.PROCESSOR, Role.MEMORY], dtype=np.int8), pairs)


def at_port(port: IntArray) -> IntArray:
    """Returns what stands for ports where nodes stand for themselves, and back: -1 - port."""
    return -1 - port


def _inverse(numbers: IntArray, count: int) -> IntArray:
    """Returns where each of `count` numbers stands first."""
    places = np.full(count, NONE, dtype=np.int64)
    there = np.flatnonzero(numbers != NONE)[::-1]
    places[numbers[there]] = there
    return places
