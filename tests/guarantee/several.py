"""One trial with several receivers: flows whose packets each of several nodes copies, close together or anywhere."""

import json
from typing import Any

import numpy as np

from guarantee.exact import ExactTrial
from guarantee.limits import limits
from ringlet._engine import Simulation

SEVERAL = ("none", "metaring", "token-ring", "timed-token", "slotted-ring")
"""Protocols that have bounds of flows with several receivers: those of rings without echoes."""

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "metaring": [{}, {"most_packets": 4, "least_packets": 2}],
    "token-ring": [{}, {"packets": 3}, {"release": "header"}],
    "slotted-ring": [{"release": "source"}, {"release": "destination"}],
}

PERIODS = 6
"""Longest periods that are simulated."""


def several_trial(seed: int, *, protocol: str | None = None) -> ExactTrial:
    """Simulates a random set in three relations of its phases.

    Args:
        seed: of the set.
        protocol: one of `SEVERAL`; None: drawn.
    """
    random = np.random.default_rng([seed, 29])
    chosen = protocol or str(random.choice(SEVERAL))
    nodes, count = int(random.integers(3, 9)), int(random.integers(1, 5))
    flows: list[dict[str, Any]] = []
    for number in range(count):
        source = int(random.integers(nodes))
        others = [node for node in range(nodes) if node != source]
        receivers = random.permutation(others)[: int(random.integers(1, nodes))].tolist()
        flows.append(
            {
                "name": str(number),
                "source": source,
                "destination": receivers if len(receivers) > 1 else receivers[0],
                "multicast": len(receivers) > 1,
                "size": int(random.choice([16, 64, 64, 200])),
                "period": int(random.integers(count * 150, count * 1500)),
                "jitter": int(random.choice([0, 0, 500])),
                "priority": int(random.integers(0, 2)) if chosen in ("none", "token-ring", "metaring") else 0,
            }
        )
    content = {
        "network": {"nodes": nodes, "hop_delay": int(random.choice([1, 5, 20])), "echoes": False},
        "flow_control": {"protocol": chosen, **random.choice(OPTIONS.get(chosen, [{}]))},
        "queues": {
            "service_time": [int(random.choice([0, 30, 60, 200])) for _ in range(nodes)],
            "receive": "unlimited" if random.random() < 0.7 else int(random.integers(2, 8)),
        },
        "flows": flows,
        "run": {"duration": 1},
    }
    if chosen == "slotted-ring":
        content["network"]["hop_delay"] = 20 + 60 * 8 // nodes
    trial = ExactTrial(seed, chosen, np.empty(0), np.empty(0), content)
    made = limits(content)
    if made is None:
        return trial
    trial.bound = made.bound
    trial.worst = np.zeros(len(made.bound))
    spec = made.scenario.network_spec(1)
    longest = max(one["period"] for one in flows)
    senders = [one for one in spec["flows"] if "period" in one["arrivals"]]
    for spread in (0, 100, longest):
        for one in senders:
            one["arrivals"]["phase"] = float(random.integers(0, spread + 1))
        simulation = Simulation(json.dumps(spec), seed=seed)
        simulation.advance(PERIODS * longest)
        trial.simulations += 1
        latest = simulation.flow_counters()["message_latency_max_cycles"].astype(float)
        trial.worst = np.maximum(trial.worst, latest)
    trial.exceeded = np.flatnonzero(trial.worst > trial.bound + 1e-6).tolist()
    return trial
