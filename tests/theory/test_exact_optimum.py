"""The optimum of whole scenarios, against packets that are walked link by link."""

import math
from collections import defaultdict

import numpy as np
import pytest

import ringlet as rl
from ringlet.theory.resources import Places

RANDOM_SCENARIOS = 100


def walked_loads(scenario, source):
    """What of each resource a node's traffic takes at a rate of one word per cycle, by name: each pair walked on its
    own."""
    network, routes = scenario.routed_network
    names = Places(network, single=not scenario.network.switched)
    matrix = scenario.traffic_matrix()
    moves, framing = scenario.traffic.moves, scenario.network.framing
    loads = defaultdict(float)
    symbols = moves.mean_request_bytes / 2
    response = None if moves.response_bytes is None else moves.response_bytes / 2
    service = round(float(str(scenario.queues.service_time).split()[0]) / scenario.symbol_time_ns)

    def bus(packet_bytes):
        return 8 * math.ceil((packet_bytes + 2 * framing + 8) / 8) / 600 * 1e3 / scenario.symbol_time_ns

    def packet(rate, source, target, length, sizes, kind):
        place = int(network.node_interface[source])
        while True:
            ring = int(network.interface_ring[place])
            first, end = (int(each) for each in network.ring_start[ring : ring + 2])
            taker = int(routes.ring.look_up(np.array([ring]), routes.address[[target]])[0])
            goal = int(network.node_interface[target] if taker < 0 else network.port_interface[taker])
            link, is_send = place, True
            for _ in range(end - first):
                loads[names.name(link)] += rate * ((length + 1) if is_send else 5 + framing)
                link = link + 1 if link + 1 < end else first
                is_send = is_send and link != goal
            if taker < 0:
                break
            switch = int(network.port_switch[taker])
            loads[names.name(names.switches + switch)] += rate * sum(bus(size) * share for size, share in sizes)
            place = int(
                network.port_interface[int(routes.switch.look_up(np.array([switch]), routes.address[[target]])[0])]
            )
        loads[names.name((names.requests if kind == "requests" else names.responses) + target)] += rate * service

    for target in np.flatnonzero(matrix[source]).tolist():
        share = matrix[source, target] / (symbols + (response or 0))
        packet(share, source, target, symbols + framing, moves.request_bytes, "requests")
        if response is not None:
            packet(share, target, source, response + framing, [(moves.response_bytes, 1.0)], "responses")
    return loads


def random_scenario(rng):
    """A ring or a network with some traffic; loads from light to far beyond what it carries."""
    transaction = str(rng.choice(["send80", "mixed", "dmove64", "read64", "nwrite64", "send16"]))
    topology = int(rng.integers(4))
    if topology == 0:
        network = {"nodes": int(rng.integers(2, 9)), "framing": int(rng.integers(0, 3))}
    elif topology == 1:
        network = {"topology": "torus", "shape": [2, int(rng.integers(2, 4))]}
    elif topology == 2:
        network = {"topology": "ring-of-rings", "shape": [2, 3]}
    else:
        rings = [{"members": [0, 1, "a.0"]}, {"members": ["a.1", 2, "b.0"]}, {"members": ["b.1", 3, 4]}]
        network = {
            "topology": "rings",
            "rings": rings,
            "switches": [{"name": name, "ports": 2} for name in "ab"],
            "nodes": 5,
        }
    traffic = {"transaction": transaction}
    nodes = rl.Scenario.from_dict({"network": network}).network.nodes
    if rng.random() < 0.6:
        traffic["random_matrix"] = {
            "family": str(rng.choice(["dense-uniform", "deterministic", "sparse"])),
            "seed": int(rng.integers(99)),
        }
    elif nodes > 2 and rng.random() < 0.5:
        traffic |= {"hot_node": 1, "hot_fraction": 0.7}
    if rng.random() < 0.5:
        traffic["load"] = [f"{rng.integers(1, 400)} MB/s" for _ in range(nodes)]
    queues = {"service_time": f"{rng.choice([0, 20, 400])} ns"}
    return rl.Scenario.from_dict({"network": network, "traffic": traffic, "queues": queues})


def test_every_node_of_random_scenarios_is_at_its_load_or_stopped_by_a_full_resource():
    rng = np.random.default_rng(15)
    for case in range(RANDOM_SCENARIOS):
        scenario = random_scenario(rng)
        best = scenario.optimum()
        words, where = best.words_per_cycle, f"case {case}, seed 15: {scenario.to_dict()}"
        each = [walked_loads(scenario, node) for node in range(best.nodes)]
        loads = {name: sum(each[node][name] * words[node] for node in range(best.nodes)) for name in set().union(*each)}
        assert max(loads.values()) <= 1 + 1e-9, where
        assert loads[best.bottleneck] == pytest.approx(max(loads.values()), rel=1e-9), where
        for one, stopped_by in zip(best.commodities, best.stopped_by, strict=True):
            if stopped_by is None:
                assert words[one.node] == one.limit, where
                continue
            assert loads[stopped_by] == pytest.approx(1.0, rel=1e-9), where
            users = [node for node in range(best.nodes) if each[node][stopped_by] > 0]
            assert one.node in users, where
            assert words[one.node] >= words[users].max() * (1 - 1e-9), where


