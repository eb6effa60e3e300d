"""Tests of Sections 5.4 to 6: random and symmetric traffic."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis import optimal_throughput_with_echo
from ringlet.analysis.deviation import adjusted_deviation
from ringlet.papers.claims.claim import Finding, Trials, checks
from ringlet.papers.claims.picker1994.rings import PROTOCOLS, deviation_percent, matrix_of
from ringlet.papers.claims.rings import draw_ring
from ringlet.papers.picker1994.patterns import pattern_classes
from ringlet.scenario import Scenario
from ringlet.simulation import run


@checks("picker1994.c68")
def the_gain_is_larger_with_one_packet_size(trials: Trials) -> Finding:
    """Over the 81 patterns SCI deviates more times as much as the enhanced protocol with one packet size than with
    mixed ones.

    The sentence is about Figure 3, whose measure of the improvement is the ratio of both deviations.
    """
    sci = {size: _mean_of_patterns("sci", size) for size in ("send80", "mixed")}
    grouped = {size: _mean_of_patterns("grouped", size) for size in ("send80", "mixed")}
    times = {size: sci[size] / grouped[size] for size in sci}
    points = {size: sci[size] - grouped[size] for size in sci}
    return Finding(
        times["send80"] > times["mixed"],
        f"SCI for grouped, one size {times['send80']:z.1f} times, mixed {times['mixed']:z.1f}; in points "
        f"{points['send80']:z.1f} and {points['mixed']:z.1f}",
    )


def _mean_of_patterns(protocol: str, transaction: str) -> float:
    """Returns the average deviation in % over the 81 deterministic patterns of 4 nodes."""
    total = 0.0
    for pattern in pattern_classes(4):
        deviation = _matrix_deviation(matrix_of(pattern.destinations), protocol, transaction).mean()
        total += pattern.occurrences * float(deviation)
    return total / 81


def _mean_deviations(trials: Trials) -> dict[int, tuple[float, float]]:
    """Returns average deviation in % under sci and grouped over random matrices, by nodes."""
    found = _over_matrices(trials, ("send80",))
    return {
        n: (float(found[n, "send80", "sci"].mean()), float(found[n, "send80", "grouped"].mean())) for n in (4, 8, 16)
    }


@checks("picker1994.c72")
def larger_rings_are_like_small_ones(trials: Trials) -> Finding:
    """The enhanced protocol gains on SCI with 8 and 16 nodes as with 4, for one destination of each node."""
    gains = {}
    for nodes in (4, 8, 16):
        rings = [
            draw_ring(trials.rng, nodes=(nodes, nodes), sizes=(80,), hop_delays=(1, 1)) for _ in range(trials.count(15))
        ]
        sci, grouped = (
            float(np.mean([deviation_percent(ring.under(protocol)).mean() for ring in rings]))
            for protocol in ("sci", "grouped")
        )
        gains[nodes] = sci - grouped
    shown = ", ".join(f"{nodes} nodes {gain:+z.1f}" for nodes, gain in gains.items())
    return Finding(all(gain > 0 for gain in gains.values()), f"gain in points: {shown}")


@checks("picker1994.c73")
def grouped_deviates_less_on_random_matrices(trials: Trials) -> Finding:
    """On random matrices the enhanced protocol deviates by less than 0.8 of SCI."""
    found = _mean_deviations(trials)
    shown = ", ".join(f"{nodes} nodes {sci:z.1f} to {grouped:z.1f}" for nodes, (sci, grouped) in found.items())
    return Finding(all(grouped < 0.8 * sci for sci, grouped in found.values()), f"sci to grouped, %: {shown}")


@checks("picker1994.c74")
def the_gain_grows_with_the_ring(trials: Trials) -> Finding:
    """The gain over SCI on random matrices grows from 4 to 8 to 16 nodes."""
    gains = [sci - grouped for sci, grouped in _mean_deviations(trials).values()]
    return Finding(gains[0] < gains[1] < gains[2], "points, 4, 8, 16 nodes: " + ", ".join(f"{g:z.1f}" for g in gains))


@checks("picker1994.c75")
def mixed_sizes_have_higher_largest_deviations(trials: Trials) -> Finding:
    """Under the enhanced protocol the largest node deviations on random matrices are higher with mixed sizes, as in
    both columns of Table 4: the average of those of each matrix, and the largest of all."""
    found = _over_matrices(trials, ("send80", "mixed"))
    average = {n: [float(found[n, t, "grouped"].max(axis=1).mean()) for t in ("mixed", "send80")] for n in (4, 8, 16)}
    largest = {n: [float(found[n, t, "grouped"].max()) for t in ("mixed", "send80")] for n in (4, 8, 16)}
    shown = ", ".join(f"{n} nodes {mixed:z.1f} for {one:z.1f}" for n, (mixed, one) in average.items())
    extremes = ", ".join(f"{mixed:z.0f} for {one:z.0f}" for mixed, one in largest.values())
    return Finding(
        all(mixed > one for mixed, one in (*average.values(), *largest.values())),
        f"average of the largest, mixed for one size, %: {shown}; the largest of all {extremes}",
    )


@checks("picker1994.c76")
def they_stay_below_those_of_sci(trials: Trials) -> Finding:
    """With mixed sizes the average of the largest deviations is below SCI's."""
    found = _over_matrices(trials, ("mixed",))
    average = {n: [float(found[n, "mixed", p].max(axis=1).mean()) for p in ("grouped", "sci")] for n in (4, 8, 16)}
    shown = ", ".join(f"{nodes} nodes {ours:z.1f} for {sci:z.1f}" for nodes, (ours, sci) in average.items())
    return Finding(all(ours < sci for ours, sci in average.values()), f"grouped for sci, %: {shown}")


