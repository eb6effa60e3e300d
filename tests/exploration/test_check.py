"""Rings of a user's scenario explored: what holds, what does not, and the counterexample."""

import json
from pathlib import Path

import pytest

import ringlet as rl
from ringlet.exploration.flows import explored_flows
from ringlet.exploration.states import JUDGED_STATES

RING = {
    "network": {"nodes": 3, "hop_delay": 1},
    "traffic": {"transaction": "send16", "arrivals": "periodic", "load": "10 MB/s", "destinations": [2, 2, 1]},
}

TO_ONE = {
    "network": {"nodes": 3, "hop_delay": 1},
    "flow_control": {"protocol": "sci", "extension": "after-send"},
    "queues": {"receive": 1, "service_time": 3},
    "retry": {"reservation": True},
    "traffic": {
        "transaction": "send16",
        "arrivals": "periodic",
        "load": ["10 MB/s", "10 MB/s", "0 MB/s"],
        "destinations": [2, 2, 0],
    },
}


def of(content, **keys):
    return {**content, **{name: {**content.get(name, {}), **section} for name, section in keys.items()}}


def failing(checked):
    return [one.name for one in checked.properties if not one.holds]


def test_on_a_ring_with_go_bits_everything_holds():
    checked = rl.check(RING)
    assert checked.holds
    assert checked.complete
    assert checked.counterexample is None
    assert len(checked.flows) == 3
    waits = [one.cycles for one in checked.properties if one.name.startswith("serves")]
    assert all(cycles is not None and cycles > 8 for cycles in waits)


def test_sci_keeps_nobody_from_sending_beside_a_node_that_only_receives():
    silent = {
        "network": {"nodes": 3, "hop_delay": 1},
        "traffic": {
            "transaction": "send16",
            "arrivals": "periodic",
            "load": ["10 MB/s", "10 MB/s", "0 MB/s"],
            "destinations": [2, 2, 0],
        },
    }
    assert rl.check(silent, under_way=2, step=3).holds


def test_without_flow_control_the_node_below_starves_and_a_recording_shows_it():
    checked = rl.check(of(RING, flow_control={"protocol": "none"}))
    assert checked.complete
    assert failing(checked)
    assert all(name.startswith("serves") for name in failing(checked))
    recording = checked.counterexample
    assert recording.stop >= checked.repeats_from + 2 * checked.round_cycles
    assert checked.repeats_from is not None
    assert checked.round_cycles > 0
    assert len(recording.packets["flow"]) >= len(checked.arrivals)


def test_immediate_retries_may_go_on_for_ever():
    checked = rl.check(TO_ONE, under_way=2)
    rest = checked.properties[0]
    assert rest.name == "comes to rest"
    assert not rest.holds
    assert "livelock" in rest.says
    assert rl.check(of(TO_ONE, flow_control={"extension": "received"})).holds


@pytest.mark.parametrize("protocol", ["metaring", "token-ring", "timed-token", "train"])
def test_what_always_goes_round_is_no_lost_control_state(protocol):
    checked = rl.check(of(RING, flow_control={"protocol": protocol}))
    assert checked.complete
    assert checked.holds


def test_a_flow_is_made_of_each_destination_and_length():
    resolved = rl.Scenario.from_dict({"network": {"nodes": 3}, "traffic": {"load": "10 MB/s"}}).resolved
    flows = explored_flows(resolved.flows, resolved.nodes)
    assert sorted((flow.source, flow.destinations.node) for flow in flows) == [
        (source, destination) for source in range(3) for destination in range(3) if source != destination
    ]


FOUR_NODES = Path(__file__).parents[2] / "examples" / "four-nodes.toml"


def test_all_states_of_a_small_timed_token_ring_are_met_and_both_nodes_served():
    ring = {
        "network": {"nodes": 2, "hop_delay": 1},
        "flow_control": {"protocol": "timed-token"},
        "traffic": {"transaction": "send16", "destinations": [1, 0], "load": "10 MB/s"},
    }
    checked = rl.check(ring)
    assert (checked.complete, checked.states) == (True, 499)


def test_states_that_only_grow_are_not_explored_further():
    checked = rl.check(FOUR_NODES)
    assert (checked.grows, checked.complete) == (True, False)
    assert JUDGED_STATES <= checked.states < 1.1 * JUDGED_STATES
    assert checked.to_dict()["grows"] is True