@pytest.mark.parametrize(("name", "words"), [("table3-n8", 2.1622), ("table3-n16", 2.8571), ("table3-n4", 1.7391)])
def test_all_nodes_of_a_ring_share_the_link_that_echoes_fill_alike(name, words):
    from importlib.resources import as_file, files

    with as_file(files("ringlet.papers.picker1994") / "scenarios" / f"{name}.toml") as path:
        best = rl.Scenario.load(path, ["traffic.transaction=send80"]).optimum()
    assert best.words_per_cycle.sum() == pytest.approx(words, abs=5e-5)
    assert len(set(best.words_per_cycle.round(12))) == 1


def test_without_echoes_it_is_the_optimum_of_picker1994():
    scenario = rl.Scenario.from_dict({"network": {"nodes": 4}, "traffic": {"destinations": [3, 3, 3, 1]}})
    np.testing.assert_allclose(
        scenario.optimum(echoes=False).words_per_cycle * 41 / 40, [1 / 3, 1 / 3, 1 / 3, 2 / 3], rtol=1e-12
    )


def test_a_higher_priority_is_filled_before_a_lower_one():
    traffic = {"destinations": [2, 2, 0], "priority": [1, 0, 0]}
    scenario = rl.Scenario.from_dict({"network": {"nodes": 3}, "queues": {"priorities": 2}, "traffic": traffic})
    best = scenario.optimum()
    # A packet of node 0 takes 41 symbols of links 0 and 1, and its echo 5 of link 2.
    assert best.words_per_cycle[0] == pytest.approx(40 / 41)
    assert best.words_per_cycle[1] == 0.0
    assert best.stopped_by == ("link 0", "link 1", "link 0")


def test_messages_and_background_are_carried_side_by_side():
    message = {"name": "m", "source": 0, "destination": 1, "size": 640, "period": 1000, "priority": 1}
    scenario = rl.Scenario.from_dict(
        {"network": {"nodes": 2}, "traffic": {"transaction": "dmove64"}, "messages": [message]}
    )
    best = scenario.optimum()
    by_priority = {(one.node, one.priority): rate for one, rate in zip(best.commodities, best.rates, strict=True)}
    assert by_priority[0, 1] == pytest.approx(10 * 40 / 1000)
    # The link of node 0 has left what 10 packets of 41 symbols in 1000 cycles leave, less the echoes of node 1.
    rate = by_priority[0, 0] / 40
    assert 41 * (rate + 0.01) + 5 * by_priority[1, 0] / 40 == pytest.approx(1.0)


def test_a_trace_counts_with_its_mean_rates(tmp_path):
    rows = "\n".join(f"{i},{100 * i},{i % 2},2,dmove64," for i in range(10))
    (tmp_path / "t.csv").write_text(f"id,time_ns,source,destination,transaction,depends_on\n{rows}\n", encoding="utf-8")
    (tmp_path / "t.toml").write_text("[network]\nnodes = 4\n[traffic.trace]\nfile = 't.csv'\n", encoding="utf-8")
    best = rl.Scenario.load(tmp_path / "t.toml").optimum()
    # Five packets of 40 words from each of two nodes in 900 ns, which are 450 cycles, and the cycle of the last.
    np.testing.assert_allclose(best.words_per_cycle, [200 / 451, 200 / 451, 0, 0])


def test_a_slow_receiver_is_the_bottleneck():
    scenario = rl.Scenario.from_dict(
        {"network": {"nodes": 4}, "queues": {"service_time": "1 us"}, "traffic": {"destinations": [3, 3, 3, 1]}}
    )
    best = scenario.optimum()
    assert best.bottleneck == "receive queue for requests of node 1"
    assert best.words_per_cycle[3] == pytest.approx(40 / 500)
    assert best.words_per_cycle[:3] == pytest.approx(40 / 1500)


def test_tickets_of_trains_are_charged_to_the_links_that_they_cross():
    def total(**flow_control):
        return (
            rl.Scenario.from_dict({"network": {"nodes": 8}, "flow_control": flow_control})
            .optimum()
            .words_per_cycle.sum()
        )

    # A ticket of 2 symbols goes round once, and from its node to the TicketMaster before.
    assert total(protocol="train") < total(protocol="sci")
    assert total(protocol="train", ticket=8) < total(protocol="train", ticket=2)
    assert total(protocol="train", mode="gearshift") == total(protocol="sci")


