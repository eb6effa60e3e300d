"""Routes for networks of any shape, found by searching: the fewest switches, or up*/down*.

Of several equally short ways a destination's number decides, so that parallel switches share the traffic.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.rings.network import IntArray, Network
from ringlet.rings.routes import NO_ROUTE, Routes

if TYPE_CHECKING:
    from scipy import sparse
    from scipy.sparse import csgraph
else:
    csgraph = library("scipy.sparse.csgraph")
    sparse = library("scipy.sparse")

Search = Literal["shortest", "up-down"]

MAX_SEARCHED_RINGS = 2048
"""Rings up to which routes are searched: time and memory grow with their square, to some 10 s."""

CHUNK = 64
"""Destinations at a time."""


def shortest_routes(network: Network, search: Search = "shortest") -> Routes:
    """Returns routes over the fewest switches, or the fewest among those that first lead up and then down a tree.

    `up-down` cannot deadlock, whatever the network: every ring and switch has a level, its distance from the ring with
    most ports, and no packet goes up (towards that ring) once it has gone down. Addresses are ring numbers.

    Raises:
        RingletError: more than `MAX_SEARCHED_RINGS` rings.
    """
    rings = network.rings
    if rings > MAX_SEARCHED_RINGS:
        allowed = f"at most {MAX_SEARCHED_RINGS} rings where routes have to be searched"
        raise RingletError.not_allowed("network", f"<{rings} rings>", allowed)
    destinations = np.unique(network.node_ring)
    leaving = np.full((rings, rings), NO_ROUTE, dtype=np.int64)
    across = np.full((network.switches, rings), NO_ROUTE, dtype=np.int64)
    if network.ports:
        distances = _up_down if search == "up-down" else _shortest
        for some, to_switch, to_ring in distances(network, destinations):
            leaving[:, some] = nearest(to_switch, network.port_ring, rings, some).T
            across[:, some] = nearest(to_ring, network.port_switch, network.switches, some).T
    return Routes.from_entries(network, network.node_ring, rings, [table_entries(leaving)], [table_entries(across)])


Distances = Iterator[tuple[IntArray, NDArray[np.float64], NDArray[np.float64]]]
"""Destination rings, and how far each is behind each port, seen from its ring and from its switch; shape (destinations,
ports) each."""


def _shortest(network: Network, destinations: IntArray) -> Distances:
    ring, switch = network.port_ring, network.rings + network.port_switch
    joined = _graph(network, np.concatenate([ring, switch]), np.concatenate([switch, ring]))
    for some in _chunks(destinations):
        far = csgraph.dijkstra(joined, unweighted=True, indices=some)
        yield some, far[:, switch], far[:, ring]


def _up_down(network: Network, destinations: IntArray) -> Distances:
    ring, switch = network.port_ring, network.rings + network.port_switch
    joined = _graph(network, np.concatenate([ring, switch]), np.concatenate([switch, ring]))
    root = int(np.argmax(np.bincount(ring, minlength=network.rings)))
    level = csgraph.dijkstra(joined, unweighted=True, indices=[root])[0]
    ring_above = level[ring] < level[switch]
    above, below = np.where(ring_above, ring, switch), np.where(ring_above, switch, ring)
    rising = _graph(network, below, above)
    for some in _chunks(destinations):
        down = csgraph.dijkstra(rising, unweighted=True, indices=some)
        far = down.copy()
        for height in np.unique(level[np.isfinite(level)])[1:]:
            edges = level[below] == height
            climbed = np.full_like(far, np.inf)
            np.minimum.at(climbed.T, below[edges], far[:, above[edges]].T + 1)
            far = np.where(np.isfinite(down) | (level != height), far, climbed)
        # Who can go down does; who cannot goes up.
        downwards, upwards = np.isfinite(down[:, above]), np.isfinite(down[:, below])
        falls = np.where(downwards, down[:, below], np.inf)
        climbs = np.where(upwards, np.inf, far[:, above])
        yield some, np.where(ring_above, falls, climbs), np.where(ring_above, climbs, falls)


def _graph(network: Network, tail: IntArray, head: IntArray) -> Any:  # noqa: ANN401 - scipy is loaded on first use
    vertices = network.rings + network.switches
    return sparse.csr_array((np.ones(len(tail)), (tail, head)), shape=(vertices, vertices))


def _chunks(destinations: IntArray) -> Iterator[IntArray]:
    for first in range(0, len(destinations), CHUNK):
        yield destinations[first : first + CHUNK]


def nearest(far: NDArray[np.float64], group: IntArray, groups: int, destinations: IntArray) -> IntArray:
    """Returns for each destination and group of ports the port from which it is nearest; shape (destinations,
    groups)."""
    order = np.argsort(group, kind="stable")
    _, starts = np.unique(group[order], return_index=True)
    sizes = np.diff(np.append(starts, len(order)))
    ordered = far[:, order]
    least = np.repeat(np.minimum.reduceat(ordered, starts, axis=1), sizes, axis=1)
    equal = (ordered == least) & np.isfinite(ordered)
    counts = np.add.reduceat(equal, starts, axis=1, dtype=np.int64)
    place = np.cumsum(equal, axis=1) - np.repeat(np.cumsum(counts, axis=1) - counts, sizes, axis=1) - 1
    wanted = np.repeat(destinations[:, None] % np.maximum(counts, 1), sizes, axis=1)
    row, column = np.nonzero(equal & (place == wanted))
    chosen = np.full((len(destinations), groups), NO_ROUTE, dtype=np.int64)
    chosen[row, group[order][column]] = order[column]
    return chosen


def table_entries(ports: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Returns the entries of tables given in full, shape (tables, addresses): where the port changes."""
    changes = np.ones(ports.shape, dtype=bool)
    changes[:, 1:] = ports[:, 1:] != ports[:, :-1]
    table, first_address = np.nonzero(changes)
    return table, first_address, ports[table, first_address]