@checks("picker1994.c78", "picker1994.c79")
def symmetric_traffic_needs_no_flow_control(trials: Trials) -> Finding:
    """With symmetric traffic no node lags without flow control, and both protocols lower the throughput."""
    shown, holds = [], True
    for nodes in (4, 8, 16):
        deviation = {protocol: _uniform_deviation(nodes, protocol) for protocol in PROTOCOLS}
        holds = holds and deviation["none"] < 2.5 and deviation["none"] < min(deviation["sci"], deviation["grouped"])
        shown.append(f"{nodes}: " + " ".join(f"{protocol} {value:z.1f}" for protocol, value in deviation.items()))
    return Finding(holds, "deviation in %, nodes " + "; ".join(shown))


@checks("picker1994.c80")
def grouped_is_slightly_worse_with_symmetric_traffic(trials: Trials) -> Finding:
    """With symmetric traffic the enhanced protocol is worse than SCI by at most 5 points."""
    gaps = {n: _uniform_deviation(n, "grouped") - _uniform_deviation(n, "sci") for n in (4, 8, 16)}
    shown = ", ".join(f"{nodes} nodes {gap:+z.1f}" for nodes, gap in gaps.items())
    return Finding(all(0 <= gap <= 5 for gap in gaps.values()), f"grouped less sci in points: {shown}")


def _uniform_deviation(nodes: int, protocol: str) -> float:
    """Returns the average deviation in % of a saturated ring with uniform traffic."""
    matrix = (np.ones((nodes, nodes)) - np.eye(nodes)) / (nodes - 1)
    return float(_matrix_deviation(matrix, protocol, "send80", cycles=100_000).mean())


_MEAN_SYMBOLS = {"send64": 32, "send80": 40, "mixed": 0.4 * 40 + 0.6 * 8}
"""Mean length of the send packets of transactions."""


def _matrix_deviation(
    matrix: NDArray[np.float64], protocol: str, transaction: str, *, cycles: int = 40_000
) -> NDArray[np.float64]:
    """Returns each node's deviation from the optimum in %, for saturated nodes that send by a traffic matrix."""
    content = {
        "network": {"nodes": len(matrix)},
        "flow_control": {"protocol": protocol},
        "traffic": {"transaction": transaction, "pattern": "matrix", "matrix": matrix.tolist()},
        "run": {"duration": cycles, "warmup": cycles // 5},
    }
    found = run(Scenario.from_dict(content)).nodes["throughput_words_per_cycle"].to_numpy(dtype=np.float64)
    optimum = optimal_throughput_with_echo(matrix, mean_send_symbols=_MEAN_SYMBOLS[transaction])
    return adjusted_deviation(found, optimum)


def drawn_matrix(rng: np.random.Generator, nodes: int) -> NDArray[np.float64]:
    """Draws a traffic matrix whose rows have one, two, or all other nodes as destinations."""
    matrix = np.zeros((nodes, nodes))
    for node in range(nodes):
        others = [other for other in range(nodes) if other != node]
        chosen = rng.choice(others, int(rng.choice([1, 2, nodes - 1])), replace=False)
        matrix[node, chosen] = rng.dirichlet(np.ones(len(chosen)))
    return matrix


def _over_matrices(trials: Trials, transactions: Sequence[str]) -> dict[tuple[int, str, str], NDArray[np.float64]]:
    """Returns deviations in % by nodes (4, 8, 16), transaction and protocol, shape (matrices, nodes)."""
    found: dict[tuple[int, str, str], NDArray[np.float64]] = {}
    for nodes in (4, 8, 16):
        matrices = [drawn_matrix(trials.rng, nodes) for _ in range(trials.count(12))]
        for transaction in transactions:
            for protocol in ("sci", "grouped"):
                each = [_matrix_deviation(matrix, protocol, transaction) for matrix in matrices]
                found[nodes, transaction, protocol] = np.array(each)
    return found


@checks("picker1994.c82")
def mixed_sizes_lower_its_performance_somewhat(trials: Trials) -> Finding:
    """Over the 81 patterns the enhanced protocol has less of the optimum with mixed sizes, by at most 10 points."""
    one, mixed = (100 - _mean_of_patterns("grouped", transaction) for transaction in ("send80", "mixed"))
    return Finding(0 < one - mixed <= 10, f"of the optimum: mixed {mixed:z.1f} %, one size {one:z.1f} %")
