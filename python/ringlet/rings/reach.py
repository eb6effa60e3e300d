"""The sets of addresses that pass each port, for all senders and destinations at once.

A set is a list of intervals; the sets are found by following all packets together, switch by switch, until nothing new
turns up. Routing being memoryless, what follows a port for an address does not depend on how the packet got there, so
the result is exact.
"""

from dataclasses import dataclass

import numpy as np

from ringlet.rings.network import IntArray, Network
from ringlet.rings.routes import HERE, NO_ROUTE, Routes, changes


@dataclass(frozen=True)
class Stranded:
    """A packet that finds no way on."""

    address: int
    ring: int | None
    """Ring that it is on, if on one."""
    switch: int | None
    """Switch that it is in, if in one."""


@dataclass(frozen=True, eq=False)
class Reach:
    """The use of ports if each node of one set sends to each node of another."""

    injected: IntArray
    """Pairs of a ring with senders and a port that takes packets of theirs off it; shape (pairs, 2)."""
    crossed: IntArray
    """Pairs of ports, into and out of a switch; shape (pairs, 2)."""
    carried: IntArray
    """Pairs of ports: out of a switch onto a ring, and off the ring; shape (pairs, 2)."""
    delivered: IntArray
    """Ports that put packets on the ring of their destinations; ascending."""
    local: IntArray
    """Rings on which a sender and a destination are both; ascending."""
    stranded: Stranded | None
    """A packet without a way on, if there is one."""


def reach(network: Network, routes: Routes, senders: IntArray, destinations: IntArray) -> Reach:
    """Follows packets from every sender to every destination.

    Args:
        network: the rings and switches.
        routes: the tables.
        senders: nodes.
        destinations: nodes.
    """
    addresses = np.unique(routes.address[destinations])
    sources = np.unique(network.node_ring[senders])
    breaks = np.flatnonzero(np.diff(addresses) > 1)
    firsts, ends = addresses[np.append(0, breaks + 1)], addresses[np.append(breaks, len(addresses) - 1)] + 1
    ring = np.repeat(sources, len(firsts))
    return _followed(network, routes, _Intervals(ring, np.tile(firsts, len(sources)), np.tile(ends, len(sources))))


def reach_in_pairs(network: Network, routes: Routes, senders: IntArray, destinations: IntArray) -> Reach:
    """Follows packets from each sender to its own destination.

    Args:
        network: the rings and switches.
        routes: the tables.
        senders: nodes, shape (pairs,).
        destinations: a node for each of them.
    """
    first = routes.address[destinations]
    return _followed(
        network,
        routes,
        _union(_Intervals(network.node_ring[senders], first, first + 1), routes.ring.addresses),
    )


def _followed(network: Network, routes: Routes, sent: "_Intervals") -> Reach:
    """Follows what nodes of rings send to addresses."""
    search = _Search(network, routes)
    search.begin(sent)
    while search.arrived.size and search.stranded is None:
        search.step()
    return search.result()


