"""Routes round rings that are interrupted: what still leads to its destination stays as it is."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ringlet.rings.network import IntArray, Network
from ringlet.rings.routes import HERE, Routes, RoutingTables
from ringlet.rings.shortest import nearest, table_entries

CHUNK = 64
"""Addresses at a time."""

NOWHERE = -1
"""Instead of a vertex: the way ends."""


def routes_without(network: Network, routes: Routes, interrupted: NDArray[np.bool_]) -> Routes:
    """Returns routes that lead round some rings, where there is a way.

    Rings and switches whose ways lead round them keep their ways; others take the fewest switches to one of those.
    What has no way left keeps its old one. There are no loops: along a new way the distance to the destination falls.

    Args:
        network: rings, nodes and switches.
        routes: those while all rings work.
        interrupted: the rings that carry nothing; shape (rings,).
    """
    addresses = routes.ring.addresses
    ring_of = np.full(addresses, NOWHERE)
    ring_of[routes.address] = network.node_ring
    leaving = _in_full(routes.ring, network.rings)
    across = _in_full(routes.switch, network.switches)
    for some in _chunks(np.flatnonzero(ring_of != NOWHERE)):
        _reroute(network, interrupted, ring_of[some], some, leaving, across)
    return Routes(
        routes.address,
        RoutingTables.from_entries(network.rings, *table_entries(leaving), addresses=addresses),
        RoutingTables.from_entries(network.switches, *table_entries(across), addresses=addresses),
    )


def routes_on_chain(network: Network, routes: Routes, rings: tuple[int, int], broken: set[int]) -> Routes:
    """Returns routes of two counter-rotating rings that are joined where they are broken: none leads over a break.

    Stations between which all ways do keep theirs.

    Args:
        network: rings, nodes and switches: at each station a switch with a port on both rings, and the node of the
            ring of the same number as the station.
        routes: those where nothing is broken.
        rings: in the direction of rising numbers of stations, and in the other one.
        broken: the stations before the links that are broken, in the direction of rising numbers.
    """
    stations = int(network.ring_lengths[rings[0]])
    rising = network.interface_port[network.ring_start[rings[0]] + np.arange(stations)]
    falling = network.interface_port[network.ring_start[rings[1]] + np.arange(stations)[::-1]]
    own, to = np.indices((stations, stations))
    breaks = np.cumsum([0, *(station % stations in broken for station in range(2 * stations))])
    rises = breaks[own + (to - own) % stations] == breaks[own]
    falls = breaks[to + (own - to) % stations] == breaks[to]
    across = _in_full(routes.switch, network.switches)
    found = np.where(rises & ~falls, rising[own], np.where(falls & ~rises, falling[own], across))
    across = np.where(own == to, across, found)
    tables = RoutingTables.from_entries(network.switches, *table_entries(across), addresses=routes.switch.addresses)
    return Routes(routes.address, routes.ring, tables)


def _in_full(tables: RoutingTables, count: int) -> IntArray:
    """Returns the port of each table for each address; shape (tables, addresses)."""
    table, address = np.indices((count, tables.addresses))
    return tables.look_up(table.ravel(), address.ravel()).reshape(count, tables.addresses)


def _chunks(addresses: IntArray) -> Iterator[IntArray]:
    for first in range(0, len(addresses), CHUNK):
        yield addresses[first : first + CHUNK]


def _reroute(
    network: Network,
    interrupted: NDArray[np.bool_],
    ends: IntArray,
    some: IntArray,
    leaving: IntArray,
    across: IntArray,
) -> None:
    """Changes the ports of all rings and switches for some addresses, which are on the rings `ends`."""
    rings, row = network.rings, np.arange(len(some))
    # Behind the rings come the switches; behind these stands what has no way.
    port_switch, port_ring = np.append(rings + network.port_switch, NOWHERE), np.append(network.port_ring, NOWHERE)
    old_leaving, old_across = leaving[:, some].T, across[:, some].T
    onward = np.concatenate(
        [
            port_switch[np.maximum(old_leaving, NOWHERE)],
            port_ring[np.maximum(old_across, NOWHERE)],
        ],
        axis=1,
    )
    works = np.append(~interrupted, np.ones(network.switches, dtype=bool))
    far = np.full((len(some), rings + network.switches + 1), np.inf)
    far[row, ends] = np.where(works[ends], 0.0, np.inf)
    # As far as the old ways lead.
    while True:
        behind = np.where(works, far[row[:, None], onward] + 1, np.inf)
        closer = behind < far[:, :-1]
        if not closer.any():
            break
        far[:, :-1][closer] = behind[closer]
    kept = np.isfinite(far[:, :-1])
    # And from there as far as there are ways at all.
    while True:
        before = far.copy()
        np.minimum.at(far.T, network.port_ring, (before[:, rings + network.port_switch] + 1).T)
        np.minimum.at(far.T, rings + network.port_switch, (before[:, network.port_ring] + 1).T)
        far[:, :-1][:, ~works] = np.inf
        far[:, :-1][kept] = before[:, :-1][kept]
        if np.array_equal(far, before):
            break
    changed = np.isfinite(far[:, :-1]) & ~kept
    by_ring = nearest(far[:, rings + network.port_switch], network.port_ring, rings, some)
    by_switch = nearest(far[:, network.port_ring], network.port_switch, network.switches, some)
    at_ring = changed[:, :rings] & (old_leaving != HERE)
    leaving[:, some] = np.where(at_ring, by_ring, old_leaving).T
    across[:, some] = np.where(changed[:, rings:], by_switch, old_across).T
