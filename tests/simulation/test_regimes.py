"""A ring with two regimes is found by starting it empty and overfull, and told with both values."""

from types import SimpleNamespace

import pytest

import ringlet as rl
from ringlet.cli.verdicts import regimes_line
from ringlet.simulation.regimes import Regimes, is_suspect


def light(**traffic):
    load = {"pattern": "uniform", "arrivals": "poisson", "load": "60 MB/s", **traffic}
    return {"network": {"nodes": 4}, "traffic": load, "run": {"duration": "200 us", "warmup": "20 us"}}


def test_a_hot_spot_has_two_regimes_and_both_values_are_told(hot_spot):
    run = rl.run(hot_spot)
    assert run.document["warnings"] == []  # the run alone says nothing of it
    assert is_suspect(hot_spot, run.document)
    found = rl.regimes(hot_spot, empty=run)
    assert found.verdict == "two"
    assert found.empty is run
    record = found.to_dict()
    empty, overfull = record["empty"], record["overfull"]
    assert empty["throughput_MBps"] > 1.05 * overfull["throughput_MBps"]
    assert (empty["queues_grow"], overfull["queues_grow"]) == (False, True)
    line = regimes_line({"regimes": record})
    assert line.startswith("regimes: two were found: started empty ")
    assert f"{empty['throughput_MBps']:.4g} MB/s, mean latency" in line
    assert f"{overfull['throughput_MBps']:.4g} MB/s, and queues grow" in line


def test_the_regime_of_the_overfull_start_lasts(hot_spot):
    """Measured for four times as long it carries the same: it is a state, and not what is left of a start."""
    longer = hot_spot.changed(run=hot_spot.run.changed(duration="4 ms"))
    first, other = (rl.regimes(ring).to_dict()["overfull"] for ring in (hot_spot, longer))
    assert first["throughput_MBps"] == pytest.approx(other["throughput_MBps"], rel=0.05)


def test_under_dfc_the_same_hot_spot_has_one(hot_spot):
    found = rl.regimes(hot_spot.changed(flow_control={"protocol": "dfc"}))
    assert found.verdict == "one"
    one, other = found.to_dict()["empty"], found.to_dict()["overfull"]
    assert one["throughput_MBps"] == pytest.approx(other["throughput_MBps"], rel=0.05)
    assert one["latency_mean_ns"] == pytest.approx(other["latency_mean_ns"], rel=0.2)


def test_a_light_ring_comes_back_from_an_overfull_start():
    found = rl.regimes(light())
    assert found.verdict == "one"
    assert regimes_line({"regimes": found.to_dict()}).startswith(
        "regimes: one was found: started with 64 packets waiting at each source it comes to the same, "
    )


def test_packets_that_take_longer_than_the_run_are_waited_for():
    """At 650 of 690 MB/s they need more than twice the run to be served."""
    ring = light(pattern="neighbour", load="650 MB/s")
    ring["run"] = {"duration": "20 us", "warmup": "2 us"}
    found = rl.regimes(ring)
    assert not found.draining
    assert found.overfull.document["warmup_cycles"] > 2 * 10_000
    assert found.overfull.document["cycles"] == found.empty.document["cycles"] == 10_000


def test_an_undecided_record_says_why():
    start = {"throughput_MBps": 10.0, "latency_mean_ns": 80.0, "queues_grow": False, "stalled": False}
    found = {"verdict": "undecided", "undecided_as": "start", "waiting_packets": 64, "empty": start, "overfull": start}
    assert regimes_line({"regimes": found}) == (
        "regimes: not decided, as packets of that start were still being served: started empty 10 MB/s, mean latency "
        "80 ns; started with 64 packets waiting at each source 10 MB/s, mean latency 80 ns"
    )
    grows = {**found, "undecided_as": "growth", "overfull": {**start, "queues_grow": True}}
    assert "not decided, as queues grow after one start only: " in regimes_line({"regimes": grows})
    short = {**found, "undecided_as": "chance"}
    assert "not decided, as in a run as short as this chance may be what they differ by: " in regimes_line(
        {"regimes": short}
    )
    stalled = {**found, "overfull": {**start, "stalled": True}}
    assert regimes_line({"regimes": stalled}).endswith("at each source nothing moves any more")
    assert regimes_line({}) is None


def test_one_of_two_starts_alone_with_growing_queues_is_no_second_regime():
    def result(throughput, grows):
        latency = {"mean": 80.0, "ci95": None}
        total = {"throughput_MBps": throughput, "throughput_ci95_MBps": 10.0, "latency_ns": latency}
        total["offered_MBps"] = 100.0
        lines = ["overloaded: 9 of 10 packets generated were left waiting"] if grows else []
        return SimpleNamespace(document={"total": total, "saw": {"ended_by": "duration"}, "warnings": lines})

    assert Regimes(result(100.0, False), result(99.0, True), draining=False).verdict == "undecided"
    assert Regimes(result(100.0, False), result(50.0, True), draining=False).verdict == "two"
    assert Regimes(result(100.0, False), result(150.0, False), draining=True).verdict == "undecided"
    assert Regimes(result(100.0, True), result(99.0, True), draining=False).verdict == "one"


def test_starts_that_differ_no_more_than_by_chance_decide_nothing():
    def result(throughput, latency=80.0, half=10.0):
        total = {"throughput_MBps": throughput, "throughput_ci95_MBps": half, "offered_MBps": 100.0}
        total["latency_ns"] = {"mean": latency, "ci95": None if latency is None else 0.2 * latency}
        return SimpleNamespace(document={"total": total, "saw": {"ended_by": "duration"}, "warnings": []})

    def found(one, other):
        both = Regimes(one, other, draining=False)
        return both.verdict, both.doubt

    assert found(result(100.0), result(93.0)) == ("undecided", "chance")
    assert found(result(100.0, half=None), result(93.0, half=None)) == ("undecided", "chance")
    assert found(result(100.0, half=0.1), result(93.0, half=0.1)) == ("two", None)
    assert found(result(100.0), result(99.0)) == ("one", None)
    assert found(result(100.0), result(100.0, latency=100.0)) == ("undecided", "chance")
    assert found(result(100.0), result(100.0, latency=90.0)) == ("one", None)
    assert found(result(0.0, latency=None), result(0.0, latency=None)) == ("one", None)


@pytest.mark.parametrize(
    "ring",
    [
        {"network": {"nodes": 4}},
        {
            "network": {"nodes": 4},
            "traffic": {"arrivals": "none"},
            "collective": {"operation": "all-gather", "size": "1 KiB"},
        },
        {
            "network": {"nodes": 4},
            "traffic": {"arrivals": "none"},
            "messages": [{"source": 0, "destination": 1, "size": 64, "period": "1 us"}],
        },
    ],
)
def test_what_has_no_overfull_start_is_refused(ring):
    with pytest.raises(rl.RingletError, match="regimes: <two starts> is not allowed; random traffic whose load"):
        rl.regimes({**ring, "run": {"duration": "20 us"}})
