"""The distribution of latency."""

import numpy as np
import pytest

import ringlet as rl
from ringlet.simulation.distribution import BINS_PER_OCTAVE, binned


def test_bins_keep_every_packet_and_are_narrow():
    edges = np.arange(1, 5000)
    found = binned(edges, np.ones_like(edges), symbol_time_ns=2.0)
    assert sum(found["packets"]) == len(edges)
    upper = np.array(found["upper_ns"]) / 2.0
    assert upper[-1] == edges[-1]
    assert (np.diff(upper) > 0).all()
    # Latencies that are no more than a bin apart, or one cycle.
    widest = 2 ** (1 / BINS_PER_OCTAVE)
    assert (upper[1:] <= np.maximum(upper[:-1] + 1, (upper[:-1] + 1) * widest)).all()


def test_bins_of_several_runs_add_up():
    generator = np.random.default_rng(1)
    first, second = (np.unique(generator.integers(1, 3000, 200)) for _ in range(2))
    both = np.unique(np.concatenate([first, second]))
    together = binned(both, np.isin(both, first) * 1 + np.isin(both, second) * 1, symbol_time_ns=1.0)
    bins: dict[int, int] = {}
    for edges in (first, second):
        found = binned(edges, np.ones_like(edges), symbol_time_ns=1.0)
        for upper, packets in zip(found["upper_ns"], found["packets"], strict=True):
            number = int(np.ceil(round(BINS_PER_OCTAVE * np.log2(upper), 9)))
            bins[number] = bins.get(number, 0) + packets
    assert [bins[number] for number in sorted(bins)] == together["packets"]


def test_a_run_knows_its_distribution_in_total_and_by_priority():
    scenario = rl.Scenario.from_dict(
        {
            "network": {"nodes": 4},
            "flow_control": {"priorities": 4},
            "traffic": {"priority": [0, 0, 0, 3]},
            "run": {"duration": "40 us"},
        }
    )
    result = rl.run(scenario)
    total = result.latency_distribution()
    assert total["packets"].sum() == result.total["delivered_packets"].iloc[0]
    assert total["upper_ns"].iloc[-1] == pytest.approx(result.total["latency_max_ns"].iloc[0], rel=2e-3)
    assert (total["longer"].iloc[-1], len(result.latency_distribution(1))) == (0.0, 0)
    parts = [result.latency_distribution(priority)["packets"].sum() for priority in range(4)]
    assert sum(parts) == total["packets"].sum()
    with pytest.raises(KeyError):
        result.latency_distribution(7)
