"""One trial with known offsets: a random set whose periods are multiples of one, over some hyperperiods."""

import json
from typing import Any

import numpy as np

from guarantee.exact import ExactTrial
from guarantee.limits import limits
from ringlet._engine import Simulation
from ringlet.theory.response_flows import Assumed

KNOWN = ("none", "dfc", "sci", "token-ring", "metaring")
"""Protocols that have bounds for offsets."""

LIGHTER = {"sci": 4, "token-ring": 2, "metaring": 2}
"""Times by which periods are longer under protocols that have bounds at light loads only."""

HYPERPERIODS = 6
"""Hyperperiods that are simulated: the ring comes back to a state long before."""

KINDS = {"dmove16": (16, 17), "dmove64": (64, 41), "dmove256": (256, 137)}
"""Data of a transaction, and what its packet takes of a link."""


def known_trial(seed: int, *, protocol: str | None = None, offsets: bool = True) -> ExactTrial:
    """Simulates a random set in its own phases, which are in half of the sets close together.

    Args:
        seed: of the set.
        protocol: one of `KNOWN`; None: drawn.
        offsets: whether the bounds are those for the offsets; else those for all phases.
    """
    random = np.random.default_rng([seed, 3])
    chosen = protocol or str(random.choice(KNOWN))
    nodes, count, hop_delay = int(random.integers(2, 9)), int(random.integers(2, 9)), int(random.integers(1, 4))
    least = int(random.choice([60, 100, 128, 250, 300]))
    kind = str(random.choice(["dmove16", "dmove64", "dmove64", "dmove256"])) if chosen == "none" else "dmove64"
    size, cycles = KINDS[kind]
    messages: list[dict[str, Any]] = []
    for number in range(count):
        source, way = int(random.integers(nodes)), int(random.integers(1, nodes))
        source = messages[0]["source"] if number and random.random() < 0.4 else source
        slower = max(1, round(LIGHTER.get(chosen, 1) * count * cycles / least / random.uniform(0.5, 3)))
        period = least * int(random.choice([1, 2, 3, 4, 6, 8, 12])) * slower
        messages.append(
            {
                "name": str(number),
                "source": source,
                "destination": (source + way) % nodes,
                "size": size * int(random.integers(1, 3)),
                "period": period,
                "offset": int(random.uniform(0, period) * random.choice([1.0, 0.1])),
                "priority": int(random.integers(0, 3)),
            }
        )
    content = {
        "network": {"nodes": nodes, "hop_delay": hop_delay, "echoes": bool(random.random() < 0.7)},
        "flow_control": {"protocol": chosen, **({"stop_thru": False} if chosen == "dfc" else {})},
        "queues": {"service_time": int(random.choice([0, 0, 30]))},
        "message_transaction": kind,
        "messages": messages,
        "run": {"duration": 1},
    }
    trial = ExactTrial(seed, chosen, np.full(count, np.nan), np.zeros(count), content)
    made = limits(content, Assumed(offsets=offsets))
    if made is None:
        return trial
    trial.bound = made.bound
    period, offset = (np.array([one[key] for one in messages]) for key in ("period", "offset"))
    simulation = Simulation(json.dumps(made.scenario.network_spec(1)), seed=1)
    simulation.advance(int(HYPERPERIODS * np.lcm.reduce(period) + offset.max()))
    trial.simulations = 1
    counters = simulation.flow_counters()
    so_far = simulation.cycle - 1 - (offset + counters["completed_messages"].astype(np.int64) * period)
    trial.worst = np.maximum(counters["message_latency_max_cycles"].astype(float), so_far)
    trial.exceeded = np.flatnonzero(trial.worst > trial.bound + 1e-6).tolist()
    return trial
