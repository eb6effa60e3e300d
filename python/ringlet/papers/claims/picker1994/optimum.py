"""Tests of Sections 4 and 5.2: optimal throughput, and deviation from it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis import optimal_throughput, optimal_throughput_with_echo
from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.picker1994.matrices import drawn_matrix
from ringlet.papers.claims.picker1994.rings import deviation_percent, matrix_of
from ringlet.papers.claims.rings import draw_ring


@checks("picker1994.c49")
def the_optimum_is_max_min_fair(trials: Trials) -> Finding:
    """The optimum is max-min fair: an independent filling of the links gives the same."""
    largest = 0.0
    for _ in range(trials.count(80)):
        ring = draw_ring(trials.rng, nodes=(3, 12))
        loads = trials.rng.uniform(0.05, 1.0, ring.nodes)
        ours = optimal_throughput(matrix_of(ring.destinations), mean_send_symbols=40, attempted=loads)
        largest = max(largest, float(np.abs(ours - _filled(ring.destinations, loads * 40 / 41)).max()))
    return Finding(largest < 1e-9, f"largest difference from an independent filling {largest:.1e}")


def _filled(destinations: Sequence[int], loads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the max-min fair throughput by raising all open nodes together until a link or a load stops them."""
    nodes = len(destinations)
    crosses = np.zeros((nodes, nodes))
    for node, destination in enumerate(destinations):
        for hop in range((destination - node) % nodes):
            crosses[node, (node + hop) % nodes] = 41 / 40
    found, open_nodes = np.zeros(nodes), np.ones(nodes, dtype=bool)
    while open_nodes.any():
        used, wanted = found @ crosses, open_nodes @ crosses
        steps = np.divide(1 - used, wanted, out=np.full(nodes, np.inf), where=wanted > 0)
        step = min(steps.min(), (loads - found)[open_nodes].min())
        found = found + open_nodes * step
        full = (found @ crosses) > 1 - 1e-12
        open_nodes = open_nodes & ~(crosses[:, full] > 0).any(axis=1) & (found < loads - 1e-12)
    return found


@checks("picker1994.c50")
def one_idle_counts_behind_each_packet(trials: Trials) -> Finding:
    """A lone sender's optimum is L / (L + 1) for packets of L symbols."""
    lengths = range(8, 145)
    found = [optimal_throughput(matrix_of((1, 0)), mean_send_symbols=length)[0] for length in lengths]
    off = max(abs(value - length / (length + 1)) for value, length in zip(found, lengths, strict=True))
    return Finding(off < 1e-12, f"sizes 16 to 288 bytes, largest difference {off:.1e}")


@checks("picker1994.c51")
def echoes_lower_the_optimum(trials: Trials) -> Finding:
    """No node's optimum with echoes is above that without."""
    above, number = 0, trials.count(100)
    for _ in range(number):
        matrix = matrix_of(draw_ring(trials.rng, nodes=(3, 16)).destinations)
        with_echo = optimal_throughput_with_echo(matrix, mean_send_symbols=40)
        above += bool((with_echo > optimal_throughput(matrix, mean_send_symbols=40) + 1e-12).any())
    return Finding(above == 0, f"{above} of {number} patterns with a node above")


@checks("picker1994.c52")
def echoes_lower_the_optimum_by_the_fullest_link(trials: Trials) -> Finding:
    """The optimum with echoes is that without, over the load of the fullest link that a node's packets cross."""
    largest = 0.0
    for _ in range(trials.count(60)):
        matrix = drawn_matrix(trials.rng, int(trials.rng.integers(3, 10)))
        nodes = len(matrix)
        plain = optimal_throughput(matrix, mean_send_symbols=40)
        load, used = np.zeros(nodes), np.zeros((nodes, nodes), dtype=bool)
        for source, destination in zip(*np.nonzero(matrix), strict=True):
            hops = (destination - source) % nodes
            for hop in range(nodes):
                # A send packet has 40 symbols and an idle up to its destination, its echo 4 and one from there on.
                length = 41 if hop < hops else 5
                load[(source + hop) % nodes] += plain[source] * matrix[source, destination] * length / 40
                used[source, (source + hop) % nodes] |= hop < hops
        fullest = np.array([max(1.0, *load[used[node]]) for node in range(nodes)])
        with_echo = optimal_throughput_with_echo(matrix, mean_send_symbols=40)
        largest = max(largest, float(np.abs(with_echo - plain / fullest).max()))
    return Finding(largest < 1e-9, f"largest difference from an independent count {largest:.1e}")


@checks("picker1994.c54")
def adjusted_deviation_is_at_most_the_absolute_one(trials: Trials) -> Finding:
    """The adjusted deviation counts shortfalls only."""
    above, number = 0, trials.count(20)
    for _ in range(number):
        ring = draw_ring(trials.rng, sizes=(80,)).under("sci")
        above += bool((deviation_percent(ring) > deviation_percent(ring, adjusted=False) + 1e-9).any())
    return Finding(above == 0, f"{above} of {number} rings with a node above")
