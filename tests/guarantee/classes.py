"""One trial of RPR's classes: a random set under which nothing is kept back, in several relations of its phases."""

import json
from typing import Any

import numpy as np

from guarantee.exact import ExactTrial
from guarantee.limits import limits
from ringlet._engine import Simulation

PERIODS = 6
"""Longest periods that are simulated."""

CLIMBS = 12
"""Simulations that move some phases of the worst so far."""

KINDS = {"dmove16": (16, 17), "dmove64": (64, 41), "dmove256": (256, 137)}
"""Data of a transaction, and what its packet takes of a link."""


def class_trial(seed: int, *, protocol: str = "rpr", ways: str | None = None) -> ExactTrial:
    """Simulates a random set: all phases at once, close together, anywhere, and then moved uphill.

    Args:
        seed: of the set.
        protocol: that of the trial.
        ways: those of packets on two rings; None: on one ring.
    """
    random = np.random.default_rng([seed, 17])
    nodes, count = int(random.integers(2, 9)), int(random.integers(1, 9))
    kind = str(random.choice(["dmove16", "dmove64", "dmove64", "dmove256"]))
    size, cycles = KINDS[kind]
    classes = [[2], [1, 2], [1, 2], [0, 1, 2]][int(random.integers(4))]
    messages: list[dict[str, Any]] = []
    for number in range(count):
        source, way = int(random.integers(nodes)), int(random.integers(1, nodes))
        source = messages[0]["source"] if number and random.random() < 0.4 else source
        messages.append(
            {
                "name": str(number),
                "source": source,
                "destination": (source + way) % nodes,
                "size": size * int(random.integers(1, 4)),
                "period": int(count * cycles * random.uniform(2, 20)),
                "jitter": int(random.choice([0, 0, 300])),
                "priority": int(random.choice(classes)),
            }
        )
    queue = int(random.choice([1, 3, 8, 40])) * cycles
    content = {
        "network": {
            "nodes": nodes,
            "hop_delay": int(random.integers(1, 6)),
            **({} if ways is None else {"topology": "dual-attached-ring", "ways": ways}),
        },
        "flow_control": {
            "protocol": protocol,
            "transit_queue": queue,
            "high_threshold": int(random.integers(1, queue + 1)),
            "class_a": float(random.choice([0.3, 0.6, 1.0])),
            "class_b": float(random.choice([0.3, 0.6, 1.0])),
            "mode": str(random.choice(["aggressive", "conservative"])),
        },
        "queues": {"service_time": int(random.choice([0, 30]))},
        "message_transaction": kind,
        "messages": messages,
        "run": {"duration": 1},
    }
    if 0 in classes:
        content["flow_control"]["low_threshold"] = content["flow_control"]["high_threshold"]
    trial = ExactTrial(seed, protocol, np.full(count, np.nan), np.zeros(count), content)
    made = limits(content)
    if made is None:
        return trial
    trial.bound = made.bound
    spec = made.scenario.network_spec(1)
    period = np.array([one["period"] for one in messages])
    best = np.zeros((count, count))
    for number in range(3 + CLIMBS):
        phases = np.floor(random.uniform(0, 1, count) * (0, 100, period.max())[min(number, 2)])
        if number > 2:
            phases = best[number % count].copy()
            moved = random.random(count) < 0.4
            phases[moved] = np.abs(phases[moved] + np.rint(random.normal(0, random.choice([3, 41, 300]), moved.sum())))
        for flow, phase in zip(spec["flows"][-count:], phases.tolist(), strict=True):
            flow["arrivals"]["phase"] = phase
        simulation = Simulation(json.dumps(spec), seed=seed + number)
        simulation.advance(int(PERIODS * period.max() + phases.max()))
        trial.simulations += 1
        counters = simulation.flow_counters()
        so_far = simulation.cycle - 1 - (phases + counters["completed_messages"].astype(float) * period)
        late = np.array([one["jitter"] for one in messages])
        worst = np.maximum(counters["message_latency_max_cycles"].astype(float), np.where(late, 0, so_far))
        best[worst > trial.worst] = phases
        trial.worst = np.maximum(trial.worst, worst)
    trial.exceeded = np.flatnonzero(trial.worst > trial.bound + 1e-6).tolist()
    return trial
