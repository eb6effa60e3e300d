"""Throughput against the largest total: what is called a maximum is never exceeded.

The campaign's kinds `shares` and `shares-networks` try random scenarios over all keys.
"""

import math
from pathlib import Path

import pytest

import ringlet as rl
from ringlet.cli.verdicts import fair_share_lines

EXAMPLES = Path(__file__).parents[2] / "examples"

LONG = {"nodes": 4, "hop_delay": 2000}


@pytest.mark.parametrize(
    ("content", "limit", "reached"),
    [
        ({"network": LONG, "queues": {"outstanding": 4}}, "queues.outstanding", 0.97),
        ({"network": {**LONG, "topology": "switch"}}, "transmit slots", 0.8),
        (
            {
                "network": LONG,
                "queues": {"window": 2, "outstanding": "unlimited"},
                "traffic": {"transaction": "read64"},
            },
            "queues.window",
            0.9,
        ),
        ({"network": {"topology": "switch", "nodes": 4}, "host": {"slots": 8, "fill_time": "2 us"}}, "host bus", 0.9),
        (
            {"network": {"topology": "switch", "nodes": 4}, "host": {"slots": 2, "fill_delay": "5 us"}},
            "transmit slots",
            0.9,
        ),
        (
            {
                "network": {"topology": "switch", "nodes": 4},
                "host": {"adapter": {"preset": "pentium"}},
                "traffic": {"transaction": "read64"},
            },
            "host bus",
            0.6,
        ),
        ({"network": {"nodes": 4}, "traffic": {"transaction": "dmove64"}}, "link", 0.8),
    ],
)
def test_windows_slots_and_adapters_limit_the_maximum_and_nothing_exceeds_it(content, limit, reached):
    content = {**content, "flow_control": {"protocol": "none"}}
    content["run"] = {"duration": "2 ms", "warmup": "500 us"}
    total = rl.run(content).document["total"]
    share = total["throughput_MBps"] / total["maximum_MBps"]
    assert reached <= share <= 1.001, total["bottleneck"]
    assert limit in total["bottleneck"]


def test_each_of_two_interfaces_serves_what_comes_in_by_it():
    content = {
        "network": {"topology": "dual-attached-ring", "nodes": 4},
        "flow_control": {"protocol": "none"},
        "queues": {"service_time": "0.5 us"},
        "run": {"duration": 60_000, "warmup": 10_000},
    }
    total = rl.run(content).document["total"]
    # Eight interfaces serve 80 bytes each half microsecond.
    assert total["maximum_MBps"] == pytest.approx(8 * 80 / 0.5)
    assert 0.95 < total["throughput_MBps"] / total["maximum_MBps"] <= 1.001
    assert total["bottleneck"] == "receive queue for requests of N0 on ring rising"


@pytest.mark.parametrize(
    ("queues", "transaction", "limit"),
    [
        ({"outstanding": 1}, "dmove64", "queues.outstanding of N0 on ring rising"),
        ({"window": 1}, "read64", "queues.window of N0"),
    ],
)
def test_each_of_two_interfaces_has_a_window(queues, transaction, limit):
    content = {
        "network": {"topology": "dual-attached-ring", "nodes": 4, "hop_delay": 400},
        "flow_control": {"protocol": "sci"},
        "queues": queues,
        "traffic": {"transaction": transaction},
        "run": {"duration": 200_000, "warmup": 20_000},
    }
    total = rl.run(content).document["total"]
    assert 0.7 < total["throughput_MBps"] / total["maximum_MBps"] <= 1.001
    assert total["bottleneck"] == limit


def test_a_window_is_held_until_the_first_of_two_responses_is_there():
    content = {
        "network": {"topology": "dual-attached-ring", "ways": "both", "nodes": 4, "hop_delay": 400},
        "flow_control": {"protocol": "sci"},
        "queues": {"window": 1},
        "traffic": {"transaction": "read64", "arrivals": "periodic", "load": "20 MB/s"},
        "run": {"duration": 200_000, "warmup": 20_000},
    }
    total = rl.run(content).document["total"]
    # There and back are at least two and two hops of 400 cycles for a node's neighbours, and four for the one opposite,
    # with a request of 8 symbols and a response of 40; a node has a window at each interface.
    held = (2 * (2 * 400 + 48) + 2 * 2 * 400 + 48) / 3
    assert total["capacity_limit"].startswith("queues.window")
    most = 2 * 64e3 / (2 * held)
    assert total["capacity_factor"] == pytest.approx(most / 20, rel=0.02)
    assert total["throughput_MBps"] <= 1.01 * total["maximum_MBps"]


