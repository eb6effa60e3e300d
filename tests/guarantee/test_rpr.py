"""Bounds of RPR's classes, and why class A has none where reserved shares exceed a link."""

import re

import numpy as np
import pytest

import ringlet as rl
from guarantee.classes import class_trial


@pytest.mark.parametrize("duration", ["100 us", "400 us"])
def test_class_a_waits_for_ever_where_reserved_shares_exceed_the_link(duration):
    flow = {"destination": 3, "size": 64, "arrivals": "periodic"}
    content = {
        "network": {"nodes": 4},
        "flow_control": {"protocol": "rpr", "class_a": 0.05, "class_b": 1.0, "high_threshold": 41},
        "flows": [
            {**flow, "name": "b", "source": 0, "period": 41, "priority": 1},
            {**flow, "name": "a", "source": 1, "period": 4000, "priority": 2},
        ],
        "run": {"duration": duration, "warmup": 0},
    }
    found = {one["name"]: one for one in rl.run(content).document["flows"]}
    # Each of its packets, until its transit queue is above the threshold, and none from then on.
    assert found["a"]["delivered"] == 2 < found["a"]["offered"]


@pytest.mark.parametrize("seed", range(32))
def test_no_response_of_a_class_is_above_its_bound(seed):
    found = class_trial(seed)
    assert not found.exceeded, found.scenario


@pytest.mark.parametrize("ways", ["shorter", "lighter", "both"])
@pytest.mark.parametrize("seed", range(8))
def test_no_response_on_two_ringlets_is_above_its_bound(seed, ways):
    found = class_trial(seed, ways=ways)
    assert not found.exceeded, found.scenario


def test_most_sets_on_two_ringlets_have_a_bound():
    found = [class_trial(seed, ways="shorter") for seed in range(10)]
    assert sum(np.isfinite(one.bound).any() for one in found) >= 5


RING = {"network": {"nodes": 4}, "flow_control": {"protocol": "rpr", "class_a": 0.3, "class_b": 0.3}}
A, C = (
    {"name": name, "source": 0, "destination": 2, "size": 64, "period": 2000, "priority": priority}
    for name, priority in (("a", 2), ("c", 0))
)


def test_a_message_of_class_a_waits_for_a_packet_a_message_of_each_node_and_no_more():
    (bound,) = rl.guarantee({**RING, "messages": [A]})["bound_us"]
    (alone,) = rl.run({**RING, "messages": [A], "run": {"duration": "400 us"}}).messages["worst_response_ns"]
    assert alone < 1e3 * bound < alone + 2 * 4 * 4 * 5 + 2 * 82


@pytest.mark.parametrize(
    ("nodes", "interval", "why"),
    [
        (4, "1 us", r"an aging interval has 500; there is a bound with a longer flow_control\.aging_interval$"),
        (10, None, r"an aging interval has 8589934592; none may have more than 8589934592$"),
    ],
)
def test_a_longer_aging_interval_is_advised_only_where_there_may_be_one(nodes, interval, why):
    network = {"nodes": nodes, "hop_delay": 200 if interval else 1_000_000_000}
    flow_control = {"protocol": "rpr", "aging_interval": interval} if interval else {"protocol": "rpr"}
    (found,) = rl.guarantee({"network": network, "flow_control": flow_control, "messages": [A]})["why"]
    assert re.search(why, found), found


def test_where_one_ringlet_has_no_bound_the_other_has_none():
    network = {"topology": "dual-attached-ring", "nodes": 4, "ways": "shorter"}
    other = {"name": "c", "source": 1, "destination": 0, "size": 64, "period": 2000}
    alone, beside = (
        rl.guarantee({**RING, "network": network, "messages": [{**A, "destination": 1}, *more]})
        for more in ([], [other])
    )
    assert alone["bound_us"].notna().all()
    assert beside["bound_us"].isna().all()
    assert beside["why"].str.contains("congested").all()


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({"messages": [C]}, "the transit queue may hold .* and is congested above 82"),
        ({"flow_control": {"protocol": "rpr", "class_a": 0.001}, "messages": [A]}, "of class A for an aging interval"),
        ({"network": {"nodes": 4, "echoes": True}, "messages": [A]}, "of rings without echoes"),
        (
            {"network": {"topology": "dual-ring", "nodes": 4}, "messages": [A]},
            "of rings without echoes, which are one ring or a dual-attached one",
        ),
    ],
)
def test_what_has_no_bound_under_rpr_says_why(keys, why):
    found = rl.guarantee({**RING, **keys})
    assert found["bound_us"].isna().all()
    assert found["why"].str.contains(why).all()
