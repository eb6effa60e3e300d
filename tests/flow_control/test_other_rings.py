"""What MetaRing, the token ring, the slotted ring and RPR are for."""

import json
from pathlib import Path

import pytest

from ringlet import Scenario, run
from ringlet._engine import Simulation
from ringlet.errors import RingletError
from ringlet.scenario.flow_control import PROTOCOLS

PACKET = 40
"""Symbols of send80; one idle follows each packet."""


def throughputs(flow_control, *, nodes=8, hop_delay=3, echoes=None, **traffic):
    """Returns words per cycle of each node."""
    scenario = Scenario.from_dict(
        {
            "network": {"nodes": nodes, "hop_delay": hop_delay} | ({} if echoes is None else {"echoes": echoes}),
            "flow_control": flow_control,
            "traffic": {"transaction": "send80", "arrivals": "saturated", **traffic},
            "run": {"duration": "400 us", "warmup": "200 us"},
        }
    )
    return run(scenario).nodes["throughput_words_per_cycle"].to_numpy()


def test_metaring_gives_everybody_the_same_where_both_quotas_are_equal():
    shares = throughputs(
        {"protocol": "metaring", "most_packets": 4, "least_packets": 4}, nodes=4, destinations=[3, 3, 3, 1]
    )
    assert shares.min() == pytest.approx(shares.max(), rel=0.01)
    assert shares.min() > 0.3


def test_metaring_lets_others_go_on_while_a_node_waits_where_l_is_less_than_k():
    shares = throughputs(
        {"protocol": "metaring", "most_packets": 4, "least_packets": 1}, nodes=4, destinations=[3, 3, 3, 1]
    )
    assert shares[2] == shares.min()
    assert (
        shares.sum()
        > throughputs({"protocol": "metaring", "least_packets": 4}, nodes=4, destinations=[3, 3, 3, 1]).sum()
    )


def classes(**options):
    """Messages of each class that node 0 of a busy MetaRing delivers: synchronous, asynchronous."""
    sent = [{"source": node, "destination": 3, "size": 64, "priority": 0} for node in (0, 1, 2)]
    sent.append({"name": "synchronous", "source": 0, "destination": 3, "size": 64, "priority": 1})
    content = {
        "network": {"nodes": 4, "hop_delay": 3},
        "flow_control": {"protocol": "metaring", "most_packets": 4, "least_packets": 4, **options},
        "queues": {"priorities": 2},
        "flows": sent,
        "run": {"duration": "400 us", "warmup": "50 us"},
    }
    flows = run(Scenario.from_dict(content)).to_dict()["flows"]
    return flows[3]["delivered"], flows[0]["delivered"]


@pytest.mark.parametrize("quota", [1, 3, [3, 0, 0, 0]])
def test_each_class_of_metaring_has_a_quota_that_the_other_does_not_use_up(quota):
    synchronous, asynchronous = classes(synchronous_packets=quota)
    each = quota[0] if isinstance(quota, list) else quota
    assert synchronous / asynchronous == pytest.approx(each / 4, rel=0.02)


@pytest.mark.parametrize("options", [{}, {"synchronous_packets": 0}, {"synchronous_packets": [0, 9, 9, 9]}])
def test_a_node_of_metaring_without_a_synchronous_quota_has_one_class(options):
    synchronous, asynchronous = classes(**options)
    assert synchronous > 400
    assert asynchronous <= 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (-1, "flow_control.synchronous_packets: -1 is not allowed; at least 0"),
        ([1, 2], "flow_control.synchronous_packets: <2 values> is not allowed; one number, or 4, one for each node"),
        ([], "flow_control.synchronous_packets: "),
    ],
)
def test_a_wrong_synchronous_quota_is_named(given, message):
    with pytest.raises(RingletError) as caught:
        classes(synchronous_packets=given)
    assert str(caught.value).startswith(message)


SHARES = [
    {"protocol": "timed-token", "target_rotation": 600, "thresholds": [599], "synchronous": [400, 0, 0, 0]},
    {"protocol": "metaring", "most_packets": 1, "synchronous_packets": [9, 0, 0, 0]},
]