def test_what_a_node_has_sent_of_an_overload_is_no_more_than_its_share_by_chance():
    """A large packet among many small ones moves most of the data, and of twenty times what a link carries some two
    large ones are sent."""
    flow = {"source": 0, "destination": 1, "arrivals": "poisson"}
    small = [{**flow, "name": f"small-{number}", "size": 2, "rate": "100 MB/s"} for number in range(10)]
    content = {
        "network": {"nodes": 2},
        "flow_control": {"protocol": "none"},
        "flows": [{**flow, "name": "large", "size": 64, "rate": "900 MB/s"}, *small],
    }
    for seed in range(1, 11):
        document = rl.run({**content, "run": {"duration": "20 us", "warmup": 0, "seed": seed}}).document
        node, total = document["nodes"][0], document["total"]
        assert 0.95 < node["throughput_MBps"] / node["fair_share_MBps"] <= 1.001
        assert total["throughput_MBps"] <= 1.001 * total["maximum_MBps"]
        # What can grow is all that is offered.
        words = total["capacity_factor"] * node["offered_MBps"]
        assert words == pytest.approx(45, rel=0.3)


def test_groups_of_write_buffers_that_a_block_leaves_small_are_not_crowded():
    adapter = {"streams": 7, "set_up": "50 ns", "write_time": "50 ns", "bridge_delay": "50 ns"}
    content = {
        "network": {"topology": "switch", "nodes": 2},
        "host": {"adapter": adapter},
        "traffic": {"arrivals": "bernoulli", "load": "200 MB/s", "transaction": "locksb"},
        "run": {"duration": "400 us", "warmup": 0},
    }
    total = rl.run(content).document["total"]
    assert 0 < total["throughput_MBps"] <= 1.01 * total["maximum_MBps"]


def test_the_maximum_is_at_least_the_fair_share_and_capacity_says_what_fills_first():
    loads = {"pattern": "permutation", "destinations": [2, 2, 3, 0], "arrivals": "poisson"}
    content = {"network": {"nodes": 4}, "traffic": {**loads, "load": "600 MB/s"}, "run": {"duration": "400 us"}}
    document = rl.run(content).document
    total = document["total"]
    assert total["maximum_MBps"] > total["fair_share_MBps"] > 0
    assert total["fair_share_MBps"] == total["optimum_MBps"]
    assert total["capacity_factor"] < 1
    share = f"{total['capacity_factor']:.3g}"
    assert fair_share_lines(document)[1] == f"capacity: too much is offered: with {share} of it link 1 is full"
    light_document = rl.run({**content, "traffic": {**loads, "load": "10 MB/s"}}).document
    light = light_document["total"]
    assert light["maximum_MBps"] == pytest.approx(light["fair_share_MBps"])
    assert light["capacity_factor"] > 20
    assert light["capacity_limit"] == "link 1"
    said = f"can grow by a factor of {light['capacity_factor']:.3g} at most, then link 1 is full"
    assert fair_share_lines(light_document)[1] == f"capacity: what is offered {said}"
    assert math.isclose(total["capacity_factor"] * 60, light["capacity_factor"], rel_tol=0.1)


def replayed(folder, *starts_ns):
    """Document of a replay of packets from node 0 to node 1 that start then."""
    rows = [f"{start},0,1,dmove64" for start in starts_ns]
    (folder / "t.csv").write_text("\n".join(["time_ns,source,destination,transaction", *rows, ""]), encoding="utf-8")
    return rl.run({"network": {"nodes": 4}, "traffic": {"trace": {"file": str(folder / "t.csv")}}}).document


def test_the_rates_of_a_replay_are_said_to_be_those_of_the_trace(tmp_path):
    slow, fast = replayed(tmp_path, 0, 500, 1000), replayed(tmp_path, 0, 20, 40)
    share, capacity = fair_share_lines(slow)
    assert share.startswith("fair share: max-min of the trace's mean rates; ")
    said = f"can grow by a factor of {slow['total']['capacity_factor']:.3g} at most, then link 0 is full"
    assert capacity == f"capacity: the trace's mean rates {said}"
    # Three packets of 80 bytes, each with an idle, start within 42 ns: 123 symbols in 21 cycles.
    assert fast["total"]["capacity_factor"] == pytest.approx(21 / 123)
    assert (
        fair_share_lines(fast)[1] == "capacity: the trace's mean rates are too much: with 0.171 of them link 0 is full"
    )


