"""A Poisson flow to several nodes, and one to each with its share (docs/how-to/flows.md)."""

import pytest

import ringlet as rl


def totals(flows):
    flows = [{"source": 0, "size": 256, "arrivals": "poisson", **flow} for flow in flows]
    content = {"network": {"nodes": 5}, "flows": flows, "run": {"duration": "40 ms"}}
    return rl.run(content).to_dict()


def test_a_flow_to_each_node_with_its_share_is_the_same_traffic_as_one_to_both():
    both = totals([{"name": "both", "destination": {"2": 0.75, "4": 0.25}, "rate": "200 MB/s"}])
    each = totals(
        [
            {"name": "near", "destination": 2, "rate": "150 MB/s"},
            {"name": "far", "destination": 4, "rate": "50 MB/s"},
        ]
    )
    for near, far in (each["destinations"], both["destinations"], both["pairs"]):
        assert near["delivered_MBps"] / far["delivered_MBps"] == pytest.approx(3, rel=0.05)
    (whole,) = both["flows"]
    for one, other in zip(both["destinations"], each["destinations"], strict=True):
        assert one["latency_mean_ns"] == pytest.approx(other["latency_mean_ns"], rel=0.05)
        assert one["latency_p99_ns"] == pytest.approx(other["latency_p99_ns"], rel=0.1)
    delivered = [one["delivered"] for one in each["flows"]]
    mean = sum(n * one["latency_mean_ns"] for n, one in zip(delivered, each["flows"], strict=True)) / sum(delivered)
    # Some 31,000 messages.
    assert sum(delivered) == pytest.approx(whole["delivered"], rel=0.03)
    assert mean == pytest.approx(whole["latency_mean_ns"], rel=0.03)
