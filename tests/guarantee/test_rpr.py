"""Why RPR's class A has no bound."""

import pytest

import ringlet as rl


@pytest.mark.parametrize("duration", ["100 us", "400 us"])
def test_class_a_waits_for_ever_where_reserved_shares_exceed_the_link(duration):
    flow = {"destination": 3, "size": 64, "arrivals": "periodic"}
    content = {
        "network": {"nodes": 4},
        "flow_control": {"protocol": "rpr", "class_a": 0.05, "class_b": 1.0, "high_threshold": 41},
        "flows": [
            {**flow, "name": "b", "source": 0, "period": 41, "priority": 1},
            {**flow, "name": "a", "source": 1, "period": 4000, "priority": 2},
        ],
        "run": {"duration": duration, "warmup": 0},
    }
    found = {one["name"]: one for one in rl.run(content).document["flows"]}
    # Each of its packets, until its transit queue is above the threshold, and none from then on.
    assert found["a"]["delivered"] == 2 < found["a"]["offered"]
