"""The errors section: which links are meant, what the engine gets, and what is refused."""

import json
import re

import pytest

import ringlet as rl
from ringlet import RingletError, Scenario
from ringlet._engine import Simulation
from ringlet.scenario.flow_control import PROTOCOLS

BRIDGED = {
    "topology": "rings",
    "rings": [{"members": [0, 1, "left.0"]}, {"members": ["left.1", 2]}],
    "switches": [{"name": "left", "ports": 2}],
}


DUAL = {"topology": "dual-ring", "nodes": 6}


def spec(network, **sections):
    return Scenario.from_dict({"network": network, **sections}).network_spec(1)


def links(network, **errors):
    found = spec(network, errors=errors)["network"]["errors"]["links"]
    return [(link["ring"], link["place"], link["interruptions"]) for link in found]


def test_without_errors_a_ring_is_described_as_before():
    assert "network" not in spec({"nodes": 4}, errors={"max_timeouts": 3})
    assert spec(BRIDGED)["network"]["errors"] is None


def test_a_link_is_named_by_what_it_leads_away_from():
    assert links(BRIDGED, links=[{"source": 1, "fails_at": 100}]) == [(0, 1, [(100, None)])]
    assert links(BRIDGED, links=[{"source": "left.1", "fails_at": "40 ns"}]) == [(1, 0, [(10, None)])]
    assert links({"topology": "torus", "shape": [2, 2]}, links=[{"source": "3.0"}]) == [(3, 1, [])]


def test_a_node_fails_with_both_of_its_links():
    assert links({"nodes": 4}, nodes=[{"node": 0, "fails_at": 7}]) == [(0, 0, [(7, None)]), (0, 3, [(7, None)])]
    both = [{"node": 1, "fails_at": 9}, {"node": 2, "fails_at": 5}]
    assert links({"nodes": 4}, nodes=both) == [(0, 0, [(9, None)]), (0, 1, [(5, None)]), (0, 2, [(5, None)])]


def test_a_switch_fails_with_the_links_of_all_its_ports():
    both = [{"switch": "left", "fails_at": 7, "repaired_at": 90}]
    until = [(7, 90)]
    assert links(BRIDGED, switches=both) == [(0, 1, until), (0, 2, until), (1, 0, until), (1, 1, until)]


def test_a_link_of_several_failures_carries_nothing_while_any_lasts():
    nodes = [{"node": 0, "fails_at": 5, "repaired_at": 9}, {"node": 1, "fails_at": 9, "repaired_at": 12}]
    found = dict(link[1:] for link in links({"nodes": 4}, nodes=nodes))
    assert found == {3: [(5, 9)], 0: [(5, 12)], 1: [(9, 12)]}
    again = [{"source": 0, "fails_at": 20}]
    assert dict(link[1:] for link in links({"nodes": 4}, nodes=nodes, links=again))[0] == [(5, 12), (20, None)]


def test_routes_change_some_time_after_a_failure_and_after_its_repair():
    failing = [{"source": "0.1", "fails_at": 100, "repaired_at": 500}]
    made = spec(DUAL, errors={"links": failing, "steers_after": 30})["network"]
    first, second = made["errors"]["reroutes"]
    assert (first["from_cycle"], second["from_cycle"]) == (130, 530)
    # All stations leave by the ring of falling numbers, and later as before.
    assert {exit for steps in first["rings"][:6] for _, _, exit in steps} == {2}
    assert second["rings"] == [ring["routes"] for ring in made["rings"]]


def test_routes_that_a_second_failure_does_not_change_are_not_given_again():
    failing = [{"source": "0.1", "fails_at": 100}, {"source": "2.1", "fails_at": 200}]
    (only,) = spec(DUAL, errors={"links": failing, "steers_after": 30})["network"]["errors"]["reroutes"]
    assert only["from_cycle"] == 130


def test_rings_are_joined_beside_a_break_and_parted_after_its_repair():
    failing = [{"source": "5.1", "fails_at": 1_000, "repaired_at": 9_000}]
    made = spec(DUAL, errors={"links": failing, "wraps_after": 500})["network"]["errors"]
    # The links between stations 5 and 0 of both rings: one leaves the last place, so does the other.
    links = [(6, 5), (7, 5)]
    assert made["exchanges"] == [{"at_cycle": cycle, "links": links} for cycle in (1_500, 9_500)]
    found = {(link["ring"], link["place"]): link["interruptions"] for link in made["links"]}
    hop = 18
    assert found == {
        (6, 5): [(1_000, 1_500 + hop), (9_500 - 256, 9_500 + hop)],
        (7, 5): [(1_500 - 256, 1_500 + hop), (9_500 - 256, 9_500 + hop)],
    }