class _Search:
    """The search, one crossing of a switch at a time."""

    def __init__(self, network: Network, routes: Routes) -> None:
        self.network, self.routes = network, routes
        self.addresses = routes.ring.addresses
        self.arrived = _Intervals.empty()
        """Addresses that have newly come to a port from its ring."""
        self.seen = _Intervals.empty()
        self.stranded: Stranded | None = None
        nothing = np.zeros((0, 2), dtype=np.int64)
        self._injected, self._crossed, self._carried = [nothing], [nothing], [nothing]
        self._delivered, self._local = [nothing[:, 0]], nothing[:, 0]

    def begin(self, sent: "_Intervals") -> None:
        """Lets nodes of rings send packets with all addresses of the rings' intervals."""
        pieces, port = self._along(sent.table, sent)
        self._local = np.unique(pieces.table[port == HERE])
        taken = port >= 0
        self._injected.append(_pairs(pieces.table[taken], port[taken]))
        self._arrive(port[taken], pieces.first[taken], pieces.end[taken])

    def step(self) -> None:
        """Takes all that has newly arrived through its switch and along the next ring."""
        arrived = self.arrived
        switch = self.network.port_switch[arrived.table]
        origin, port, first, end = self.routes.switch.split(switch, arrived.first, arrived.end)
        self._crossed.append(_pairs(arrived.table[origin], port))
        if self._strands(port, first, switch=switch[origin]):
            return
        sent = _union(_Intervals(port, first, end), self.addresses)
        pieces, taker = self._along(self.network.port_ring[sent.table], sent)
        self._delivered.append(pieces.table[taker == HERE])
        taken = taker >= 0
        self._carried.append(_pairs(pieces.table[taken], taker[taken]))
        self._arrive(taker[taken], pieces.first[taken], pieces.end[taken])

    def result(self) -> Reach:
        return Reach(
            injected=_distinct(self._injected),
            crossed=_distinct(self._crossed),
            carried=_distinct(self._carried),
            delivered=np.unique(np.concatenate(self._delivered)),
            local=self._local,
            stranded=self.stranded,
        )

    def _along(self, ring: IntArray, sent: "_Intervals") -> tuple["_Intervals", IntArray]:
        """Cuts what is sent onto rings by who takes it off, and returns that, too."""
        origin, taker, first, end = self.routes.ring.split(ring, sent.first, sent.end)
        self._strands(taker, first, ring=ring[origin])
        return _Intervals(sent.table[origin], first, end), taker

    def _arrive(self, port: IntArray, first: IntArray, end: IntArray) -> None:
        arrived = _union(_Intervals(port, first, end), self.addresses)
        seen = _union(self.seen.joined(arrived), self.addresses)
        self.arrived = _Intervals.empty() if seen.same_as(self.seen) else arrived
        self.seen = seen

    def _strands(
        self, port: IntArray, first: IntArray, *, ring: IntArray | None = None, switch: IntArray | None = None
    ) -> bool:
        lost = np.flatnonzero(port == NO_ROUTE)
        if len(lost) and self.stranded is None:
            at = int(lost[0])
            self.stranded = Stranded(
                int(first[at]), None if ring is None else int(ring[at]), None if switch is None else int(switch[at])
            )
        return self.stranded is not None


@dataclass(frozen=True, eq=False)
class _Intervals:
    """Intervals of addresses, each belonging to a table, ring or port."""

    table: IntArray
    first: IntArray
    end: IntArray

    @classmethod
    def empty(cls) -> "_Intervals":
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, nothing)

    @property
    def size(self) -> int:
        return len(self.table)

    def joined(self, other: "_Intervals") -> "_Intervals":
        return _Intervals(
            np.concatenate([self.table, other.table]),
            np.concatenate([self.first, other.first]),
            np.concatenate([self.end, other.end]),
        )

    def same_as(self, other: "_Intervals") -> bool:
        return all(np.array_equal(getattr(self, key), getattr(other, key)) for key in ("table", "first", "end"))


def _union(intervals: _Intervals, addresses: int) -> _Intervals:
    """Returns the same sets with as few intervals as possible, in order."""
    if intervals.size == 0:
        return intervals
    # On one number line, with a gap between one table and the next.
    base = intervals.table * (addresses + 1)
    order = np.argsort(base + intervals.first, kind="stable")
    first, end = (base + intervals.first)[order], (base + intervals.end)[order]
    furthest = np.maximum.accumulate(end)
    opens = np.append(True, first[1:] > furthest[:-1])
    closes = np.append(opens[1:], True)
    table = first[opens] // (addresses + 1)
    return _Intervals(table, first[opens] - table * (addresses + 1), furthest[closes] - table * (addresses + 1))


def _pairs(left: IntArray, right: IntArray) -> IntArray:
    return np.stack([left, right], axis=1)


def _distinct(pairs: list[IntArray]) -> IntArray:
    every = np.concatenate(pairs)
    base = every.max(initial=0) + 1
    # Sorting is ten times as fast as the hash table that numpy would use.
    keys = np.sort(every[:, 0] * base + every[:, 1])
    keys = keys[changes(keys)]
    return _pairs(keys // base, keys % base)
