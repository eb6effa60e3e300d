"""One trial with known offsets: a random set whose periods are multiples of one, over some hyperperiods, with control
loops or without."""

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

MOST_PERIODS = 3
"""Largest jitter that is drawn for a message, in its periods."""

MOST_CYCLES = 100_000_000
"""Cycles that are simulated at most: hyperperiods are longer only where no bounds for offsets are looked for."""

KINDS = {"dmove16": (16, 17), "dmove64": (64, 41), "dmove256": (256, 137)}
"""Data of a transaction, and what its packet takes of a link."""


def known_trial(
    seed: int,
    *,
    protocol: str | None = None,
    offsets: bool = True,
    loops: bool = False,
    late: bool = False,
) -> ExactTrial:
    """Simulates a random set in its own phases, which are in half of the sets close together.

    Args:
        seed: of the set.
        protocol: one of `KNOWN`; None: drawn.
        offsets: whether the bounds are those for the offsets; else those for all phases.
        loops: whether some of the messages go on from node to node as control loops.
        late: whether some messages, and loops, have jitter, of messages also beyond their periods; then what is found
            need not be the worst.
    """
    random = np.random.default_rng([seed, 3, int(loops), int(late)] if loops or late else [seed, 3])
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
    if loops:
        these = int(random.integers(1, min(2, count) + 1))
        content["loops"] = [_in_a_loop(random, one, nodes, size) for one in messages[:these]]
        messages = messages[these:]
        if messages:
            content["messages"] = messages
        else:
            del content["messages"], content["message_transaction"]
    both = (*content.get("loops", []), *messages)
    for one in both if late else ():
        # Later releases of a message may come before it; the jitter of a loop is at most its period.
        most = one["period"] * (1 if "nodes" in one else MOST_PERIODS)
        one["jitter"] = min(_jitter(random, one["period"]), most)
    trial = ExactTrial(seed, chosen, np.full(count, np.nan), np.zeros(count), content)
    made = limits(content, Assumed(offsets=offsets))
    if made is None:
        return trial
    trial.bound = made.bound
    simulation = Simulation(json.dumps(made.scenario.network_spec(1)), seed=seed)
    period, offset = (np.array([one[key] for one in both]) for key in ("period", "offset"))
    hyperperiods = (5 if late else 1) * HYPERPERIODS
    simulation.advance(min(int(hyperperiods * np.lcm.reduce(period) + offset.max()), MOST_CYCLES))
    trial.simulations = 1
    counters = {name: values[len(values) - len(messages) :] for name, values in simulation.flow_counters().items()}
    chains = simulation.activity_counters("chain") if loops else []
    for place, one in enumerate(made.found):
        chain = next(
            (c for c, of in zip(chains, content.get("loops", []), strict=True) if of["name"] == one.name), None
        )
        if chain is not None:
            since = 0 if chain["oldest"] is None else simulation.cycle - 1 - chain["oldest"]
            trial.worst[place] = max(chain["max_cycles"], since)
            continue
        number = next(number for number, of in enumerate(messages) if of["name"] == one.name)
        due = messages[number]["offset"] + int(counters["completed_messages"][number]) * messages[number]["period"]
        trial.worst[place] = max(float(counters["message_latency_max_cycles"][number]), simulation.cycle - 1 - due)
    trial.exceeded = np.flatnonzero(trial.worst > trial.bound + 1e-6).tolist()
    return trial


def _jitter(random: np.random.Generator, period: int) -> int:
    """Returns a jitter of up to `MOST_PERIODS` periods, and in many cases of one or just above."""
    beyond = int(random.uniform(1, MOST_PERIODS) * period)
    return int(random.choice([0, 7, 100, period // 2, period, period + 1, beyond, beyond]))


def _in_a_loop(random: np.random.Generator, message: dict[str, Any], nodes: int, size: int) -> dict[str, Any]:
    """Returns a loop that begins as a message does, with the same load."""
    way = [message["source"], message["destination"]]
    for _ in range(int(random.integers(1, 4))):
        way.append(int(random.choice([one for one in range(nodes) if one != way[-1]])))
    compute = [int(random.choice([0, 0, 1, 17, 200])) for _ in way]
    period = message["period"] * (len(way) - 1)
    return {
        "name": message["name"],
        "nodes": way,
        "size": [size * int(random.integers(1, 3)) for _ in way[1:]],
        "compute_time": compute if sum(compute) < period else 0,
        "period": period,
        "offset": message["offset"],
        "priority": message["priority"],
        "transaction": f"dmove{size}",
    }
