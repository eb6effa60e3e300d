"""Ways through a network: from a node to a node, whether each ends there, and how long all of them are."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError
from ringlet.rings.network import IntArray, Network
from ringlet.rings.reach import reach
from ringlet.rings.routes import HERE, NO_ROUTE, Routes

CHUNK = 1 << 20
"""Ways that are followed at a time."""

MAX_PAIRS = 1 << 20
"""Pairs of nodes up to which every way is followed; beyond, those of some senders, evenly chosen."""


@dataclass(frozen=True)
class Lengths:
    """The lengths of routes, over pairs of a sender and a destination that is another node."""

    pairs: int
    """Number of pairs."""
    followed: int
    """Number of pairs that were followed: all, or those of some senders."""
    crossings: tuple[int, ...]
    """Numbers of followed pairs that have 0, 1, 2, ... switches (B-Link crossings) on their way."""
    mean_hops: float
    """Mean number of links."""
    max_hops: int
    """Largest number of links."""

    @property
    def mean_crossings(self) -> float:
        """Mean number of switches."""
        return float(np.average(np.arange(len(self.crossings)), weights=self.crossings)) if self.followed else 0.0

    @property
    def max_crossings(self) -> int:
        """Largest number of switches."""
        return max(len(self.crossings) - 1, 0)


@dataclass(frozen=True, eq=False)
class Ways:
    """The routes of many packets."""

    crossings: IntArray
    """Switches on each way."""
    hops: IntArray
    """Links on each way."""


def lengths(network: Network, routes: Routes, senders: IntArray, destinations: IntArray) -> Lengths:
    """Measures the ways from all senders to all destinations.

    Raises:
        RingletError: a route that loops or ends.
    """
    both = len(np.intersect1d(senders, destinations))
    pairs = len(senders) * len(destinations) - both
    chosen = senders
    if pairs > MAX_PAIRS:
        chosen = senders[np.linspace(0, len(senders) - 1, max(1, MAX_PAIRS // len(destinations))).astype(np.int64)]
    source, target = np.repeat(chosen, len(destinations)), np.tile(destinations, len(chosen))
    other = source != target
    ways = follow(network, routes, source[other], target[other])
    followed = len(ways.hops)
    return Lengths(
        pairs=pairs,
        followed=followed,
        crossings=tuple(np.bincount(ways.crossings).tolist()),
        mean_hops=float(ways.hops.mean()) if followed else 0.0,
        max_hops=int(ways.hops.max()) if followed else 0,
    )


@dataclass(frozen=True, eq=False)
class Leg:
    """One ring on the ways of many packets, for those that are still under way."""

    packet: IntArray
    """Places of the packets among those followed; shape (P,)."""
    start: IntArray
    """Interface that puts each on the ring."""
    end: IntArray
    """Interface that takes it off."""
    onward: IntArray
    """Places in this leg of those that go on through a switch; shape (Q,)."""
    switch: IntArray
    """The switch that each of these goes through."""


def legs(network: Network, routes: Routes, source: IntArray, target: IntArray) -> Iterator[Leg]:
    """Follows a packet from each source to its target, a node each, and yields ring after ring.

    Raises:
        RingletError: a route that loops or ends.
    """
    if network.second_interface is not None:
        yield from _on_two_rings(network, source, target)
        return
    address, place = routes.address[target], network.node_interface[source]
    under_way = np.arange(len(place))
    for _ in range(network.ports + 1):
        ring = network.interface_ring[place]
        port = routes.ring.look_up(ring, address[under_way])
        _refuse_lost(
            network, source[under_way], target[under_way], port == NO_ROUTE, "ends at", ring, network.names.ring
        )
        onward = np.flatnonzero(port != HERE)
        taken = network.node_interface[target[under_way]]
        taken[onward] = network.port_interface[port[onward]]
        switch = network.port_switch[port[onward]]
        yield Leg(under_way, place, taken, onward, switch)
        under_way = under_way[onward]
        if len(under_way) == 0:
            return
        out = routes.switch.look_up(switch, address[under_way])
        _refuse_lost(
            network, source[under_way], target[under_way], out == NO_ROUTE, "ends in", switch, network.names.switch
        )
        place = network.port_interface[out]
    looping = np.ones(len(under_way), dtype=bool)
    switch = network.port_switch[network.interface_port[place]]
    _refuse_lost(network, source[under_way], target[under_way], looping, "loops through", switch, network.names.switch)


def _on_two_rings(network: Network, source: IntArray, target: IntArray) -> Iterator[Leg]:
    """Yields each of two rings on which nodes have an interface, with the packets that take it, or their copies."""
    none = np.zeros(0, dtype=np.int64)
    for second, interfaces in enumerate((network.node_interface, network.second_interface)):
        assert interfaces is not None
        packets = np.arange(len(source))
        if network.ahead is not None:
            distance = (target - source) % network.nodes
            packets = np.flatnonzero((distance > network.ahead[source]) == bool(second))
        yield Leg(packets, interfaces[source[packets]], interfaces[target[packets]], none, none)


def crossing(
    network: Network, routes: Routes, rings: NDArray[np.bool_], source: IntArray, target: IntArray
) -> NDArray[np.bool_]:
    """Returns which packets, from each source to its target, a node each, are on one of some rings; shape (packets,).

    Args:
        network: rings, nodes and switches.
        routes: how packets are routed.
        rings: the rings; shape (rings,).
        source: where each packet begins.
        target: where it ends, another node.

    Raises:
        RingletError: a route that loops or ends.
    """
    on = np.zeros(len(source), dtype=bool)
    for leg in legs(network, routes, source, target):
        on[leg.packet[rings[network.interface_ring[leg.start]]]] = True
    return on


def follow(network: Network, routes: Routes, source: IntArray, target: IntArray) -> Ways:
    """Counts what a packet from each source to its target, a node each, meets; of two copies, the one that meets less.

    Raises:
        RingletError: a route that loops or ends.
    """
    hops, crossings = np.zeros_like(source), np.zeros_like(source)
    for leg in legs(network, routes, source, target):
        on_ring = (leg.end - leg.start) % network.ring_lengths[network.interface_ring[leg.start]]
        is_later_copy = network.sends_copies and bool((leg.start >= network.nodes).all())
        hops[leg.packet] = np.minimum(hops[leg.packet], on_ring) if is_later_copy else hops[leg.packet] + on_ring
        crossings[leg.packet[leg.onward]] += 1
    return Ways(crossings, hops)


def path(network: Network, routes: Routes, source: int, target: int) -> list[str]:
    """Returns the nodes, ports and switches on the way of a packet, by name.

    Raises:
        RingletError: a route that loops or ends.
    """
    follow(network, routes, np.array([source]), np.array([target]))
    names, ring = [network.node_name(source)], network.node_ring[[source]]
    while (port := routes.ring.look_up(ring, routes.address[[target]]))[0] != HERE:
        out = routes.switch.look_up(network.port_switch[port], routes.address[[target]])
        names += [network.names.ring(int(ring[0])), network.port_name(int(port[0])), network.port_name(int(out[0]))]
        ring = network.port_ring[out]
    return [*names, network.names.ring(int(ring[0])), network.node_name(target)]


def _refuse_lost(
    network: Network,
    source: IntArray,
    target: IntArray,
    lost: NDArray[np.bool_],
    how: str,
    place: IntArray,
    name: Callable[[int], str],
) -> None:
    if lost.any():
        first = int(np.flatnonzero(lost)[0])
        between = f"from {network.node_name(int(source[first]))} to {network.node_name(int(target[first]))}"
        raise RingletError(
            f"network: the route {between} {how} {name(int(place[first]))}; every route has to lead to its node"
        )


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