@pytest.mark.parametrize("flow_control", SHARES)
def test_a_share_of_a_node_is_its_own_on_both_rings(flow_control):
    """On the ring of falling numbers node 0 has the last place."""
    sent = [
        {"source": source, "destination": (source + way) % 4, "size": 64, "arrivals": "saturated", "priority": 1}
        for source in range(4)
        for way in (1, -1)
    ]
    content = {
        "network": {"topology": "dual-attached-ring", "ways": "shorter", "nodes": 4},
        "queues": {"priorities": 2},
        "flow_control": flow_control,
        "flows": sent,
        "run": {"duration": "200 us", "warmup": "20 us"},
    }
    delivered = [one["delivered"] for one in run(Scenario.from_dict(content)).to_dict()["flows"]]
    assert delivered[0] == pytest.approx(delivered[1], rel=0.02)
    assert min(delivered[:2]) > 4 * max(delivered[2:])


def test_a_token_ring_carries_a_packet_for_each_hop_of_the_token():
    shares = throughputs({"protocol": "token-ring"}, pattern="neighbour")
    # A packet, its idle, the hop of the token's first symbol, and the idle behind which the next node sends.
    assert shares.sum() == pytest.approx(PACKET / (PACKET + 1 + 3 + 1), rel=0.01)


def test_a_token_that_waits_for_the_echo_makes_a_token_ring_slower():
    early, returned = (
        throughputs({"protocol": "token-ring", "release": release}, pattern="neighbour").sum()
        for release in ("early", "returned")
    )
    assert returned < early


@pytest.mark.parametrize(("hop_delay", "kept"), [(3, PACKET + 1), (30, 8 * 30 + 2)])
def test_a_token_waits_for_the_header_where_the_ring_is_longer_than_the_packet(hop_delay, kept):
    shares = throughputs({"protocol": "token-ring", "release": "header"}, pattern="neighbour", hop_delay=hop_delay)
    # The packet and its idle, or the header once round; then the token's hop, behind an idle.
    assert shares.sum() == pytest.approx(PACKET / (kept + hop_delay + 1), rel=0.01)


def test_a_timed_token_that_all_nodes_use_up_comes_early_to_each_in_one_of_as_many_rotations():
    nodes, hop_delay, target = 8, 3, 1640
    shares = throughputs({"protocol": "timed-token", "target_rotation": target}, pattern="neighbour")
    empty = nodes * (hop_delay + 1)
    # Textbooks on FDDI: n (T - R) / (n T + R); a turn ends with the packet that is being sent.
    used = nodes * (target - empty) / (nodes * target + empty)
    assert shares.sum() == pytest.approx(used * PACKET / (PACKET + 1), rel=0.01)
    assert shares.min() == pytest.approx(shares.max(), rel=0.05)


def test_a_slot_is_full_for_a_revolution_and_goes_on_by_a_node():
    shares = throughputs({"protocol": "slotted-ring"}, hop_delay=10, pattern="uniform")
    assert shares.sum() == pytest.approx(2 * PACKET / ((8 + 1) * (10 + 1)), rel=0.01)
    assert shares.min() == pytest.approx(shares.max(), rel=0.02)


@pytest.mark.parametrize("hops", [1, 3])
def test_a_slot_that_its_destination_empties_is_used_again_behind_it(hops):
    slots = {"protocol": "slotted-ring", "release": "destination"}
    destinations = [(node + hops) % 8 for node in range(8)]
    shares = throughputs(slots, echoes=False, hop_delay=10, destinations=destinations)
    assert shares.sum() == pytest.approx(2 * PACKET / ((hops + 1) * (10 + 1)), rel=0.01)


@pytest.mark.parametrize("release", ["source", "destination"])
def test_a_node_gets_no_slot_behind_one_that_fills_all(release):
    scenario = {
        "network": {"nodes": 8, "hop_delay": 20, "echoes": False},
        "flow_control": {"protocol": "slotted-ring", "release": release},
        "flows": [{"source": node, "destination": 2, "size": 64, "arrivals": "saturated"} for node in (0, 1)],
        "run": {"duration": "400 us", "warmup": "200 us"},
    }
    first, second = run(Scenario.from_dict(scenario)).nodes["throughput_words_per_cycle"][:2]
    assert first > 0
    assert second == (pytest.approx(first, rel=0.01) if release == "source" else 0)


