"""Optimal throughput under relaxed fairness."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringlet.analysis.crossing import ECHO_SYMBOLS, crossing_probabilities, per_node
from ringlet.analysis.max_min import CLEAR


def _link_levels(
    crossing: NDArray[np.float64], limits: NDArray[np.float64], capacity: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The rate `x_k` at which link `k` is full if its users send at `min(limit, x_k)`, shape (N,); infinite if never.

    The closed form of Equation 3's inner iteration: all `A_ik / t_ik` of a node are equal, so the bandwidth that it
    shares out ends with every node at its limit or at one common level.
    """
    order = np.argsort(limits, kind="stable")
    steps, starts = np.unique(limits[order], return_index=True)
    weights = np.add.reduceat(crossing[order], starts, axis=0)
    unlimited = np.cumsum(weights[::-1], axis=0)[::-1]
    limited = np.zeros_like(weights)
    np.cumsum(weights[:-1] * steps[:-1, None], axis=0, out=limited[1:])
    fills = limited + steps[:, None] * unlimited >= capacity
    step = fills.argmax(axis=0)
    link = np.arange(crossing.shape[1])
    level = np.full(crossing.shape[1], np.inf)
    found = fills.any(axis=0) & (unlimited[0] > 0)
    at = step[found], link[found]
    level[found] = (capacity[found] - limited[at]) / unlimited[at]
    return level


def relaxed_fair_rates(crossing: NDArray[np.float64], limits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Max-min fair rates `p_i^min` of picker1994, idles included, in words per cycle, shape (N,).

    Equations 2 to 4, corrected: each link shares its bandwidth among the nodes that cross it; a node is held to the
    smallest share it gets; nodes on a link that is full then, and nodes at their limit, are final; what they leave is
    shared again. This is max-min fairness in `p_i`: raise all rates together, stop the users of each link as it fills.

    Args:
        crossing: `t_ik`, shape (N, N), from `crossing_probabilities`.
        limits: attempted throughput `d_i`, words per cycle with the idle behind each packet, shape (N,).
    """
    rates = np.zeros(limits.size)
    active = np.flatnonzero((limits > 0) & crossing.any(axis=1))
    if (limits @ crossing).max(initial=0.0) < 1 - CLEAR:
        # No link is full, so that all get what they attempt.
        rates[active] = limits[active]
        return rates
    while active.size:
        share = crossing[active]
        uses = share > 0
        limit = limits[active]
        capacity = np.maximum(0.0, 1.0 - rates @ crossing)
        level = _link_levels(share, limit, capacity)
        rate = np.minimum(limit, np.where(uses, level, np.inf).min(axis=1))
        # A link is full if no user is held below its share of it by another link. Compared without a tolerance:
        # the rates were taken from the levels, and a near tie only costs one more round.
        held = uses & (rate[:, None] < np.minimum(level, limit[:, None]))
        full = np.isfinite(level) & ~held.any(axis=0)
        final = uses[:, full].any(axis=1) | (rate == limit)
        rates[active[final]] = rate[final]
        active = active[~final]
    return rates


def _rates(
    crossing: NDArray[np.float64], mean_send_symbols: ArrayLike, attempted: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean send lengths and rates with idles."""
    nodes = crossing.shape[0]
    length = per_node(mean_send_symbols, nodes, name="mean_send_symbols", lowest=1.0)
    limits = np.minimum(1.0, per_node(attempted, nodes, name="attempted", lowest=0.0))
    return length, relaxed_fair_rates(crossing, limits)


def optimal_throughput(
    matrix: ArrayLike, *, mean_send_symbols: ArrayLike, attempted: ArrayLike = 1.0
) -> NDArray[np.float64]:
    """Optimal throughput of each node under relaxed fairness, without echoes, in words per cycle, shape (N,).

    `p_i^opt = alpha_i p_i^min` with `alpha_i = L_i / (L_i + 1)` for the idle behind each packet; picker1994,
    Section 4.2, Equations 1 to 5 (the misprints of Equations 1 and 2 corrected: see `relaxed_fair_rates`).

    Args:
        matrix: traffic matrix, shape (N, N): `matrix[i][j]` is the probability that a packet of node `i` goes to `j`.
        mean_send_symbols: mean send packet length `L_i` without its idle, in symbols; one number or one per node.
        attempted: attempted throughput `lambda_i (L_i + 1)`, in words per cycle with the idle behind each packet; one
            number or one per node. Above 1 counts as 1, a saturated node.

    Raises:
        RingletError: an argument is out of range.

    The example of picker1994, Section 1.2 (nodes 0, 1, 2 send to 3; 3 sends to 1), rates with idles:

    >>> matrix = [[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1], [0, 1, 0, 0]]
    >>> (optimal_throughput(matrix, mean_send_symbols=40) * 41 / 40).round(6)
    array([0.333333, 0.333333, 0.333333, 0.666667])
    """
    length, rates = _rates(crossing_probabilities(matrix), mean_send_symbols, attempted)
    return rates * length / (length + 1.0)


def optimal_throughput_with_echo(
    matrix: ArrayLike,
    *,
    mean_send_symbols: ArrayLike,
    attempted: ArrayLike = 1.0,
    echo_symbols: float = ECHO_SYMBOLS,
) -> NDArray[np.float64]:
    """Optimal throughput of each node with an echo for each send packet, in words per cycle, shape (N,).

    picker1994, Section 4.3, Equations 6 and 7 (the misprint `(L^e + 1) / (L^e + 1)` read as `(L^e + 1) / (L_i + 1)`):
    the echoes load the rest of the ring, and each node is scaled down by the most loaded link that its send packets
    cross. An approximation of the paper: links that only a node's echoes cross do not count for it, and nodes scale
    differently, so a node can exceed its "optimum" a little.

    >>> import numpy as np
    >>> uniform = (np.ones((4, 4)) - np.eye(4)) / 3
    >>> optimal_throughput_with_echo(uniform, mean_send_symbols=40).round(3)
    array([0.435, 0.435, 0.435, 0.435])

    Arguments and errors as for `optimal_throughput`; and `echo_symbols`, the length of an echo without its idle.
    """
    crossing = crossing_probabilities(matrix)
    return throughput_with_echo(
        crossing, mean_send_symbols=mean_send_symbols, attempted=attempted, echo_symbols=echo_symbols
    )


def throughput_with_echo(
    crossing: NDArray[np.float64], *, mean_send_symbols: ArrayLike, attempted: ArrayLike, echo_symbols: float
) -> NDArray[np.float64]:
    """Optimal throughput of each node with an echo for each send packet, as above, from what all loads have in common:
    the probability that a packet of each node crosses each link, shape (N, N)."""
    length, rates = _rates(crossing, mean_send_symbols, attempted)
    echo = rates * (echo_symbols + 1.0) / (length + 1.0)
    load = rates @ crossing + echo @ (1.0 - crossing)
    with np.errstate(divide="ignore"):
        scale = np.minimum(1.0, np.where(crossing > 0, 1.0 / load, 1.0).min(axis=1))
    optimum: NDArray[np.float64] = rates * length / (length + 1.0) * scale
    return optimum
