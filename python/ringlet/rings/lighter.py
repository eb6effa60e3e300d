"""The ring of each packet where nodes are on two counter-rotating rings, by the load that the links of both get."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringlet.rings.network import IntArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Group:
    """The packets of a node to several receivers at once."""

    source: int
    receivers: tuple[int, ...]
    symbols: float
    """Symbols per cycle, idles included."""
    goes_round: bool
    """True if its packets come back to their source, which strips them; False: the last receiver does."""


def lighter_ahead(demand: FloatArray, shorter: IntArray, groups: Sequence[Group] = ()) -> IntArray:
    """Returns to how many nodes behind it the first ring leads from each node, shape (nodes,), so that links have
    little to do.

    The rule is ringlet's own: from the shorter ways on, node after node by its number moves the point between its two
    ways to where the busiest link has least to do, then to where all links together have least, then to the point that
    is closest to the shorter way, and then to the lower one; until no node moves, or `nodes` rounds are over. It draws
    nothing.

    Args:
        demand: symbols per cycle from node `i` to node `j`, idles included; shape (nodes, nodes).
        shorter: what the shorter ways lead to; shape (nodes,).
        groups: what goes to several receivers at once, which is not in `demand`.
    """
    nodes = len(demand)
    ahead = shorter.copy()
    ways = [_ways(demand[node], node) for node in range(nodes)]
    for group in groups:
        ways[group.source] += _ways_of(group, nodes)
    load = np.sum([each[ahead[node]] for node, each in enumerate(ways)], axis=0)
    for _ in range(nodes):
        moved = False
        for node, each in enumerate(ways):
            others = load - each[ahead[node]]
            total = others + each
            cost = np.round(total.max(axis=1), 12), np.round(total.sum(axis=1), 12)
            away = np.abs(np.arange(nodes) - shorter[node])
            best = int(np.lexsort((np.arange(nodes), away, cost[1], cost[0]))[0])
            # Only for what is less: equal ways would be taken in turn.
            if (cost[0][best], cost[1][best]) < (cost[0][ahead[node]], cost[1][ahead[node]]):
                ahead[node], load, moved = best, total[best], True
        if not moved:
            break
    return ahead


def _ways(row: FloatArray, source: int) -> FloatArray:
    """Returns the load of each link of the first ring, by the node that it leaves, and then of the second, for each
    number of nodes to which the first ring leads; shape (nodes, 2 * nodes)."""
    nodes = len(row)
    distance = np.arange(nodes)
    by_distance = row[(source + distance) % nodes]
    by_distance[0] = 0
    found = np.zeros((nodes, 2 * nodes))
    for ahead in range(nodes):
        rising = np.where(distance <= ahead, by_distance, 0.0)
        falling = by_distance - rising
        # The link at distance k carries what goes further than that.
        on_rising = rising.sum() - np.cumsum(rising)
        found[ahead, (source + distance) % nodes] = on_rising
        # Round the other way the node at distance d is nodes - d links away.
        back = falling[(nodes - distance) % nodes]
        found[ahead, nodes + (source - distance) % nodes] = back.sum() - np.cumsum(back)
    return found


def _ways_of(group: Group, nodes: int) -> FloatArray:
    """Returns the same for packets with several receivers: each ring carries one as far as it leads to any of them."""
    distances = np.sort((np.array(group.receivers) - group.source) % nodes)
    found = np.zeros((nodes, 2 * nodes))
    links = np.arange(nodes)
    for ahead in range(nodes):
        rising, falling = distances[distances <= ahead], distances[distances > ahead]
        for first, step, ways in ((0, 1, rising), (nodes, -1, nodes - falling)):
            if ways.size:
                used = links[: nodes if group.goes_round else ways.max()]
                found[ahead, first + (group.source + step * used) % nodes] += group.symbols
    return found
