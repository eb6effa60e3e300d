"""Routing tables: short lists of intervals of addresses, a binary search each.

Each node has an *address*, mostly the number of its ring. Routing is memoryless: through which port a packet leaves a
ring depends on that ring and the destination's address only, and through which port it leaves a switch on the switch
and that address. Topologies choose addresses for which these tables are short, as address management does in an SCI
network (richter1999, Section 6.5).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ringlet.rings.network import IntArray, Network

Entries = tuple[IntArray, IntArray, IntArray]
"""Table, first address, and the port, for each entry; arrays that broadcast against each other."""

NO_ROUTE = -1
"""Instead of a port: packets for these addresses find no way on."""

HERE = -2
"""Instead of a port: nodes with these addresses are on this ring."""


@dataclass(frozen=True, eq=False)
class RoutingTables:
    """A table for each ring, or for each switch, from intervals of addresses to a port."""

    start: IntArray
    """First entry of each table and, at the end, how many entries there are; shape (tables + 1,)."""
    first_address: IntArray
    """First address of each entry's interval, which ends where the next one begins; each table's first is 0; shape
    (entries,)."""
    port: IntArray
    """Port that packets for these addresses take, `NO_ROUTE` or `HERE`; shape (entries,)."""
    addresses: int
    """Number of addresses; the last interval of each table ends here."""

    @classmethod
    def from_entries(
        cls, tables: int, table: IntArray, first_address: IntArray, port: IntArray, *, addresses: int
    ) -> "RoutingTables":
        """Makes the tables from their entries in any order; neighbours with one port become one.

        Of several entries of a table with the same first address the last one given counts. There is no route to the
        addresses before a table's first entry.
        """
        table = np.concatenate([np.arange(tables), table])
        first_address = np.concatenate([np.zeros(tables, dtype=np.int64), first_address])
        port = np.concatenate([np.full(tables, NO_ROUTE), port])
        order = np.lexsort((np.arange(len(table)), first_address, table))
        table, first_address, port = table[order], first_address[order], port[order]
        last = changes(table * (addresses + 1) + first_address, behind=True)
        table, first_address, port = table[last], first_address[last], port[last]
        kept = changes(table) | changes(port)
        table, first_address, port = table[kept], first_address[kept], port[kept]
        return cls(np.searchsorted(table, np.arange(tables + 1)), first_address, port, addresses)

    def overlaid(self, table: IntArray, address: IntArray, port: IntArray) -> "RoutingTables":
        """Returns the tables with another port for single addresses of a table each."""
        behind = address + 1 < self.addresses
        after = (table[behind], address[behind] + 1)
        return self.from_entries(
            len(self.start) - 1,
            np.concatenate([self.table, after[0], table]),
            np.concatenate([self.first_address, after[1], address]),
            np.concatenate([self.port, self.look_up(*after), port]),
            addresses=self.addresses,
        )

    @cached_property
    def table(self) -> IntArray:
        """Table of each entry; shape (entries,)."""
        return np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))

    @cached_property
    def end_address(self) -> IntArray:
        """Address behind each entry's interval; shape (entries,)."""
        ends = np.append(self.first_address[1:], self.addresses)
        ends[self.start[1:] - 1] = self.addresses
        return ends

    def look_up(self, table: IntArray, address: IntArray) -> IntArray:
        """Returns the port for each pair of a table and an address."""
        return self.port[self._entry(table, address)]

    def split(self, table: IntArray, first: IntArray, end: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Cuts intervals of addresses, each in its table, where the port changes.

        Returns:
            For each piece: the interval that it is of, its port, its first address, and the address behind its last
            one.
        """
        low, high = self._entry(table, first), self._entry(table, end - 1)
        counts = high - low + 1
        origin = np.repeat(np.arange(len(table)), counts)
        entry = low[origin] + np.arange(len(origin)) - np.repeat(np.cumsum(counts) - counts, counts)
        begin = np.maximum(self.first_address[entry], first[origin])
        behind = np.minimum(self.end_address[entry], end[origin])
        return origin, self.port[entry], begin, behind

    @cached_property
    def _keys(self) -> IntArray:
        return self.table * (self.addresses + 1) + self.first_address

    def _entry(self, table: IntArray, address: IntArray) -> IntArray:
        return np.searchsorted(self._keys, table * (self.addresses + 1) + address, side="right") - 1


@dataclass(frozen=True, eq=False)
class Routes:
    """Through which ports packets leave rings, and switches."""

    address: IntArray
    """Address of each node, below `ring.addresses`; nodes of one address are on one ring; shape (nodes,)."""
    ring: RoutingTables
    """Table of each ring: the port on it that takes packets for other rings off it."""
    switch: RoutingTables
    """Table of each switch: the port by which packets leave it."""

    @classmethod
    def from_entries(
        cls, network: Network, address: IntArray, addresses: int, ring: Sequence[Entries], switch: Sequence[Entries]
    ) -> "Routes":
        """Makes the tables of a network from their entries; which addresses are on a ring itself need not be given.

        Args:
            network: the rings and switches.
            address: of each node; shape (nodes,).
            addresses: how many there are.
            ring: triples of arrays: ring, first address, and the port for that address and those behind it.
            switch: the same for switches. Later entries count more than earlier ones.
        """
        rings = RoutingTables.from_entries(network.rings, *_joined(ring), addresses=addresses)
        here = distinct(network.node_ring * addresses + address)
        return cls(
            address,
            rings.overlaid(here // addresses, here % addresses, np.full(len(here), HERE)),
            RoutingTables.from_entries(network.switches, *_joined(switch), addresses=addresses),
        )


def nested(
    table: IntArray, address: IntArray, levels: Sequence[tuple[int, IntArray]], *, offset: IntArray
) -> list[Entries]:
    """Returns entries for tables around one address each: the nearer a destination is to it, the more special its port.

    Args:
        table: of each address.
        address: without the offset; shape (tables,).
        levels: width and port, the widest first, each width a multiple of the next: addresses that agree with the
            table's but for the remainder of the width take the port, unless they are in a narrower level; ports of
            shape (tables,).
        offset: added to all addresses.
    """
    entries: list[Entries] = []
    for depth, (width, port) in enumerate(levels):
        first = address - address % width
        entries.append((table, offset + first, port))
        if depth + 1 < len(levels):
            inner = levels[depth + 1][0]
            behind = address - address % inner + inner
            left = behind < first + width
            entries.append((table[left], (offset + behind)[left], port[left]))
    return entries


def _joined(entries: Sequence[Entries]) -> Entries:
    nothing = np.zeros(0, dtype=np.int64)
    columns = [(nothing, nothing, nothing), *(tuple(np.broadcast_arrays(*each)) for each in entries)]
    table, first_address, port = (np.concatenate([column[i].ravel() for column in columns]) for i in range(3))
    return table, first_address, port


def distinct(values: IntArray) -> IntArray:
    """Returns each value once, in order: numpy's `unique` loads masked arrays, at a tenth of numpy's own start."""
    ordered = np.sort(values)
    return ordered[changes(ordered)]


def changes(values: IntArray, *, behind: bool = False) -> NDArray[np.bool_]:
    """Returns where a value differs from the one before it (or behind it); the first (or last) always does."""
    if len(values) == 0:
        return np.zeros(0, dtype=bool)
    differs = values[1:] != values[:-1]
    return np.append(differs, True) if behind else np.append(True, differs)
