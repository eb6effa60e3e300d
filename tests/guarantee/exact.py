"""One trial with every relation of phases: few messages whose periods have no divisor in common, over all of them."""

import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import ringlet as rl
from guarantee.sets import PROTOCOLS
from ringlet._engine import Simulation
from ringlet.theory.guarantee import guarantees

MOST_CYCLES = 1_500_000
"""Cycles in which all relations of a set have to come."""


@dataclass
class ExactTrial:
    """What one seed has shown; arrays have the shape (messages,)."""

    seed: int
    protocol: str
    bound: np.ndarray
    """Of each message, in cycles; NaN where there is none."""
    worst: np.ndarray
    """Its longest response over all relations of phases."""
    scenario: dict[str, Any]
    simulations: int = 0
    exceeded: list[int] = field(default_factory=list)
    """Messages whose response was above its bound."""

    @property
    def pessimism(self) -> np.ndarray:
        """Bound over the worst, of the messages that have both; shape (those,)."""
        both = np.isfinite(self.bound) & (self.worst > 0)
        return self.bound[both] / self.worst[both]


def exact_trial(seed: int, *, protocol: str | None = None) -> ExactTrial:
    """Simulates a random set until each relation of its phases has been, to each other and to what goes round.

    A revolution of slots has no divisor in common with a period either. Under protocols whose tokens, SATs or trains
    take longer the more is sent, what goes round is a phase of its own, and not every one of it comes.
    """
    random = np.random.default_rng([seed, 9])
    chosen = protocol or str(random.choice(PROTOCOLS))
    nodes, count = int(random.integers(2, 7)), int(random.integers(2, 4))
    hop_delay, options = int(random.integers(1, 4)), {"protocol": chosen}
    around = 1
    if chosen == "slotted-ring":
        hop_delay = -(-45 // nodes) + int(random.integers(0, 5))
        around = nodes * (hop_delay + 1)
        options["release"] = str(random.choice(["source", "destination"]))
    elif chosen == "dfc":
        options["stop_thru"] = False
    elif chosen == "metaring":
        options["most_packets"] = int(random.choice([1, 4, 20]))
    longest = (MOST_CYCLES / around) ** (1 / count)
    periods: list[int] = []
    while len(periods) < count:
        period = int(random.uniform(max(70.0, longest / 4), max(140.0, longest)))
        if all(math.gcd(period, one) == 1 for one in (*periods, around)):
            periods.append(period)
    messages = []
    for number, period in enumerate(periods):
        source, way = int(random.integers(nodes)), int(random.integers(1, nodes))
        messages.append(
            {
                "name": str(number),
                "source": source,
                "destination": (source + way) % nodes,
                "size": 64,
                "period": period,
                "priority": int(random.integers(0, 2)) if chosen not in ("train", "sci") else 0,
            }
        )
    network = {"nodes": nodes, "hop_delay": hop_delay, "echoes": options.get("release") != "destination"}
    content = {
        "network": network,
        "flow_control": options,
        "queues": {"service_time": int(random.choice([0, 30]))},
        "messages": messages,
        "run": {"duration": 1},
    }
    scenario = rl.Scenario.from_dict(content)
    try:
        limit = np.array([np.nan if one.bound_cycles is None else one.bound_cycles for one in guarantees(scenario)])
    except rl.RingletError:
        limit = np.full(count, np.nan)
    trial = ExactTrial(seed, chosen, limit, np.zeros(count), content)
    if not np.isfinite(limit).any():
        return trial
    simulation = Simulation(json.dumps(scenario.network_spec(1)), seed=1)
    simulation.advance(min(math.prod(periods) * around, 2 * MOST_CYCLES) + 2 * max(periods))
    trial.simulations = 1
    counters = simulation.flow_counters()
    oldest = np.ceil(counters["completed_messages"] * np.array(periods))
    so_far = simulation.cycle - 1 - oldest
    trial.worst = np.maximum(counters["message_latency_max_cycles"].astype(float), so_far)
    trial.exceeded = np.flatnonzero(trial.worst > limit + 1e-6).tolist()
    return trial
