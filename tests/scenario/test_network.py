"""The network section: what it means, what the engine gets, and what is refused."""

import json
import pickle

import numpy as np
import pytest

from ringlet import RingletError, Scenario

BRIDGED = {
    "topology": "rings",
    "rings": [
        {"name": "a", "members": [0, "left.0", 1]},
        {"name": "b", "members": ["left.1", 2, "right.0"]},
        {"members": ["right.1", 3]},
    ],
    "switches": [{"name": "left", "ports": 2}, {"name": "right", "ports": 2}],
}

NETWORKS = {
    "omega": {"topology": "omega", "size": 16},
    "first-grade": {"topology": "omega", "size": 16, "connection": "long-ring"},
    "second-grade": {"topology": "flip", "size": 16, "radix": 4, "connection": "long-ring"},
    "baseline": {"topology": "baseline", "nodes": 16, "connection": "long-ring", "closing": "one-to-one"},
    "uma": {"topology": "switch", "nodes": 4},
    "uma, long rings": {"topology": "switch", "nodes": 16, "connection": "long-ring"},
    "numa": {"topology": "switch", "nodes": 4, "memory": "numa"},
    "torus": {"topology": "torus", "shape": [4, 3], "concentration": 2},
    "torus, long rings": {"topology": "torus", "shape": [3, 2, 2], "connection": "long-ring"},
    "ring-of-rings": {"topology": "ring-of-rings", "shape": [3, 2, 2]},
    "rings": BRIDGED,
}


def scenario(network, **sections):
    return Scenario.from_dict({"network": network, **sections})


@pytest.mark.parametrize("name", NETWORKS)
def test_a_scenario_of_its_own_dictionary_is_the_same(name):
    made = scenario(NETWORKS[name])
    again = Scenario.from_dict(json.loads(json.dumps(made.to_dict())))
    assert again.to_dict() == made.to_dict()
    assert pickle.loads(pickle.dumps(made)).network_spec(1) == made.network_spec(1)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_engine_gets_steps_that_lead_everywhere(name):
    spec = scenario(NETWORKS[name]).network_spec(1)
    rings = spec["network"]["rings"]
    ring_of = {node: r for r, ring in enumerate(rings) for node in ring["interfaces"] if isinstance(node, int)}
    port_at = {
        tuple(port): r for r, ring in enumerate(rings) for port in ring["interfaces"] if not isinstance(port, int)
    }
    assert sorted(ring_of) == list(range(spec["nodes"]))
    assert sorted(port_at) == [(s, p) for s, one in enumerate(spec["network"]["switches"]) for p in range(one["ports"])]
    address = spec["network"]["addresses"] or [ring_of[node] for node in range(spec["nodes"])]
    for source in range(spec["nodes"]):
        for target in range(spec["nodes"]):
            ring, crossings = ring_of[source], 0
            while ring != ring_of[target]:
                steps = rings[ring]["routes"]
                assert [step[0] for step in steps] == sorted({step[0] for step in steps})
                assert steps[0][0] == 0
                _, place, exit_port = [step for step in steps if step[0] <= address[target]][-1]
                switch, _ = rings[ring]["interfaces"][place]
                ring, crossings = port_at[switch, exit_port], crossings + 1
                assert crossings <= len(port_at)


def test_one_ring_is_described_as_before():
    assert "network" not in scenario({"nodes": 4}).network_spec(1)


def test_nodes_are_counted_by_what_names_them():
    counts = {name: scenario(network).network.nodes for name, network in NETWORKS.items()}
    assert counts["omega"] == counts["second-grade"] == 32
    assert (counts["baseline"], counts["torus"], counts["ring-of-rings"], counts["rings"]) == (16, 24, 12, 4)


def test_links_are_as_fast_as_the_switches_preset_says_unless_they_are_given():
    plain = scenario(NETWORKS["omega"]).network
    assert (plain.link_rate, plain.hop_delay) == ("500 MB/s", "69 ns")
    preset = scenario(NETWORKS["omega"], switch={"preset": "scilab"})
    assert (preset.network.hop_delay, preset.switch.rate) == ("44 ns", "500 MB/s")
    given = scenario({**NETWORKS["omega"], "hop_delay": 3}, switch={"preset": "scilab", "rate": "1 GB/s"})
    assert (given.network.hop_delay, given.switch.rate, given.switch.to_link) == (3, "1 GB/s", "80 ns")
    assert scenario({"nodes": 4}).network.link_rate == "1 GB/s"


