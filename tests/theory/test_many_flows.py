"""What many flows take of a network of many rings, in little memory."""

import random
import tracemalloc

import numpy as np
import pytest

from ringlet import Scenario
from ringlet.theory import resources
from ringlet.theory.resources import shared

NODES = 256


def scenario(flows):
    drawn = random.Random(5)
    ways = [drawn.sample(range(NODES), 2) for _ in range(flows)]
    table = [
        {"name": f"f{i}", "source": source, "destination": to, "size": 1500, "rate": "0.1 MB/s"}
        for i, (source, to) in enumerate(ways)
    ]
    network = {"topology": "torus", "shape": [16, 16]}
    return Scenario.from_dict({"network": network, "flows": table, "flow_transaction": "dmove256"})


def test_few_rings_of_many_are_used_by_each_flow_and_only_these_are_kept():
    resolved = scenario(20_000).resolved
    rings = resolved.routed_network[0].rings
    assert rings > 250
    flows = resolved.flows
    tracemalloc.start()
    found = shared(resolved, flows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found is not None
    # A sum of each pair of a flow and a ring, of 8 bytes.
    assert peak < 20_000 * rings * 8


@pytest.mark.parametrize("flows", [1, 40, 700])
def test_sums_are_the_same_whether_all_pairs_are_kept_or_few(flows, monkeypatch):
    resolved = scenario(flows).resolved
    every = []
    for dense in (0, 1 << 40):
        monkeypatch.setattr(resources, "DENSE", dense)
        every.append(shared(resolved, resolved.flows).uses)
    few, all_pairs = every
    for name in ("commodity", "first", "end", "amount"):
        assert np.array_equal(getattr(few, name), getattr(all_pairs, name)), name
