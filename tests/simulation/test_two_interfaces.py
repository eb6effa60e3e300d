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
    with pytest.raises(rl.RingletError, match=r"network\.ways: 'both' is not allowed; one ring for each packet"):
        simulation.inject(0, 1, size=80)


def test_stepping_draws_as_a_run_does_on_both_rings():
    """A program's injected packets have flows of their own, from which the others' draws do not follow."""
    content = scenario("shorter", flow_control={"protocol": "sci"}, run={"duration": "5 us", "warmup": 0})
    run, stepped = rl.run(content).to_dict(timing=False), rl.Simulation(content)
    stepped.advance(run["cycles"])
    delivered = [node["delivered_packets"] for node in run["nodes"]]
    assert stepped.counters().nodes["delivered_packets"].tolist() == delivered


def test_a_node_that_only_answers_is_in_one_group_on_both_rings():
    """A program may inject at every node, which must change nothing where it does not."""
    content = scenario(
        "shorter",
        flow_control={"protocol": "grouped"},
        traffic={"transaction": "read64", "senders": [2], "receivers": [5, 0, 2, 7, 4, 3]},
        run={"duration": "2 us", "warmup": 0},
    )
    whole, stepped = rl.run(content).document, rl.Simulation(content)
    stepped.advance("2 us")
    assert stepped.counters().nodes["delivered_packets"].tolist() == [
        node["delivered_packets"] for node in whole["nodes"]
    ]


def test_a_program_reads_by_the_shorter_way_there_and_back():
    simulation = rl.Simulation(scenario("shorter", traffic={"arrivals": "none"}))
    for target in (1, 4, 7):
        simulation.inject(0, target, transaction="read64")
    simulation.advance("10 us")
    came = simulation.deliveries()
    answered = came[came["response"]]
    round_trip = dict(zip(answered["source"].tolist(), answered["ended_ns"].tolist(), strict=True))
    # The neighbours on both sides are equally near, and the node opposite is farthest.
    assert round_trip[1] == round_trip[7] < round_trip[4]


@pytest.mark.parametrize("ways", ["shorter", "both"])
def test_a_read_takes_the_shorter_way_there_and_back(ways):
    reads = {"transaction": "read64", "arrivals": "poisson", "load": "500 kB/s"}
    two = rl.run(scenario(ways, traffic={**reads, "pattern": "neighbour"})).to_dict(timing=False)
    far = rl.run(scenario(ways, traffic={**reads, "destinations": [4, 5, 6, 7, 0, 1, 2, 3]})).to_dict(timing=False)
    single = {
        **scenario(ways, traffic={**reads, "pattern": "neighbour"}),
        "network": {"nodes": 8, "hop_delay": "20 ns"},
    }
    one = rl.run(single).to_dict(timing=False)
    latency = [found["total"]["message_latency_ns"]["min"] for found in (two, far, one)]
    # There and back are 2 hops between neighbours and 8 between nodes that are opposite; on one ring all are 8.
    assert latency[0] < 0.6 * latency[2]
    # A response is ready in the symbol behind the service.
    assert latency[1] == latency[2] + 2


def test_copies_are_answered_once():
    found = rl.run(scenario("both", traffic=poisson("1 MB/s", "read64"))).to_dict(timing=False)
    alone = rl.run(scenario("shorter", traffic=poisson("1 MB/s", "read64"))).to_dict(timing=False)
    counts = [one["total"]["delivered_packets"] / (8 * 1e6 / 64 * 1e-3 * 2) for one in (found, alone)]
    assert counts == pytest.approx([1, 1], rel=0.15)


LOOP = {"nodes": [0, 3, 1], "size": 64, "period": "20 us"}


@pytest.mark.parametrize("ways", ["shorter", "both"])
def test_a_loop_goes_by_both_rings(ways):
    found = rl.run(scenario(ways, loops=[LOOP], traffic={"arrivals": "none"})).to_dict(timing=False)
    (loop,) = found["loops"]
    hops = [{"source": a, "destination": b, "size": 64, "period": "20 us"} for a, b in ((0, 3), (3, 1))]
    each = [
        rl.run(scenario("shorter", messages=[hop], traffic={"arrivals": "none"})).to_dict(timing=False)["messages"][0]
        for hop in hops
    ]
    assert (loop["completed"], loop["missed"]) == (50, 0)
    # A node goes on in the cycle behind a delivery.
    assert loop["worst_response_ns"] == sum(one["worst_response_ns"] for one in each) + 2