def test_packets_of_a_trace_that_start_at_once_have_no_rate(tmp_path):
    document = replayed(tmp_path, 0, 0, 0)
    assert document["total"]["capacity_factor"] is None
    assert len(fair_share_lines(document)) == 1


def test_a_trace_beside_other_traffic_is_worth_what_it_sent_in_the_run(tmp_path):
    """One packet of a trace is no saturated node, and three within some nanoseconds do not go on for ever."""
    text = "time_ns,source,destination,transaction\n0,2,3,dmove64\n"
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    found = rl.run(
        {
            "network": {"nodes": 4},
            "traffic": {"trace": {"file": str(tmp_path / "t.csv")}},
            "messages": [{"source": 1, "destination": 0, "size": 64, "period": "20 ns"}],
            "run": {"duration": 60_000, "warmup": 0},
        }
    ).document
    total, node = found["total"], found["nodes"][1]
    assert node["throughput_MBps"] == pytest.approx(node["fair_share_MBps"], rel=0.01)
    assert found["nodes"][2]["fair_share_MBps"] == pytest.approx(64 / 120)
    assert total["throughput_MBps"] <= total["maximum_MBps"]
    # 41 symbols every 10 cycles, and the packet of the trace.
    assert total["capacity_factor"] == pytest.approx(10 / 41, rel=0.01)
    share, capacity = fair_share_lines(found)
    assert share.startswith("fair share: max-min of what is offered; ")
    assert capacity.startswith("capacity: too much is offered: ")


def test_a_flow_that_ends_takes_no_part_of_what_its_node_sends_for_all_time():
    """Five messages are some thousandths of what node 2 sends."""
    flow = {"source": 2, "destination": 0, "size": 200, "total": 5, "window": 63}
    traffic = {"pattern": "neighbour", "arrivals": "saturated"}
    run = {"duration": 60_000, "warmup": 0}
    total = rl.run({"network": {"nodes": 4}, "traffic": traffic, "flows": [flow], "run": run}).document["total"]
    assert 0.85 * total["maximum_MBps"] < total["throughput_MBps"] <= total["maximum_MBps"]


def test_more_may_be_delivered_while_a_receive_queue_without_limit_grows_and_that_is_said():
    content = {
        "network": {"nodes": 4, "link_width": 64},
        "flow_control": {"protocol": "dfc"},
        "queues": {"service_time": [3, 4, 4, 4000]},
        "run": {"duration": 60_000, "warmup": 0},
    }
    found = rl.run(content).document
    assert found["total"]["throughput_MBps"] > 1.1 * found["total"]["maximum_MBps"]
    assert "MB/s while no receive queue grows; most used: " in fair_share_lines(found)[0]
    # Two places hold up what its senders have for all others, so that nothing grows there.
    limited = rl.run(content | {"queues": {**content["queues"], "receive": 2}}).document
    assert limited["total"]["throughput_MBps"] <= limited["total"]["maximum_MBps"]
    assert "grows" not in fair_share_lines(limited)[0]


def test_requests_whose_responses_are_left_waiting_may_move_more_than_the_largest_total():
    # Node 2 owes two responses for each request of its own, and its queues take turns: one of the two stays.
    queues = {"receive": 4, "service_time": "0 ns"}
    traffic = {"arrivals": "periodic", "transaction": "writesb", "pattern": "matrix", "load": 0.3}
    traffic["matrix"] = [[0, 0, 1], [0, 0, 1], [1, 0, 0]]
    run = {"duration": 60_000, "warmup": 0}
    found = rl.run({"network": {"nodes": 3}, "queues": queues, "traffic": traffic, "run": run}).document
    total = found["total"]
    assert fair_share_lines(found)[0].startswith(
        "fair share: max-min of what is offered; most in total 444.4 MB/s with"
    )
    assert 1.01 * total["maximum_MBps"] < total["throughput_MBps"]
    words = total["throughput_words_per_cycle"] * total["fair_share_MBps"] / total["optimum_words_per_cycle"]
    assert words < total["maximum_MBps"]


