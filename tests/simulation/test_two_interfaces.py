"""Stations with an interface on each of two rings (docs/explanation/network-model.md, "Stations on two rings")."""

from pathlib import Path

import numpy as np
import pytest

import ringlet as rl

EXAMPLES = Path(__file__).parents[2] / "examples"

MESSAGES = [
    {"source": 0, "destination": 3, "size": 160, "period": "20 us", "deadline": "20 us"},
    {"source": 2, "destination": 7, "size": 64, "period": "25 us", "offset": "3 us", "deadline": "20 us"},
    {"source": 5, "destination": 1, "size": 300, "period": "50 us", "offset": "7 us", "deadline": "40 us"},
]


def scenario(ways, **sections):
    network = {"topology": "dual-attached-ring", "nodes": 8, "ways": ways, "hop_delay": "20 ns"}
    return {"network": network, "flow_control": {"protocol": "none"}, "run": {"duration": "1 ms"}, **sections}


def poisson(load, transaction="dmove64"):
    return {"transaction": transaction, "arrivals": "poisson", "load": load}


def test_a_failed_link_costs_no_message_of_which_copies_take_both_rings():
    alone = {"messages": MESSAGES, "traffic": {"arrivals": "none"}}
    failed = {"links": [{"source": 1, "fails_at": "300 us"}], "max_timeouts": 0}
    both = rl.run(scenario("both", **alone, errors=failed)).to_dict(timing=False)
    whole = rl.run(scenario("both", **alone)).to_dict(timing=False)
    for broken, other in zip(both["messages"], whole["messages"], strict=True):
        assert (broken["missed"], broken["unfinished"]) == (0, 0)
        assert broken["completed"] == other["completed"]
    assert both["errors"]["lost_sends"] > 0
    assert both["total"]["given_up_packets"] == 0
    one = rl.run(scenario("shorter", **alone, errors=failed)).to_dict(timing=False)
    assert sum(message["missed"] for message in one["messages"]) > 0


def test_a_lost_copy_is_said_to_be_one():
    sections = {"messages": MESSAGES, "traffic": {"arrivals": "none"}}
    failed = {"nodes": [{"node": 4, "fails_at": "300 us", "repaired_at": "500 us"}]}
    found = rl.run(scenario("both", **sections, errors=failed)).to_dict(timing=False)
    (failure,) = found["errors"]["failures"]
    assert failure["lost_are_copies"]
    assert failure["lost_sends"] > 0
    # Nobody waits for an echo.
    assert failure["noticed_ns"] is None


def test_the_first_copy_counts():
    one = rl.run(scenario("shorter", messages=MESSAGES[:1], traffic={"arrivals": "none"}))
    both = rl.run(scenario("both", messages=MESSAGES[:1], traffic={"arrivals": "none"}))
    latency = [found.to_dict(timing=False)["messages"][0]["worst_response_ns"] for found in (one, both)]
    assert latency[0] == latency[1]


def test_a_node_sends_half_of_uniform_traffic_each_way():
    found = rl.run(scenario("shorter", traffic=poisson("20 MB/s"), run={"duration": "4 ms", "seed": 3}))
    assert found.to_dict(timing=False)["total"]["throughput_MBps"] == pytest.approx(160, rel=0.05)
    # Of a link 80 bytes and an idle of 3 for each packet, and its echo: a packet passes 16/7 links of 16.
    busy = 1 - found.nodes["link_idle_fraction"].mean()
    single = rl.run({**scenario("shorter", traffic=poisson("20 MB/s")), "network": {"nodes": 8, "hop_delay": "20 ns"}})
    # On one ring it passes 4 of 8 links, and packet and echo pass all of them.
    assert busy < 0.5 * (1 - single.nodes["link_idle_fraction"].mean())


def test_saturated_nodes_get_more_than_from_one_ring():
    saturated = {"transaction": "dmove64"}
    two = rl.run(scenario("shorter", traffic=saturated)).to_dict(timing=False)["total"]
    one = rl.run({**scenario("shorter", traffic=saturated), "network": {"nodes": 8, "hop_delay": "20 ns"}})
    assert two["throughput_MBps"] > 1.9 * one.to_dict(timing=False)["total"]["throughput_MBps"]
    assert two["throughput_MBps"] <= two["maximum_MBps"] * 1.001


@pytest.mark.parametrize("protocol", ["none", "sci", "rpr", "metaring"])
def test_nothing_is_above_the_most_that_two_rings_carry(protocol):
    flows = [{"source": 1, "destination": 5, "size": 64, "arrivals": "poisson", "rate": "15 MB/s"}]
    content = scenario("shorter", traffic={"transaction": "dmove64"}, flows=flows, run={"duration": "500 us"})
    total = rl.run({**content, "flow_control": {"protocol": protocol}}).to_dict(timing=False)["total"]
    assert total["throughput_MBps"] <= total["maximum_MBps"] * 1.002


def test_copies_that_a_ring_cannot_carry_have_no_fair_share():
    found = rl.run(scenario("both", traffic=poisson("400 MB/s"), run={"duration": "50 us"})).to_dict(timing=False)
    assert found["total"]["of_optimum"] is None
    fits = rl.run(scenario("both", traffic=poisson("20 MB/s"), run={"duration": "500 us"})).to_dict(timing=False)
    assert fits["total"]["of_optimum"] == pytest.approx(1, abs=0.02)