@pytest.mark.parametrize("ways", ["shorter", "both"])
def test_events_are_built_over_both_rings(ways):
    events = {"builders": [0, 1], "fragment": "1 KiB", "trigger": "periodic", "rate": "5 kHz"}
    found = rl.run(scenario(ways, events=events, traffic={"arrivals": "none"})).to_dict(timing=False)["events"]
    assert (found["built_events"], found["lost_events"], found["incomplete_events"]) == (5, 0, 0)


@pytest.mark.parametrize("ways", ["shorter", "both"])
def test_work_is_scattered_and_gathered_over_both_rings(ways):
    work = {"root": 0, "piece": "512 B", "answer": "128 B", "rounds": 5}
    found = rl.run(scenario(ways, scatter_gather=work, traffic={"arrivals": "none"})).to_dict(timing=False)
    assert found["scatter_gather"]["rounds"] == 5


def test_a_collective_operation_is_as_fast_as_its_links():
    whole = {"operation": "all-to-all", "size": "8 KiB"}
    found = rl.run(scenario("shorter", collective=whole, traffic={"arrivals": "none"})).to_dict(timing=False)
    assert 0.5 < found["collective"]["bandwidth_bound_ratio"] <= 1
    single = {**scenario("shorter", collective=whole, traffic={"arrivals": "none"}), "network": {"nodes": 8}}
    one = rl.run(single).to_dict(timing=False)["collective"]
    assert found["collective"]["completion_time_ns"] < 0.6 * one["completion_time_ns"]