@pytest.mark.parametrize("mode", ["aggressive", "conservative"])
def test_rpr_nearly_shares_a_busy_link_and_leaves_a_free_one_alone(mode):
    shares = throughputs({"protocol": "rpr", "mode": mode}, destinations=[7, 7, 7, 7, 7, 6, 7, 0])
    assert shares[:7].min() == pytest.approx(shares[:7].max(), rel=0.2)
    assert shares[7] > 5 * shares[:7].max()


def test_rpr_holds_class_a_to_its_rate():
    shares = throughputs({"protocol": "rpr", "class_a": 0.05}, pattern="neighbour", priority=2)
    assert shares == pytest.approx([0.05] * 8, rel=0.02)


@pytest.mark.parametrize(("class_a", "late"), [(0.08, False), (0.04, True)])
def test_circuits_of_a_packet_ring_keep_their_deadlines_with_a_class_as_large_as_they_are(class_a, late):
    example = Path(__file__).parents[2] / "examples" / "packet-ring.toml"
    flows = run(Scenario.load(example, [f"flow_control.class_a={class_a}"])).to_dict(timing=False)["flows"]
    circuits = [flow for flow in flows if flow["name"].startswith("circuits")]
    assert [flow["missed"] > 1000 for flow in circuits] == [late] * 3
    assert late or not any(flow["missed"] for flow in circuits)
    homes = sum(flow["offered_MBps"] for flow in flows if flow["name"].startswith("homes"))
    assert homes == pytest.approx(2800, rel=0.03)


def test_a_class_of_rpr_that_has_used_its_rate_holds_back_no_other_of_its_node():
    flows = [
        {"name": f"{name} {node}", "source": node, "destination": (node + 1) % 4, "size": 64, "arrivals": "saturated"}
        | {"priority": priority}
        for node in range(4)
        for name, priority in (("A", 2), ("C", 0))
    ]
    scenario = {
        "network": {"nodes": 4, "hop_delay": 3},
        "flow_control": {"protocol": "rpr", "class_a": 0.05},
        "flows": flows,
        "run": {"duration": "400 us", "warmup": "200 us"},
    }
    c, _, a = run(Scenario.from_dict(scenario)).priorities["throughput_MBps"] / 4
    assert a == pytest.approx(50 * 64 / 80, rel=0.02)
    # Idles between packets of 80 bytes leave 976 MB/s of a link, and fairness messages take some of it.
    assert c > 0.98 * (976 - 50) * 64 / 80


# Groups, trains and announcements name the nodes of a ring, and there are fewer names.
@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.listed.keys() - {"grouped", "train", "dfc"}))
def test_the_largest_ring_runs_with_every_protocol_that_takes_it(protocol):
    limits = {"rpr": {"aging_interval": 10**6}}
    spec = Scenario.from_dict(
        {
            "network": {"nodes": 65_536},
            "flow_control": {"protocol": protocol, **limits.get(protocol, {})},
            "traffic": {"pattern": "neighbour", "load": 0.01},
        }
    ).network_spec(1)
    simulation = Simulation(json.dumps(spec))
    simulation.advance(100)
    assert simulation.node_counters()["link_idle_symbols"].shape == (65_536,)


@pytest.mark.parametrize("nodes", [1024, 5000])
def test_a_ring_too_large_for_the_optimum_of_the_paper_has_all_other_figures(nodes):
    traffic = {"pattern": "neighbour", "load": 0.01}
    result = run({"network": {"nodes": nodes}, "traffic": traffic, "run": {"duration": 500, "warmup": 0}})
    total = result.to_dict()["total"]
    assert total["delivered_packets"] > 0
    assert (total["paper_deviation"]["average_percent"] is None) is (nodes > 1024)
    assert total["deviation"]["average_percent"] is not None
