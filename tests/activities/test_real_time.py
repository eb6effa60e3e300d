"""Whole runs with transactions, priorities and messages, on the compiled engine."""

import json

import numpy as np
import pytest

from ringlet.scenario import Scenario
from ringlet.simulation import run

PROTOCOLS = ("none", "sci", "grouped", "ppq", "train", "dfc")


def scenario(protocol="sci", **sections):
    content = {
        "network": {"nodes": 8, "framing": 1},
        "flow_control": {"protocol": protocol},
        "queues": {"receive": 5, "service_time": "100 ns"},
        "traffic": {"transaction": "read64", "load": "20 MB/s"},
        "run": {"duration": "200 us", "warmup": "20 us"},
    } | sections
    return Scenario.from_dict({key: section for key, section in content.items() if section is not None})


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("transaction", ["read64", "nwrite64", "dmove64"])
def test_a_light_load_of_data_is_carried(protocol, transaction):
    document = run(scenario(protocol, traffic={"transaction": transaction, "load": "20 MB/s"})).to_dict()
    total, packets = document["total"], 1 if transaction == "dmove64" else 2
    assert total["offered_MBps"] == pytest.approx(8 * 20, rel=0.15)
    assert total["throughput_MBps"] == pytest.approx(total["offered_MBps"], rel=0.05)
    moved = total["throughput_MBps"] * 1e6 * document["simulated_s"] / 64
    assert total["delivered_packets"] == pytest.approx(packets * moved, rel=0.02)
    # 48 symbols of send packets move 64 bytes, or 40.
    symbols = 40 if transaction == "dmove64" else 48
    assert total["throughput_words_per_cycle"] == pytest.approx(symbols * moved / document["cycles"], rel=0.02)
    for node in document["nodes"]:
        assert sum(node["link"].values()) == pytest.approx(1.0)
    assert document["warnings"] == []


def test_a_message_latency_is_that_of_request_and_response_together():
    total = run(scenario()).to_dict()["total"]
    one_way, whole = total["latency_ns"], total["message_latency_ns"]
    assert whole["mean"] == pytest.approx(2 * one_way["mean"], rel=0.05)
    assert one_way["max"] < whole["max"]
    assert whole["min"] <= whole["p50"] <= whole["p95"] <= whole["p99"] <= whole["max"] * 1.01


def test_a_bare_packet_is_a_message_of_its_own():
    total = run(scenario(traffic={"transaction": "mixed", "load": "20 MB/s"})).to_dict()["total"]
    assert total["message_latency_ns"] == {
        key: value for key, value in total["latency_ns"].items() if key in total["message_latency_ns"]
    }


def test_quantiles_hold_for_long_latencies():
    traffic = {"transaction": "send80", "arrivals": "periodic", "load": "1 MB/s"}
    total = run(scenario(queues={"service_time": "10 us"}, traffic=traffic)).to_dict()["total"]
    assert total["latency_ns"]["min"] > 10_000
    for key in ("p50", "p95", "p99"):
        assert total["latency_ns"]["min"] * 0.999 <= total["latency_ns"][key] <= total["latency_ns"]["max"] * 1.001


@pytest.mark.parametrize("protocol", ["sci", "ppq", "train", "dfc"])
def test_priorities_say_who_gets_what_and_how_long_lower_ones_are_in_the_way(protocol):
    result = run(
        scenario(
            protocol,
            queues={"receive": 5, "service_time": "100 ns", "priorities": 3},
            traffic={"transaction": "read64", "load": "120 MB/s", "priorities": [0, 1, 2]},
        )
    )
    document = result.to_dict()
    records, total = document["priorities"], document["total"]
    assert [record["priority"] for record in records] == [0, 1, 2]
    for key in ("offered_MBps", "throughput_MBps"):
        assert sum(record[key] for record in records) == pytest.approx(total[key])
    # The load is beyond the ring: the highest priority gets through, the lowest does not.
    assert records[2]["throughput_MBps"] == pytest.approx(records[2]["offered_MBps"], rel=0.1)
    assert records[2]["throughput_MBps"] > records[0]["throughput_MBps"]
    for kind in ("output_inversions", "input_inversions"):
        assert all(record[kind].keys() == {"packets", "share", "mean_ns", "max_ns"} for record in records)
        assert sum(record[kind]["packets"] for record in records) == total[kind]["packets"]
        # Nothing is below the lowest.
        assert records[0][kind]["packets"] == 0
        assert records[0][kind]["mean_ns"] is None
        for record in records[1:]:
            if record[kind]["packets"]:
                assert 0 < record[kind]["mean_ns"] <= record[kind]["max_ns"] <= total[kind]["max_ns"]
    assert sum(record["output_inversions"]["packets"] for record in records) > 0
    assert list(result.priorities.columns).count("output_inversion_mean_ns") == 1
    json.dumps(document, allow_nan=False)


