"""Runs in which requests wait for their responses for a limited time."""

import pytest

import ringlet as rl

READS = {
    "network": {"nodes": 2},
    "queues": {"window": 1},
    "traffic": {"transaction": "read64", "arrivals": "periodic", "load": "20 MB/s", "destinations": [1, 0]},
    "run": {"duration": "100 us", "warmup": 0},
}
SWITCHED = {
    **READS,
    "network": {"topology": "switch", "nodes": 8},
    "traffic": {"transaction": "nwrite64", "arrivals": "periodic", "load": "20 MB/s"},
}


def total(content, **queues):
    made = {**content, "queues": {**content["queues"], **queues}}
    return rl.run(rl.Scenario.from_dict(made)).to_dict(timing=False)["total"]


@pytest.mark.parametrize("content", [READS, {**SWITCHED, "traffic": {**SWITCHED["traffic"], "transaction": "read64"}}])
def test_a_time_that_is_never_over_changes_nothing(content):
    """Of reads, whose data come with their responses in any case."""
    assert total(content, response_timeout="50 us") == total(content)


@pytest.mark.parametrize("content", [READS, SWITCHED])
def test_a_time_that_is_always_over_gives_every_request_up(content):
    """Each response is later than 2 ns."""
    found = total(content, response_timeout="2 ns", response_repeats=2)
    assert found["timed_out_requests"] > 50
    # Some are under way at the end.
    assert found["timed_out_requests"] / found["unanswered_requests"] == pytest.approx(3, rel=0.1)
    assert found["late_responses"] == pytest.approx(found["timed_out_requests"], rel=0.1)
    assert found["throughput_MBps"] == 0


def test_data_of_a_request_that_is_sent_again_count_once():
    """The server takes 1 us for a request, so that of several that come at once later ones are late."""
    traffic = {**READS["traffic"], "arrivals": "poisson", "load": ["20 MB/s", 0]}
    slow = {"service_time": ["0 ns", "1 us"], "window": "unlimited"}
    found = total({**READS, "traffic": traffic}, response_timeout="1.5 us", **slow)
    assert found["late_responses"] > 0
    assert found["timed_out_requests"] > found["unanswered_requests"]
    assert 0 < found["throughput_MBps"] <= found["offered_MBps"]


def test_a_lost_response_does_not_hold_its_place_for_ever():
    """The link over which responses come is down for 20 us, and the window has one place."""
    traffic = {**READS["traffic"], "load": ["20 MB/s", 0], "destinations": [1, 0]}
    failing = {"source": 1, "fails_at": "20 us", "repaired_at": "40 us"}
    losing = {**READS, "traffic": traffic, "errors": {"links": [failing], "timeout": "1 us", "max_timeouts": 2}}
    stuck, freed = total(losing), total(losing, response_timeout="5 us", response_repeats=10)
    assert freed["timed_out_requests"] > 0
    assert freed["delivered_packets"] > 2 * stuck["delivered_packets"]


def test_times_and_numbers_out_of_range_are_named():
    with pytest.raises(rl.RingletError, match=r"queues\.response_timeout"):
        total(READS, response_timeout="0 ns")
    with pytest.raises(rl.RingletError, match=r"queues\.response_repeats"):
        total(READS, response_repeats=256)
