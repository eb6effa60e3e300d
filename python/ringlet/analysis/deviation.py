"""The deviation of a ring from its optimum: the metrics of picker1994, Table 2.

All take arrays whose last axis is the node, so that a stack of cases, shape (cases, N), works as well as one.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringlet.errors import RingletError


def _signed_percent(obtained: ArrayLike, optimal: ArrayLike) -> NDArray[np.float64]:
    """`(optimal - obtained) / optimal` in %, 0 where the optimum is 0 (a node that sends nothing)."""
    got = np.asarray(obtained, dtype=np.float64)
    best = np.asarray(optimal, dtype=np.float64)
    if got.ndim == 0 or best.ndim == 0 or got.shape[-1] != best.shape[-1] or best.shape[-1] == 0:
        raise RingletError(f"obtained: shape {got.shape}; allowed: one value per node, as optimal's {best.shape}")
    if not (np.isfinite(got).all() and np.isfinite(best).all() and (got >= 0).all() and (best >= 0).all()):
        raise RingletError("obtained, optimal: a value is negative or not finite; allowed: throughputs of at least 0")
    gap = np.broadcast_to(best - got, np.broadcast_shapes(got.shape, best.shape))
    return 100.0 * np.divide(gap, best, out=np.zeros_like(gap), where=best > 0)


def adjusted_deviation(obtained: ArrayLike, optimal: ArrayLike) -> NDArray[np.float64]:
    """Adjusted deviation of each node in %, shape (..., N): throughput above the optimum counts as none.

    Args:
        obtained: throughput per node, in any unit, shape (..., N).
        optimal: its optimum in the same unit, shape (N,) or (..., N).

    Raises:
        RingletError: shapes that do not match, or a negative or infinite throughput.

    >>> adjusted_deviation([0.45, 0.6], [0.5, 0.5])
    array([10.,  0.])
    """
    return np.maximum(0.0, _signed_percent(obtained, optimal))


def absolute_deviation(obtained: ArrayLike, optimal: ArrayLike) -> NDArray[np.float64]:
    """Absolute deviation of each node in %, shape (..., N); arguments and errors as for `adjusted_deviation`.

    >>> absolute_deviation([0.45, 0.6], [0.5, 0.5])
    array([10., 20.])
    """
    return np.abs(_signed_percent(obtained, optimal))


def average_ring_deviation(deviation: ArrayLike) -> NDArray[np.float64]:
    """Mean over the nodes of a ring, in %; shape (..., N) to (...)."""
    return np.asarray(np.mean(np.asarray(deviation, dtype=np.float64), axis=-1))


def maximum_node_deviation(deviation: ArrayLike) -> NDArray[np.float64]:
    """Largest over the nodes of a ring, in %; shape (..., N) to (...)."""
    return np.asarray(np.max(np.asarray(deviation, dtype=np.float64), axis=-1))


def average_maximum_deviation(deviation: ArrayLike) -> float:
    """Mean over cases of the largest node deviation, in %; shape (cases, N) to one number."""
    return float(np.mean(maximum_node_deviation(deviation)))
