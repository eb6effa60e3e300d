"""A ring without echoes: what it carries, and what it cannot have."""

import pytest

from ringlet import RingletError, Scenario, bound, run
from ringlet.cli.verdicts import dropped_line

PAPER = {"transaction": "send80", "arrivals": "saturated", "destinations": [3, 3, 3, 1]}


def scenario(protocol="sci", *, network=None, traffic=PAPER, **sections):
    return {
        "network": {"nodes": 4, "hop_delay": 3, "echoes": False, **(network or {})},
        "flow_control": {"protocol": protocol},
        "traffic": traffic,
        "run": {"duration": "200 us", "warmup": "100 us"},
        **sections,
    }


def words(content):
    return run(content).nodes["throughput_words_per_cycle"].to_numpy()


def test_sci_gives_each_node_a_third_of_a_link():
    """picker1994, Section 1.2: node 3 could have two thirds."""
    third = 40 / 41 / 3
    assert words(scenario()) == pytest.approx([third] * 4, rel=0.005)
    assert bound(scenario())["optimal"].to_numpy()[:4] == pytest.approx([third] * 3 + [2 * third])


@pytest.mark.parametrize(
    ("protocol", "destinations"),
    [
        ("grouped", [3, 3, 3, 1]),
        ("grouped", [2, 3, 0, 1]),
        ("grouped", [1, 2, 3, 0]),
        ("sci", [2, 3, 0, 1]),
        ("sci", [1, 2, 3, 0]),
    ],
)
def test_a_fair_protocol_meets_the_optimum_without_echoes(protocol, destinations):
    content = scenario(protocol, traffic={**PAPER, "destinations": destinations})
    best = bound(content)
    assert best["max_min_with_echo"].to_numpy() == pytest.approx(best["optimal"].to_numpy())
    assert words(content) == pytest.approx(best["optimal"].to_numpy()[:4], rel=0.005)


def test_senders_to_a_node_that_fills_another_group_share_unevenly_without_echoes():
    """A break of the promise that no sentence of picker1994 excuses (docs/reproductions/picker1994.md)."""
    traffic = {**PAPER, "destinations": [3, 3, 3, 0]}
    alone, echoed = (words(scenario("grouped", traffic=traffic, network={"echoes": one})) for one in (False, True))
    assert alone == pytest.approx([0.443, 0.355, 0.177, 0.976], abs=0.001)
    assert echoed[:3] == pytest.approx([echoed[0]] * 3, rel=0.005)


@pytest.mark.parametrize("hop_delay", [1, 2, 5])
@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({}, [0.443, 0.355, 0.177]),
        ({"permit": "any"}, [0.325, 0.325, 0.325]),
        ({"extension": "none"}, [0.418, 0.279, 0.279]),
    ],
)
def test_the_own_groups_go_bit_is_what_shares_unevenly_without_echoes(options, found, hop_delay):
    content = scenario("grouped", traffic={**PAPER, "destinations": [3, 3, 3, 0]}, network={"hop_delay": hop_delay})
    content["flow_control"] |= options
    assert words(content)[:3] == pytest.approx(found, abs=0.001)


def test_no_echo_is_on_a_link():
    assert (run(scenario()).nodes["link_echo_fraction"] == 0).all()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"protocol": "ppq"}, "network.echoes: False is not allowed; true with protocol 'ppq'"),
        ({"retry": {"by": "responder"}}, "network.echoes: False is not allowed; true with retry.by = 'responder'"),
        ({"retry": {"reservation": True}}, "network.echoes: False is not allowed; true with retry.reservation"),
        (
            {"protocol": "dfc", "queues": {"receive": 4}},
            "queues.receive: 4 is not allowed; 'unlimited' with network.echoes = false",
        ),
        ({"queues": {"responses": 4}}, "queues.responses: 4 is not allowed; 'unlimited' with network.echoes = false"),
        ({"queues": {"outstanding": 4}}, "queues.outstanding: 4 is not allowed; 'unlimited' with network.echoes"),
    ],
)
def test_what_waits_for_an_echo_is_refused(changes, said):
    with pytest.raises(RingletError, match=said):
        Scenario.from_dict(scenario(**changes))


def test_what_a_link_loses_is_gone():
    """Nobody sends it again, as the sender does with echoes, which a ring has by default where links lose something."""
    content = {
        "network": {"nodes": 4},
        "traffic": {"arrivals": "periodic", "load": "20 MB/s", "destinations": [1, 2, 3, 0]},
        "errors": {"links": [{"source": 0, "fails_at": "10 us", "repaired_at": "20 us"}]},
        "run": {"duration": "40 us", "warmup": 0},
    }
    found = run(content | {"network": {"nodes": 4, "echoes": False}}).document
    # One of 80 bytes each 4 us: at 12 and 16 us they are lost, and those of the others do not pass the link.
    assert [node["given_up_packets"] for node in found["nodes"]] == [2, 0, 0, 0]
    assert [node["delivered_packets"] for node in found["nodes"]] == [8, 10, 10, 10]
    assert (found["errors"]["lost_sends"], found["errors"]["timeouts"]) == (2, 0)
    with_echoes = run(content).document
    assert with_echoes["errors"]["timeouts"] > 0
    assert with_echoes["nodes"][0]["delivered_packets"] > 8


def test_a_network_with_switches_needs_echoes():
    with pytest.raises(RingletError, match="true with a topology with switches"):
        Scenario.from_dict({"network": {"topology": "torus", "shape": [2, 2], "echoes": False}})


def test_a_scenario_with_all_keys_written_out_is_the_same():
    written = Scenario.from_dict(scenario()).to_dict()
    assert Scenario.from_dict(written) == Scenario.from_dict(scenario())


@pytest.mark.parametrize(
    "protocol", ["none", "sci", "grouped", "metaring", "token-ring", "timed-token", "slotted-ring", "rpr"]
)
def test_what_finds_a_receive_queue_full_is_lost(protocol):
    """Two senders to a receiver that serves one packet in 1 us: the rest is lost, and nothing is sent again."""
    queues = {"receive": 1, "service_time": "1 us"}
    traffic = {"transaction": "send80", "arrivals": "saturated", "destinations": [2, 2, 0, 0]}
    content = scenario(protocol, queues=queues, traffic=traffic, network={"hop_delay": 40})
    document = run(content).document
    nodes = document["nodes"]
    assert sum(node["retries"] for node in nodes) == 0
    delivered, given_up = (sum(node[key] for node in nodes[:2]) for key in ("delivered_packets", "given_up_packets"))
    # A packet of 41 symbols comes in before its service of 500 cycles, and the next one may have just begun.
    assert 150 <= delivered <= 100_000 / 540 + 1
    assert given_up > 0
    dropped = sum(node["given_up_packets"] for node in nodes)
    assert document["total"]["given_up_packets"] == dropped
    assert dropped_line(document).startswith(f"dropped: {dropped} packets found a receive queue full, ")


def test_nothing_is_dropped_where_a_receive_queue_has_room():
    document = run(scenario("rpr", queues={"receive": 4}, traffic={"transaction": "send80", "load": "1 MB/s"})).document
    assert document["total"]["given_up_packets"] == 0
    assert dropped_line(document) is None
