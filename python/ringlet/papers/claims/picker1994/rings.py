"""Rings of the claims of picker1994, and what is measured of them."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis import optimal_throughput_with_echo
from ringlet.analysis.deviation import absolute_deviation, adjusted_deviation
from ringlet.papers.claims.claim import Finding
from ringlet.papers.claims.rings import Ring

EXAMPLE = Ring((3, 3, 3, 1), keys={"network.echoes": False, "traffic.transaction": "send80"})
"""Section 1.2's example: nodes 1, 2 and 3 send to 4, and 4 to 2, numbered from 0 here; there are no echoes."""


TRIO = Ring((3, 3, 3, 4, 5, 0), keys={"network.echoes": False, "traffic.transaction": "send80"})
"""Nodes 0, 1 and 2 share the link behind node 2; node 4 has the link to node 5 alone."""


PROTOCOLS = ("none", "sci", "grouped")


def matrix_of(destinations: Sequence[int]) -> NDArray[np.float64]:
    """Returns the traffic matrix of one destination for each node, shape (nodes, nodes)."""
    matrix = np.zeros((len(destinations), len(destinations)))
    matrix[np.arange(len(destinations)), list(destinations)] = 1.0
    return matrix


def deviation_percent(ring: Ring, *, adjusted: bool = True) -> NDArray[np.float64]:
    """Returns each node's deviation from the optimum with echoes of Section 4.3 in %, shape (nodes,)."""
    optimum = optimal_throughput_with_echo(matrix_of(ring.destinations), mean_send_symbols=ring.size_bytes // 2)
    return (adjusted_deviation if adjusted else absolute_deviation)(ring.throughput(), optimum)


def least_over_greatest(ring: Ring) -> float:
    """Returns the least throughput of a sender over the greatest one."""
    found = ring.throughput()[ring.senders]
    return float(found.min() / found.max())


def ratio_finding(rings: Iterable[Ring], measure: Callable[[Ring], float], least: float, what: str) -> Finding:
    """Returns whether `measure` is at least `least` for all rings, with the ring where it is smallest."""
    found = [(measure(ring), ring) for ring in rings]
    worst, ring = min(found, key=lambda each: each[0])
    below = sum(value < least for value, _ in found)
    return Finding(below == 0, f"{below} of {len(found)} rings below {least:g}; smallest {what} {worst:z.3f} on {ring}")
