"""The placement of nodes in a network: quadratic assignment, and exchanges of two nodes.

picker1994, Section 3.2: processors are placed along a ring so that data travel less far, and fewer groups are needed;
richter1999, Section 6.6: senders and receivers that belong together are brought near each other.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis.grouping import conflict_matrix
from ringlet.lazy import library

if TYPE_CHECKING:
    from scipy import optimize
    from scipy.sparse import csgraph
else:
    csgraph = library("scipy.sparse.csgraph")
    optimize = library("scipy.optimize")

Order = NDArray[np.int64]
"""The place of each node; shape (nodes,)."""

Kinds = NDArray[np.integer]
"""Kind of each node, which may only be where one of its kind was; shape (nodes,)."""

SEED = 1
"""Seed of the search: the same question has the same answer."""

RESTARTS = 10
"""Random beginnings of the search, beside that in which all places are alike."""

TOLERANCE = 1e-3
"""Change of the shares of places at which the approximation stops."""


def least_distance(traffic: NDArray[np.float64], distance: NDArray[np.float64]) -> Order:
    """Returns places with which traffic travels least far, as far as is found; never farther than unplaced.

    The fast approximate method of Vogelstein and others (2015), then exchanges of two nodes (`scipy`).

    Args:
        traffic: rate from each node to each other, shape (nodes, nodes).
        distance: from each place to each other, shape (nodes, nodes).
    """
    nodes, largest = len(traffic), float(traffic.max(initial=0.0))
    best = np.arange(nodes)
    if nodes < 2 or largest == 0.0:
        return best
    traffic = traffic / largest
    random = np.random.default_rng(SEED)
    for restart in range(1 + RESTARTS):
        first = optimize.quadratic_assignment(
            traffic,
            distance,
            method="faq",
            options={"rng": random, "P0": "randomized" if restart else "barycenter", "tol": TOLERANCE},
        ).col_ind
        guess = np.stack([np.arange(nodes), first], axis=1)
        found = optimize.quadratic_assignment(
            traffic, distance, method="2opt", options={"rng": random, "partial_guess": guess}
        ).col_ind
        if travelled(traffic, distance, found) < travelled(traffic, distance, best) * (1 - 1e-12):
            best = found
    return np.asarray(best, dtype=np.int64)


def least_distance_of_kinds(traffic: NDArray[np.float64], distance: NDArray[np.float64], kinds: Kinds) -> Order:
    """Returns places with which traffic travels least far, as far as is found, where a node has a place of its kind.

    Nodes of one kind exchange nothing with each other, as processors and memories do: with all others fixed their best
    places are a linear assignment, which is solved for one kind after the other until nothing changes.

    Args:
        traffic: rate from each node to each other, shape (nodes, nodes).
        distance: from each place to each other, shape (nodes, nodes).
        kinds: kind of each node, and of the place of its number; shape (nodes,).
    """
    nodes = len(traffic)
    best = np.arange(nodes)
    groups = [np.flatnonzero(kinds == kind) for kind in np.unique(kinds)]
    random = np.random.default_rng(SEED)
    for restart in range(1 + RESTARTS):
        order = np.arange(nodes)
        if restart:
            for group in groups:
                order[group] = random.permutation(group)
        least = np.inf
        while (found := travelled(traffic, distance, order)) < least * (1 - 1e-12):
            least = found
            for group in groups:
                # Row: a node of the kind; column: a place; what the node's traffic travels there.
                costs = traffic[group] @ distance[np.ix_(group, order)].T
                costs += traffic[:, group].T @ distance[np.ix_(order, group)]
                order[group] = group[optimize.linear_sum_assignment(costs)[1]]
        if least < travelled(traffic, distance, best) * (1 - 1e-12):
            best = order.copy()
    return np.asarray(best, dtype=np.int64)


def travelled(traffic: NDArray[np.float64], distance: NDArray[np.float64], order: Order) -> float:
    """Returns the sum over all pairs of what they exchange times how far it goes."""
    return float((traffic * distance[np.ix_(order, order)]).sum())


def exchanged(order: Order, cost: Callable[[Order], tuple[float, ...]], kinds: Kinds, *, most: int) -> Order:
    """Returns places that no exchange of two nodes of a kind makes cheaper, or those found after so many trials.

    Args:
        order: where to begin.
        cost: of places, of which the first figure counts most.
        kinds: kind of each node.
        most: places to look at.
    """
    best, least, tried = order.copy(), cost(order), 0
    random = np.random.Generator(np.random.PCG64(SEED))
    pairs = np.stack(np.triu_indices(len(order), k=1), axis=1)
    pairs = pairs[kinds[pairs[:, 0]] == kinds[pairs[:, 1]]]
    improved = True
    while improved:
        improved = False
        for a, b in random.permutation(pairs):
            if tried == most:
                return best
            tried += 1
            other = best.copy()
            other[[a, b]] = other[[b, a]]
            found = cost(other)
            if found < least:
                best, least, improved = other, found, True
    return best


def groups_needed(matrix: NDArray[np.float64]) -> int:
    """Returns the groups in which no node holds back one with which it shares no link.

    Nodes that share links, directly or over others, are one group; all nodes that share none are one together.

    Args:
        matrix: traffic matrix of a ring, shape (nodes, nodes).
    """
    conflict = conflict_matrix(matrix) > 1e-12
    alone = ~conflict.any(axis=1)
    joined, _ = csgraph.connected_components(conflict, directed=False)
    return int(joined) - max(int(alone.sum()) - 1, 0)
