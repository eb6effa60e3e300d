"""The assignment of nodes to transmission groups."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringlet.analysis.crossing import crossing_probabilities
from ringlet.analysis.optimum import relaxed_fair_rates
from ringlet.errors import RingletError

_DIGITS = 12
"""Conflicts equal to this many decimals are ties: they are sums of the same numbers in another order."""

MAX_CONFLICT_PAIRS = 1024
"""Most ordered pairs of nodes that are grouped: all of 32 nodes. Time grows with their third power."""


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


def pair_conflict_matrix(matrix: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Bandwidth for which ordered pairs of nodes compete, in words per cycle.

    As `conflict_matrix`, with the load that each source sends to each destination. Packets of one source do not
    compete: it sends one after the other, and no node blocks itself.

    Returns:
        The pairs that are used, source and destination, shape (P, 2), and their conflicts, shape (P, P).

    Raises:
        RingletError: the matrix is not a traffic matrix, or of more pairs than `MAX_CONFLICT_PAIRS`.
    """
    crossing = crossing_probabilities(matrix)
    share = np.asarray(matrix, dtype=np.float64)
    nodes = share.shape[0]
    pairs = np.argwhere(share > 0)
    if len(pairs) > MAX_CONFLICT_PAIRS:
        allowed = f"at most {MAX_CONFLICT_PAIRS} with packets to be grouped"
        raise RingletError.not_allowed("matrix", f"<{len(pairs)} pairs>", allowed)
    rates = relaxed_fair_rates(crossing, np.ones(nodes))
    source, destination = pairs.T
    # Link k is crossed if it is on the way from the source to the destination.
    hops = (destination - source - 1) % nodes + 1
    crosses = (np.arange(nodes)[None, :] - source[:, None]) % nodes < hops[:, None]
    load = np.where(crosses, (rates[source] * share[source, destination])[:, None], 0.0)
    conflict = np.array([np.minimum(load, own).sum(axis=1) for own in load]).reshape(len(pairs), len(pairs))
    conflict[source[:, None] == source[None, :]] = 0.0
    return pairs, conflict


def maximal_conflict_pair_grouping(matrix: ArrayLike, groups: int) -> list[list[int]]:
    """Transmission group of each ordered pair of a source and a destination, at most `groups` of them.

    picker1994, Section 3.2: with a group for each pair no node is blocked without a conflict, but most traffic needs
    far fewer. Pairs are grouped as `maximal_conflict_grouping` groups nodes.

    Args:
        matrix: traffic matrix, shape (N, N).
        groups: transmission groups that the protocol has, at least 1.

    Returns:
        A row for each source, with the group of each destination; 0 for pairs without packets. Numbered from 0 by first
        appearance, row by row.

    Raises:
        RingletError: `groups` below 1, or the matrix is not a traffic matrix, or of too many pairs.

    >>> maximal_conflict_pair_grouping([[0, 0.5, 0.5], [0, 0, 1], [1, 0, 0]], 8)
    [[0, 0, 1], [0, 0, 2], [0, 0, 0]]
    """
    _check_count(groups)
    share, start = _from_first(matrix)
    pairs, conflict = pair_conflict_matrix(share)
    source, destination = ((pairs + start) % len(share)).T
    found = np.full(share.shape, -1)
    found[source, destination] = _merged(conflict, int(groups))
    used = found >= 0
    found[used] = _by_appearance(found[used])
    return [[max(int(group), 0) for group in row] for row in found]


def maximal_conflict_grouping(matrix: ArrayLike, groups: int) -> list[int]:
    """Transmission group of each node, at most `groups` of them, numbered from 0 by first appearance.

    Nodes that conflict with no other share one group, since none of them ever needs another to hold back. The others
    start alone, and the two groups with the largest mean conflict per pair of nodes are merged until at most `groups`
    are left. So the nodes that conflict most end up together, where the protocol is fair among them. Of equal ones
    those are merged that come first behind the place from which on the matrix is least, row by row: so the groups do
    not depend on where on the ring the numbers of the nodes begin.

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
    _check_count(groups)
    share, start = _from_first(matrix)
    return _by_appearance(np.roll(_merged(conflict_matrix(share), int(groups)), start))


def _from_first(matrix: ArrayLike) -> tuple[NDArray[np.float64], int]:
    """Returns the matrix as it is where nodes are numbered from one on, and this node: that from which on the rows are
    least, each from its own node on.

    Raises:
        RingletError: the matrix is not a traffic matrix.
    """
    crossing_probabilities(matrix)
    share = np.asarray(matrix, dtype=np.float64)
    nodes = np.arange(len(share))
    rows = np.round(share, _DIGITS)[nodes[:, None], (nodes[:, None] + nodes) % nodes.size]
    keys = [row.tobytes() for row in rows]
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys)))}
    rank = np.array([ranks[key] for key in keys])
    starts = nodes
    for place in nodes:
        seen = rank[(starts + place) % nodes.size]
        starts = starts[seen == seen.min()]
        if starts.size == 1:
            break
    start = int(starts[0])
    return np.roll(share, (-start, -start), axis=(0, 1)), start


def _by_appearance(groups: ArrayLike) -> list[int]:
    """Returns groups numbered from 0 in the order in which they appear."""
    found = np.asarray(groups).tolist()
    numbers = {group: number for number, group in enumerate(dict.fromkeys(found))}
    return [numbers[group] for group in found]


def _check_count(groups: int) -> None:
    if isinstance(groups, bool) or not isinstance(groups, int | np.integer) or groups < 1:
        raise RingletError(f"groups: {groups!r}; allowed: a whole number of at least 1")


def _merged(total: NDArray[np.float64], groups: int) -> list[int]:
    """Returns the group of each member, of what all of them conflict, shape (N, N), which is changed."""
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
    for _ in range(alive.size - groups):
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
    return _by_appearance(leader)
