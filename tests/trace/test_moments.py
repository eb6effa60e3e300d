"""Moments found by program."""

import pytest
from recordings import FLOW_CONTROL, recording

import ringlet as rl
from ringlet.scenario import Scenario
from ringlet.trace import moments, record
from ringlet.trace.moments import fair_round_cycles


def named(made):
    return {moment.name: moment for moment in moments(made)}


def fairness(protocol):
    """picker1994, Section 1.2: without flow control node 0 never sends."""
    return record(
        Scenario.from_dict(
            {
                "network": {"nodes": 4, "hop_delay": 3},
                "flow_control": {"protocol": protocol},
                "traffic": {"transaction": "send80", "destinations": [3, 3, 3, 1], "arrivals": "saturated"},
            }
        )
    )


def test_a_node_starves_without_flow_control_and_not_with_it():
    starved = named(fairness("none"))["first starvation"]
    assert fair_round_cycles(fairness("none")) == 4 * (40 + 1 + 3)
    assert "waits" in starved.text
    assert "first starvation" not in named(fairness("sci"))


def test_the_first_recovery_follows_the_first_send():
    made = fairness("sci")
    recovery = named(made)["first recovery"]
    runs = made.frame("runs")
    runs = runs[(runs["node"] == recovery.node) & (runs["cycle"] < recovery.cycle)]
    assert "drain" not in set(runs["activity"])
    assert set(runs["kind"]) >= {"send"}


def test_the_worst_latency_is_the_largest():
    made = fairness("sci")
    events = made.frame("events").query("fate == 'delivered'")
    latency = events["cycle"] - made.packets["generated"][events["packet"]]
    worst = named(made)["worst latency"]
    assert f"takes {latency.max()} cycles" in worst.text


def test_a_go_bit_is_withheld_before_an_idle_lacks_it():
    found = named(fairness("sci"))
    assert found["first withheld go bit"].cycle < found["first idle without go"].cycle


@pytest.mark.parametrize(
    ("protocol", "name"),
    [("dfc", "first control symbol"), ("train", "first train"), ("ppq", "first event"), ("sci", "first busy echo")],
)
def test_each_protocol_shows_what_it_sends(protocol, name):
    assert name in named(recording(protocol, 0))


@pytest.mark.parametrize("protocol", list(FLOW_CONTROL))
def test_moments_lie_in_the_window_in_order(protocol):
    made = recording(protocol)
    found = moments(made)
    assert found
    assert [moment.cycle for moment in found] == sorted(moment.cycle for moment in found)
    assert all(made.start <= moment.cycle < made.stop for moment in found)
    assert all(moment.packet is None or moment.packet < made.packets["source"].size for moment in found)


def test_the_least_margin_is_that_of_the_run():
    scenario = {
        "message_transaction": "dmove64",
        "network": {"nodes": 4},
        "flow_control": {"protocol": "train"},
        "messages": [
            {"name": "imu", "source": 0, "destination": 2, "size": 64, "period": "4 us"},
            {"name": "radar", "source": 1, "destination": 3, "size": "1 KiB", "period": "20 us", "deadline": "8 us"},
            # Not complete when the window ends, though its packets are late by then.
            {"name": "log", "source": 2, "destination": 3, "size": "64 KiB", "period": "1 ms", "deadline": "30 us"},
        ],
        "run": {"duration": "20 us"},
    }
    (least,) = [one for one in moments(record(Scenario.from_dict(scenario), stop=10_000)) if "least" in one.name]
    radar = rl.run(scenario).messages.loc["radar"]
    took = round(radar["worst_response_ns"] / 2)
    share = 100 * radar["worst_response_ns"] / radar["deadline_ns"]
    words = f"Message 'radar' is complete here {took} cycles after its release, {share:.3g} % of its deadline."
    assert least.text == words
    assert least.cycle == took
