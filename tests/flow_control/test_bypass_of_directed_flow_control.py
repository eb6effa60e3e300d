"""The bypass FIFO of DFC holds more than what a packet needs only where nodes send control symbols (todd2001, 2.1)."""

import random

import pytest

import ringlet as rl

PACKET_AND_IDLE, CONTROL = 41, 2


def longest(seed, options, queues):
    """The most symbols in a bypass FIFO of a random saturated ring, and its nodes."""
    rng = random.Random(seed)
    nodes = rng.choice([3, 4, 5, 6, 8])
    traffic = {
        "destinations": [rng.choice([to for to in range(nodes) if to != node]) for node in range(nodes)],
        "priority": [rng.randrange(3) for _ in range(nodes)],
        "transaction": "dmove64",
        "arrivals": "saturated",
    }
    scenario = {
        "network": {"nodes": nodes, "hop_delay": rng.choice([1, 2, 5])},
        "flow_control": {"protocol": "dfc", **options},
        "queues": queues,
        "traffic": traffic,
        "run": {"duration": "40 us", "warmup": 0, "seed": 1},
    }
    found = rl.run(rl.Scenario.from_dict(scenario)).to_dict()["nodes"]
    carries_control = any(node["link"]["control"] > 0 for node in found)
    return max(node["bypass_max_symbols"] for node in found), nodes, carries_control


@pytest.mark.parametrize("seed", range(12))
def test_without_control_symbols_it_holds_what_comes_in_during_a_packet(seed):
    most, _, carries_control = longest(seed, {"stop_thru": False}, {})
    assert (most <= PACKET_AND_IDLE, carries_control) == (True, False)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("queues", [{}, {"receive": 2, "service_time": "0.1 us"}])
def test_control_symbols_add_at_most_two_of_each_node(seed, queues):
    # Where a run comes back to a state, shares of links are those of its period, and a maximum is of all the run.
    most, nodes, _ = longest(seed, {}, queues)
    assert most <= PACKET_AND_IDLE + 2 * nodes * CONTROL


def test_a_busy_receiver_makes_it_hold_more_than_a_packet():
    queues = {"receive": 2, "service_time": "0.1 us"}
    assert max(longest(seed, {}, queues)[0] for seed in range(12)) > PACKET_AND_IDLE
