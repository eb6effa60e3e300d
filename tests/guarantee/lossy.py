"""One trial with losses: a random ring, its bounds with so many, and simulations that damage chosen packets."""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import ringlet as rl
from guarantee.search import network_of, scenario_of
from ringlet._engine import Simulation
from ringlet.theory.guarantee import guarantees
from ringlet.theory.response_flows import Assumed

LOSSY = ("none", "sci")
"""Protocols that have bounds with losses."""

MOST_LOSSES = 4

MOST_CYCLES = 200_000

LONGEST_PERIODS = 3
"""Longest periods that a simulation lasts."""


@dataclass
class LossyTrial:
    """What one seed has shown; arrays have the shape (messages,)."""

    seed: int
    protocol: str
    losses: int
    """Packets and echoes that the bounds allow to be lost."""
    bound: np.ndarray
    """Of each message, in cycles; NaN where there is none."""
    worst: np.ndarray
    """The longest response that was found with no more losses than that."""
    scenario: dict[str, Any] = field(default_factory=dict)
    """Engine's specification of the first simulation in which a response was above its bound."""
    simulations: int = 0
    lost: int = 0
    """Packets and echoes that were lost in those that count."""
    exceeded: list[int] = field(default_factory=list)
    """Messages whose response was above its bound."""

    @property
    def pessimism(self) -> np.ndarray:
        """Bound over the worst found, of the messages that have both; shape (those,)."""
        both = np.isfinite(self.bound) & (self.worst > 0)
        return self.bound[both] / self.worst[both]


@dataclass
class Attack:
    """Phases of messages, and cuts of links that are so short that each damages about one packet."""

    offsets: np.ndarray
    """Cycle of the first release of each message; shape (messages,)."""
    place: np.ndarray
    """Place before the link of each cut, counted over all rings; shape (cuts,)."""
    start: np.ndarray
    """Cycle from which on nothing comes through; shape (cuts,)."""
    length: np.ndarray
    """Cycles of each cut; shape (cuts,)."""

    @classmethod
    def drawn(cls, random: np.random.Generator, spread: np.ndarray, *, nodes: int, cuts: int, end: float) -> "Attack":
        """Returns random ones, the first of which is early."""
        start = np.sort(random.uniform(0, 1, cuts) ** 3 * end)
        length = random.choice([1, 20, 41], cuts)
        return cls(np.rint(random.uniform(0, 1, len(spread)) * spread), random.integers(0, nodes, cuts), start, length)

    @classmethod
    def of_one(
        cls, random: np.random.Generator, spread: np.ndarray, *, message: int, source: int, cuts: int, timeout: int
    ) -> "Attack":
        """Returns one that damages a packet of a message where it is sent, and each time when it is sent again."""
        offsets = np.rint(random.uniform(0, 1, len(spread)) * spread)
        start = offsets[message] + np.arange(cuts) * (timeout + random.integers(0, 6)) + random.integers(0, 45)
        return cls(offsets, np.full(cuts, source), start, np.full(cuts, random.choice([20, 41])))

    def moved(self, random: np.random.Generator, nodes: int) -> "Attack":
        """Returns one beside it."""
        offsets, place, start = self.offsets.copy(), self.place.copy(), self.start.copy()
        if random.random() < 0.5:
            chosen = random.integers(len(offsets))
            offsets[chosen] = abs(np.rint(offsets[chosen] + random.normal(0, random.choice([3.0, 41.0, 300.0]))))
        chosen = random.integers(len(start))
        # What is sent again moves with what was lost before.
        these = start >= start[chosen] if random.random() < 0.5 else np.arange(len(start)) == chosen
        start[these] = np.abs(start[these] + random.normal(0, random.choice([3.0, 41.0, 300.0, 3000.0])))
        if random.random() < 0.3:
            place[chosen] = random.integers(nodes)
        return Attack(offsets, place, start, self.length)

    def links(self, places: list[tuple[int, int]]) -> list[dict[str, Any]]:
        """Returns the cuts for the engine, of places with their rings and their numbers there."""
        cuts: dict[int, list[tuple[int, int]]] = {}
        for place, start, length in zip(self.place.tolist(), self.start.tolist(), self.length.tolist(), strict=True):
            cuts.setdefault(place, []).append((int(start), int(start) + int(length)))
        return [
            {
                "ring": places[place][0],
                "place": places[place][1],
                "bit_error_rate": 0.0,
                "interruptions": _apart(these),
            }
            for place, these in cuts.items()
        ]