MESSAGES = [
    {"name": "fast", "source": 0, "destination": 3, "size": 64, "period": "4 us", "priority": 3},
    {"name": "bulk", "source": 5, "destination": 1, "size": "2 KiB", "period": "40 us", "deadline": "30 us"},
]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("transaction", ["dmove64", "nwrite64", "read64"])
def test_messages_meet_wide_deadlines(protocol, transaction):
    alone = scenario(
        protocol, messages=MESSAGES, message_transaction=transaction, run={"duration": "200 us"}, traffic=None
    )
    result = run(alone)
    document = result.to_dict()
    assert document["warmup_cycles"] == 0
    fast, bulk = document["messages"]
    assert (fast["released"], bulk["released"]) == (50, 5)
    for message in (fast, bulk):
        assert message["completed"] + message["unfinished"] == message["released"]
        assert message["unfinished"] <= 1
        assert (message["missed"], message["deadline_miss_ratio"]) == (0, 0.0)
        assert 0 < message["mean_response_ns"] <= message["worst_response_ns"] <= message["deadline_ns"]
    assert document["total"]["throughput_MBps"] == pytest.approx((50 * 64 + 5 * 2048) / 200, rel=0.01)
    assert list(result.messages.index) == ["fast", "bulk"]
    assert result.messages["deadline_miss_ratio"].tolist() == [0, 0]


def test_a_message_too_large_for_its_period_misses_every_deadline_but_early_ones():
    slow = {"name": "slow", "source": 0, "destination": 2, "size": "8 KiB", "period": "4 us"}
    document = run(scenario(messages=[slow], run={"duration": "400 us"}, traffic=None)).to_dict()
    (message,) = document["messages"]
    assert message["released"] == 100
    assert message["completed"] < 50
    assert message["missed"] >= 98
    assert message["deadline_miss_ratio"] > 0.98
    assert message["worst_response_ns"] > 200_000
    assert any(warning.startswith("overload: utilisation") for warning in document["warnings"])


def test_messages_beside_background_traffic_count_for_the_measured_time_only():
    both = scenario(
        "dfc", messages=MESSAGES, traffic={"load": "50 MB/s"}, run={"duration": "100 us", "warmup": "31 us"}
    )
    document = run(both).to_dict()
    fast, bulk = document["messages"]
    assert document["warmup_cycles"] == 15_500
    assert (fast["released"], bulk["released"]) == (25, 3)
    assert abs(fast["completed"] - 25) <= 1
    assert document["total"]["offered_MBps"] == pytest.approx(8 * 50 + 16 + 3 * 2048 / 100, rel=0.1)


def test_results_depend_on_nothing_but_scenario_and_seed():
    both = scenario("dfc", messages=MESSAGES, traffic={"load": "50 MB/s", "priorities": [0, 1]})
    assert run(both, seed=3).to_dict(timing=False) == run(both, seed=3).to_dict(timing=False)
    offered = [run(both, seed=seed).to_dict()["total"]["offered_MBps"] for seed in (3, 4)]
    assert not np.isclose(*offered, rtol=1e-6)


NEVER_COMPLETE = {
    "network": {"nodes": 4},
    "queues": {"transmit": 1},
    "messages": [{"name": "a", "source": 0, "destination": 2, "size": 640, "period": 3000, "deadline": 2000}],
    "run": {"duration": 100_000, "warmup": 0},
}
"""A message whose packets find no place in the transmit queue."""


def test_a_deadline_of_a_message_that_is_never_complete_is_missed_in_total_too():
    document = run(Scenario.of(NEVER_COMPLETE)).to_dict()
    assert document["messages"][0]["missed"] == 33
    assert document["total"]["missed_deadlines"] == 33


def test_missed_deadlines_of_priorities_are_those_of_their_messages():
    late = {"size": 640, "period": 3000, "deadline": 100}
    messages = [
        {"name": "a", "source": 0, "destination": 2, "priority": 1, **late},
        {"name": "b", "source": 1, "destination": 3, "priority": 0, **late},
        {"name": "c", "source": 2, "destination": 0, "priority": 0, **late, "deadline": 3000},
    ]
    document = run(Scenario.of(NEVER_COMPLETE | {"messages": messages, "queues": {}})).to_dict()
    missed = {one["name"]: one["missed"] for one in document["messages"]}
    assert missed == {"a": 34, "b": 34, "c": 0}
    by_priority = {one["priority"]: one["missed_deadlines"] for one in document["priorities"]}
    assert by_priority == {1: 34, 0: 34}
    assert document["total"]["missed_deadlines"] == 68


def test_missed_deadlines_of_flows_are_in_the_total_and_in_their_priorities_too():
    late = {"size": 640, "period": 3000, "deadline": 100}
    content = NEVER_COMPLETE | {
        "queues": {},
        "messages": [{"name": "a", "source": 0, "destination": 2, "priority": 1, **late}],
        "flows": [
            {"name": "b", "source": 1, "destination": 3, **late},
            {"name": "c", "source": 2, "destination": [0, 1], "size": 64, "period": 3000},
        ],
    }
    document = run(Scenario.of(content)).to_dict()
    assert {one["name"]: one["missed"] for one in document["flows"]} == {"b": 34, "c": None}
    assert {one["priority"]: one["missed_deadlines"] for one in document["priorities"]} == {1: 34, 0: 34}
    assert document["total"]["missed_deadlines"] == 68
