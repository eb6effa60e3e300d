"""One trial with control loops: a random ring or network, bounds of its loops, and simulations of many phases."""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import ringlet as rl
from guarantee.search import network_of, scenario_of
from guarantee.sets import PROTOCOLS, MessageSet
from ringlet._engine import Simulation
from ringlet.theory.guarantee import guarantees

MOST_CYCLES = 300_000

LONGEST_PERIODS = 5
"""Longest periods that a simulation lasts."""


@dataclass
class LoopedTrial:
    """What one seed has shown; arrays have the shape (messages and loops,)."""

    seed: int
    protocol: str
    bound: np.ndarray
    """Of each message, and then of each loop, in cycles; NaN where there is none."""
    worst: np.ndarray
    """The longest response that was found."""
    scenario: dict[str, Any] = field(default_factory=dict)
    """File of the first simulation in which a response was above its bound."""
    simulations: int = 0
    exceeded: list[int] = field(default_factory=list)
    """Messages and loops whose response was above its bound."""

    @property
    def pessimism(self) -> np.ndarray:
        """Bound over the worst found, of those that have both; shape (those,)."""
        both = np.isfinite(self.bound) & (self.worst > 0)
        return self.bound[both] / self.worst[both]


def in_loops(
    random: np.random.Generator, made: MessageSet, sections: dict[str, Any], ends: np.ndarray | None
) -> dict[str, Any]:
    """Returns a set whose first half of messages go on from node to node as loops, each with the same load."""
    content = made.scenario(np.zeros(len(made.period)), cycles=1, **sections)
    ends = np.arange(made.nodes) if ends is None else ends
    loops = []
    for place in range(-(-len(made.period) // 2)):
        message = content["messages"][place]
        nodes = [message["source"], message["destination"]]
        for _ in range(int(random.integers(0, 3))):
            nodes.append(int(random.choice(ends[ends != nodes[-1]])))
        stages = len(nodes) - 1
        compute = [int(random.choice([0, 0, 1, 17, 200])) for _ in nodes]
        period = max(message["period"] * stages, 3 * sum(compute))
        loops.append(
            {
                "name": f"loop {place}",
                "nodes": nodes,
                "size": [message["size"]] * stages,
                "compute_time": compute,
                "period": period,
                "jitter": int(random.choice([0, 0, 30, 500]) % period),
                "priority": message["priority"],
            }
        )
    content["messages"] = content["messages"][len(loops) :]
    if not content["messages"]:
        del content["messages"]
    return {**content, "loops": loops}


def looped_trial(
    seed: int,
    *,
    simulations: int = 3,
    climbs: int = 4,
    protocol: str | None = None,
    network: bool = False,
    mixed: bool = False,
) -> LoopedTrial:
    """Simulates a random set with loops with several phases, then moves phases uphill for the worst response; mixed: on
    networks of two link rates, and of several protocols."""
    random = np.random.default_rng([seed, 6])
    chosen = protocol or str(random.choice(PROTOCOLS))
    ends = None
    if network:
        made, sections = network_of(random, chosen, mixed=mixed)
        sections["switch"] |= {"receive": 64, "transmit": 64}
        alone = rl.Scenario.from_dict({"network": sections["network"], "traffic": {"arrivals": "none"}}).resolved
        rings = alone.routed_network[0]
        ends = np.intersect1d(rings.senders, rings.receivers)
    else:
        made, sections = scenario_of(random, chosen, small=True)
        sections.pop("traffic", None)
    if ends is not None and len(ends) < 2:
        return LoopedTrial(seed, chosen, np.full(1, np.nan), np.zeros(1))
    content = in_loops(random, made, sections, ends)
    scenario = rl.Scenario.from_dict(content)
    try:
        found = guarantees(scenario)
    except rl.RingletError:
        return LoopedTrial(seed, chosen, np.full(len(made.period), np.nan), np.zeros(len(made.period)))
    limit = np.array([np.nan if one.bound_cycles is None else one.bound_cycles for one in found])
    trial = LoopedTrial(seed, chosen, limit, np.zeros(len(limit)))
    if not np.isfinite(limit).any():
        return trial
    spec = scenario.network_spec(1)
    period = np.array([one["period"] for one in (*content.get("messages", []), *content["loops"])])
    best = [np.zeros(len(period)) for _ in period]
    for number in range(simulations + climbs):
        if number < simulations:
            spread = (np.zeros(len(period)), np.full(len(period), 100.0), period)[number % 3]
            offsets = np.rint(random.uniform(0, 1, len(period)) * spread)
        else:
            offsets = best[number % len(period)].copy()
            moved = random.random(len(period)) < 2 / len(period)
            moved[random.integers(len(period))] = True
            step = random.choice([3.0, 41.0, 300.0, 3000.0])
            offsets[moved] = np.rint(np.abs(offsets[moved] + random.normal(0, step, int(moved.sum()))))
        worst = _worst(spec, offsets, period, seed=number)
        trial.simulations += 1
        for i in np.flatnonzero(worst > trial.worst):
            trial.worst[i], best[i] = worst[i], offsets
        over = np.flatnonzero(worst > limit + 1e-6)
        if len(over) and not trial.exceeded:
            trial.exceeded = over.tolist()
            for one, offset in zip((*content.get("messages", []), *content["loops"]), offsets.tolist(), strict=True):
                one["offset"] = offset
            trial.scenario = json.loads(json.dumps(content))
    return trial


def _worst(spec: dict[str, Any], offsets: np.ndarray, period: np.ndarray, *, seed: int) -> np.ndarray:
    """Returns the longest response of each message and loop in one simulation, in cycles; of one under way its time so
    far; shape (messages and loops,)."""
    loops = spec["workload"]
    count = len(period) - len(loops)
    cycles = int(min(offsets.max() + LONGEST_PERIODS * period.max(), MOST_CYCLES)) + 1
    for flow, offset in zip(spec["flows"][len(spec["flows"]) - count :], offsets[:count].tolist(), strict=True):
        flow["arrivals"]["phase"] = offset
    for loop, offset in zip(loops, offsets[count:].tolist(), strict=True):
        loop["release"]["phase"] = offset
    simulation = Simulation(json.dumps(spec), seed=seed)
    simulation.advance(cycles)
    worst = np.zeros(len(period))
    if count:
        counters = {name: values[-count:] for name, values in simulation.flow_counters().items()}
        oldest = np.ceil(offsets[:count] + counters["completed_messages"] * period[:count])
        so_far = simulation.cycle - 1 - oldest
        worst[:count] = np.maximum(counters["message_latency_max_cycles"].astype(float), so_far)
    for place, one in enumerate(simulation.activity_counters("chain"), count):
        since = 0 if one["oldest"] is None else simulation.cycle - 1 - one["oldest"]
        worst[place] = max(one["max_cycles"], since)
    return worst