def test_messages_that_wait_for_others_take_no_fixed_part_of_what_their_nodes_send():
    # A loop that is released much too often: its first leg is held up, so that few of the others are sent at all, and
    # the background of their nodes goes on.
    loop = {"nodes": [4, 5, 1, 4, 1, 3], "period": 3, "size": 1}
    found = rl.run(
        {
            "network": {"nodes": 6},
            "traffic": {"load": "16 MB/s", "pattern": "fan-in", "fan_in": 2},
            "loops": [loop],
            "run": {"duration": 60_000, "warmup": 0, "seed": 3},
        }
    ).document
    total = found["total"]
    assert total["fair_share_MBps"] <= total["maximum_MBps"]
    assert 0.97 * total["maximum_MBps"] < total["throughput_MBps"] <= total["maximum_MBps"]
    assert found["nodes"][1]["fair_share_MBps"] > 16


def test_who_gets_more_than_the_fair_share_is_said_beside_who_gets_less():
    content = {"network": {"nodes": 4}, "flow_control": {"protocol": "none"}}
    content |= {"traffic": {"arrivals": "saturated", "destinations": [3, 3, 3, 1]}}
    unfair = rl.run(content).document
    said = "nodes 1 and 3 get more than their fair share, up to 278.3 %; nodes 0 and 2 get less, down to 0.0 %"
    assert fair_share_lines(unfair)[-1] == said
    assert [one["of_optimum"] > 1 for one in unfair["nodes"]] == [False, True, False, True]
    fair = rl.run(content | {"flow_control": {"protocol": "sci"}}).document
    assert len(fair_share_lines(fair)) == 1


def test_the_fair_share_of_priorities_is_said_to_be_that_of_the_highest_first():
    document = rl.run(rl.Scenario.load(EXAMPLES / "priorities.toml", ["run.duration=50 us"])).document
    first, unfair = fair_share_lines(document)
    assert first.startswith("fair share: max-min of what is offered, the highest priority first; most in total")
    shares = [node["fair_share_MBps"] for node in document["nodes"]]
    assert shares == [0, 0, 0, pytest.approx(1000 * 40 / 41)]
    words = 100 * document["nodes"][3]["of_optimum"]
    assert (
        unfair == f"nodes 0, 1 and 2 get more than their fair share, which is nothing; node 3 gets less, {words:.1f} %"
    )
    # Without a share there is no part of it, and it is no number that a table could show as met or missed.
    assert [node["of_optimum"] for node in document["nodes"][:3]] == [None] * 3


def test_under_ppq_too_a_share_of_nothing_has_no_part_and_more_than_all_shares_is_explained():
    """Node 3 does not take all that a highest priority could, so that lower ones get what they have no share of."""
    document = rl.run(
        {
            "network": {"nodes": 4},
            "flow_control": {"protocol": "ppq"},
            "traffic": {"arrivals": "saturated", "priority": [0, 1, 2, 3]},
            "run": {"duration": "100 us"},
        }
    ).document
    nodes, total = document["nodes"], document["total"]
    assert [node["fair_share_MBps"] for node in nodes] == [0, 0, 0, pytest.approx(1000 * 40 / 41)]
    assert [node["of_optimum"] for node in nodes[:3]] == [None] * 3
    assert [one["of_optimum"] for one in document["priorities"][:-1]] == [None] * 3
    assert 1 < total["of_optimum"] < 1.2
    assert total["throughput_MBps"] <= total["maximum_MBps"]
    share, unfair = fair_share_lines(document)
    assert ", the highest priority first; most in total 1739 MB/s; " in share
    assert unfair.startswith("nodes 0 and 1 get more than their fair share, which is nothing; node 3 gets less, ")


def test_nothing_is_above_its_fair_share_by_chance():
    content = {"network": {"nodes": 4}, "traffic": {"transaction": "read64", "load": "1 MB/s", "arrivals": "poisson"}}
    document = rl.run({**content, "run": {"duration": "2 ms", "warmup": "400 us"}}).document
    shares = [node["of_optimum"] for node in document["nodes"]]
    assert all(share is not None and share <= 1 + 1e-9 for share in shares)


def test_the_maximum_does_not_depend_on_priorities_that_no_link_keeps_to():
    """The long way of the high priority is as good as taken by the two short ones, which carry twice as much."""
    ways = ((0, 3, 1), (1, 2, 0), (2, 3, 0))
    messages = [
        {"source": source, "destination": to, "size": 64, "period": "80 ns", "priority": priority}
        for source, to, priority in ways
    ]
    content = {"network": {"nodes": 4}, "flow_control": {"protocol": "sci"}, "messages": messages}
    total = rl.run({**content, "run": {"duration": "400 us"}}).document["total"]
    assert total["fair_share_MBps"] < total["throughput_MBps"] <= 1.01 * total["maximum_MBps"]


