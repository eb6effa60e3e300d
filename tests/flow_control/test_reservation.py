"""Places kept for refused packets, and why that is not the default."""

import random

import numpy as np

import ringlet as rl


def full_receiver(rng):
    """Returns a ring on which several nodes send all they can to one that takes little."""
    nodes = rng.randint(3, 7)
    hop_delay = rng.choice((1, 2, 3))
    receiver = rng.randrange(nodes)
    senders = rng.sample([node for node in range(nodes) if node != receiver], rng.randint(2, nodes - 1))
    way = [float(node == receiver) for node in range(nodes)]
    traffic = {
        "pattern": "matrix",
        "matrix": [way if node in senders else [0.0] * nodes for node in range(nodes)],
        "arrivals": "saturated",
        "transaction": rng.choice(("send16", "send64", "send80")),
    }
    ring = {
        "network": {"nodes": nodes, "hop_delay": hop_delay},
        "flow_control": {"protocol": "sci"},
        "queues": {"receive": rng.choice((1, 2, 4)), "service_time": rng.choice((50, 100, 178, 300))},
        "traffic": traffic,
        "run": {"duration": 60_000, "warmup": 20_000},
    }
    return ring, senders


def test_a_reservation_costs_throughput_and_lets_no_sender_starve():
    # docs/explanation/realtime-model.md says these figures.
    rng = random.Random(5)
    totals, least = [], []
    for _ in range(40):
        ring, senders = full_receiver(rng)
        runs = [rl.run(ring | {"retry": {"reservation": on}}).nodes for on in (False, True)]
        found = [run["throughput_words_per_cycle"].iloc[senders] for run in runs]
        totals.append(found[1].sum() / found[0].sum())
        least.append([each.min() / each.mean() for each in found])
    without, kept = np.transpose(least)
    assert (without == 0).sum() == 2
    assert kept.min() > 0.8
    assert 0.92 < np.mean(totals) < 0.96
    assert 0.65 < min(totals) < 0.68
    assert max(totals) <= 1.001
