"""Control loops in a scenario: what is refused, and what the engine is told."""

import pytest

from ringlet import RingletError
from ringlet.scenario import Scenario

LOOP = {"name": "steer", "nodes": [0, 3, 5], "size": "512 B", "period": "100 us"}


def scenario(*loops, network=None, others=None):
    table = [LOOP | loop for loop in loops or ({},)]
    return Scenario.from_dict({"network": network or {"nodes": 8}, "loops": table} | (others or {}))


def plans(*loops, **keys):
    return scenario(*loops, **keys).network_spec(1)["workload"]


def test_a_loop_becomes_a_chain_of_flows():
    (chain,) = plans({"size": ["512 B", 65], "compute_time": ["1 us", "2 us", "500 ns"], "deadline": "50 us"})
    assert chain == {
        "kind": "chain",
        "release": {"kind": "periodic", "period": 50_000.0, "phase": 0.0},
        "jitter_cycles": 0,
        "deadline_cycles": 25_000,
        "stages": [
            {"flow": 0, "destination": 3, "packets": 8, "after_cycles": 500},
            {"flow": 1, "destination": 5, "packets": 2, "after_cycles": 1000},
        ],
        "end_cycles": 250,
    }


def test_flows_of_loops_stand_between_a_collective_operation_and_messages():
    others = {
        "collective": {"operation": "all-gather", "size": "1 KiB"},
        "events": {"rate": "1 kHz", "builders": [1], "fragment": "512 B"},
        "messages": [{"source": 2, "destination": 6, "size": 64, "period": "10 us"}],
        "traffic": {"load": "1 MB/s", "arrivals": "poisson"},
    }
    found = scenario({}, {"name": "back", "nodes": [5, 0]}, others=others)
    events, collective, first, second = found.network_spec(1)["workload"]
    # 8 flows of traffic, 7 sources of events, 8 members.
    assert [one["flow"] for one in events["fragments"]] == list(range(8, 15))
    assert collective["flows"] == list(range(15, 23))
    assert [stage["flow"] for stage in first["stages"]] == [23, 24]
    assert [stage["flow"] for stage in second["stages"]] == [25]
    sources = [flow.source for flow in found.resolved.flows]
    assert sources[23:] == [0, 3, 5, 2]


def test_nodes_go_by_their_names_and_give_the_loop_its_own():
    named = {"nodes": 3, "node_names": ["camera", "planner", "wheel"]}
    loop = {"nodes": ["camera", "planner", "wheel"], "size": 64, "period": "10 us"}
    (plan,) = Scenario.from_dict({"network": named, "loops": [loop]}).resolved.plans
    assert plan.name == "camera-planner-wheel"
    assert plan.nodes == (0, 1, 2)


def test_without_traffic_there_is_none_and_no_warm_up():
    alone = scenario()
    assert alone.warmup == 0
    assert len(alone.resolved.flows) == 2
    assert scenario(others={"traffic": {"load": "1 MB/s", "arrivals": "poisson"}}).warmup == "auto"


def test_groups_follow_the_ways_of_loops():
    grouped = {"flow_control": {"protocol": "grouped"}}
    found = scenario({"nodes": [0, 3, 0, 5]}, others=grouped)
    matrix = found.traffic_matrix()
    assert matrix[0].tolist() == [0, 0, 0, 0.5, 0, 0.5, 0, 0]
    assert matrix[3, 0] == 1
    assert matrix.sum() == 2


@pytest.mark.parametrize(
    ("loop", "message"),
    [
        ({"nodes": [3]}, "loops[0].nodes: [3] is not allowed; at least 2 of them"),
        ({"nodes": [0, 9]}, "loops[0].nodes[1]: 9 is not allowed; a node below 8"),
        ({"nodes": [0, 0, 3]}, "loops[0].nodes[1]: 0 is not allowed; another node than the one before"),
        ({"nodes": ["here", 3]}, "loops[0].nodes[0]: 'here' is not allowed; a node's number"),
        ({"size": ["1 KiB"]}, "loops[0].size: <1 values> is not allowed; one value, or 2, one for each message"),
        ({"size": 0.5}, "loops[0].size: 0.5 is not allowed; a whole number of bytes"),
        ({"size": ["64 B", "1 MiB"]}, "loops[0].size[1]: '1 MiB' is not allowed; at most 4096 packets of 64 bytes"),
        ({"compute_time": ["1 us", "1 us"]}, "loops[0].compute_time: <2 values> is not allowed; one value, or 3"),
        (
            {"compute_time": "40 us"},
            "loops[0].compute_time: '40 us' is not allowed; all nodes together less than the deadline, 100 us: they "
            "take 120000 ns",
        ),
        ({"deadline": "101 us"}, "loops[0].deadline: '101 us' is not allowed; at most the period, 100 us"),
        ({"jitter": "101 us"}, "loops[0].jitter: '101 us' is not allowed; at most the period, 100 us"),
        ({"period": "1 ns"}, "loops[0].period: '1 ns' is not allowed; 1 to 2^53 cycles of 2 ns"),
        ({"priority": 8}, "loops[0].priority: 8 is not allowed; below 4"),
        ({"transaction": "read64"}, "loops[0].transaction: 'read64' is not allowed"),
    ],
)
def test_what_cannot_be_is_refused_in_one_message(loop, message):
    others = {"flow_control": {"protocol": "sci", "priorities": 4}} if "priority" in loop else None
    with pytest.raises(RingletError) as refused:
        scenario(loop, others=others)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_deadline_without_a_period_is_refused():
    loop = {key: value for key, value in LOOP.items() if key != "period"} | {"deadline": "10 us"}
    with pytest.raises(RingletError, match=r"loops\[0\].period: missing"):
        Scenario.from_dict({"network": {"nodes": 8}, "loops": [loop]})


def test_a_late_deadline_may_be_allowed():
    found = scenario({"deadline": "250 us"}, others={"allow_late_deadlines": True})
    assert found.resolved.plans[0].deadline_cycles == 125_000


def test_two_of_one_name_are_refused():
    with pytest.raises(RingletError, match=r"loops\[1\].name: 'steer' is not allowed; a name that no other"):
        scenario({}, {})
    message = {"name": "steer", "source": 1, "destination": 2, "size": 64, "period": "10 us"}
    with pytest.raises(RingletError, match=r"loops\[0\].name: 'steer'"):
        scenario(others={"messages": [message]})


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"queues": {"transmit": 4}}, "queues.transmit: 4 is not allowed; 'unlimited' with control loops"),
        ({"run": {"precision": 0}}, "run.precision: 0 is not allowed"),
    ],
)
def test_what_does_not_go_beside_loops_is_refused(others, message):
    with pytest.raises(RingletError) as refused:
        scenario(others=others)
    assert message in str(refused.value)


def test_a_loop_ends_at_a_memory_but_does_not_pass_one():
    network = {"topology": "omega", "size": 4}
    assert scenario({"nodes": ["P0", "M2"]}, network=network).resolved.plans[0].nodes == (0, 6)
    with pytest.raises(RingletError, match=r"loops\[0\].nodes\[1\]: 6 is not allowed; a node that sends"):
        scenario({"nodes": ["P0", "M2", "M1"]}, network=network)