def test_each_of_two_interfaces_has_a_queue_whichever_source_fills_it():
    """Node 3's background leaves by its first interface, its flow by the second one: neither waits for the other."""
    found = rl.run(
        {
            "network": {"topology": "dual-attached-ring", "nodes": 4},
            "traffic": {"pattern": "bit-complement", "arrivals": "saturated"},
            "flows": [{"source": 3, "destination": 2, "size": 64}],
            "run": {"duration": 60_000, "warmup": 0},
        }
    )
    total = found.document["total"]
    assert total["throughput_MBps"] == pytest.approx(total["maximum_MBps"], rel=1e-3)
    assert total["throughput_MBps"] <= total["maximum_MBps"]
    for node in found.document["nodes"]:
        assert node["throughput_MBps"] == pytest.approx(node["fair_share_MBps"], rel=1e-3)


def test_more_than_the_fair_share_is_said_to_be_of_requests_whose_responses_wait():
    """Requests that go first leave no word for responses."""
    content = {
        "network": {"nodes": 6},
        "flow_control": {"protocol": "grouped"},
        "queues": {"order": "request-first"},
        "traffic": {"pattern": "tornado", "transaction": "nwrite256", "arrivals": "periodic", "load": 0.7},
        "run": {"duration": 60_000, "warmup": 0},
    }
    said = " of requests whose responses are left waiting"
    found = rl.run(content).document
    assert said in "".join(fair_share_lines(found))
    assert found["total"]["waiting_responses"] > 100
    # What a node has above its share is not theirs where they are fewer.
    fewer = [node | {"waiting_responses": min(node["waiting_responses"], 1)} for node in found["nodes"]]
    assert said not in "".join(fair_share_lines({**found, "nodes": fewer}))
    content["queues"] = {"order": "response-first"}
    assert said not in "".join(fair_share_lines(rl.run(content).document))


def test_what_is_drawn_waits_at_an_interface_for_what_leaves_by_it_alone():
    """Node 0 sends to both neighbours; a flow fills the way to one of them, and what goes to the other one is carried
    as offered."""
    found = rl.run(
        {
            "network": {"topology": "dual-attached-ring", "nodes": 3},
            "traffic": {"arrivals": "poisson", "load": ["400 MB/s", 0, 0]},
            "flows": [{"source": 0, "destination": 1, "size": 64, "arrivals": "poisson", "rate": "900 MB/s"}],
            "run": {"duration": "1 ms"},
        }
    )
    node, total = found.document["nodes"][0], found.document["total"]
    assert total["throughput_MBps"] <= 1.01 * total["maximum_MBps"]
    assert node["throughput_MBps"] == pytest.approx(node["fair_share_MBps"], rel=0.01)


def test_nothing_was_drawn_for_an_interface_of_its_own():
    """A flow that draws nothing in a short run is all that would have left node 0 by its second interface."""
    rare = {"source": 0, "destination": [2, 6], "size": 64, "arrivals": "poisson", "rate": "1 kB/s"}
    often = {"source": 0, "destination": 2, "size": 64, "period": "10 us"}
    found = rl.run(
        {
            "network": {"topology": "dual-attached-ring", "nodes": 8},
            "traffic": {"arrivals": "none"},
            "flows": [rare, often],
            "run": {"duration": "100 us", "warmup": 0},
        }
    )
    assert found.document["flows"][0]["offered"] == 0
    assert found.document["total"]["fair_share_MBps"] == found.document["total"]["throughput_MBps"] == 6.4


def test_the_data_of_a_share_are_those_of_the_flows_that_a_run_had():
    """A closed flow of short messages waits for their deliveries: words of its node hold more data than else."""
    document = rl.run(
        {
            "network": {"nodes": 2},
            "traffic": {"load": [0, "80 MB/s"]},
            "flows": [{"source": 1, "destination": 0, "size": 9, "window": 4, "think": "500 ns"}],
            "run": {"duration": "1 ms"},
        }
    ).document
    node, total = document["nodes"][1], document["total"]
    for figures in (node, total):
        assert figures["throughput_MBps"] == pytest.approx(figures["fair_share_MBps"], rel=1e-3)
    assert total["throughput_MBps"] <= total["maximum_MBps"]
    words = node["optimum_words_per_cycle"] / node["throughput_words_per_cycle"]
    assert node["fair_share_MBps"] / node["throughput_MBps"] == pytest.approx(words, rel=1e-3)
