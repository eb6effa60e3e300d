"""How long a run lasts that has no duration: until what the scenario asks is known."""

from pathlib import Path

import pytest

import ringlet as rl
from ringlet.scenario.resolved.horizon import (
    DEFAULT_PRECISION,
    MOST_NODE_CYCLES,
    MOST_PACKETS,
    TRIGGERS,
    hyperperiod_cycles,
)

CASES = Path(__file__).parents[1] / "verdicts" / "cases"
RANDOM = {"network": {"nodes": 4}, "traffic": {"arrivals": "poisson", "load": "20 MB/s"}}
MESSAGES = [
    {"source": 0, "destination": 2, "size": 64, "period": "10 us", "deadline": "5 us"},
    {"source": 1, "destination": 3, "size": 64, "period": "4 us", "offset": "3 us"},
]


def horizon(content):
    return rl.Scenario.from_dict(content).horizon


def test_messages_take_a_hyperperiod_behind_the_largest_offset_and_the_longest_deadline():
    found = horizon({"network": {"nodes": 4}, "messages": MESSAGES})
    assert (found.by, found.measured) == ("hyperperiod", (3 + 20 + 5) * 500)


def test_a_loop_counts_with_its_jitter():
    loop = {"nodes": [0, 1, 0], "period": "8 us", "size": 64, "jitter": "1 us", "compute_time": "100 ns"}
    found = horizon({"network": {"nodes": 4}, "messages": MESSAGES, "loops": [loop]})
    assert (found.by, found.measured) == ("hyperperiod", (3 + 40 + 9) * 500)


def test_a_hyperperiod_beyond_any_run_ends_at_a_number_of_packets():
    scenario = rl.Scenario.load(CASES / "avionics-sync.toml")
    found = scenario.horizon
    rate = sum(flow.rate for flow in scenario.resolved.flows)
    assert (found.by, found.measured) == ("packets", pytest.approx(MOST_PACKETS / rate, abs=1))


def test_events_take_as_many_triggers_as_a_percentile_needs():
    events = {"rate": "50 kHz", "builders": [3], "fragment": "64 B"}
    found = horizon({"network": {"nodes": 4}, "events": events})
    assert (found.by, found.measured) == ("triggers", TRIGGERS * 10_000)


def test_a_collective_operation_lasts_until_it_is_complete_and_a_trace_until_its_end():
    assert rl.Scenario.load(CASES / "all-reduce.toml").horizon.until_over
    found = rl.Scenario.load(CASES / "all-gather-fast.toml").horizon
    assert (found.by, found.measured, found.until_over) == ("complete", None, True)


def test_random_traffic_is_measured_until_it_is_precise_or_a_number_of_node_cycles():
    found = horizon(RANDOM)
    assert (found.by, found.measured, found.precision) == ("precision", None, DEFAULT_PRECISION)
    assert found.most == MOST_NODE_CYCLES // 4
    assert horizon({**RANDOM, "run": {"precision": 0.001}}).precision == 0.001


def test_what_nothing_is_asked_of_lasts_a_millisecond():
    fixed = {"pattern": "permutation", "destinations": [1, 2, 3, 0], "arrivals": "saturated"}
    assert (horizon({"network": {"nodes": 4}, "traffic": fixed}).by) == "default"
    failing = {"links": [{"source": 1, "fails_at": "2 ms"}]}
    found = horizon({**RANDOM, "errors": failing})
    assert (found.by, found.measured) == ("default", 2_000_000)


def test_a_duration_is_kept():
    found = horizon({**RANDOM, "messages": MESSAGES, "run": {"duration": "7 us"}})
    assert (found.by, found.measured, found.precision) == ("duration", 3500, None)


@pytest.mark.parametrize(
    ("periods", "expected"), [([10, 4], 20), ([2.5, 4], 20), ([7.0], 7), ([1 / 3, 0.5], 1), ([1e200, 3.7e199], None)]
)
def test_the_hyperperiod_is_the_least_common_multiple(periods, expected):
    found = hyperperiod_cycles(periods)
    assert expected is None or found == pytest.approx(expected)
    assert all(found / period >= 1 for period in periods)
