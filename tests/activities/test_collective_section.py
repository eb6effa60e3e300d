"""Collective operations in a scenario: what is refused, and what the engine is told."""

import pytest

from ringlet import RingletError
from ringlet.scenario import Scenario


def scenario(*, network=None, others=None, **collective):
    content = {
        "network": network or {"nodes": 8},
        "collective": {"operation": "all-reduce", "size": "64 KiB"} | collective,
    }
    return Scenario.from_dict(content | (others or {}))


def plan(**keys):
    return scenario(**keys).network_spec(1)["workload"][0]


def test_a_part_is_cut_into_packets():
    # 8 KiB for each of 8 members.
    assert plan()["packets"] == 128
    assert plan(size="8193 B")["packets"] == 17
    assert plan(size=1)["packets"] == 1
    assert plan(operation="broadcast", root=3)["packets"] == 1024
    assert plan(operation="broadcast", root=3, members=[5, 3, 1])["operation"] == {"kind": "broadcast", "root": 1}
    assert plan(members=[5, 3, 1, 0])["packets"] == 256


def test_members_are_those_that_send_and_receive():
    assert len(plan(network={"topology": "torus", "shape": [2, 3]})["flows"]) == 6
    named = {"nodes": 3, "node_names": ["a", "b", "c"]}
    assert scenario(network=named, members=["c", "a"]).resolved.plans[0].members == (2, 0)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"members": [3]}, "collective.members: <1 members> is not allowed; at least two nodes"),
        ({"members": [3, 9]}, "collective.members[1]: 9 is not allowed; a node below 8"),
        ({"members": [3, 3]}, "collective.members[1]: 3 is not allowed; each node once"),
        ({"root": 3}, "collective.root: 3 is not allowed; it belongs to 'broadcast'"),
        ({"operation": "broadcast", "members": [0, 1], "root": 3}, "collective.root: 3 is not allowed; one of the"),
        (
            {"operation": "broadcast", "reduce_time": "1 us"},
            "collective.reduce_time: '1 us' is not allowed; it belongs",
        ),
        ({"operation": "reduce"}, "collective.operation: 'reduce' is not allowed"),
        ({"size": 0}, "collective.size: 0 is not allowed; above 0"),
        ({"size": 0.5}, "collective.size: 0.5 is not allowed; a whole number of bytes"),
        ({"size": "1 GiB"}, "collective.size: '1 GiB' is not allowed; at most 4194304 packets of 64 bytes"),
        ({"priority": 1}, "collective.priority: 1 is not allowed; below 1, which flow_control.priorities sets"),
        ({"transaction": "read64"}, "collective.transaction: 'read64' is not allowed"),
        ({"channels": 0}, "collective.channels: 0 is not allowed; at least 1"),
        ({"channels": 65}, "collective.channels: 65 is not allowed; at most 64"),
        ({"channels": 2.5}, "collective.channels: 2.5 is not allowed; a whole number"),
        (
            {"channels": 2, "orders": [list(range(8))]},
            "collective.orders: <one order> is not allowed; one for each of collective.channels = 2",
        ),
        (
            {"channels": 2, "orders": [list(range(8)), [0, 1, 2, 3]]},
            "collective.orders[1]: <4 members> is not allowed; all 8 members; 4 is missing",
        ),
        ({"orders": [[0, 1, 2, 3, 4, 5, 6, 6]]}, "collective.orders[0][7]: 6 is not allowed; each node once"),
        ({"members": [0, 1], "orders": [[0, 2]]}, "collective.orders[0][1]: 2 is not allowed; one of the 2 nodes"),
        ({"others": {"queues": {"transmit": 4}}}, "queues.transmit: 4 is not allowed; 'unlimited'"),
        ({"others": {"run": {"precision": 0.1}}}, "run.precision: 0.1 is not allowed; none: a collective operation"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_message(keys, message):
    with pytest.raises(RingletError) as refused:
        scenario(**keys)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_each_channel_has_its_part_and_its_order():
    four = scenario(channels=4, orders=[[0, 1, 2, 3], [3, 2, 1, 0], [0, 2, 1, 3], [1, 0, 2, 3]], members=[0, 1, 2, 3])
    assert [plan.members for plan in four.resolved.plans][2:] == [(0, 2, 1, 3), (1, 0, 2, 3)]
    assert [one["packets"] for one in four.network_spec(1)["workload"]] == [64] * 4
    flows = [one["flows"] for one in four.network_spec(1)["workload"]]
    assert flows == [list(range(4 * channel, 4 * channel + 4)) for channel in range(4)]
    keys = {"operation": "broadcast", "root": 2, "channels": 3}
    dual = scenario(network={"topology": "dual-attached-ring", "nodes": 4}, **keys)
    assert [plan.members for plan in dual.resolved.plans] == [(0, 1, 2, 3), (3, 2, 1, 0), (0, 1, 2, 3)]
    assert [plan.root for plan in dual.resolved.plans] == [2, 1, 2]
    one_way = scenario(network={"nodes": 4}, **keys)
    assert {plan.members for plan in one_way.resolved.plans} == {(0, 1, 2, 3)}


def test_no_node_of_processors_and_memories_is_both():
    network = {"topology": "omega", "size": 4}
    with pytest.raises(RingletError, match="at least two nodes that send and receive"):
        scenario(network=network)
