"""Bounds of control loops: none is exceeded, that of a loop alone is known, and what has none says why."""

import pytest

import ringlet as rl
from guarantee.looped import looped_trial
from guarantee.sets import PROTOCOLS

LOOP = {"name": "loop", "nodes": [0, 3, 6], "size": 64, "period": 1000}
RING = {
    "network": {"nodes": 8, "hop_delay": 2},
    "flow_control": {"protocol": "none"},
    "queues": {"service_time": 30},
    "loops": [LOOP],
    "run": {"duration": 50_000},
}


def bound(content, name="loop"):
    return rl.guarantee(content).loc[name, "bound_us"] * 1e3 / rl.Scenario.from_dict(content).symbol_time_ns


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(6))
def test_no_response_of_a_loop_is_above_its_bound(protocol, seed):
    found = looped_trial(seed, protocol=protocol)
    assert not found.exceeded, found.scenario


@pytest.mark.parametrize("protocol", ["none", "dfc", "sci", "token-ring", "timed-token", "slotted-ring", "metaring"])
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_no_response_of_a_loop_across_switches_is_above_its_bound(protocol, seed, mixed):
    found = looped_trial(seed, protocol=protocol, network=True, mixed=mixed)
    assert not found.exceeded, found.scenario


@pytest.mark.parametrize("compute", [0, 1, 10, [3, 40, 7], [0, 100, 300]])
def test_a_loop_alone_meets_its_bound_but_for_its_own_echoes(compute):
    content = {**RING, "loops": [{**LOOP, "compute_time": compute}]}
    scenario = rl.Scenario.from_dict(content)
    worst = rl.run(scenario).loops.loc["loop", "worst_response_ns"] / scenario.symbol_time_ns
    # At either node the echo of the other packet is taken to pass just then.
    assert bound(content) == worst + 2 * 5


def test_work_counts_in_the_bound_of_its_own_loop_only():
    other = {"name": "other", "source": 0, "destination": 4, "size": 64, "period": 900}
    bounds = {}
    for work in (0, 1, 300):
        content = {**RING, "messages": [other], "loops": [{**LOOP, "compute_time": [work] * 3}]}
        bounds[work] = bound(content), bound(content, "other")
    # A node sends in the cycle after a delivery at the earliest.
    assert bounds[300][0] - bounds[1][0] == 3 * 299
    assert bounds[1][0] - bounds[0][0] == 2
    assert bounds[300][1] == bounds[0][1]


def test_the_jitter_of_a_loop_counts_once():
    late = {**RING, "loops": [{**LOOP, "jitter": 100}]}
    assert bound(late) == bound(RING) + 100


def test_a_loop_of_messages_over_switches_has_a_bound():
    content = {
        **RING,
        "network": {"topology": "dual-ring", "nodes": 6},
        "loops": [{**LOOP, "nodes": [0, 3, 5], "compute_time": 20}],
    }
    scenario = rl.Scenario.from_dict(content)
    worst = rl.run(scenario).loops.loc["loop", "worst_response_ns"] / scenario.symbol_time_ns
    assert worst <= bound(content) < 2 * worst


def test_a_loop_of_transactions_with_responses_has_no_bound():
    with pytest.raises(
        rl.RingletError, match="loops: <transactions with responses> is not allowed; transactions witho"
    ):
        rl.guarantee({**RING, "loops": [{**LOOP, "transaction": "nwrite64"}]})
