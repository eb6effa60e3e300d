"""Redundant ways of a multistage network, used when a switch fails."""

import pytest

import ringlet as rl

NETWORK = {
    "network": {"topology": "omega", "size": 8, "extra_stage": True},
    "traffic": {"transaction": "dmove64", "arrivals": "periodic", "load": "20 MB/s"},
    "errors": {"steers_after": 0, "max_timeouts": 2},
    "run": {"duration": "100 us", "warmup": 0},
}


def failing(switch, **network):
    errors = {**NETWORK["errors"], "switches": [{"switch": switch, "fails_at": "20 us"}]}
    return rl.run({**NETWORK, "network": {**NETWORK["network"], **network}, "errors": errors})


@pytest.mark.parametrize("switch", [4, 7, 8, 11])
def test_without_a_switch_between_the_first_and_the_last_stage_everything_arrives_as_soon_as_before(switch):
    whole = rl.run({key: value for key, value in NETWORK.items() if key != "errors"}).total.iloc[0]
    result = failing(switch)
    total, errors = result.total.iloc[0], result.document["errors"]
    # Only what is in the switch's slots when it fails is lost.
    assert errors["undelivered_packets"] <= 16
    missing = whole["delivered_packets"] - total["delivered_packets"]
    assert errors["undelivered_packets"] <= missing <= errors["undelivered_packets"] + 8
    assert total["latency_mean_ns"] == pytest.approx(whole["latency_mean_ns"], rel=0.1)


def test_without_an_extra_stage_packets_go_back_and_forth():
    """Switch 4 is in stage 1 either way."""
    detour, other_way = (failing(4, extra_stage=extra).total.iloc[0]["latency_p99_ns"] for extra in (False, True))
    assert detour > 1.2 * other_way


def test_processors_of_a_switch_of_the_extra_stage_are_cut_off():
    nodes = failing(0).nodes
    cut_off = nodes["name"].isin(["P0", "P1", "P4", "P5"]) & (nodes["given_up_packets"] > 0)
    assert cut_off.sum() == 2
    assert (nodes["given_up_packets"][~cut_off] == 0).all()
