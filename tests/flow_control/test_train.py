"""TRAIN by the sentences of todd2001, Section 2.3: a grant is a right that can be used."""

import json
import random

import pytest

import ringlet as rl
from ringlet._engine import Simulation

LINK = 1000.0
"""Data that a link carries, MB/s, if it carries nothing else."""


def run(destinations, options=None, **sections):
    """Every node sends all it can to one other."""
    traffic = {"destinations": destinations, "transaction": "dmove64", "arrivals": "saturated"}
    made = {
        "network": {"nodes": len(destinations)},
        "flow_control": {"protocol": "train", **(options or {})},
        "traffic": traffic | sections.pop("traffic", {}),
        "run": {"duration": "60 us", "warmup": "10 us", "seed": 1},
    }
    return rl.run(rl.Scenario.from_dict(made | sections)).to_dict()


def shares(found):
    return [node["throughput_MBps"] / LINK for node in found["nodes"]]


def drawn(seed):
    """A ring of 4 to 8 nodes on which each sends to one other, its limits, and the place of its TicketMaster."""
    rng = random.Random(seed)
    nodes = rng.choice([4, 5, 6, 8])
    destinations = [rng.choice([to for to in range(nodes) if to != node]) for node in range(nodes)]
    queues = rng.choice([{}, {"receive": 5}, {"receive": 1, "service_time": "50 ns"}, {"receive": 5, "outstanding": 2}])
    size = rng.choice([{}, {"size": 41}, {"size": 82}, {"size": "unlimited"}])
    return destinations, {"ticket_master": rng.randrange(nodes), **size}, {"queues": queues}


@pytest.mark.parametrize("mode", ["arbitrated", "switching", "gearshift"])
@pytest.mark.parametrize("hop_delay", [1, 2, 30])
@pytest.mark.parametrize("nodes", [1, 2, 3])
def test_rings_shorter_than_their_train_run(nodes, hop_delay, mode):
    ring = {
        "network": {"nodes": nodes, "hop_delay": hop_delay},
        "flow_control": {"protocol": "train", "mode": mode},
        "traffic": {"arrivals": "saturated", **({"destinations": [0]} if nodes == 1 else {})},
        "run": {"duration": "20 us", "warmup": 0},
    }
    found = rl.run(ring).to_dict()
    assert found["stall"] is None
    assert all(node["delivered_packets"] > 0 for node in found["nodes"])


@pytest.mark.parametrize("seed", range(60))
def test_nobody_starves_at_one_priority(seed):
    destinations, options, sections = drawn(seed)
    assert min(shares(run(destinations, options, **sections))) > 0.01


@pytest.mark.parametrize("pattern", [[3, 3, 3, 1], [1, 2, 3, 0], [2, 2, 3, 2], [3, 0, 0, 0]])
def test_a_granted_packet_is_sent_whatever_passes(pattern):
    found = run(pattern, traffic={"transaction": "send80"}, queues={"receive": 5})
    assert min(shares(found)) > 0.05


@pytest.mark.parametrize("seed", range(20))
def test_the_only_node_of_the_highest_priority_never_starves(seed):
    destinations, options, sections = drawn(seed)
    rng = random.Random(seed + 1000)
    priorities = [rng.randrange(3) for _ in destinations]
    top = rng.randrange(len(destinations))
    priorities[top] = 5
    found = run(destinations, options, traffic={"priority": priorities}, **sections)
    assert shares(found)[top] > 0.02
    # Lower priorities pass only where no ticket of a higher one was cut off.
    assert sum(node["inverting_packets"] for node in found["nodes"]) == 0


def test_the_highest_priority_has_the_link_to_itself():
    top, middle, low = shares(run([3, 3, 3, 0], traffic={"priority": [0, 1, 3, 3]}))[2::-1]
    assert top > 0.5
    assert (middle, low) == (0, 0)


def test_every_ticket_is_granted_or_deleted_and_nothing_is_refused():
    destinations, options, _ = drawn(3)
    found = run(destinations, options, queues={"receive": 2, "service_time": "400 ns"})
    assert sum(node["deleted_tickets"] for node in found["nodes"]) > 50
    assert found["total"]["retries"] == 0


@pytest.mark.parametrize("size", [41, 82, 164, "unlimited"])
@pytest.mark.parametrize("load", [60, 100, 150])
def test_reads_go_on_with_trains_of_any_size(size, load):
    scenario = {
        "network": {"nodes": 8},
        "flow_control": {"protocol": "train", "size": size},
        "queues": {"receive": 5, "service_time": "0.1 us", "responses": 5, "outstanding": "unlimited"},
        "traffic": {
            "transaction": "read64",
            "arrivals": "poisson",
            "load": f"{load} MB/s",
            "priorities": [0, 1, 2],
        },
        "run": {"duration": "300 us", "warmup": "100 us", "seed": 1, "stall_after": "50 us"},
    }
    found = rl.run(rl.Scenario.from_dict(scenario))
    assert found.stall is None
    assert found.to_dict()["total"]["throughput_MBps"] > 100


@pytest.mark.parametrize("mode", ["gearshift", "switching"])
@pytest.mark.parametrize("ticket_master", range(6))
def test_arbitration_begins_wherever_the_ring_is_full(mode, ticket_master):
    options = {"mode": mode, "ticket_master": ticket_master, "shift_up": 0.7}
    # Half of a link from each of five nodes, to one place.
    traffic = {"arrivals": "poisson", "load": "450 MB/s", "transaction": "dmove64"}
    found = run([2, 2, 3, 2, 2, 2], options, traffic=traffic)
    # A train of requests carries tickets, a LocalMotive alone is 4 symbols in a revolution.
    assert found["nodes"][0]["link"]["control"] > 0.02
    assert min(shares(found)) > 0.02


@pytest.mark.parametrize("seed", range(6))
def test_the_low_gear_is_sci_to_the_last_digit(seed):
    rng = random.Random(seed)
    nodes = rng.randint(3, 8)
    ring = {
        "network": {"nodes": nodes, "hop_delay": rng.randint(1, 7)},
        "traffic": {
            "destinations": [rng.choice([to for to in range(nodes) if to != node]) for node in range(nodes)],
            "transaction": "send80",
            "arrivals": "poisson",
            "load": 0.05,
        },
        "run": {"duration": 20_000, "warmup": 2_000, "seed": 1},
    }

    def latency(**flow_control):
        return rl.run({**ring, "flow_control": flow_control}).nodes["latency_mean_ns"].tolist()

    assert latency(protocol="train", mode="gearshift") == latency(protocol="sci")


def counters(scenario, pieces):
    parsed = rl.Scenario.from_dict(scenario)
    simulation = Simulation(json.dumps(parsed.network_spec(parsed.seed)), 1)
    for cycles in pieces:
        simulation.advance(cycles)
    return {name: column.tolist() for name, column in simulation.node_counters().items()}


@pytest.mark.parametrize("nodes", [3, 8])
@pytest.mark.parametrize("delay", [50, 1000, 4000, 6000, 10**5, 49_000_000])
def test_counters_do_not_depend_on_the_steps(nodes, delay):
    scenario = {"network": {"nodes": nodes}, "flow_control": {"protocol": "train", "delay": delay}}
    assert counters(scenario, [5000]) == counters(scenario, [1] * 5000) == counters(scenario, [7] * 714 + [2])