def test_bounds_are_a_table_with_a_row_for_each_node(tmp_path):
    content = {"network": {"nodes": 4}, "traffic": {"destinations": [3, 3, 3, 1]}}
    table = rl.bound(content)
    assert table["max_min_with_echo"].tolist() == rl.Scenario.from_dict(content).optimum().words_per_cycle.tolist()
    assert table["stopped_by"].tolist() == ["link 2"] * 4
    (tmp_path / "reads.toml").write_text("[network]\nnodes = 4\n[traffic]\ntransaction = 'read64'\n", encoding="utf-8")
    reads = rl.bound(tmp_path / "reads.toml")
    assert reads["optimal_with_echo"].isna().all()
    assert (reads["max_min_with_echo"] < reads["optimal"]).all()


def test_more_pairs_than_asked_for_have_no_optimum():
    scenario = rl.Scenario.from_dict({"network": {"nodes": 100}})
    assert scenario.optimum(max_pairs=9_000) is None
    assert scenario.optimum(max_pairs=10_000) is not None


@pytest.mark.parametrize("name", ["table3-n4", "table3-n8", "table3-n16"])
def test_the_fair_protocol_reaches_the_max_min_optimum_with_echoes(name):
    """SCI sends one packet each per round: on rings whose echoes use the busiest link that is the optimum."""
    from importlib.resources import as_file, files

    with as_file(files("ringlet.papers.picker1994") / "scenarios" / f"{name}.toml") as path:
        overrides = ["traffic.transaction=send80", "run.duration=200 us", 'flow_control={protocol="sci"}']
        result = rl.run(rl.Scenario.load(path, overrides))
    assert result.nodes["of_optimum"].between(0.96, 1.04).all()
    assert result.total["of_optimum"][0] == pytest.approx(1.0, abs=0.02)


def test_a_switch_carries_its_optimum():
    """Two rings that send to each other through one B-Link: SCI with buffers that suffice fills it to within 5 %."""
    scenario = rl.Scenario.from_dict(
        {
            "network": {"topology": "switch", "nodes": 4, "ports": 2, "memory": "numa", "connection": "long-ring"},
            "switch": {"rate": "200 MB/s", "receive": 16, "transmit": 16},
            "traffic": {"transaction": "dmove64", "destinations": [2, 3, 0, 1]},
            "run": {"duration": "400 us"},
        }
    )
    found = rl.run(scenario).document["total"]
    assert found["bottleneck"] == "B-Links of the switch"
    assert found["of_optimum"] == pytest.approx(1.0, abs=0.05)


def test_nodes_of_a_run_have_their_optimum_and_the_total_has_the_deviations_of_table_2():
    scenario = rl.Scenario.from_dict(
        {
            "network": {"nodes": 4, "hop_delay": 3},
            "flow_control": {"protocol": "none"},
            "traffic": {"destinations": [3, 3, 3, 1]},
            "run": {"duration": 40_000},
        }
    )
    document = rl.run(scenario).document
    best = scenario.optimum().words_per_cycle
    got = np.array([node["throughput_words_per_cycle"] for node in document["nodes"]])
    assert [node["optimum_words_per_cycle"] for node in document["nodes"]] == best.tolist()
    assert [node["of_optimum"] for node in document["nodes"]] == (got / best).tolist()
    assert [node["optimum_MBps"] for node in document["nodes"]] == pytest.approx(best * 1000)
    adjusted = 100 * np.maximum(0, best - got) / best
    assert document["total"]["deviation"]["average_percent"] == pytest.approx(adjusted.mean())
    assert document["total"]["deviation"]["maximum_percent"] == pytest.approx(adjusted.max())
    paper = rl.optimal_throughput_with_echo(scenario.traffic_matrix(), mean_send_symbols=40)
    adjusted = 100 * np.maximum(0, paper - got) / paper
    assert document["total"]["paper_deviation"]["average_percent"] == pytest.approx(adjusted.mean())


def test_a_node_that_sends_nothing_has_an_optimum_of_0_and_no_share_of_it():
    scenario = rl.Scenario.from_dict(
        {"network": {"nodes": 3}, "traffic": {"load": ["10 MB/s", 0, 0]}, "run": {"duration": 5000}}
    )
    node = rl.run(scenario).document["nodes"][1]
    assert (node["optimum_MBps"], node["of_optimum"]) == (0.0, None)


def test_the_optimum_and_the_latency_model_have_the_names_of_what_they_are():
    assert rl.optimum is rl.bound
    assert rl.latency_model is rl.model