def test_a_failure_that_is_repaired_before_rings_are_joined_joins_none():
    failing = [{"source": "2.2", "fails_at": 1_000, "repaired_at": 1_500}]
    made = spec(DUAL, errors={"links": failing, "wraps_after": 500})["network"]["errors"]
    assert made["exchanges"] == []
    assert [link["interruptions"] for link in made["links"]] == [[(1_000, 1_500)]]


def test_a_failed_station_is_cut_off_on_both_sides():
    failing = [{"switch": 3, "fails_at": 1_000}]
    made = spec(DUAL, errors={"switches": failing, "wraps_after": 500, "steers_after": 600})["network"]["errors"]
    spans = [[(6, 2), (7, 2)], [(6, 3), (7, 1)]]
    assert [exchange["links"] for exchange in made["exchanges"]] == spans
    (reroute,) = made["reroutes"]
    exits = {own: {first: exit for first, _, exit in reroute["rings"][own]} for own in (2, 4)}
    # From each side of it the other way round; to the station itself as before.
    assert exits == {2: {0: 2, 3: 1, 4: 2}, 4: {0: 1, 3: 2, 5: 1}}


@pytest.mark.parametrize("network", [{"nodes": 5}, BRIDGED, {"topology": "torus", "shape": [3, 2]}])
@pytest.mark.parametrize("per_port", [1, 3])
def test_the_shortest_timeout_is_the_engines(network, per_port):
    switch = {"links": per_port} if "topology" in network else {}
    with pytest.raises(RingletError) as caught:
        spec(network, errors={"bit_error_rate": 1e-6, "timeout": 1}, switch=switch)
    least = int(re.search(r"at least (\d+) cycles", str(caught.value))[1])
    made = spec(network, errors={"bit_error_rate": 1e-6, "timeout": least}, switch=switch)
    Simulation(json.dumps(made))
    assert spec(network, errors={"bit_error_rate": 1e-6}, switch=switch)["network"]["errors"]["timeout_cycles"] > least
    made["network"]["errors"]["timeout_cycles"] -= 1
    with pytest.raises(ValueError, match="timeout_cycles"):
        Simulation(json.dumps(made))


def test_retry_by_the_responder_makes_one_ring_a_network_of_one_ring():
    made = spec({"nodes": 3}, retry={"by": "responder"})
    assert made["network"]["retry_by"] == "responder"
    assert [ring["interfaces"] for ring in made["network"]["rings"]] == [[0, 1, 2]]
    assert made["network"]["switches"] == made["network"]["switch_kinds"] == []


def test_what_fails_counts_from_the_start():
    failing = Scenario.from_dict({"network": {"nodes": 3}, "errors": {"nodes": [{"node": 0, "fails_at": "1 us"}]}})
    assert failing.warmup == 0
    assert Scenario.from_dict({"network": {"nodes": 3}, "errors": {"bit_error_rate": 1e-9}}).warmup == "auto"


