"""Priorities beside go bits: a reserve for the low class of SCI, and groups whose packets have priorities."""

import pytest

import ringlet as rl

RUN = {"duration": "400 us", "warmup": "100 us"}


def one_below_another(reserve):
    # Node 1 fills the link of node 2.
    return {
        "network": {"nodes": 8, "hop_delay": 3},
        "flow_control": {"protocol": "sci", "priorities": 4, "reserve": reserve},
        "traffic": {
            "destinations": [1, 3, 3, 4, 5, 6, 7, 0],
            "arrivals": "poisson",
            "load": ["0 B/s", "1 GB/s", "1 GB/s", *["0 B/s"] * 5],
            "priority": [0, 3, 0, 0, 0, 0, 0, 0],
        },
        "run": RUN,
    }


def of_links(content):
    """Returns the share of a link that each node's packets take, with their idles."""
    nodes = rl.run(rl.Scenario.from_dict(content)).document["nodes"]
    return [node["throughput_words_per_cycle"] * 41 / 40 for node in nodes]


def test_without_a_reserve_a_node_of_low_priority_starves():
    shares = of_links(one_below_another(0))
    assert shares[2] < 0.01
    assert shares[1] > 0.95


@pytest.mark.parametrize("reserve", [0.05, 0.1, 0.25])
def test_a_reserve_is_what_a_node_of_low_priority_gets(reserve):
    shares = of_links(one_below_another(reserve))
    assert shares[2] == pytest.approx(reserve, rel=0.1)
    assert shares[1] > 0.95 * (1 - reserve)


@pytest.mark.parametrize("low", range(8))
def test_no_node_of_low_priority_starves_wherever_it_is(low):
    # Three others fill all links between them, the way of its packets included.
    content = one_below_another(0.2)
    high = [node for node in (1, 2, 4, 6) if node != low][:3]
    content["traffic"] |= {
        "destinations": [(node + 7) % 8 if node in high else (node + 1) % 8 for node in range(8)],
        "load": ["1 GB/s" if node in (low, *high) else "0 B/s" for node in range(8)],
        "priority": [3 if node in high else 0 for node in range(8)],
    }
    # Where it comes before all of them it finds the idles behind their packets.
    assert of_links(content)[low] > 0.005


@pytest.mark.parametrize("groups", [8, 256])
def test_of_packets_in_groups_those_of_high_priority_go_first(groups):
    content = {
        "network": {"nodes": 4},
        "flow_control": {"protocol": "grouped", "groups": groups, "assignment": "node"},
        "queues": {"priorities": 2},
        "traffic": {"load": "600 MB/s", "priorities": [0, 1]},
        "run": RUN,
    }
    low, high = sorted(rl.run(rl.Scenario.from_dict(content)).document["priorities"], key=lambda one: one["priority"])
    assert high["throughput_MBps"] == pytest.approx(1_200, rel=0.1)
    assert high["latency_ns"]["mean"] < 0.5 * low["latency_ns"]["mean"]


def test_a_group_for_each_pair_of_16_nodes():
    content = {
        "network": {"nodes": 16, "hop_delay": 3},
        "flow_control": {"protocol": "grouped", "groups": 240, "assignment": "pair"},
        "traffic": {"arrivals": "saturated"},
        "run": RUN,
    }
    document = rl.run(rl.Scenario.from_dict(content)).document
    assert document["protocol_idle_bits"] == 240
    assert all(node["throughput_MBps"] > 0 for node in document["nodes"])