def test_times_of_switches_and_hosts_reach_the_engine_in_picoseconds():
    made = scenario(
        NETWORKS["uma"], switch={"set_up": "5 ns", "links": 2, "pooled": True}, host={"slots": 8, "fill_time": 3}
    )
    spec = made.network_spec(1)["network"]
    kind = spec["switch_kinds"][0]
    assert spec["symbol_ps"] == 4000
    assert kind["cycle_ps"] == pytest.approx(40_000 / 3)
    assert (kind["setup_ps"], kind["to_link_ps"], kind["from_link_ps"]) == (5000, 58_000, 82_000)
    assert kind["receive"] == {"requests": 4, "responses": 4, "pooled": True}
    assert (spec["host"]["slots"], spec["host"]["fill_serial_ps"]) == (8, 12_000)


def sent(network, **traffic):
    made = scenario(network, traffic=traffic)
    return [(flow["source"], flow["destinations"]) for flow in made.network_spec(1)["flows"]], made.traffic_matrix()


def test_processors_send_to_memories_which_send_nothing():
    flows, matrix = sent(NETWORKS["omega"])
    assert flows == [
        (p, {"kind": "range", "first": 16, "count": 16, "local": None, "probability": 0.0}) for p in range(16)
    ]
    assert np.allclose(matrix[:16, 16:], 1 / 16)
    assert matrix[16:].sum() == matrix[:, :16].sum() == 0


def test_a_local_share_goes_to_the_processors_own_memory():
    _, matrix = sent(NETWORKS["uma, long rings"], locality=0.3)
    assert np.allclose(matrix[:8, 8:].diagonal(), 0.3)
    assert np.allclose(matrix[:8].sum(axis=1), 1)
    assert np.allclose(matrix[0, 9:], 0.1)
    flows, _ = sent(NETWORKS["omega"], locality=1)
    assert flows[3] == (3, {"kind": "fixed", "node": 19})


def test_a_local_share_of_computing_nodes_stays_on_their_ring():
    made = scenario(NETWORKS["torus"], traffic={"locality": 0.4})
    matrix, rings = made.traffic_matrix(), made.routed_network[0].node_ring
    near = (rings[:, None] == rings[None]) & ~np.eye(24, dtype=bool)
    assert np.allclose((matrix * near).sum(axis=1), 0.4)
    assert np.allclose(matrix.sum(axis=1), 1)


def test_other_patterns_name_memories_too():
    flows, _ = sent(NETWORKS["uma"], destinations=[3, 3])
    assert flows == [(0, {"kind": "fixed", "node": 3}), (1, {"kind": "fixed", "node": 3})]
    _, hot = sent(NETWORKS["omega"], hot_node=20, hot_fraction=0.25)
    assert np.allclose(hot[:16, 20], 0.25)
    assert np.allclose(hot[:16].sum(axis=1), 1)
    _, rows = sent(NETWORKS["uma"], matrix=[[0, 0, 0.5, 0.5], [0, 0, 0, 1]])
    assert rows.tolist() == [[0, 0, 0.5, 0.5], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]


def test_memories_of_listed_rings_need_not_be_numbered_together():
    flows, matrix = sent({**BRIDGED, "memories": [0, 3]})
    assert [source for source, _ in flows] == [1, 2]
    assert matrix[1].tolist() == [0.5, 0, 0, 0.5]


def test_a_network_that_can_deadlock_warns():
    k = 5
    rings = [{"members": [i, f"b{i}.0", f"b{(i - 1) % k}.1"]} for i in range(k)]
    around = {"topology": "rings", "rings": rings, "switches": [{"name": f"b{i}", "ports": 2} for i in range(k)]}
    [warning] = scenario(around).warnings()
    assert "can deadlock" in warning
    assert "switch 'b0' port" in warning
    assert scenario({**around, "routing": "up-down"}).warnings() == []
    read = {"transaction": "read64"}
    assert scenario(NETWORKS["first-grade"], traffic=read).warnings() == []
    assert scenario(NETWORKS["first-grade"], traffic=read, switch={"pooled": True}).warnings() != []


def lists(*rings, ports=2, **keys):
    return {
        "topology": "rings",
        "rings": [{"members": members} for members in rings],
        "switches": [{"name": "s", "ports": ports}],
        **keys,
    }


