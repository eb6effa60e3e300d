"""Bounds for known offsets: none is exceeded, none is above that for all phases, and what has none says why."""

import numpy as np
import pytest

import ringlet as rl
from guarantee.known import KNOWN, known_trial

MESSAGES = [
    {"name": "a", "source": 0, "destination": 3, "size": 64, "period": 1000, "offset": 0},
    {"name": "b", "source": 1, "destination": 2, "size": 640, "period": 2000, "offset": 300},
]
RING = {"network": {"nodes": 4}, "flow_control": {"protocol": "none"}, "messages": MESSAGES}


@pytest.mark.parametrize("protocol", KNOWN)
@pytest.mark.parametrize("seed", range(8))
def test_no_response_is_above_its_bound_for_its_offsets(protocol, seed):
    found = known_trial(seed, protocol=protocol)
    assert not found.exceeded, found.scenario
    at_all = known_trial(seed, protocol=protocol, offsets=False).bound
    assert np.all((found.bound <= at_all) | np.isnan(at_all) | np.isnan(found.bound))


@pytest.mark.parametrize("protocol", KNOWN)
def test_bounds_for_offsets_are_closer_to_the_exact_worst(protocol):
    known, at_all = (
        np.concatenate([known_trial(seed, protocol=protocol, offsets=given).pessimism for seed in range(16)])
        for given in (True, False)
    )
    assert np.median(known) < 0.85 * np.median(at_all)
    if protocol in ("none", "dfc"):
        assert np.median(known) < 1.5 < 1.8 < np.median(at_all)


def test_messages_that_never_meet_have_their_times_alone():
    alone = [rl.guarantee({**RING, "messages": [one]})["bound_us"].iloc[0] for one in MESSAGES]
    apart = rl.guarantee(RING, offsets=True)["bound_us"]
    assert apart.tolist() == pytest.approx(alone)
    close = {**RING, "messages": [MESSAGES[0], {**MESSAGES[1], "offset": 0}]}
    assert rl.guarantee(close, offsets=True)["bound_us"]["a"] > apart["a"]
    assert rl.guarantee(RING)["bound_us"]["a"] > apart["a"]


def test_an_echo_that_waits_where_its_packet_would_not_is_counted_later():
    # The echo of `a` comes to node 2 behind the first symbol of `b`, and reaches node 3 a packet later, with the echo
    # of `b`, while `c` sends.
    common = {"size": 256, "period": 4000}
    content = {
        "network": {"nodes": 4, "hop_delay": 1},
        "flow_control": {"protocol": "none"},
        "message_transaction": "dmove256",
        "messages": [
            {"name": "a", "source": 0, "destination": 1, "offset": 0, **common},
            {"name": "b", "source": 2, "destination": 3, "offset": 125, **common},
            {"name": "c", "source": 3, "destination": 0, "offset": 145, **common, "size": 512},
        ],
        "run": {"duration": "40 us"},
    }
    worst = rl.run(content).messages["worst_response_ns"]
    assert worst["c"] == 570
    assert np.all(worst <= 1e3 * rl.guarantee(content, offsets=True)["bound_us"] + 1e-6)


@pytest.mark.parametrize("release", ["early", "header", "returned"])
@pytest.mark.parametrize("packets", [1, 3])
def test_what_comes_while_a_node_keeps_its_token_behind_a_packet_is_within_its_bound(release, packets):
    # The header of `a` takes 124 cycles to come round, and its echo more: `b` and `c` may come meanwhile, and go with
    # the next token, or behind `a`.
    common = {"size": 64, "period": 1300}
    content = {
        "network": {"nodes": 4, "hop_delay": 30},
        "flow_control": {"protocol": "token-ring", "release": release, "packets": packets},
        "messages": [
            {"name": "a", "source": 0, "destination": 2, "offset": 0, "priority": 1, **common},
            {"name": "b", "source": 0, "destination": 3, "offset": 190, "priority": 1, **common},
            {"name": "c", "source": 0, "destination": 1, "offset": 200, **common},
            {"name": "d", "source": 2, "destination": 1, "offset": 100, **common, "size": 128},
        ],
        "run": {"duration": "400 us"},
    }
    worst = rl.run(content).messages["worst_response_ns"]
    for offsets in (False, True):
        bound = rl.guarantee(content, offsets=offsets)["bound_us"]
        assert bound.notna().all()
        assert np.all(worst <= 1e3 * bound + 1e-6)


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"flow_control": {"protocol": "timed-token"}}, "proven of protocols none, sci, token-ring and metaring"),
        ({"flow_control": {"protocol": "dfc", "stop_thru": True}}, "and of dfc with stop_thru = false"),
        ({"network": {"topology": "dual-ring", "nodes": 4}}, "of messages alone on one ring, without responses"),
        ({"message_transaction": "read64"}, "of messages alone on one ring, without responses"),
        ({"messages": [{**MESSAGES[0], "jitter": 10}]}, "a message with jitter"),
        ({"messages": [{**MESSAGES[0], "drift": 10}]}, "or whose distances are drawn or drift"),
        ({"messages": [{**MESSAGES[0], "period": 1000.5}]}, "of whole cycles"),
        (
            {"messages": [{**MESSAGES[0], "period": 20_011}, {**MESSAGES[1], "period": 30_011}]},
            "more than 20000 releases in a hyperperiod",
        ),
    ],
)
def test_what_has_no_bound_for_offsets_says_why(keys, why):
    assert why in rl.guarantee({**RING, **keys}, offsets=True)["why"].iloc[0]