def _apart(cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Returns cuts of a link in their order, without those that begin before the one before has ended."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(cuts):
        if not found or start > found[-1][1]:
            found.append((start, end))
    return found


def lossy_trial(
    seed: int, *, simulations: int = 4, climbs: int = 12, protocol: str | None = None, network: bool = False
) -> LossyTrial:
    """Simulates a random set with losses at random, and then moves phases and losses uphill."""
    random = np.random.default_rng([seed, 7])
    chosen = protocol or str(random.choice(LOSSY))
    made, sections = network_of(random, chosen) if network else scenario_of(random, chosen, small=True)
    sections.pop("traffic", None)
    sections["network"]["echoes"] = True
    losses, count = int(random.integers(1, MOST_LOSSES + 1)), len(made.period)
    # A bit that is wrong once in a blue moon, so that there are time-outs.
    sections["errors"] = {"bit_error_rate": 1e-18}
    scenario = rl.Scenario.from_dict(made.scenario(np.zeros(count), cycles=1, **sections))
    try:
        found = guarantees(scenario, Assumed(losses=losses))
        limit = np.array([np.nan if one.bound_cycles is None else one.bound_cycles for one in found])
    except rl.RingletError:
        limit = np.full(count, np.nan)
    trial = LossyTrial(seed, chosen, losses, limit, np.zeros(count))
    if not np.isfinite(limit).any():
        return trial
    spec, timeout = scenario.network_spec(1), scenario.resolved.loss_timeout_cycles
    rings = [one["interfaces"] for one in spec["network"]["rings"]] if network else [list(range(made.nodes))]
    places = [(ring, place) for ring, interfaces in enumerate(rings) for place in range(len(interfaces))]
    end = float(min(LONGEST_PERIODS * made.period.max(), MOST_CYCLES) / 2)
    best: list[Attack | None] = [None] * count
    for number in range(simulations + climbs):
        before = best[number % count]
        if number < simulations or before is None:
            spread = (np.zeros(count), np.full(count, 100.0), made.period)[number % 3]
            if number % 2:
                near = min(end, float(random.choice([100, 3000, 1e9])))
                attack = Attack.drawn(random, spread, nodes=len(places), cuts=losses, end=near)
            else:
                one = int(random.integers(count))
                at = next((at for at, (r, p) in enumerate(places) if rings[r][p] == int(made.source[one])), 0)
                # On a network often where it is sent again behind a switch.
                source = int(random.integers(len(places))) if network and random.random() < 0.5 else at
                attack = Attack.of_one(random, spread, message=one, source=source, cuts=losses, timeout=timeout)
        else:
            attack = before.moved(random, len(places))
        worst, lost = _worst(spec, attack, made.period, places)
        trial.simulations += 1
        if lost > losses:
            continue
        trial.lost += lost
        for i in np.flatnonzero(worst > trial.worst):
            trial.worst[i], best[i] = worst[i], attack
        over = np.flatnonzero(worst > limit + 1e-6)
        if len(over) and not trial.exceeded:
            trial.exceeded, trial.scenario = over.tolist(), json.loads(json.dumps(spec))
    return trial


def _worst(
    spec: dict[str, Any], attack: Attack, period: np.ndarray, places: list[tuple[int, int]]
) -> tuple[np.ndarray, int]:
    """Returns the longest response of each message in one simulation, in cycles, of one under way its time so far, and
    how many packets and echoes were lost."""
    count = len(period)
    last = max(float(attack.offsets.max()), float(attack.start.max()))
    cycles = int(min(last + LONGEST_PERIODS * period.max(), MOST_CYCLES)) + 1
    for flow, offset in zip(spec["flows"][-count:], attack.offsets.tolist(), strict=True):
        flow["arrivals"]["phase"] = offset
    spec["network"]["errors"]["links"] = attack.links(places)
    simulation = Simulation(json.dumps(spec), seed=1)
    simulation.advance(cycles)
    errors = simulation.error_counters()
    lost = int(errors["lost_sends"].sum() + errors["lost_echoes"].sum())
    counters = {name: values[-count:] for name, values in simulation.flow_counters().items()}
    # Messages need not be complete in their order: one that is under way may be any of the last.
    worst = counters["message_latency_max_cycles"].astype(float)
    released = np.floor((simulation.cycle - 1 - attack.offsets) / period) + 1
    none_done = (counters["completed_messages"] == 0) & (released > 0)
    return np.where(none_done, simulation.cycle - 1 - attack.offsets, worst), lost
