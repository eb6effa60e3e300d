"""The share of time in which each node's next packet is held back, and by what."""

from typing import Any

import numpy as np
import pytest

import ringlet as rl
from ringlet.trace import CAUSES
from ringlet.trace.held_back import HELD, NOTABLE, HeldBack


def shares(scenario: dict[str, Any]) -> list[dict[str, float]]:
    found = rl.held_back(scenario, start=2_000, stop=12_000)
    np.testing.assert_allclose(found.shares.sum(axis=1), 1.0, atol=1e-12)
    return found.records()


def ring(**sections: dict[str, Any]) -> dict[str, Any]:
    return {"network": {"nodes": 4}, "flow_control": {"protocol": "none"}} | sections


def test_without_traffic_nothing_is_sent() -> None:
    for node in shares(ring(traffic={"pattern": "neighbour", "arrivals": "periodic", "load": 0.001})):
        assert node["nothing_to_send"] > 0.9
        assert set(node) == set(CAUSES)


def test_neighbours_send_all_the_time() -> None:
    """Echoes of a packet leave before the next one."""
    for node in shares(ring(traffic={"pattern": "neighbour"})):
        assert node["sending"] + node["bypass"] > 0.9
        assert node["window"] == node["receiver"] == 0.0


def test_who_is_behind_a_stream_waits_for_it() -> None:
    """Node 2 sends behind node 1, whose packets pass it on their way to node 3."""
    held = shares(ring(traffic={"destinations": [1, 3, 3, 0]}))
    assert held[2]["bypass"] > 0.5
    assert held[2]["bypass"] > 2 * held[1]["bypass"]


def test_a_window_of_one_packet_on_a_long_ring() -> None:
    scenario = ring(network={"nodes": 4, "hop_delay": 500}, queues={"outstanding": 1}, traffic={"pattern": "neighbour"})
    assert all(node["window"] > 0.8 for node in shares(scenario))
    sentence = rl.held_back(scenario, start=2_000, stop=12_000).sentence()
    assert "one packet is under way, a round trip takes 4" in sentence
    assert "queues.outstanding or network.echoes = false" in sentence


def test_a_slow_receiver() -> None:
    scenario = ring(
        queues={"receive": 1, "service_time": "4 us", "outstanding": 1},
        retry={"delay": "1 us"},
        traffic={"destinations": [1, 0, 3, 2]},
    )
    assert any(node["receiver"] > 0.1 for node in shares(scenario))


def test_the_sentence_is_of_the_node_and_the_cause_that_hold_most() -> None:
    found = rl.held_back(ring(traffic={"destinations": [1, 3, 3, 0]}), start=2_000, stop=12_000)
    percent = max(100 * node[cause] for node in found.records() for cause in HELD)
    said = "its next packet waits while packets of others leave through its link"
    assert found.sentence() == f"node 2: {percent:.3g} % of the time {said}"
    idle = rl.held_back(ring(traffic={"pattern": "neighbour", "arrivals": "periodic", "load": 0.001}))
    assert all(node[cause] < NOTABLE for node in idle.records() for cause in HELD)
    assert idle.sentence() == "held back: no node for more than 5 % of the time by one cause"


@pytest.mark.parametrize("protocol", ["sci", "dfc", "token-ring", "metaring"])
def test_every_cycle_has_a_cause(protocol: str) -> None:
    shares(ring(flow_control={"protocol": protocol}, traffic={"pattern": "tornado"}))


SAYS = {
    "bypass": "waits while packets of others leave through its link",
    "protocol": "waits for the flow control",
    "window": "as many packets are under way as may be",
    "receiver": "the receive queue of their destination was full",
    "bridge": "a port of a switch was full",
    "link_error": "their echoes did not come in time",
}


@pytest.mark.parametrize("cause", HELD)
def test_each_cause_has_its_sentence(cause: str) -> None:
    """Without a known window or round trip, what is under way has no figure."""
    nothing = np.full(1, np.nan)
    found = HeldBack(0, 1, np.array([[0.6 * (one == cause) for one in CAUSES]]), ("a",), (None,), nothing, nothing)
    assert found.sentence().startswith("a: 60 % of the time ")
    assert SAYS[cause] in found.sentence()
