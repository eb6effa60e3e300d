"""What became of each message, from counters that the test writes down."""

import math
from types import SimpleNamespace

import pytest
from fake_simulator import CountingSimulator
from hypothesis import given
from hypothesis import strategies as st

from ringlet.figures import Found, records
from ringlet.scenario import PeriodicMessage
from ringlet.scenario.activities.messages.activity import messages_found


def message(period=100.0, deadline=100, offset=0.0, **changes):
    fields = {"name": "m", "source": 0, "destination": 1, "priority": 3, "size_bytes": 200, "packets": 4}
    times = {"period_cycles": period, "deadline_cycles": deadline, "offset_cycles": offset}
    return PeriodicMessage(**{**fields, **times, **changes})


def record(simulator, table, *, cycle, measured_from=0, before=()):
    found = {"nodes": 2, "cycle": cycle, "measured_from": measured_from, "completed_before": list(before)}
    messages = messages_found(simulator, found, table)
    resolved = SimpleNamespace(link_format=SimpleNamespace(symbol_bytes=2))
    scenario = SimpleNamespace(symbol_time_ns=2.0, resolved=resolved)
    return records("messages", Found(found, scenario, {"messages": messages}))


def test_a_set_that_meets_its_deadlines():
    simulator = CountingSimulator(
        2,
        quantile=70,
        completed_messages=[99, 10],
        message_latency_sum_cycles=[0, 500],
        message_latency_min_cycles=[0, 20],
        message_latency_max_cycles=[0, 80],
    )
    (only,) = record(simulator, [message()], cycle=1000)
    assert only == {
        "name": "m",
        "source": 0,
        "destination": 1,
        "priority": 3,
        "size_bytes": 200,
        "packets": 4,
        "period_ns": 200.0,
        "deadline_ns": 200.0,
        "jitter_ns": 0.0,
        "drift_ppm": 0.0,
        "sporadic_ns": 0.0,
        "labels": {},
        "released": 10,
        "completed": 10,
        "missed": 0,
        "unfinished": 0,
        "deadline_miss_ratio": 0.0,
        "mean_response_ns": 100.0,
        "p99_response_ns": 140.0,
        "worst_response_ns": 160.0,
    }


def test_no_quantile_lies_outside_of_what_was_measured():
    # The histogram knows the end of an interval only.
    simulator = CountingSimulator(
        1,
        quantile=2049,
        completed_messages=[10],
        message_latency_sum_cycles=[20_480],
        message_latency_min_cycles=[2048],
        message_latency_max_cycles=[2048],
    )
    (only,) = record(simulator, [message()], cycle=1000)
    assert only["p99_response_ns"] == only["worst_response_ns"] == 4096


def test_a_message_that_is_still_under_way_after_its_deadline_missed_it():
    # Released at 0, 100, ..., 900; the deadline of the one at 900 is at 950; only the first 7 were completed, 2 of them
    # late.
    simulator = CountingSimulator(
        1,
        completed_messages=[7],
        missed_deadlines=[2],
        message_latency_sum_cycles=[700],
        message_latency_max_cycles=[120],
    )
    (only,) = record(simulator, [message(deadline=50)], cycle=1000)
    assert (only["released"], only["completed"], only["unfinished"]) == (10, 7, 3)
    assert only["missed"] == 5
    assert only["deadline_miss_ratio"] == 0.5
    # The one released at 700 waits since 299 cycles.
    assert only["worst_response_ns"] == 598


def test_a_message_whose_deadline_is_still_to_come_is_only_unfinished():
    simulator = CountingSimulator(1, completed_messages=[9], message_latency_max_cycles=[99])
    (only,) = record(simulator, [message()], cycle=1000)
    assert (only["unfinished"], only["missed"]) == (1, 0)
    assert only["worst_response_ns"] == 198


def test_what_was_missed_before_the_measurement_does_not_count():
    simulator = CountingSimulator(1, completed_messages=[8], missed_deadlines=[3], message_latency_max_cycles=[300])
    (only,) = record(simulator, [message()], cycle=1000, measured_from=500, before=[(2, 1)])
    # By cycle 499 four were due, one of the two completed ones was late and two were overdue: these come late now.
    assert (only["released"], only["completed"], only["unfinished"]) == (5, 8, 0)
    assert only["missed"] == (1 + 3) - (1 + 2)
    assert only["deadline_miss_ratio"] == pytest.approx(1 / 5)


def test_nothing_released_yet():
    simulator = CountingSimulator(1, quantile=math.nan)
    (only,) = record(simulator, [message(offset=60.0)], cycle=50)
    assert (only["released"], only["missed"], only["deadline_miss_ratio"]) == (0, 0, None)
    assert only["mean_response_ns"] is only["p99_response_ns"] is only["worst_response_ns"] is None


@given(st.floats(1, 50), st.floats(0, 30), st.integers(1, 60), st.integers(0, 400))
def test_releases_are_those_of_the_engine(period, offset, deadline, cycle):
    one = message(period=period, offset=offset, deadline=deadline)
    releases = [math.ceil(offset + k * period) for k in range(500)]
    assert one.released(cycle) == sum(release <= cycle for release in releases)
    assert one.due(cycle) == sum(release + deadline <= cycle for release in releases)
