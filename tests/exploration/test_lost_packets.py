"""Packets, echoes and SATs that are lost at any time: what follows in every state of a small ring."""

import pytest

import ringlet as rl

TIMEOUT_CYCLES = 40
ERRORS = {"bit_error_rate": 1e-9, "timeout": TIMEOUT_CYCLES}
PAIR = {
    "network": {"nodes": 2, "hop_delay": 1},
    "traffic": {"transaction": "send16", "arrivals": "periodic", "load": "10 MB/s", "destinations": [1, 0]},
}
METARING = {"protocol": "metaring", "most_packets": 1}


def longest_wait(checked):
    return max(one.cycles for one in checked.properties if one.name.startswith("serves"))


def test_a_packet_that_is_lost_at_any_time_is_delivered_after_its_time_out():
    without = rl.check(PAIR, step=4)
    checked = rl.check(PAIR | {"errors": ERRORS}, step=4)
    assert (checked.holds, checked.complete) == (True, True)
    assert checked.states > without.states
    assert longest_wait(checked) >= TIMEOUT_CYCLES > longest_wait(without)


def test_each_loss_adds_states_and_a_time_out():
    found = [rl.check(PAIR | {"errors": ERRORS}, step=8, losses=losses) for losses in range(3)]
    assert all(one.holds and one.complete for one in found)
    assert found[0].states < found[1].states < found[2].states
    assert longest_wait(found[0]) < TIMEOUT_CYCLES <= longest_wait(found[1]) <= longest_wait(found[2]) - 8


def test_only_links_with_errors_lose_anything():
    one_link = {"links": [{"source": 0, "bit_error_rate": 1e-9}], "timeout": TIMEOUT_CYCLES}
    both, one, none = (
        rl.check(PAIR | {"errors": errors}, step=8, losses=losses).states
        for errors, losses in ((ERRORS, 1), (one_link, 1), (ERRORS, 0))
    )
    assert none < one < both


def test_a_lost_sat_is_made_again():
    content = PAIR | {"flow_control": {**METARING, "sat_timeout": 200}, "errors": ERRORS}
    checked = rl.check(content, step=8)
    assert (checked.holds, checked.complete) == (True, True)
    assert checked.properties[0].cycles >= 200 > rl.check(content, step=8, losses=0).properties[0].cycles


def test_a_time_out_that_the_sat_may_exceed_makes_ever_new_ones():
    early, late = (
        rl.check(PAIR | {"flow_control": {**METARING, "sat_timeout": timeout}}, step=8, states=3000)
        for timeout in (10, 200)
    )
    assert (early.complete, late.complete) == (False, True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (PAIR | {"flow_control": METARING, "errors": ERRORS}, "needs a sat_timeout"),
        (PAIR | {"errors": {**ERRORS, "timeout": 10}}, "errors.timeout: 10"),
        (PAIR | {"flow_control": {**METARING, "sat_timeout": "2e6 s"}}, "flow_control.sat_timeout: '2e6 s'"),
        (PAIR | {"flow_control": {**METARING, "sat_timeout": 7}}, "flow_control.sat_timeout: 7"),
    ],
)
def test_what_losses_need_is_said(content, message):
    with pytest.raises(rl.RingletError) as error:
        rl.check(content)
    assert message in str(error.value)


def test_losses_need_links_that_lose():
    with pytest.raises(rl.RingletError, match="losses: 1 is not allowed"):
        rl.check(PAIR, losses=1)