REFUSED = [
    ({"topology": "star", "nodes": 4}, ["network.topology", "'star'", "'torus'"]),
    ({"topology": "omega"}, ["network.size", "missing", "'omega'"]),
    ({"topology": "omega", "size": 12}, ["network.size", "12", "power of network.radix, 2", "8 or 16"]),
    ({"topology": "omega", "size": 8, "radix": 4}, ["network.size", "8", "4 or 16"]),
    ({"topology": "omega", "size": 1}, ["network.size", "1", "such as 2"]),
    ({"topology": "omega", "nodes": 17}, ["network.nodes", "17", "even"]),
    ({"topology": "omega", "size": 16, "nodes": 16}, ["network.nodes", "16", "32", "network.size"]),
    ({"topology": "omega", "size": 16, "radix": 1}, ["network.radix", "1", "at least 2"]),
    ({"topology": "omega", "size": 16, "radix": 2.0}, ["network.radix", "2.0", "whole number"]),
    ({"topology": "omega", "size": 65_536}, ["network", "65536"]),
    ({"topology": "omega", "size": 16, "shape": [4, 4]}, ["network.shape", "'omega'", "'torus'"]),
    ({"topology": "omega", "size": 16, "closing": "one-to-one"}, ["network.closing", "'one-to-one'", "long rings"]),
    (
        {"topology": "omega", "size": 16, "connection": "long-ring", "extra_stage": True},
        ["network.extra_stage", "long rings", "no way leads"],
    ),
    ({"nodes": 4, "connection": "ringlet"}, ["network.connection", "'ring'", "'switch'"]),
    ({"nodes": 4, "bypass": "cut-through"}, ["network.bypass", "switches"]),
    ({"topology": "dual-attached-ring", "nodes": 4, "bypass": "cut-through"}, ["network.bypass", "switches"]),
    ({"topology": "dual-attached-ring", "nodes": 4, "pass_delay": "4 ns"}, ["network.pass_delay", "switches"]),
    ({"topology": "torus"}, ["network.shape", "missing"]),
    (
        {"topology": "ring-of-rings", "shape": [2, 3], "nodes": 3},
        ["network.nodes", "3", "6, which network.shape makes"],
    ),
    ({"topology": "torus", "shape": [4, 1]}, ["network.shape[1]", "1", "at least 2"]),
    ({"topology": "torus", "shape": []}, ["network.shape", "at least 1"]),
    ({"topology": "torus", "shape": "big"}, ["network.shape", "'big'"]),
    ({"topology": "torus", "shape": ["aaaaaaaaaa", 400_000_000]}, ["network.shape[0]", "whole number"]),
    ({"topology": "torus", "shape": [float("inf"), 2]}, ["network.shape[0]", "whole number"]),
    ({"topology": "torus", "shape": [2.5, True]}, ["network.shape[0]", "whole number"]),
    ({"topology": "torus", "shape": [10**4000] * 1000}, ["network.nodes", "at most 65536"]),
    ({"topology": "torus", "shape": [2, 2], "concentration": float("inf")}, ["network.concentration", "whole number"]),
    ({"topology": "omega", "size": float("inf")}, ["network.size", "whole number"]),
    ({"topology": "torus", "shape": [4], "connection": "long-ring"}, ["network.shape", "two dimensions"]),
    ({"topology": "torus", "shape": [1024, 1024]}, ["network.nodes", "1048576", "at most 65536"]),
    ({"topology": "ring-of-rings", "shape": [4]}, ["network.shape", "two levels"]),
    ({"topology": "switch"}, ["network.nodes", "missing"]),
    ({"topology": "switch", "nodes": 5}, ["network.ports", "5", "even"]),
    ({"topology": "switch", "nodes": 4, "ports": 1}, ["network.ports", "1", "at least 2"]),
    ({"topology": "switch", "nodes": 6, "ports": 4}, ["network.nodes", "6", "4"]),
    ({"topology": "switch", "nodes": 12, "connection": "long-ring"}, ["network.nodes", "12", "multiple of 8"]),
    ({"topology": "rings"}, ["network.rings", "missing"]),
    (lists([0, "s.0"], [1, "s.1"], ports=1), ["network.switches[0].ports", "1", "'s'"]),
    (lists([0, "s.0"], [1, "t.1"]), ["network.rings[1].members[1]", "'t.1'", "'s'"]),
    (lists([0, "s.0"], [1, "s.2"]), ["network.rings[1].members[1]", "'s.2'", "'s.0' to 's.1'"]),
    (lists([0, "s.0"], [1, "s"]), ["network.rings[1].members[1]", "'switch.port'"]),
    (lists([0, "s.0"], [1, "s.0"]), ["network.rings[1].members[1]", "port", "'r0'"]),
    (lists([0, "s.0"], [1, "s.1"], ports=3), ["'s.2'", "no ring"]),
    (lists([0, "s.0"], [0, "s.1"]), ["network.rings[1].members[0]", "node", "'r0'"]),
    (lists([0, "s.0"], [2, "s.1"]), ["network.rings", "node 1 is on no ring"]),
    (lists([0, "s.0"], [1, "s.1"], nodes=3), ["network.rings", "node 2 is on no ring"]),
    (lists([0, "s.0"], [2, "s.1"], nodes=2), ["network.rings[1].members[0]", "2", "0 to 1"]),
    (lists([0, "s.0"], [], [1, "s.1"]), ["network.rings[1].members", "nothing", "'r1'"]),
    (lists([0, 1, "s.0"], ["s.1"]), ["network.rings[1].members", "s.1", "'r1'"]),
    (lists([0, "s.0", "s.1"]), ["switch 's'", "ring 'r0'"]),
    ({"topology": "rings", "rings": [{"members": [0]}, {"members": [1]}]}, ["ring 'r0'", "ring 'r1'", "no switches"]),
    (lists([0, "s.0"], [1, "s.1"], memories=[0, 1]), ["network.memories", "not all"]),
    (lists([0, "s.0"], [1, "s.1"], memories=[2]), ["network.memories[0]", "2", "0 to 1"]),
    (lists([0, "s.0"], [1, "s.1"], routes=[{"at": "s", "to": ["r1"], "port": "s.0"}]), ["loops", "switch 's'"]),
    (lists([0, "s.0"], [1, "s.1"], routes=[{"at": "x", "to": ["r1"], "port": "s.0"}]), ["network.routes[0].at", "'x'"]),
    (
        lists([0, "s.0"], [1, "s.1"], routes=[{"at": "r0", "to": ["r1"], "port": "s.1"}]),
        ["network.routes[0].port", "'r0'"],
    ),
    (
        lists([0, "s.0"], [1, "s.1"], routes=[{"at": "r0", "to": ["r0"], "port": "s.0"}]),
        ["network.routes[0].to[0]", "'r0'"],
    ),
    (lists([0, "s.0"], [1, "s.1"], switches=[{"name": "s.t", "ports": 2}]), ["network.switches[0].name", "'s.t'"]),
    (lists([0, "s.0"], [1, "s.1"], switches=[{"name": "r0", "ports": 2}]), ["network.switches[0].name", "'r0'"]),
]


