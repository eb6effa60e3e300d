"""A trial of transmission groups beside one group for all, on a saturated ring."""

from typing import TYPE_CHECKING, Any, NamedTuple

from ringlet.analysis import adjusted_deviation, average_ring_deviation, optimal_throughput_with_echo
from ringlet.scenario import Scenario
from ringlet.scenario.values.transactions import MAX_BYTES, SCI_MAX_BYTES
from ringlet.simulation.simulate import run

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TRIAL_CYCLES = 30_000
"""Cycles that a trial simulates, of which the first tenth is its warm-up; with packets longer than SCI's, so many more
that each node sends as many."""

SEEDS = (1, 2)
"""Seeds of each trial: its deviation is the mean."""


class Trial(NamedTuple):
    """Average adjusted deviation from the fair share, in %, of all nodes saturated."""

    grouped_percent: float
    one_group_percent: float
    cycles: int
    """Simulated cycles."""

    @property
    def is_worse(self) -> bool:
        """True if one group simulates better."""
        return self.grouped_percent > self.one_group_percent


def trial(scenario: Scenario, groups: list[int] | list[list[int]]) -> Trial:
    """Returns what these groups, of each node or of each pair, and one group give on the scenario's ring.

    Simulated is its traffic matrix with packets of one size, the mean of the scenario's.
    """
    matrix = scenario.traffic_matrix()
    flat = [group for row in groups for group in (row if isinstance(row, list) else [row])]
    grouped = {"protocol": "grouped", "groups": max(flat) + 1, "assignment": groups}
    symbol_bytes = scenario.network.link_width // 8
    # An even number of bytes, as packets have.
    step = max(2, symbol_bytes)
    size = min(round(scenario.mean_send_symbols * symbol_bytes / step) * step, MAX_BYTES)
    cycles = max(TRIAL_CYCLES, round(TRIAL_CYCLES * size / SCI_MAX_BYTES))
    with_groups, with_one = (_deviation(scenario, matrix, one, size, cycles) for one in (grouped, {"protocol": "sci"}))
    return Trial(with_groups, with_one, cycles)


def _deviation(
    scenario: Scenario, matrix: "NDArray[np.float64]", flow_control: dict[str, Any], size: int, cycles: int
) -> float:
    network = scenario.network
    kept = ("nodes", "hop_delay", "link_rate", "link_width", "echoes")
    content = {
        "network": {name: value for name in kept if (value := getattr(network, name)) is not None},
        "flow_control": flow_control,
        "traffic": {
            "transaction": {"sizes": {str(size): 1.0}},
            "largest_packet": max(size, SCI_MAX_BYTES),
            "pattern": "matrix",
            "matrix": matrix.tolist(),
            "arrivals": "saturated",
        },
        "run": {"duration": cycles, "warmup": cycles // 10},
    }
    one = Scenario.from_dict(content)
    best = optimal_throughput_with_echo(matrix, mean_send_symbols=size * 8 // network.link_width)
    obtained = sum(run(one, seed=seed).nodes["throughput_words_per_cycle"].to_numpy() for seed in SEEDS) / len(SEEDS)
    return float(average_ring_deviation(adjusted_deviation(obtained, best)))