def test_as_many_states_are_explored_as_are_asked_for_even_if_they_only_grow():
    checked = rl.check(FOUR_NODES, states=JUDGED_STATES + 5000)
    assert (checked.grows, checked.complete) == (False, False)
    assert checked.states >= JUDGED_STATES + 5000


def test_states_that_become_fewer_are_explored_to_their_end(monkeypatch):
    monkeypatch.setattr("ringlet.exploration.states.JUDGED_STATES", 8000)
    checked = rl.check(RING)
    assert (checked.grows, checked.complete) == (False, True)
    assert checked.states > 8000


def test_what_cannot_all_be_explored_says_so():
    checked = rl.check(RING, states=500)
    assert not checked.complete
    assert 500 <= checked.states < 600
    assert json.loads(json.dumps(checked.to_dict()))["complete"] is False


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"network": {"nodes": 9}}, "network.nodes: 9"),
        ({"network": {"nodes": 4}, "traffic": {"destinations": None}}, "traffic: <12 flows"),
        ({"errors": {"links": [{"source": 0, "fails_at": "1 us"}]}}, "errors: <failures>"),
        ({"errors": {"bit_error_rate": 1e-9, "max_timeouts": 0}}, "errors.max_timeouts: 0"),
        ({"traffic": {"arrivals": "none", "load": None}}, "traffic.arrivals"),
    ],
)
def test_a_ring_that_is_not_explored_is_refused(keys, message):
    content = of({"network": {"nodes": 3}, "traffic": {"load": "10 MB/s"}}, **keys)
    content["traffic"] = {key: value for key, value in content["traffic"].items() if value is not None}
    with pytest.raises(rl.RingletError) as error:
        rl.check(content)
    assert message in str(error.value)


ONE_PLACE = of(
    RING,
    queues={"receive": 1, "service_time": 3},
    traffic={"destinations": [2, 2, 0]},
)

PRIORITY = {"queues": {"priorities": 2}, "traffic": {"priority": [1, 0, 0]}}


@pytest.mark.parametrize("option", [{"ageing": 8}, {"inheritance": True}])
def test_neither_ageing_nor_inheritance_of_ppq_helps_a_high_priority_at_a_single_place(option):
    content = of(of(ONE_PLACE, **PRIORITY), flow_control={"protocol": "ppq", **option})
    assert failing(rl.check(content, step=4)) == ["serves 0 to 2 (8 symbols, priority 1)"]
    two_places = of(content, queues={"receive": 2})
    assert failing(rl.check(two_places, step=4)) == []


def test_a_metaring_serves_all_but_not_at_a_full_queue_without_reservation():
    metaring = {"protocol": "metaring", "most_packets": 2}
    assert failing(rl.check(of(RING, flow_control=metaring), step=4)) == []
    full = of(ONE_PLACE, flow_control={"protocol": "metaring"}, network={"echoes": True})
    assert failing(rl.check(full, step=4)) == ["serves 0 to 2 (8 symbols)", "serves 1 to 2 (8 symbols)"]
    assert failing(rl.check(of(full, retry={"reservation": True}), step=4)) == []


@pytest.mark.parametrize("explore", [rl.check, rl.exact])
def test_a_ring_that_drops_packets_is_not_explored(explore):
    arrivals = {**ONE_PLACE["traffic"], "arrivals": "bernoulli", "load": "1 MB/s"}
    full = of(ONE_PLACE, flow_control={"protocol": "metaring"}, traffic=arrivals)
    with pytest.raises(rl.RingletError, match=r"^queues.receive: 1 is not allowed; 'unlimited' without echoes"):
        explore(full)


def test_rpr_is_explored_where_its_rates_do_not_remember():
    """With all three coefficients 1 a rate is that of the last interval."""
    rates = {"age_coef": 1, "lp_coef": 1, "ramp_coef": 1, "aging_interval": 16}
    ring = {"network": {"nodes": 2, "hop_delay": 1}, "traffic": {**RING["traffic"], "destinations": [1, 0]}}
    checked = rl.check(of(ring, flow_control={"protocol": "rpr", **rates}))
    assert (checked.holds, checked.complete) == (True, True)
    assert not rl.check(of(ring, flow_control={"protocol": "rpr"}), states=5000).complete


def test_train_changes_gears_and_loses_nothing():
    ring = {"network": {"nodes": 2, "hop_delay": 4}, "traffic": {**RING["traffic"], "destinations": [1, 0]}}
    options = {"protocol": "train", "mode": "gearshift", "load_window": 16}
    checked = rl.check(of(ring, flow_control=options), step=8, states=30_000)
    assert checked.holds
