"""Control loops on the compiled engine, on rings and networks."""

from pathlib import Path

import pytest

import ringlet as rl
from ringlet.scenario.flow_control import PROTOCOLS

EXAMPLE = Path(__file__).parents[2] / "examples" / "control-loops.toml"
LOOP = {"name": "steer", "nodes": [0, 3, 5], "size": 64, "compute_time": ["1 us", "2 us", "500 ns"], "period": "10 us"}
RUN = {"duration": "1 ms", "warmup": 0}


def document(*loops, network=None, threads=1, run=RUN, **others):
    content = {"network": network or {"nodes": 8}, "loops": [LOOP | loop for loop in loops or ({},)], "run": run}
    return rl.run(content | others, threads=threads).document


def found(*loops, **keys):
    return document(*loops, **keys)["loops"][0]


# Without flow control no packet of a loop that is alone on its ring waits.
AT_ONCE = {"flow_control": {"protocol": "none"}}


def test_a_response_by_hand():
    one = found(**AT_ONCE)
    # A packet of 40 symbols behind an idle, over 3 and over 2 hops of a cycle, each cycle of 2 ns.
    ways = (1 + 3 + 40) * 2 + (1 + 2 + 40) * 2
    assert one["least_response_ns"] == one["worst_response_ns"] == one["compute_time_ns"] + ways == 3500 + ways
    assert (one["released"], one["completed"], one["missed"], one["unfinished"]) == (100, 100, 0, 0)
    assert one["margin_ns"] == 10_000 - one["worst_response_ns"]
    assert one["way"] == "0>3>5"


def test_go_bits_delay_a_packet_of_a_loop_by_less_than_a_packet():
    by_hand, sci = found(**AT_ONCE), found()
    assert sci["least_response_ns"] == by_hand["least_response_ns"]
    # It waits, at most at both nodes, for the idles without go bits that one stripped packet has left.
    assert sci["worst_response_ns"] <= by_hand["worst_response_ns"] + 2 * 40 * 2


def test_a_deadline_below_the_response_is_missed_each_time():
    response = found(**AT_ONCE)["worst_response_ns"]
    # The last one is released 10 us before the end.
    assert found({"deadline": f"{response} ns"}, **AT_ONCE)["missed"] == 0
    late = document({"deadline": f"{response - 2} ns"}, **AT_ONCE)
    assert late["loops"][0]["missed"] == late["end_to_end"]["end_to_end_missed"] == 100
    assert late["end_to_end"]["end_to_end_miss_ratio"] == 1
    assert late["end_to_end"]["end_to_end_worst_share"] == pytest.approx(response / (response - 2))


def test_jitter_counts_in_the_response():
    on_time, late = found(), found({"jitter": "3 us"})
    assert on_time["worst_response_ns"] + 2_700 < late["worst_response_ns"] <= on_time["worst_response_ns"] + 3_000
    assert on_time["mean_response_ns"] + 1_200 < late["mean_response_ns"] < on_time["mean_response_ns"] + 1_800


def test_an_instance_that_is_overdue_counts_with_its_time_so_far():
    # 256 packets through a node that takes 1 us for each of them.
    slow = {"queues": {"receive": 1, "service_time": "1 us"}}
    one = found({"size": "16 KiB", "deadline": "9 us"}, run={"duration": "100 us", "warmup": 0}, **slow)
    assert one["completed"] == 0
    assert (one["mean_response_ns"], one["least_response_ns"]) == (None, None)
    assert one["worst_response_ns"] == pytest.approx(100_000, rel=0.01)
    assert one["missed"] == one["released"] == one["unfinished"] == 10


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.listed))
def test_every_protocol_carries_loops(protocol):
    one = found({"priority": 0}, network={"nodes": 8, "hop_delay": 6}, flow_control={"protocol": protocol})
    assert one["completed"] == 100
    # SCI's minimum: nothing is faster than the ways and the computing.
    assert one["least_response_ns"] >= 3500 + 2 * 2 * 40


NETWORKS = (
    {"nodes": 8},
    {"topology": "switch", "nodes": 8, "memory": "numa"},
    {"topology": "torus", "shape": [2, 4]},
    {"topology": "dual-ring", "nodes": 8},
)


