"""Every source offers the load that the scenario asks for, so narrowly that a source 2 % slow fails."""

import json
import re

import numpy as np
import pytest

import ringlet as rl

# Of each node: small beside what a link carries, so that nothing waits for long.
LOADS_MBps = np.array([20, 30, 40, 50, 60, 70, 80, 90])
# A source that is 2 % slow is then more than 7 standard deviations off, whatever the seed.
PACKETS = 40_000


@pytest.mark.parametrize("arrivals", ["poisson", "bernoulli", "periodic"])
def test_every_node_offers_its_load(arrivals):
    # So many packets of 80 bytes at the mean rate.
    duration_us = PACKETS * 80 / LOADS_MBps.mean()
    sections = {
        "network": {"nodes": len(LOADS_MBps)},
        "traffic": {"transaction": "send80", "arrivals": arrivals, "load": [f"{load} MB/s" for load in LOADS_MBps]},
        "run": {"duration": f"{duration_us} us", "warmup": 0},
    }
    result = rl.run(rl.Scenario.from_dict(sections))
    found = result.nodes["offered_MBps"].to_numpy() / LOADS_MBps
    # Of Poisson arrivals the relative deviation of a count is one over its root; the others vary less.
    counts = PACKETS * LOADS_MBps / LOADS_MBps.mean()
    assert found == pytest.approx(np.ones_like(found), abs=4 / np.sqrt(counts.min()))
    together = (found * LOADS_MBps).sum() / LOADS_MBps.sum()
    assert together == pytest.approx(1, abs=4 / np.sqrt(counts.sum()))
    assert result.total["throughput_MBps"].iloc[0] == pytest.approx(LOADS_MBps.sum(), rel=4 / np.sqrt(counts.sum()))


@pytest.mark.parametrize("load", [0, -0.0, "-0 MB/s"], ids=str)
def test_no_figure_of_a_ring_at_rest_is_minus_0(load):
    document = rl.run({"network": {"nodes": 3}, "traffic": {"load": load}, "run": {"duration": "20 us"}}).document
    assert not re.search(r"-0\.0(?!\d)", json.dumps(document))