@pytest.mark.parametrize(
    ("network", "sections", "message"),
    [
        ({"nodes": 4}, {"errors": {"bit_error_rate": 1.0}}, "errors.bit_error_rate: 1.0 is not allowed; below 1"),
        (
            {"nodes": 4},
            {"errors": {"links": [{"source": 0, "bit_error_rate": 1}]}},
            "errors.links[0].bit_error_rate: 1 is not allowed; below 1",
        ),
        ({"nodes": 4}, {"errors": {"bit_error_rate": -0.1}}, "errors.bit_error_rate: -0.1 is not allowed; at least 0"),
        (
            {"nodes": 4},
            {"errors": {"links": [{"source": 4}]}},
            "errors.links[0].source: 4 is not allowed; a node from 0 to 3",
        ),
        (
            {"nodes": 4},
            {"errors": {"links": [{"source": "a.0"}]}},
            "errors.links[0].source: 'a.0' is not allowed; a node: there is no switch",
        ),
        (BRIDGED, {"errors": {"links": [{"source": "right.0"}]}}, "the switches are 'left'"),
        (BRIDGED, {"errors": {"links": [{"source": "left.2"}]}}, "'left.0' to 'left.1'"),
        (
            BRIDGED,
            {"errors": {"links": [{"source": 0}, {"source": 0}]}},
            "errors.links[1].source: 0 is not allowed; each link once",
        ),
        (
            {"nodes": 4},
            {"errors": {"nodes": [{"node": 4, "fails_at": 0}]}},
            "errors.nodes[0].node: 4 is not allowed; a node from 0 to 3",
        ),
        (
            {"nodes": 4},
            {"errors": {"nodes": [{"node": 1, "fails_at": 0}] * 2}},
            "errors.nodes[1].node: 1 is not allowed; each node once",
        ),
        ({"nodes": 4}, {"errors": {"nodes": [{"node": 1}]}}, "errors.nodes[0].fails_at: missing"),
        (
            {"nodes": 4},
            {"errors": {"bit_error_rate": 1e-9, "timeout": 100}},
            "errors.timeout: 100 is not allowed; at least 332 cycles",
        ),
        ({"nodes": 4}, {"errors": {"bit_error_rate": 1e-9, "timeout": "1e18 ns"}}, "errors.timeout"),
        (
            BRIDGED,
            {"errors": {"switches": [{"switch": "right", "fails_at": 0}]}},
            "errors.switches[0].switch: 'right' is not allowed; one of the switches left",
        ),
        (
            {"nodes": 4},
            {"errors": {"switches": [{"switch": 0, "fails_at": 0}]}},
            "errors.switches[0].switch: 0 is not allowed; none: there is no switch",
        ),
        (
            BRIDGED,
            {"errors": {"switches": [{"switch": "left", "fails_at": 0}] * 2}},
            "errors.switches[1].switch: 'left' is not allowed; each switch once",
        ),
        (
            {"nodes": 4},
            {"errors": {"nodes": [{"node": 1, "fails_at": 9, "repaired_at": 9}]}},
            "errors.nodes[0].repaired_at: 9 is not allowed; a time behind fails_at, 9",
        ),
        (
            {"nodes": 4},
            {"errors": {"links": [{"source": 1, "repaired_at": 9}]}},
            "errors.links[0].repaired_at: 9 is not allowed; none without fails_at",
        ),
        (
            {"nodes": 4},
            {"errors": {"links": [{"source": 1, "fails_at": 9}], "steers_after": 9}},
            "errors.steers_after: 9 is not allowed; none on one ring",
        ),
        (
            BRIDGED,
            {"errors": {"links": [{"source": 1}], "steers_after": 9}},
            "errors.steers_after: 9 is not allowed; none where nothing fails",
        ),
        (
            BRIDGED,
            {"errors": {"links": [{"source": 1, "fails_at": 9}], "wraps_after": "2 us"}},
            "errors.wraps_after: '2 us' is not allowed; none without stations that can join two rings",
        ),
        (
            DUAL,
            {"errors": {"links": [{"source": "0.1", "fails_at": 9}], "wraps_after": 255}},
            "errors.wraps_after: 255 is not allowed; at least 256 cycles",
        ),
        (
            DUAL,
            {"errors": {"links": [{"source": "0.1", "fails_at": 9}], "wraps_after": 500, "steers_after": 499}},
            "errors.steers_after: 499 is not allowed; at least errors.wraps_after, 500",
        ),
        (BRIDGED, {"errors": {"steers_after": 9}}, "errors.steers_after: 9 is not allowed; none where nothing fails"),
        ({"nodes": 4}, {"errors": {"max_timeouts": 256}}, "errors.max_timeouts: 256 is not allowed; at most 255"),
        (
            {"nodes": 4},
            {"errors": {"bit_error_rate": 1e-9}, "flow_control": {"protocol": "metaring"}},
            "errors: <[errors]> is not allowed; protocol "
            f"{PROTOCOLS.names(lambda one: one.survives_losses)}; it is 'metaring', which needs a sat_timeout",
        ),
        ({"nodes": 4}, {"retry": {"by": "nobody"}}, "retry.by: 'nobody' is not allowed; 'requester' or 'responder'"),
    ],
)
def test_refused(network, sections, message):
    with pytest.raises(RingletError) as caught:
        spec(network, **sections)
    assert message in str(caught.value)


def test_a_ring_without_flows_takes_the_time_out_of_its_shortest_packet():
    ring = {"network": {"nodes": 4}, "traffic": {"arrivals": "none"}, "run": {"duration": 3000, "warmup": 0}}
    assert rl.run({**ring, "errors": {"timeout": 332, "links": [{"source": 0}]}}).total["delivered_packets"].sum() == 0
