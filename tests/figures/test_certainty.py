"""Intervals of a run: where there are any, and how far they reach."""

import pytest

import ringlet as rl

LONG = {"duration": "1 ms"}


def total(content):
    return rl.run(rl.Scenario.from_dict({"network": {"nodes": 4}, "run": {"duration": "40 us"}, **content})).document[
        "total"
    ]


@pytest.mark.parametrize(
    "content",
    [
        {"traffic": {"arrivals": "periodic", "load": "60 MB/s", "destinations": [1, 2, 3, 0]}},
        {"traffic": {"arrivals": "saturated", "destinations": [2, 3, 0, 1]}},
        {"messages": [{"source": 0, "destination": 2, "size": 256, "period": "2 us"}]},
    ],
)
def test_what_is_not_drawn_has_no_interval(content):
    found = total(content)
    assert found["throughput_MBps"] > 0
    assert found["throughput_ci95_MBps"] is found["latency_ns"]["ci95"] is found["latency_ns"]["p99_low"] is None


@pytest.mark.parametrize(
    "traffic",
    [
        {"arrivals": "poisson", "load": "60 MB/s", "destinations": [1, 2, 3, 0]},
        {"arrivals": "saturated"},
        {"arrivals": "saturated", "transaction": "mixed", "destinations": [2, 3, 0, 1]},
    ],
)
def test_what_is_drawn_has_intervals(traffic):
    found = total({"traffic": traffic, "run": LONG})
    assert found["throughput_ci95_MBps"] > 0
    assert found["latency_ns"]["ci95"] > 0


def test_wrong_bits_are_drawn():
    periodic = {"arrivals": "periodic", "load": "60 MB/s", "destinations": [1, 2, 3, 0]}
    drawn = total({"traffic": periodic, "errors": {"bit_error_rate": 1e-4}, "run": LONG})
    assert drawn["latency_ns"]["ci95"] > 0


def test_the_interval_of_the_99th_percentile_holds_it():
    found = total({"traffic": {"arrivals": "poisson", "load": "60 MB/s"}, "run": {"duration": "2 ms"}})
    latency = found["latency_ns"]
    assert latency["p99_low"] < latency["p99"] < latency["p99_high"] < latency["max"]


def test_a_short_run_does_not_say_how_large_the_99th_percentile_may_be():
    latency = total({"traffic": {"arrivals": "poisson", "load": "60 MB/s"}, "run": {"duration": "4 us"}})["latency_ns"]
    assert latency["p99"] > 0
    assert latency["p99_high"] is latency["p99_low"] is None