@pytest.mark.parametrize("ways", ["shorter", "both"])
def test_a_trace_goes_by_both_rings(tmp_path, ways):
    rows = ["1,0,0,2,nwrite64,", "2,5,2,7,read64,1", "3,9,7,1,send80,2"]
    lines = ["id,cycle,source,destination,transaction,depends_on", *rows]
    (tmp_path / "trace.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    traffic = {"trace": {"file": str(tmp_path / "trace.csv"), "replay": "dependence-driven"}}
    found = rl.run(scenario(ways, traffic=traffic)).to_dict(timing=False)
    assert found["trace"]["complete"]
    assert (found["trace"]["started_packets"], found["total"]["delivered_packets"]) == (3, 5)
    # Node 7 sends when the request of node 2 has come, a distance of 3 by the ring of falling numbers.
    single = {**scenario(ways, traffic=traffic), "network": {"nodes": 8, "hop_delay": "20 ns"}}
    alone = rl.run(single).to_dict(timing=False)
    assert found["trace"]["run_time_s"] < alone["trace"]["run_time_s"]


def test_a_closed_flow_to_one_node_goes_by_one_ring():
    flow = {"source": 0, "destination": 6, "size": 64, "window": 1, "think": "1 us"}
    found = rl.run(scenario("shorter", flows=[flow], traffic={"arrivals": "none"})).to_dict(timing=False)
    (only,) = found["flows"]
    assert only["delivered"] == pytest.approx(1e-3 / (1e-6 + only["latency_mean_ns"] * 1e-9), rel=0.1)


@pytest.mark.parametrize(
    ("ways", "sections", "said"),
    [
        ("both", {"traffic": {"transaction": "dmove64"}}, "traffic.arrivals: 'saturated' is not allowed; a load"),
        (
            "both",
            {"collective": {"operation": "all-reduce", "size": "8 KiB"}, "traffic": {"arrivals": "none"}},
            "collective: <[collective]> is not allowed; none with topology 'dual-attached-ring' and ways 'both'",
        ),
        (
            "shorter",
            {"queues": {"responses": 4}, "traffic": poisson("1 MB/s", "read64")},
            "queues.responses: 4 is not allowed; 'unlimited'",
        ),
        (
            "shorter",
            {"queues": {"response_timeout": "1 us"}, "traffic": poisson("1 MB/s", "read64")},
            "queues.response_timeout: '1 us' is not allowed; none with topology",
        ),
        ("both", {"queues": {"transmit": 4}, "traffic": poisson("1 MB/s")}, "queues.transmit: 4 is not allowed"),
        ("both", {"host": {"slots": 4}, "traffic": poisson("1 MB/s")}, "host: <[host]> is not allowed; none with"),
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
            "network.link_rate: <a table> is not allowed; one rate, which all links of this topology have",
        ),
        (
            "shorter",
            {"traffic": {"transaction": "dmove64", "arrivals": "periodic", "load": "1 MB/s"}},
            "traffic.arrivals: 'periodic' is not allowed; arrivals at random, or one destination for each node",
        ),
        (
            "both",
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


@pytest.mark.parametrize("ask", [rl.model])
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


def gone(*, bypass, gives_up, max_timeouts):
    """Eight stations, of which one is gone from 200 us on; what is measured begins 200 us later."""
    failed = {"node": 3, "fails_at": "200 us", "bypass": bypass}
    return {
        "network": {"topology": "dual-attached-ring", "nodes": 8, "hop_delay": "20 ns"},
        "flow_control": {"protocol": "sci"},
        "traffic": poisson("60 MB/s"),
        "errors": {"nodes": [failed], "max_timeouts": max_timeouts, "gives_up": gives_up},
        "run": {"duration": "1600 us", "warmup": "400 us", "seed": 1},
    }


@pytest.mark.parametrize(
    ("max_timeouts", "gives_up", "dead", "bypassed"),
    [(255, "packet", 0, 206), (8, "packet", 221, 359), (8, "destination", 264, 359), (3, "destination", 282, 359)],
)
def test_the_table_of_stations_that_are_gone(max_timeouts, gives_up, dead, bypassed):
    for bypass, expected in ((False, dead), (True, bypassed)):
        found = rl.run(gone(bypass=bypass, gives_up=gives_up, max_timeouts=max_timeouts)).to_dict(timing=False)
        assert round(found["total"]["throughput_MBps"]) == expected


def test_packets_to_nobody_are_taken_off_and_counted():
    content = gone(bypass=True, gives_up="destination", max_timeouts=0)
    flows = [
        {"name": "lost", "source": 0, "destination": 3, "size": 64, "period": "10 us"},
        {"name": "by it", "source": 0, "destination": 4, "size": 64, "period": "10 us"},
        {"name": "its own", "source": 3, "destination": 4, "size": 64, "period": "10 us"},
    ]
    run = {"duration": "1 ms", "warmup": 0}
    found = rl.run({**content, "flows": flows, "traffic": {"arrivals": "none"}, "run": run}).to_dict(timing=False)
    lost, passing, own = (flow["delivered"] for flow in found["flows"])
    assert (lost, passing, own) == (20, 100, 20)
    errors = found["errors"]
    # The packet of the time of the failure is the first one that nobody takes.
    assert errors["given_up_packets"] == errors["undelivered_packets"] >= 78
    assert errors["lost_sends"] == errors["timeouts"] <= errors["given_up_packets"]
    (failure,) = errors["failures"]
    assert failure["what"] == "node 3"


def test_a_word_that_senders_cannot_give_up_is_refused():
    with pytest.raises(rl.RingletError, match=r"errors\.gives_up: 'node' is not allowed; 'packet' or 'destination'"):
        rl.run(gone(bypass=True, gives_up="node", max_timeouts=1))


@pytest.mark.parametrize(
    ("sections", "said"),
    [
        (
            {"loops": [LOOP], "traffic": {"arrivals": "none"}},
            r"loops: <\[\[loops\]\]> is not allowed; nothing that waits",
        ),
        (
            {"messages": MESSAGES, "message_transaction": "nwrite64", "traffic": {"arrivals": "none"}},
            "traffic.transaction: <a response> is not allowed; nothing that waits",
        ),
    ],
)
def test_a_guarantee_takes_rings_that_do_not_wait_for_each_other(sections, said):
    with pytest.raises(rl.RingletError, match=said):
        rl.guarantee(scenario("shorter", **sections))


def test_a_train_goes_round_with_tickets_of_copies_that_are_done(tmp_path):
    """Rounds in which no packet was held, and tickets named some that were done, had ended in a failure."""
    rows = [f"{node + 1},0,{node},{(node + 1) % 4},send1516," for node in range(4)]
    lines = ["id,cycle,source,destination,transaction,depends_on", *rows]
    (tmp_path / "trace.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    network = {"topology": "dual-attached-ring", "nodes": 4, "hop_delay": 40, "link_width": 32, "ways": "both"}
    content = {
        "network": network,
        "flow_control": {"protocol": "train"},
        "queues": {"service_time": "20 ns"},
        "traffic": {"trace": {"file": str(tmp_path / "trace.csv")}, "largest_packet": 1516},
        "messages": [{"source": 0, "destination": 3, "size": 200, "period": "24 us"}],
        "run": {"duration": 24_000, "warmup": 0},
    }
    document = rl.run(content).to_dict(timing=False)
    assert document["trace"]["started_packets"] == 4
    assert document["total"]["delivered_packets"] == 4 + 4 * document["messages"][0]["completed"]
