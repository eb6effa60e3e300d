"""The lighter way of a packet on two rings (docs/explanation/network-model.md, "Stations on two rings")."""

import numpy as np
import pytest

import ringlet as rl
from ringlet.errors import RingletError
from ringlet.rings.lighter import Group, lighter_ahead


def links(demand, ahead):
    """The load of each link of both rings, packet by packet."""
    nodes = len(demand)
    load = np.zeros((2, nodes))
    for source in range(nodes):
        for target in range(nodes):
            distance = (target - source) % nodes
            if distance <= ahead[source]:
                load[0, (source + np.arange(distance)) % nodes] += demand[source, target]
            else:
                load[1, (source - np.arange(nodes - distance)) % nodes] += demand[source, target]
    return load


def shorter(nodes):
    return np.where(np.arange(nodes) % 2, (nodes - 1) // 2, nodes // 2)


def test_the_busiest_link_has_no_more_to_do_than_by_the_shorter_way():
    random = np.random.default_rng(1)
    better = 0
    for _ in range(100):
        nodes = int(random.integers(2, 9))
        demand = random.random((nodes, nodes)) * (random.random((nodes, nodes)) < 0.5)
        np.fill_diagonal(demand, 0)
        ahead = lighter_ahead(demand, shorter(nodes))
        assert ((ahead >= 0) & (ahead < nodes)).all()
        found, before = links(demand, ahead), links(demand, shorter(nodes))
        assert found.max() <= before.max() + 1e-9
        better += found.max() < before.max() - 1e-9
        # No node could move its point alone to where the busiest link has less to do.
        for node in range(nodes):
            others = (np.where(np.arange(nodes) == node, other, ahead) for other in range(nodes))
            assert all(links(demand, other).max() >= found.max() - 1e-9 for other in others)
    assert better > 30


def with_groups(demand, ahead, groups):
    """The same with packets that go to several receivers, link by link."""
    nodes = len(demand)
    load = links(demand, ahead)
    for group in groups:
        used = set()
        for node in group.receivers:
            distance = (node - group.source) % nodes
            first = distance <= ahead[group.source]
            count = nodes if group.goes_round else distance if first else nodes - distance
            step = 1 if first else -1
            used |= {(0 if first else 1, (group.source + step * link) % nodes) for link in range(count)}
        for ring, link in used:
            load[ring, link] += group.symbols
    return load


def test_a_packet_to_several_receivers_counts_once_on_each_link():
    random = np.random.default_rng(2)
    better = 0
    for _ in range(100):
        nodes = int(random.integers(3, 9))
        demand = random.random((nodes, nodes)) * (random.random((nodes, nodes)) < 0.3)
        np.fill_diagonal(demand, 0)
        groups = []
        for source in random.integers(0, nodes, size=3).tolist():
            others = [node for node in range(nodes) if node != source]
            receivers = random.choice(others, size=int(random.integers(2, nodes)), replace=False).tolist()
            groups.append(Group(source, tuple(receivers), float(random.random()), bool(random.integers(2))))
        ahead = lighter_ahead(demand, shorter(nodes), groups)
        found, before = (with_groups(demand, one, groups) for one in (ahead, shorter(nodes)))
        assert found.max() <= before.max() + 1e-9
        better += found.max() < before.max() - 1e-9
        for node in range(nodes):
            others = (np.where(np.arange(nodes) == node, other, ahead) for other in range(nodes))
            assert all(with_groups(demand, other, groups).max() >= found.max() - 1e-9 for other in others)
    assert better > 30


def test_uniform_traffic_takes_the_shorter_way():
    demand = np.ones((8, 8)) - np.eye(8)
    assert lighter_ahead(demand, shorter(8)).tolist() == shorter(8).tolist()


def scenario(ways, load="150 MB/s"):
    return {
        "network": {"topology": "dual-attached-ring", "nodes": 8, "ways": ways},
        "flow_control": {"protocol": "rpr"},
        "traffic": {"destinations": [2, 2, 3, 4, 2, 4, 2, 1], "arrivals": "poisson", "load": load},
        "run": {"duration": "200 us"},
    }


def test_it_carries_more_where_the_shorter_way_is_crowded():
    found = {ways: rl.run(scenario(ways)).to_dict(timing=False)["total"] for ways in ("shorter", "lighter")}
    assert found["lighter"]["capacity_factor"] > 1.3 * found["shorter"]["capacity_factor"]
    saturated = {
        ways: rl.run(scenario(ways, load="330 MB/s")).to_dict(timing=False)["total"]["throughput_MBps"]
        for ways in ("shorter", "lighter")
    }
    assert saturated["lighter"] > 1.05 * saturated["shorter"]


def test_the_ways_follow_the_flows_of_the_scenario_and_not_those_of_the_one_before():
    one = rl.Scenario.from_dict(scenario("lighter"))
    other = one.changed(traffic={"arrivals": "poisson", "load": "10 MB/s"})
    assert other.routed_network[0].ahead.tolist() == shorter(8).tolist() != one.routed_network[0].ahead.tolist()


def test_too_many_nodes_are_refused():
    content = scenario("lighter")
    content["network"]["nodes"] = 200
    content["traffic"] = {"arrivals": "poisson", "load": "1 MB/s"}
    with pytest.raises(RingletError, match=r"network\.nodes: 200 is not allowed; at most 128 with ways 'lighter'"):
        rl.Scenario.from_dict(content)
