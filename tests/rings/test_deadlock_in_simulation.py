"""The deadlock check agrees with simulation: what can deadlock does, and what cannot does not, on the same seeds."""

import pytest

import ringlet as rl

SEEDS = range(8)

EAGER = {
    # No interface may be starved by its neighbour's retries, which is another thing than a deadlock
    # (docs/how-to/topologies.md).
    "flow_control": {"protocol": "sci"},
    "run": {"duration": "200 us", "warmup": 0, "stall_after": "50 us"},
}


def stalls(network, *, buffers, pooled=False, **sections):
    """Returns what the progress watch reports with each seed, and what the check says beforehand."""
    switch = {"receive": buffers, "transmit": buffers, "pooled": pooled}
    scenario = rl.Scenario.from_dict({"network": network, "switch": switch, **EAGER, **sections})
    results = [rl.run(scenario, seed=seed) for seed in SEEDS]
    return [result.stall for result in results], scenario.warnings()


def circle(count, **keys):
    """Rings in a circle, each joined to the next by a switch of two ports."""
    rings = [{"members": [ring, f"b{ring}.0", f"b{(ring - 1) % count}.1"]} for ring in range(count)]
    switches = [{"name": f"b{ring}", "ports": 2} for ring in range(count)]
    return {"topology": "rings", "rings": rings, "switches": switches, **keys}


def onward(count, transaction="dmove64", load="100 MB/s"):
    """Every node sends half of the way round."""
    half = [(node + count // 2) % count for node in range(count)]
    traffic = {"transaction": transaction, "destinations": half, "arrivals": "poisson", "load": load}
    return {"traffic": traffic}


def responding():
    """Hosts that serve one request at a time and wait until its response is accepted."""
    return {
        "traffic": {"transaction": "nwrite64", "arrivals": "saturated"},
        "queues": {"receive": 1, "responses": 1},
    }


@pytest.mark.parametrize("buffers", [1, 2])
@pytest.mark.parametrize("rings", [5, 7])
def test_rings_in_a_circle_deadlock(rings, buffers):
    found, warnings = stalls(circle(rings), buffers=buffers, **onward(rings))
    assert all(found)
    assert "can deadlock" in warnings[0]
    for stall in found:
        # The circle that the check names: requests from each switch to the next.
        waits = {(one["port"], one["waits_for"]) for one in stall["blocked"] if one["packets"] == "requests"}
        assert {(f"switch 'b{ring}' port 0", f"switch 'b{ring}' port 1") for ring in range(rings)} <= waits
        assert stall["waiting_nodes"] == list(range(rings))


@pytest.mark.parametrize("buffers", [1, 2])
@pytest.mark.parametrize("rings", [5, 7])
def test_up_down_routes_do_not(rings, buffers):
    found, warnings = stalls(circle(rings, routing="up-down"), buffers=buffers, **onward(rings))
    assert not any(found)
    assert warnings == []


def test_separate_buffers_for_responses_do_not_help_a_circle():
    found, warnings = stalls(circle(5), buffers=2, pooled=False, **onward(5, transaction="nwrite64"))
    assert sum(map(bool, found)) >= 5
    assert warnings


RESPONDING = {
    "torus of ringlets": {"topology": "torus", "shape": [3, 3]},
    "torus of long rings": {"topology": "torus", "shape": [3, 3], "connection": "long-ring"},
    "omega of long rings": {"topology": "omega", "size": 8, "connection": "long-ring"},
}


@pytest.mark.parametrize("name", RESPONDING)
def test_responses_in_shared_buffers_deadlock(name):
    found, warnings = stalls(RESPONDING[name], buffers=1, pooled=True, **responding())
    assert all(found)
    assert "can deadlock" in warnings[0]
    kinds = {one["packets"] for stall in found for one in stall["blocked"]}
    assert kinds == {"requests", "responses"}


@pytest.mark.parametrize("buffers", [1, 2])
@pytest.mark.parametrize("name", RESPONDING)
def test_responses_in_separate_buffers_do_not(name, buffers):
    found, warnings = stalls(RESPONDING[name], buffers=buffers, pooled=False, **responding())
    assert not any(found)
    assert warnings == []


def test_ringlets_do_not_deadlock_whatever_the_buffers():
    network = {"topology": "omega", "size": 8}
    found, warnings = stalls(network, buffers=1, pooled=True, **responding())
    assert not any(found)
    assert warnings == []


def test_a_run_shorter_than_the_longest_watch_reports_its_deadlock():
    scenario = rl.Scenario.from_dict(
        {"network": circle(5), "switch": {"receive": 1, "transmit": 1}, "run": {"duration": "1 ms"}, **onward(5)}
    )
    assert rl.run(scenario).stall is not None


def test_a_network_that_only_starts_slowly_is_not_stalled():
    deep = {"topology": "ring-of-rings", "shape": [2, 2, 2, 2]}
    slow = {"to_link": "100 us", "from_link": "100 us"}
    scenario = rl.Scenario.from_dict(
        {
            "network": deep,
            "switch": slow,
            "run": {"duration": "2 ms", "warmup": 0},
            "traffic": {"transaction": "dmove64"},
        }
    )
    result = rl.run(scenario)
    assert result.stall is None