@pytest.mark.parametrize(("network", "words"), REFUSED)
def test_a_bad_network_is_refused_by_name(network, words):
    with pytest.raises(RingletError) as caught:
        scenario(network)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"switch": {"rate": "0 MB/s"}}, ["switch.rate", "'0 MB/s'", "above 0"]),
        ({"switch": {"rate": "1 PB/s", "from_link": 0}}, ["switch.rate", "'1 PB/s'", "symbol time of 4 ns"]),
        ({"switch": {"to_link": "-1 ns"}}, ["switch.to_link", "'-1 ns'", "at least 0"]),
        ({"switch": {"to_link": "2 ms"}}, ["switch.to_link", "'2 ms'", "at most 1 ms"]),
        ({"switch": {"links": 0}}, ["switch.links", "0", "at least 1"]),
        ({"switch": {"preset": "lc-9"}}, ["switch.preset", "'lc-9'", "'lc-2'"]),
        ({"host": {"fill_time": "1 ns"}}, ["host.fill_time", "host.slots"]),
        ({"host": {"slots": 0}}, ["host.slots", "0", "at least 1"]),
        ({"queues": {"transmit": 0}}, ["queues.transmit", "0", "host.slots"]),
        ({"traffic": {"pattern": "neighbour"}}, ["traffic.pattern", "'neighbour'", "'local'"]),
        ({"traffic": {"destinations": [2, 1]}}, ["traffic.destinations[1]", "1", "a memory: 2, 3"]),
        ({"traffic": {"destinations": [2, 3, 2, 3]}}, ["traffic.destinations", "2 destinations, one per processor"]),
        ({"traffic": {"matrix": [[0, 0, 1, 0]]}}, ["traffic.matrix", "1 rows", "2 rows, one per processor"]),
        ({"traffic": {"hot_node": 0, "hot_fraction": 0.5}}, ["traffic.hot_node", "0", "a memory"]),
        ({"traffic": {"load": ["1 MB/s"] * 4}}, ["traffic.load[2]", "memory"]),
        ({"traffic": {"pattern": "local"}}, ["traffic.locality", "missing"]),
    ],
)
def test_a_bad_section_beside_a_network_is_refused_by_name(sections, words):
    with pytest.raises(RingletError) as caught:
        scenario(NETWORKS["uma"], **sections)
    for word in words:
        assert word in str(caught.value)


def test_sections_of_switched_networks_do_not_belong_to_a_ring():
    for section in ({"switch": {"links": 2}}, {"host": {"slots": 4}}):
        with pytest.raises(RingletError, match="switches"):
            scenario({"nodes": 4}, **section)
