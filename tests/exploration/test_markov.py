"""A small ring under Bernoulli traffic, solved exactly, beside simulation, its intervals and the queueing model."""

from typing import Any

import numpy as np
import pytest

import ringlet as rl

LOADS = (0.02, 0.1, 0.25)


def ring(load: float, *, nodes: int = 2, transmit: int = 2, transaction: str = "dmove00") -> dict[str, Any]:
    return {
        "network": {"nodes": nodes},
        "flow_control": {"protocol": "none"},
        "traffic": {
            "transaction": transaction,
            "destinations": [(node + 1) % nodes for node in range(nodes)],
            "arrivals": "bernoulli",
            "load": load,
        },
        "queues": {"transmit": transmit},
        "run": {"duration": 2_000_000, "warmup": 10_000},
    }


@pytest.mark.parametrize("load", LOADS)
def test_simulation_agrees(load: float) -> None:
    found, simulated = rl.exact(ring(load)), rl.run(ring(load), seed=5)
    assert sum(flow.throughput_MBps for flow in found.flows) == pytest.approx(
        simulated.total["throughput_MBps"].item(), rel=0.02
    )
    assert found.latency_mean_ns == pytest.approx(simulated.total["latency_mean_ns"].item(), rel=0.005)
    lost = simulated.total["lost_packets"].item()
    offered = lost + simulated.total["delivered_packets"].item()
    assert np.mean([flow.lost_share for flow in found.flows]) == pytest.approx(lost / offered, abs=0.01)


@pytest.mark.parametrize("load", LOADS)
def test_the_distribution_has_the_mean_of_littles_law(load: float) -> None:
    for flow in rl.exact(ring(load)).flows:
        assert flow.latency_ns is not None
        assert flow.latency_probability is not None
        assert flow.latency_probability.sum() == pytest.approx(1, abs=1e-5)
        assert flow.latency_ns @ flow.latency_probability == pytest.approx(flow.latency_mean_ns, rel=1e-4)


def test_intervals_hold_the_truth() -> None:
    """Of thirty runs at most six have an interval without the exact mean: at 95 % it would be two."""
    scenario = ring(0.25) | {"run": {"duration": 60_000, "warmup": 1_000}}
    truth = rl.exact(scenario).latency_mean_ns
    found = [rl.run(scenario, seed=seed).total for seed in range(30)]
    outside = sum(abs(one["latency_mean_ns"].item() - truth) > one["latency_ci95_ns"].item() for one in found)
    assert outside <= 6


def test_at_a_low_load_the_queueing_model_agrees() -> None:
    scenario = ring(0.02, transmit=4)
    modelled = rl.model(scenario)
    assert rl.exact(scenario).latency_mean_ns == pytest.approx(modelled["latency_ns"].mean(), rel=0.02)


def test_an_idle_ring_has_its_latency_only() -> None:
    flow = rl.exact(ring(0.0001, transmit=1)).flows[0]
    assert flow.quantile_ns(0.5) == flow.quantile_ns(0.9)


def test_too_many_states_are_said() -> None:
    with pytest.raises(rl.RingletError, match=r"network: <more than \d+ states> is not allowed; at most 300: fewer"):
        rl.exact(ring(0.1), states=300)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arrivals": "poisson"}, r"traffic.arrivals: 'poisson' is not allowed; bernoulli, to be solved exactly"),
        ({"transaction": "read64"}, "traffic.transaction: .* a bare send packet"),
    ],
)
def test_other_traffic_is_refused(change: dict[str, Any], message: str) -> None:
    scenario = ring(0.1)
    with pytest.raises(rl.RingletError, match=message):
        rl.exact(scenario | {"traffic": scenario["traffic"] | change})


def test_destinations_drawn_at_random_are_refused() -> None:
    scenario = ring(0.1, nodes=3)
    traffic = {key: value for key, value in scenario["traffic"].items() if key != "destinations"}
    with pytest.raises(rl.RingletError, match="to be solved exactly"):
        rl.exact(scenario | {"traffic": traffic | {"pattern": "uniform"}})