def test_stepping_gives_what_a_run_gives():
    content = scenario("both", messages=MESSAGES, traffic=poisson("5 MB/s"), run={"duration": "200 us", "warmup": 0})
    whole = rl.run(content).to_dict(timing=False)
    simulation = rl.Simulation(content)
    while simulation.cycle < whole["cycles"]:
        simulation.advance(min(777, whole["cycles"] - simulation.cycle))
    delivered = int(simulation.counters().nodes["delivered_packets"].sum())
    assert delivered == whole["total"]["delivered_packets"]
    with pytest.raises(rl.RingletError, match="for injected packets"):
        simulation.inject(0, 1, size=80)


@pytest.mark.parametrize(
    ("ways", "sections", "said"),
    [
        ("both", {"traffic": {"transaction": "dmove64"}}, "traffic.arrivals: 'saturated' is not allowed; a load"),
        ("shorter", {"traffic": poisson("1 MB/s", "read64")}, "traffic.transaction: <a response> is not allowed"),
        ("both", {"queues": {"transmit": 4}, "traffic": poisson("1 MB/s")}, "queues.transmit: 4 is not allowed"),
        ("both", {"host": {"slots": 4}, "traffic": poisson("1 MB/s")}, "host: <[host]> is not allowed; none with"),
        (
            "shorter",
            {"loops": [{"nodes": [0, 1, 2], "size": 64, "period": "20 us"}], "traffic": poisson("1 MB/s")},
            "loops: <[[loops]]> is not allowed; traffic, messages and flows",
        ),
        (
            "shorter",
            {
                "network": {
                    "topology": "dual-attached-ring",
                    "nodes": 8,
                    "link_rate": {"ring rising": "1 GB/s", "others": "500 MB/s"},
                },
                "traffic": poisson("1 MB/s"),
            },
            "network.link_rate: <a table> is not allowed; one rate with topology",
        ),
        (
            "shorter",
            {"traffic": {"transaction": "dmove64", "arrivals": "periodic", "load": "1 MB/s"}},
            "traffic.arrivals: 'periodic' is not allowed; arrivals at random, or one destination for each node",
        ),
        (
            "shorter",
            {
                "flows": [{"source": 0, "destination": 1, "size": 64, "window": 1, "think": "1 us"}],
                "traffic": {"arrivals": "none"},
            },
            "flows.arrivals: 'window' is not allowed; arrivals that wait for nothing",
        ),
        (
            "both",
            {"errors": {"links": [{"source": "3.up", "fails_at": 5}]}, "traffic": poisson("1 MB/s")},
            "errors.links[0].source: '3.up' is not allowed; a node from 0 to 7, or 'node.ring' with ring rising or "
            "falling",
        ),
    ],
)
def test_what_does_not_go_by_two_rings_is_refused(ways, sections, said):
    with pytest.raises(rl.RingletError) as raised:
        rl.run(scenario(ways, **sections))
    assert said in str(raised.value)


@pytest.mark.parametrize("ask", [rl.guarantee, rl.model, rl.check, rl.verify])
def test_what_takes_one_interface_says_so(ask):
    with pytest.raises(rl.RingletError, match=r"network\.topology: 'dual-attached-ring' is not allowed; one in which"):
        ask(scenario("shorter", messages=MESSAGES))


def test_a_link_of_the_second_ring_has_its_node_and_its_ring():
    # Node 0 sends to node 6 on the falling ring, by nodes 7 and 6.
    message = [{"source": 0, "destination": 6, "size": 64, "period": "50 us"}]
    sections = {"messages": message, "traffic": {"arrivals": "none"}}
    lost = {
        source: rl.run(scenario("shorter", **sections, errors={"links": [{"source": source, "fails_at": 1}]}))
        for source in ("0.falling", 0, "7.falling", "6.falling")
    }
    completed = {name: found.to_dict(timing=False)["messages"][0]["completed"] for name, found in lost.items()}
    assert completed[0] > 0
    assert completed["0.falling"] == completed["7.falling"] == 0


def test_each_span_has_one_length_for_both_rings():
    lengths = [0, 0, 0, 0, 0, 0, 1000, 0]
    network = {"topology": "dual-attached-ring", "nodes": 8, "hop_delay": 1, "cable_length": lengths}
    scenario_ = rl.Scenario.of({"network": network, "traffic": poisson("1 MB/s")})
    hops = scenario_.resolved.hop_symbols
    assert np.flatnonzero(hops > 1).tolist() == [6, 8]
    # Interface 8 is node 7's on the ring of falling numbers, whose link leads to node 6.
    assert scenario_.routed_network[0].interface_name(8) == "N7 on ring falling"


@pytest.mark.parametrize(("ways", "missing", "missed", "longest_us"), [("both", 0, 0, 66), ("shorter", 459, 433, 4820)])
def test_the_table_of_the_page_on_failures(ways, missing, missed, longest_us):
    found = rl.run(rl.Scenario.load(EXAMPLES / "hsr.toml", [f"network.ways={ways}"])).to_dict(timing=False)
    flows = found["flows"]
    assert sum(flow["offered"] - flow["delivered"] for flow in flows) == missing
    assert sum(flow["missed"] or 0 for flow in flows) == missed
    samples = [flow["latency_max_ns"] for flow in flows if flow["name"].startswith("samples")]
    assert round(max(samples) / 1e3) == longest_us
