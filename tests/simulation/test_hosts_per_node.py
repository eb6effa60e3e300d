"""Hosts that differ from node to node: slots, times, adapters, retry strategies."""

import pytest

import ringlet as rl

NETWORK = {"topology": "ring-of-rings", "shape": [2, 2]}
TRAFFIC = {"arrivals": "periodic", "load": "20 MB/s", "pattern": "permutation", "destinations": [1, 0, 3, 2]}


def run(*, traffic=None, **sections):
    content = {"network": NETWORK, "traffic": TRAFFIC | (traffic or {}), "run": {"duration": "100 us", "warmup": 0}}
    return rl.run(rl.Scenario.from_dict(content | sections)).document


def latencies(document):
    return [node["latency_ns"]["mean"] for node in document["nodes"]]


@pytest.mark.parametrize(
    ("host", "later"),
    [
        ({"receive_delay": [0, 0, "400 ns", 0]}, {3: 400}),
        ({"store_delay": {"2": "400 ns", "others": 0}}, {3: 400}),
        ({"slots": 4, "fill_delay": ["400 ns", 0, 0, 0]}, {0: 400}),
        ({"slots": [4, "unlimited", 4, 4], "fill_time": "400 ns"}, {0: 400, 2: 400, 3: 400}),
    ],
)
def test_times_of_one_host_concern_no_other(host, later):
    before = latencies(run(host={"slots": 4} if "slots" in host else {}))
    after = latencies(run(host=host))
    for node, (early, late) in enumerate(zip(before, after, strict=True)):
        assert late - early == pytest.approx(later.get(node, 0), abs=4)


def test_a_node_with_one_slot_sends_less_than_those_with_more():
    saturated = {"arrivals": "saturated", "load": None}
    sent = [node["throughput_MBps"] for node in run(traffic=saturated, host={"slots": [1, 8, 8, 8]})["nodes"]]
    assert sent[0] < 0.8 * min(sent[1:])


def test_one_value_for_all_is_the_same_as_a_list_of_it():
    host = {"slots": 2, "fill_time": "50 ns", "fill_delay": "30 ns", "receive_delay": "20 ns", "store_delay": "10 ns"}
    retry = {"delay": "200 ns", "strategy": "linear"}
    queues = {"receive": 1, "service_time": "300 ns"}
    together = {"traffic": {"load": "100 MB/s", "arrivals": "poisson"}, "queues": queues}
    one = run(host=host, retry=retry, **together)
    lists = {key: [value] * 4 for key, value in host.items()}
    each = run(host=lists, retry={"delay": "200 ns", "strategy": ["linear"] * 4}, **together)
    assert each["nodes"] == one["nodes"]
    assert each["total"] == one["total"]


def test_an_adapter_may_be_that_of_some_nodes():
    blocks = {"arrivals": "closed", "block": "1 KiB", "load": None}
    sent = [node["throughput_MBps"] for node in run(traffic=blocks, host={"adapter": {"nodes": [0]}})["nodes"]]
    alone = [node["throughput_MBps"] for node in run(traffic=blocks, host={"adapter": {}})["nodes"]]
    assert sent[0] == pytest.approx(alone[0], rel=0.02)
    assert all(one > 2 * bridged for one, bridged in zip(sent[1:], alone[1:], strict=True))


def test_the_delay_of_one_sender_may_grow_and_that_of_another_not():
    traffic = {"arrivals": "saturated", "load": None, "pattern": "fan-in", "fan_in": 3, "destinations": None}
    del traffic["destinations"]
    content = {"network": {"nodes": 4}, "queues": {"receive": 1, "service_time": "4 us"}, "traffic": traffic}
    retry = {"delay": "100 ns", "strategy": {"0": "exponential", "others": "constant"}}
    nodes = rl.run(rl.Scenario.from_dict(content | {"retry": retry, "run": {"duration": "1 ms"}})).document["nodes"]
    assert nodes[0]["retries"] < 0.5 * min(node["retries"] for node in nodes[1:3])


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        ({"host": {"slots": [1, 2]}}, r"host\.slots: <2 values> is not allowed; one value, or 4"),
        ({"host": {"slots": [1, 2, 3, 1025]}}, r"host\.slots\[3\]: 1025 is not allowed; at most 1024"),
        ({"host": {"fill_time": [0, 0, "1 ns", 0]}}, r"host\.fill_time: .* 0 without host\.slots to fill"),
        ({"host": {"adapter": {"nodes": [4]}}}, r"host\.adapter\.nodes\[0\]: 4 is not allowed; a node below 4"),
        ({"retry": {"strategy": ["linear"] * 3}}, r"retry\.strategy: <3 values> is not allowed; one value, or 4"),
        ({"retry": {"strategy": {"0": "linear"}}}, r"retry\.strategy: .* a value for every node"),
        (
            {"host": {"slots": [1, 1, 1, "unlimited"]}, "queues": {"transmit": [0, 0, 0, 0]}},
            r"queues\.transmit\[3\]: 0 is not allowed; at least 1 without host\.slots",
        ),
    ],
)
def test_what_hosts_cannot_be_is_named(sections, message):
    with pytest.raises(rl.RingletError, match=message):
        run(**sections)


def test_nodes_may_have_different_adapters():
    """Each node sends what it sends where all nodes have its adapter: each pair stands on a ring of its own."""
    blocks = {"arrivals": "closed", "block": "1 KiB", "load": None}

    def sent(adapter):
        return [node["throughput_MBps"] for node in run(traffic=blocks, host={"adapter": adapter})["nodes"]]

    kinds = [{"preset": "pentium-pro", "nodes": [2, 3]}, {"streams": 1}]
    slow, fast = sent({"streams": 1}), sent({"preset": "pentium-pro"})
    assert sent(kinds) == slow[:2] + fast[2:]
    assert slow[0] != pytest.approx(fast[0], rel=0.05)
    # In any order, and one kind alone is no other thing than a table.
    assert sent(kinds[::-1]) == sent(kinds)
    assert sent([{"streams": 1}]) == slow
    assert sent([{"nodes": [0, 1]}, {"preset": "pentium-pro", "nodes": [2, 3]}]) == slow[:2] + fast[2:]


@pytest.mark.parametrize(
    ("adapter", "message"),
    [
        ([{"nodes": [0, 1]}, {"nodes": [2, 1]}], r"host\.adapter\[1\]\.nodes\[1\]: 1 .*host\.adapter\[0\] names it"),
        ([{}, {"streams": 2}], r"host\.adapter\[1\]: has no nodes, and host\.adapter\[0\] has none"),
        ([{"nodes": [4]}], r"host\.adapter\[0\]\.nodes\[0\]: 4 .*a node below 4"),
        ([{"nodes": [0], "bad_blocks": 0.1}], r"host\.adapter\[0\]\.bad_blocks: 0\.1 .*host\.adapter\[0\]\.check"),
        ([{"nodes": [0], "streams": 9}], r"host\.adapter.*streams"),
    ],
)
def test_adapters_that_do_not_go_together_are_named(adapter, message):
    with pytest.raises(rl.RingletError, match=message):
        run(traffic={"arrivals": "closed", "load": None}, host={"adapter": adapter})
