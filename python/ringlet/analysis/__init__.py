"""Theory of a single ring: the optimum, the deviation from it, and transmission groups.

Pure numpy. Nodes and links are numbered from 0; link `k` runs from node `k` to node `k + 1` modulo `N`.

References: picker1994 (D. Picker, R. D. Fellman, P. M. Chau, "Enhancing SCI's Fairness Protocol for Increased
Throughput", 1994), Sections 4 (optimum), 5.2 (deviation) and 5.1 (grouping).
"""

from ringlet.analysis.crossing import ECHO_SYMBOLS, crossing_probabilities
from ringlet.analysis.deviation import (
    absolute_deviation,
    adjusted_deviation,
    average_maximum_deviation,
    average_ring_deviation,
    maximum_node_deviation,
)
from ringlet.analysis.grouping import (
    MAX_CONFLICT_PAIRS,
    conflict_matrix,
    maximal_conflict_grouping,
    maximal_conflict_pair_grouping,
    pair_conflict_matrix,
)
from ringlet.analysis.optimum import optimal_throughput, optimal_throughput_with_echo, relaxed_fair_rates

__all__ = [
    "ECHO_SYMBOLS",
    "MAX_CONFLICT_PAIRS",
    "absolute_deviation",
    "adjusted_deviation",
    "average_maximum_deviation",
    "average_ring_deviation",
    "conflict_matrix",
    "crossing_probabilities",
    "maximal_conflict_grouping",
    "maximal_conflict_pair_grouping",
    "maximum_node_deviation",
    "optimal_throughput",
    "optimal_throughput_with_echo",
    "pair_conflict_matrix",
    "relaxed_fair_rates",
]
