"""Two rings and a switch explored: every state, and what may happen for ever."""

import pytest
from two_rings import two_rings

import ringlet as rl
from ringlet.player import page

PAIR = two_rings(1, 1, destinations=[1, 0])
TO_ONE = two_rings(2, 1, destinations=[2, 2, None])
PING_PONG = two_rings(
    2,
    1,
    destinations=[2, 2, None],
    transaction="read64",
    flow_control={"protocol": "ppq"},
    queues={"receive": 1, "responses": 1, "priorities": 2, "service_time": 20},
    traffic={"priority": [1, 0, 0]},
)


def failing(checked):
    return [one.name for one in checked.properties if not one.holds]


@pytest.mark.parametrize("forwarding", ["cut-through", "store-and-forward"])
@pytest.mark.parametrize("links", [1, 2])
def test_a_switch_delivers_everything_whenever_it_comes(forwarding, links):
    content = PAIR | {"switch": {**PAIR["switch"], "links": links, "forwarding": forwarding}}
    checked = rl.check(content, step=8)
    assert (checked.holds, checked.complete) == (True, True)
    assert checked.states > 100
    assert [one.name for one in checked.properties[:2]] == ["comes to rest", "stays at rest"]


def test_losses_on_both_sides_of_a_switch_are_made_good():
    checked = rl.check(PAIR | {"errors": {"bit_error_rate": 1e-9, "timeout": 40}}, step=8)
    assert (checked.holds, checked.complete) == (True, True)
    assert checked.states > 2 * rl.check(PAIR, step=8).states


def test_retries_delayed_by_the_receiver_are_explored():
    content = TO_ONE | {"retry": {"by": "responder", "delay": 16}}
    assert rl.check(content, step=16, under_way=2).complete


def test_a_node_starves_at_a_full_switch():
    content = TO_ONE | {"flow_control": {"protocol": "none"}}
    checked = rl.check(content, step=16, under_way=3, states=100_000)
    assert set(failing(checked)) & {"serves N0 to N2 (8 symbols)", "serves N1 to N2 (8 symbols)"}
    assert checked.round_cycles


def test_the_ping_pong_of_ppq_over_two_rings_is_found_and_played():
    """Retries of high priority at a full port hold back the low-priority response that would make room there."""
    checked = rl.check(PING_PONG, step=32, under_way=3, states=200_000)
    # More states than are explored: it is found by running states on.
    assert failing(checked) == ["does not livelock"]
    recording = checked.counterexample
    assert "switch 0 port 0" in page(recording) or "s.0" in page(recording)


def test_more_flows_than_are_explored_are_searched_for_a_deadlock():
    everyone = two_rings(3, 3, destinations=[0] * 6)
    del everyone["traffic"]["destinations"]
    everyone["traffic"]["load"] = "1 MB/s"
    checked = rl.check(everyone)
    assert (checked.states, checked.complete) == (0, True)
    assert [one.name for one in checked.properties] == ["does not deadlock"]


def test_a_network_that_was_not_all_explored_may_still_be_proved_free_of_deadlock():
    checked = rl.check(PAIR, step=8, states=50)
    assert (checked.complete, checked.simulations) == (False, 0)
    assert checked.properties[0].name == "does not deadlock"
    assert checked.states >= 50


def test_of_rings_of_different_link_rates_only_a_deadlock_is_searched_for():
    rates = {"r0": "250 MB/s", "others": "500 MB/s"}
    checked = rl.check(PAIR | {"network": {**PAIR["network"], "link_rate": rates}})
    assert (checked.states, checked.complete) == (0, True)
