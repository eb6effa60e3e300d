"""One trial on a dual-attached ring: its bounds, and simulations of many phases in which, with copies, a cable or a
station fails, or nothing does."""

import json
from typing import Any

import numpy as np

import ringlet as rl
from guarantee.limits import limits
from guarantee.search import Trial
from ringlet._engine import Simulation
from ringlet.theory.response_flows import Assumed

PERIODS = 4
"""Longest periods that a simulation lasts."""


def copied_trial(seed: int, *, failure: bool = True, tries: int = 12) -> Trial:
    """Simulates a random set under `none` from several phases; each failure comes at a time of its own."""
    random = np.random.default_rng([seed, 11, int(failure)])
    nodes, count = int(random.integers(3, 9)), int(random.integers(1, 8))
    messages: list[dict[str, Any]] = []
    for number in range(count):
        source, way = int(random.integers(nodes)), int(random.integers(1, nodes))
        packets = int(random.integers(1, 5))
        messages.append(
            {
                "name": str(number),
                "source": source,
                "destination": (source + way) % nodes,
                "size": 64 * packets,
                "period": int(41 * packets * count / random.uniform(0.1, 0.6)),
                "priority": int(random.integers(0, 3)),
            }
        )
    content = {
        "network": {
            "topology": "dual-attached-ring",
            "nodes": nodes,
            "ways": "both" if failure else str(random.choice(["both", "shorter"])),
            "hop_delay": int(random.integers(1, 5)),
        },
        "flow_control": {"protocol": "none"},
        "queues": {"service_time": int(random.choice([0, 0, 30, 50]))},
        "messages": messages,
        "run": {"duration": 1},
    }
    trial = Trial(seed, "none", content, np.full(count, np.nan), np.zeros(count))
    made = limits(content, Assumed(failure=failure))
    if made is None:
        return trial
    trial.bound = made.bound
    spec = rl.Scenario.from_dict({**content, "errors": {"bit_error_rate": 1e-18}}).network_spec(1)
    period = np.array([one["period"] for one in messages], dtype=float)
    ends = np.array([(one["source"], one["destination"]) for one in messages])
    for _ in range(tries):
        offsets = np.rint(random.uniform(0, 1, count) * random.choice([0.0, 100.0, 1e9]) % period)
        cycles = int(offsets.max() + PERIODS * period.max())
        failed, start = int(random.integers(nodes)), int(random.choice([0.0, random.uniform(0, cycles / 2)]))
        is_station = bool(random.random() < 0.5)
        cut = [failed, (failed + 1) % nodes] if is_station else [failed]
        # The cable before a node has a link of either ring.
        places = [place for one in cut for place in ((0, (one - 1) % nodes), (1, nodes - 1 - one))]
        spec["network"]["errors"]["links"] = [
            {"ring": ring, "place": place, "bit_error_rate": 0.0, "interruptions": [(start, None)]}
            for ring, place in places
            if failure
        ]
        for flow, offset in zip(spec["flows"][-count:], offsets.tolist(), strict=True):
            flow["arrivals"]["phase"] = offset
        simulation = Simulation(json.dumps(spec), seed=1)
        simulation.advance(cycles)
        trial.simulations += 1
        counters = {name: values[-count:] for name, values in simulation.flow_counters().items()}
        oldest = np.ceil(offsets + counters["completed_messages"] * period)
        worst = np.maximum(counters["message_latency_max_cycles"].astype(float), simulation.cycle - 1 - oldest)
        # What is from or to the station that fails does not count.
        worst[(ends == failed).any(axis=1) & is_station & failure] = 0.0
        trial.worst = np.maximum(trial.worst, worst)
        over = np.flatnonzero(worst > trial.bound + 1e-6)
        if len(over) and not trial.exceeded:
            trial.exceeded, trial.scenario = over.tolist(), json.loads(json.dumps(spec))
    return trial
