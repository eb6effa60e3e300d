"""The part that all tables of the study share: lengths of runs, and the deviation of each node from its optimum."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis import (
    adjusted_deviation,
    average_ring_deviation,
    maximum_node_deviation,
    optimal_throughput_with_echo,
)
from ringlet.papers.measurement import common_seeds
from ringlet.papers.picker1994.presets import Mix, Preset, Protocol
from ringlet.papers.runs import Case
from ringlet.scenario import Scenario
from ringlet.simulation import Result

PAPER = "picker1994"


@dataclass(frozen=True, slots=True)
class Scale:
    """The amount of simulation."""

    seeds: tuple[int, ...]
    """Every case runs once with each."""
    random_matrices: int
    """Random traffic matrices per family and ring size."""


FULL = Scale(seeds=tuple(range(1, 13)), random_matrices=16)
QUICK = Scale(seeds=(1, 2), random_matrices=4)


def case(file: str, preset: Preset, protocol: Protocol, mix: Mix, *overrides: str) -> Case:
    """Returns a case of one of this paper's scenario files."""
    return Case(PAPER, file, (*preset.overrides(protocol, mix), *overrides))


def weighted_average(values: Sequence[NDArray[np.float64]], weights: Sequence[float]) -> NDArray[np.float64]:
    """Returns the weighted mean over cases of values per seed that all cases have, shape (seeds,)."""
    return np.asarray(np.average(np.stack(common_seeds(values)), axis=0, weights=np.asarray(weights, dtype=np.float64)))


@dataclass(frozen=True, slots=True)
class CaseResult:
    """Throughput of every node under each seed, beside the optimum."""

    throughput_words_per_cycle: NDArray[np.float64]
    """Shape (seeds, nodes)."""
    optimal_words_per_cycle: NDArray[np.float64]
    """Optimum with echoes, picker1994 equation (7); shape (nodes,)."""

    @property
    def deviation_percent(self) -> NDArray[np.float64]:
        """Adjusted deviation of every node under each seed, in %; shape (seeds, nodes)."""
        return adjusted_deviation(self.throughput_words_per_cycle, self.optimal_words_per_cycle)

    @property
    def average_percent(self) -> NDArray[np.float64]:
        """Average ring deviation of each seed's run, in %; shape (seeds,)."""
        return average_ring_deviation(self.deviation_percent)

    @property
    def maximum_percent(self) -> NDArray[np.float64]:
        """Maximum node deviation of each seed's run, in %; shape (seeds,)."""
        return maximum_node_deviation(self.deviation_percent)


def measure(scenario: Scenario, results: Sequence[Result]) -> CaseResult:
    """Returns the throughput of every node in each result, and its optimum."""
    return CaseResult(
        throughput_words_per_cycle=np.array(
            [[node["throughput_words_per_cycle"] for node in result.document["nodes"]] for result in results]
        ),
        optimal_words_per_cycle=optimal_throughput_with_echo(
            scenario.traffic_matrix(),
            mean_send_symbols=scenario.mean_send_symbols,
            attempted=scenario.resolved.attempted_throughput(),
        ),
    )


def join(first: CaseResult, others: CaseResult) -> CaseResult:
    """Returns the case under the seeds of both."""
    throughput = np.concatenate([first.throughput_words_per_cycle, others.throughput_words_per_cycle])
    return CaseResult(throughput, first.optimal_words_per_cycle)


Results = Mapping[Case, CaseResult]
"""Figures kept of each case, as `ringlet.papers.runs.simulate` returns them."""
