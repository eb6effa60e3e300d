"""The assignment of nodes to transmission groups."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringlet.analysis.crossing import crossing_probabilities
from ringlet.analysis.optimum import relaxed_fair_rates
from ringlet.errors import RingletError

_DIGITS = 12
"""Conflicts equal to this many decimals are ties: they are sums of the same numbers in another order."""


def conflict_matrix(matrix: ArrayLike) -> NDArray[np.float64]:
    """Bandwidth for which nodes `i` and `j` compete, in words per cycle, shape (N, N), symmetric with a zero diagonal.

    `c_ij = sum_k min(t_ik p_i, t_jk p_j)`: what the one with the smaller load puts on each link that both cross, at
    the optimum for saturated nodes (picker1994, Section 4.2, without alpha).

    Raises:
        RingletError: the matrix is not a traffic matrix.
    """
    crossing = crossing_probabilities(matrix)
    rates = relaxed_fair_rates(crossing, np.ones(crossing.shape[0]))
    load = crossing * rates[:, None]
    conflict = np.stack([np.minimum(load, own).sum(axis=1) for own in load])
    np.fill_diagonal(conflict, 0.0)
    return conflict


def maximal_conflict_grouping(matrix: ArrayLike, groups: int) -> list[int]:
    """Transmission group of each node, at most `groups` of them, numbered from 0 by first appearance.

    Nodes that conflict with no other share one group, since none of them ever needs another to hold back. The others
    start alone, and the two groups with the largest mean conflict per pair of nodes are merged (of equal ones those
    with the lowest nodes) until at most `groups` are left. So the nodes that conflict most end up together, where the
    protocol is fair among them.

    picker1994, Section 5.1, uses the Maximal Conflict Grouping Algorithm of its reference [3], which it does not
    describe; this one is our own.

    Args:
        matrix: traffic matrix, shape (N, N).
        groups: transmission groups that the protocol has, at least 1.

    Raises:
        RingletError: `groups` below 1, or the matrix is not a traffic matrix.

    >>> fan_in = [[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0]]
    >>> maximal_conflict_grouping(fan_in, 8)
    [0, 1, 2, 2]
    """
    if isinstance(groups, bool) or not isinstance(groups, int | np.integer) or groups < 1:
        raise RingletError(f"groups: {groups!r}; allowed: a whole number of at least 1")
    total = conflict_matrix(matrix)
    nodes = total.shape[0]
    leader = np.arange(nodes)
    free = np.flatnonzero(total.sum(axis=1) == 0.0)
    if free.size:
        leader[free] = free[0]
    # A group lives in the row and column of its lowest node; the first maximum in row order has the lowest nodes.
    size = np.bincount(leader, minlength=nodes).astype(np.float64)
    mean = np.full((nodes, nodes), -1.0)
    alive = np.flatnonzero(size)
    pairs = np.triu(np.ones((alive.size, alive.size), dtype=bool), k=1)
    block = total[np.ix_(alive, alive)] / np.outer(size[alive], size[alive])
    mean[np.ix_(alive, alive)] = np.where(pairs, np.round(block, _DIGITS), -1.0)
    for _ in range(alive.size - int(groups)):
        keep, gone = np.unravel_index(int(mean.argmax()), mean.shape)
        leader[leader == gone] = keep
        size[keep] += size[gone]
        size[gone] = 0.0
        total[keep] += total[gone]
        total[:, keep] += total[:, gone]
        mean[gone, :] = mean[:, gone] = -1.0
        before, after = np.flatnonzero(size[:keep]), keep + 1 + np.flatnonzero(size[keep + 1 :])
        mean[before, keep] = np.round(total[before, keep] / (size[before] * size[keep]), _DIGITS)
        mean[keep, after] = np.round(total[keep, after] / (size[after] * size[keep]), _DIGITS)
    order = {int(node): number for number, node in enumerate(dict.fromkeys(leader.tolist()))}
    return [order[int(node)] for node in leader]