@pytest.mark.parametrize("network", NETWORKS, ids=lambda one: one.get("topology", "ring"))
def test_loops_on_every_network_beside_other_traffic(network):
    others = {"traffic": {"load": "40 MB/s", "arrivals": "poisson", "transaction": "dmove64"}}
    loops = ({}, {"name": "back", "nodes": [6, 1, 6], "size": ["1 KiB", 64], "jitter": "1 us", "priority": 2})
    one = document(*loops, network=network, **others)
    assert one["loops"] == document(*loops, network=network, threads=4, **others)["loops"]
    for loop in one["loops"]:
        assert loop["completed"] > 90
        assert loop["least_response_ns"] <= loop["mean_response_ns"] <= loop["p99_response_ns"]
        assert loop["p99_response_ns"] <= loop["worst_response_ns"]


def test_a_priority_shortens_the_response_where_packets_wait():
    busy = {"traffic": {"load": "110 MB/s", "arrivals": "poisson", "transaction": "dmove64"}}
    low, high = (found({"priority": one, "size": "512 B"}, **busy)["mean_response_ns"] for one in (0, 3))
    assert high < low


def test_results_do_not_depend_on_a_warm_up():
    warm = found(run={"duration": "1 ms", "warmup": "52 us"})
    cold = found()
    assert warm["worst_response_ns"] == cold["worst_response_ns"]
    assert (warm["released"], warm["completed"], warm["unfinished"]) == (100, 100, 1)


def test_loops_are_in_data_frames_sweeps_and_tables():
    result = rl.run(rl.Scenario.load(EXAMPLE, ["run.duration=200 us"]))
    assert result.loops.index.tolist() == ["steering", "brake", "health"]
    assert result.loops["margin_ns"].tolist() == [one["margin_ns"] for one in result.document["loops"]]
    scenario = rl.Scenario.from_dict({"network": {"nodes": 8}, "loops": [LOOP], "run": RUN})
    swept = rl.sweep(scenario, {"network.hop_delay": [1, 50]})
    shares = swept.summary["end_to_end_worst_share"].tolist()
    assert 0 < shares[0] < shares[1] < 1
    assert rl.run({"network": {"nodes": 4}, "run": {"duration": "10 us"}}).loops.empty


def test_a_message_that_is_lost_for_good_misses_its_deadline():
    # The link behind the controller fails in the middle of the run.
    one = document(
        errors={"links": [{"source": 3, "fails_at": "500 us"}], "max_timeouts": 1},
        flow_control={"protocol": "none"},
    )["loops"][0]
    assert 45 <= one["completed"] <= 51
    # Deadlines of the last one lie behind the end.
    assert one["missed"] == 99 - one["completed"]
    assert one["unfinished"] == 100 - one["completed"]
    assert one["worst_response_ns"] > 400_000


def test_a_drift_makes_the_period_of_a_loop_longer_and_leaves_its_deadline():
    table = {"nodes": [0, 1, 2], "size": 64, "period": 1000, "drift": 250_000}
    ring = {"network": {"nodes": 4}, "loops": [table], "run": {"duration": 100_000, "warmup": 0}}
    run = rl.run(ring)
    assert run.loops["released"].tolist() == [80]
    assert run.loops["deadline_ns"].tolist() == [2000]
    drifting = rl.run({**ring, "loops": [{**table, "drift": 0.001}, {**table, "name": "other", "drift": 0}]})
    seen = drifting.document["saw"]["loops"]
    assert (seen["drifting"], seen["hyperperiod_ns"], seen["hyperperiods"]) == (1, None, 0)


@pytest.mark.parametrize("drift", [2e6, -1e6, -999_999.5])
def test_a_drift_that_leaves_no_period_is_refused(drift):
    table = {"nodes": [0, 1, 2], "size": 64, "period": 1000, "drift": drift}
    with pytest.raises(rl.RingletError, match=r"loops\[0\].drift"):
        rl.run({"network": {"nodes": 4}, "loops": [table]})
