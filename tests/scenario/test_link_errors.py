"""The errors section: which links are meant, what the engine gets, and what is refused."""

import json

import pytest

from ringlet import RingletError, Scenario
from ringlet._engine import Simulation
from ringlet.scenario.flow_control import PROTOCOLS

BRIDGED = {
    "topology": "rings",
    "rings": [{"members": [0, 1, "left.0"]}, {"members": ["left.1", 2]}],
    "switches": [{"name": "left", "ports": 2}],
}


def spec(network, **sections):
    return Scenario.from_dict({"network": network, **sections}).network_spec(1)


def links(network, **errors):
    found = spec(network, errors=errors)["network"]["errors"]["links"]
    return [(link["ring"], link["place"], link["fails_at_cycle"]) for link in found]


def test_without_errors_a_ring_is_described_as_before():
    assert "network" not in spec({"nodes": 4}, errors={"max_timeouts": 3})
    assert spec(BRIDGED)["network"]["errors"] is None


def test_a_link_is_named_by_what_it_leads_away_from():
    assert links(BRIDGED, links=[{"source": 1, "fails_at": 100}]) == [(0, 1, 100)]
    assert links(BRIDGED, links=[{"source": "left.1", "fails_at": "40 ns"}]) == [(1, 0, 10)]
    assert links({"topology": "torus", "shape": [2, 2]}, links=[{"source": "3.0"}]) == [(3, 1, None)]


def test_a_node_fails_with_both_of_its_links():
    assert links({"nodes": 4}, nodes=[{"node": 0, "fails_at": 7}]) == [(0, 0, 7), (0, 3, 7)]
    both = [{"node": 1, "fails_at": 9}, {"node": 2, "fails_at": 5}]
    assert links({"nodes": 4}, nodes=both) == [(0, 0, 9), (0, 1, 5), (0, 2, 5)]


@pytest.mark.parametrize("network", [{"nodes": 5}, BRIDGED, {"topology": "torus", "shape": [3, 2]}])
@pytest.mark.parametrize("per_port", [1, 3])
def test_the_shortest_timeout_is_the_engines(network, per_port):
    switch = {"links": per_port} if "topology" in network else {}
    made = spec(network, errors={"bit_error_rate": 1e-6}, switch=switch)
    Simulation(json.dumps(made))
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
            "errors.timeout: 100 is not allowed; at least 1668 cycles",
        ),
        ({"nodes": 4}, {"errors": {"bit_error_rate": 1e-9, "timeout": "1e18 ns"}}, "errors.timeout"),
        ({"nodes": 4}, {"errors": {"max_timeouts": 256}}, "errors.max_timeouts: 256 is not allowed; at most 255"),
        (
            {"nodes": 4},
            {"errors": {"bit_error_rate": 1e-9}, "flow_control": {"protocol": "ppq"}},
            "errors: <[errors]> is not allowed; protocol "
            f"{PROTOCOLS.names(lambda one: one.survives_losses)}; it is 'ppq'",
        ),
        ({"nodes": 4}, {"retry": {"by": "nobody"}}, "retry.by: 'nobody' is not allowed; 'requester' or 'responder'"),
    ],
)
def test_refused(network, sections, message):
    with pytest.raises(RingletError) as caught:
        spec(network, **sections)
    assert message in str(caught.value)
