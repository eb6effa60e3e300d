"""However traffic is said, it is one list of flows: the engine's, and that which theory reads."""

import json

import pytest

from ringlet import Scenario

LATE = {"size": 640, "period": "30 us"}

WAYS = {
    "pattern": {"traffic": {"load": "1 MB/s"}},
    "messages": {"messages": [{"source": 0, "destination": 2, **LATE}]},
    "flows": {"flows": [{"source": 0, "destination": 2, **LATE}, {"source": 1, "destination": "all", **LATE}]},
    "events": {"events": {"rate": "1 kHz", "fragment": 64, "builders": [3]}},
    "collective": {"collective": {"operation": "all-gather", "size": 640}},
}

COUNTS = {"pattern": 4, "messages": 1, "flows": 2, "events": 3, "collective": 4}


@pytest.mark.parametrize("way", WAYS)
def test_the_engine_has_the_flows_that_theory_reads(way):
    scenario = Scenario.from_dict({"network": {"nodes": 4}, "run": {"duration": "10 us"}} | WAYS[way])
    flows = scenario.resolved.flows
    assert len(flows) == COUNTS[way]
    spec = json.loads(scenario.engine_spec)
    assert [one["source"] for one in spec["flows"]] == [flow.source for flow in flows]
