"""The links that each node's packets cross."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringlet.errors import RingletError

ECHO_SYMBOLS = 4
"""Symbols of 16 bits of an echo packet, `L^e` of picker1994."""

ROW_SUM_TOLERANCE = 1e-9
"""Largest deviation from 1 of the sum of a row of a traffic matrix."""


def checked_matrix(matrix: ArrayLike) -> NDArray[np.float64]:
    """Returns the traffic matrix as an array, shape (N, N).

    `matrix[i, j]` is the probability that a packet of node `i` goes to node `j`, `r_ij` of picker1994.
    A row sums to 1, or is all zero for a node that sends nothing. The diagonal is zero unless `N` is 1.

    Raises:
        RingletError: not square, not finite, negative, a row with another sum, or a node that sends to itself.
    """
    try:
        r = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise RingletError("matrix: not an array of numbers; allowed: N rows of N probabilities") from None
    if r.ndim != 2 or r.shape[0] != r.shape[1] or r.shape[0] == 0:
        raise RingletError(f"matrix: shape {r.shape} is not square; allowed: N rows of N probabilities")
    bad = np.argwhere(~(np.isfinite(r) & (r >= 0)))
    if bad.size:
        i, j = (int(index) for index in bad[0])
        raise RingletError(f"matrix[{i}][{j}]: {r[i, j]} is not a probability; allowed: 0 to 1")
    sums = r.sum(axis=1)
    wrong = np.flatnonzero((np.abs(sums - 1.0) > ROW_SUM_TOLERANCE) & (sums != 0.0))
    if wrong.size:
        i = int(wrong[0])
        raise RingletError(f"matrix[{i}]: sums to {sums[i]:.12g}; allowed: 1, or 0 for a node that sends nothing")
    own = np.flatnonzero(np.diagonal(r))
    if own.size and r.shape[0] > 1:
        i = int(own[0])
        raise RingletError(f"matrix[{i}][{i}]: {r[i, i]} sends to itself; allowed: 0")
    return r


def per_node(values: ArrayLike, nodes: int, *, name: str, lowest: float) -> NDArray[np.float64]:
    """Returns one value per node, shape (N,), from a number or a sequence of `nodes` numbers.

    Raises:
        RingletError: another length, or a value that is not finite or is below `lowest`.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.shape not in ((), (nodes,)):
        raise RingletError(f"{name}: shape {array.shape}; allowed: one number or {nodes} numbers, one per node")
    full = np.broadcast_to(array, (nodes,))
    bad = np.flatnonzero(~(np.isfinite(full) & (full >= lowest)))
    if bad.size:
        raise RingletError(f"{name}[{bad[0]}]: {full[bad[0]]}; allowed: a number of at least {lowest:g}")
    return full.copy()


def crossing_probabilities(matrix: ArrayLike) -> NDArray[np.float64]:
    """Probability that a packet of node `i` crosses link `k`, shape (N, N).

    picker1994, Equation 1: `t_ik` is the sum of `r_ij` over the destinations `j = k + 1, ..., i - 1` (cyclic) that lie
    behind link `k`. A node's packets never cross the link that enters it, so `t[k + 1, k]` is 0 (but on a
    ring of one node, whose packets cross its only link).

    Args:
        matrix: traffic matrix, shape (N, N), rows summing to 1 (or 0 for a node that sends nothing).

    Raises:
        RingletError: the matrix is not a traffic matrix.

    >>> crossing_probabilities([[0, 0.5, 0.5], [0, 0, 1], [1, 0, 0]])
    array([[1. , 0.5, 0. ],
           [0. , 1. , 0. ],
           [0. , 0. , 1. ]])
    """
    r = checked_matrix(matrix)
    n = r.shape[0]
    source = np.arange(n)[:, None]
    hops = np.arange(1, n + 1)[None, :]
    by_distance = r[source, (source + hops) % n]
    # Summing from the farthest destination adds exact zeros first: no rounding residue passes for a crossing.
    beyond = np.cumsum(by_distance[:, ::-1], axis=1)[:, ::-1]
    crossing = np.empty_like(r)
    crossing[source, (source + hops - 1) % n] = beyond
    return crossing
