"""One trial with jitter: a random ring, its bounds, and simulations whose releases come late, even after later ones."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import ringlet as rl
from guarantee.search import scenario_of
from guarantee.sets import PROTOCOLS, MessageSet
from ringlet.theory.guarantee import guarantees
from ringlet.theory.response_flows import Assumed

MOST_PERIODS = 3.0
"""Largest jitter that is drawn, in median periods of the set."""

MOST_INSTANCES = 4_000
"""Releases of one simulation, over all messages."""


@dataclass
class JitteredTrial:
    """What one seed has shown."""

    seed: int
    protocol: str
    jitter: np.ndarray
    """Most cycles by which each message is released after it is due."""
    bound: np.ndarray
    """Of each message in cycles, from when it is due; NaN where there is none."""
    worst: np.ndarray
    """The longest response that was found."""
    simulations: int = 0
    exceeded: list[int] = field(default_factory=list)
    """Messages whose response was above its bound."""

    @property
    def scenario(self) -> str:
        """Call that makes this trial again."""
        return f"jittered_trial({self.seed}, protocol={self.protocol!r}), jitters {self.jitter.tolist()}"

    @property
    def pessimism(self) -> np.ndarray:
        """Bound over the worst found, of the messages that have both; shape (those,)."""
        both = np.isfinite(self.bound) & (self.worst > 0)
        return self.bound[both] / self.worst[both]


def responses(scenario: dict[str, Any], made: MessageSet, due: list[np.ndarray], late: list[np.ndarray]) -> np.ndarray:
    """Returns the longest response of each message, from when it is due until it is served, in cycles; shape
    (messages,).

    Args:
        scenario: the ring, without messages.
        made: the messages.
        due: cycles in which each message is due.
        late: cycles by which each of these releases comes later; of one cycle those that are due later start first.
    """
    simulation = rl.Simulation(scenario)
    released = [
        (int(when + after), -int(when), message)
        for message, (dues, delays) in enumerate(zip(due, late, strict=True))
        for when, after in zip(dues.tolist(), delays.tolist(), strict=True)
    ]
    of_packet = []
    for release, minus_due, message in sorted(released):
        for _ in range(int(made.packets[message])):
            simulation.inject(
                int(made.source[message]),
                int(made.destination[message]),
                transaction="dmove64",
                priority=int(made.priority[message]),
                time=release,
            )
            of_packet.append((message, -minus_due))
    simulation.advance(max(release for release, _, _ in released) + 200_000)
    ended = simulation.deliveries()
    worst = np.zeros(len(made.period))
    for packet, cycle in zip(ended["packet"].tolist(), ended["ended_cycle"].tolist(), strict=True):
        message, when = of_packet[packet]
        worst[message] = max(worst[message], cycle - when)
    return worst


def jittered_trial(seed: int, *, simulations: int = 6, protocol: str | None = None) -> JitteredTrial:
    """Simulates a random set whose releases come up to a jitter late, and compares the responses with their bounds.

    All messages have one jitter, which is assumed, or each has its own. The releases of a simulation are late at
    random, or all that may be wait for one instant: then the message that was due first comes last, behind those that
    it should have gone before.
    """
    random = np.random.default_rng([seed, 5])
    chosen = protocol or str(random.choice(PROTOCOLS))
    made, sections = scenario_of(random, chosen, small=True)
    sections.pop("traffic", None)
    count = len(made.period)
    median = np.median(made.period)
    content = made.scenario(np.zeros(count), cycles=1, **sections)
    if seed % 2:
        jitter = (random.uniform(0, MOST_PERIODS, count) * (random.random(count) < 0.7) * median).astype(np.int64)
        for message, own in zip(content["messages"], jitter.tolist(), strict=True):
            message["jitter"] = own
        assumed = Assumed()
    else:
        jitter = np.full(count, int(random.uniform(0, MOST_PERIODS) * median))
        assumed = Assumed(jitter=int(jitter[0]))
    scenario = rl.Scenario.from_dict(content)
    try:
        found = guarantees(scenario, assumed)
        limit = np.array([np.nan if one.bound_cycles is None else one.bound_cycles for one in found])
    except rl.RingletError:
        limit = np.full(count, np.nan)
    trial = JitteredTrial(seed, chosen, jitter, limit, np.zeros(count))
    if not np.isfinite(limit).any():
        return trial
    ring = {"network": {"nodes": made.nodes, **sections["network"]}, "traffic": {"arrivals": "none"}}
    ring |= {name: section for name, section in sections.items() if name != "network"}
    ring.setdefault("queues", {})
    priorities = int(made.priority.max()) + 1
    if priorities > 1:
        ring["queues"] = {**ring["queues"], "priorities": priorities}
    longest = int(jitter.max())
    length = min(4 * longest + 4 * float(made.period.max()), MOST_INSTANCES * float(made.period.min()) / count)
    for number in range(simulations):
        offsets = random.uniform(0, 1, count) * made.period
        due = [np.ceil(np.arange(offset, length, period)) for offset, period in zip(offsets, made.period, strict=True)]
        if number % 2:
            late = [np.floor(random.uniform(0, own + 1, len(dues))) for own, dues in zip(jitter, due, strict=True)]
        else:
            instant = random.uniform(longest, max(length, longest + 1))
            near = random.choice([0, 0, 41, 300])
            late = [
                np.clip(np.floor(instant + random.uniform(-near, near + 1) - dues), 0, own)
                * ((instant - dues <= own) | (random.random() < 0.5))
                for own, dues in zip(jitter, due, strict=True)
            ]
        trial.simulations += 1
        if not any(len(dues) for dues in due):
            continue
        trial.worst = np.maximum(trial.worst, responses(ring, made, due, late))
    trial.exceeded = np.flatnonzero(trial.worst > trial.bound + 1e-6).tolist()
    return trial
