"""One trial of a family: a random ring with its bounds, and many sets within what these take for granted.

Bounds hold for all phases, and less frequent or more regular releases only take away (docs/explanation/guarantees.md,
Lemma 3). So one computation of bounds serves for sets with offsets, jitters and drifting clocks of their own, and with
losses where the bounds allow some.
"""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from guarantee.limits import limits
from guarantee.lossy import LOSSY, Attack
from guarantee.search import MOST_UTILISATION
from guarantee.sets import PROTOCOLS
from guarantee.varied import BYTES, PACKET_CYCLES, ring_of
from ringlet._engine import Simulation
from ringlet.theory.response_flows import Assumed

MEMBERS = 100
"""Sets of a family, each simulated once."""

LONGEST_PERIODS = 4
"""Longest periods that a simulation lasts, but for offsets and jitters."""

MOST_DRIFT = 2e-3
"""Largest drift of a member's clock, which is slow: the family's periods are the least."""


@dataclass
class FamilyTrial:
    """What one seed has shown; arrays have the shape (messages,)."""

    seed: int
    protocol: str
    bound: np.ndarray
    """Of each message, in cycles; NaN where there is none."""
    worst: np.ndarray
    """Its longest response in any member."""
    scenario: dict[str, Any]
    """The family's, and then the engine's specification of a member that exceeds a bound."""
    sets: int = 0
    """Members that count: with no more losses than the bounds allow."""
    simulations: int = 0
    exceeded: list[int] = field(default_factory=list)
    """Messages whose response was above its bound."""

    @property
    def pessimism(self) -> np.ndarray:
        """Bound over the worst found, of the messages that have both; shape (those,)."""
        both = np.isfinite(self.bound) & (self.worst > 0)
        return self.bound[both] / self.worst[both]


def family_trial(seed: int, *, protocol: str | None = None, members: int = MEMBERS) -> FamilyTrial:
    """Simulates random members of a random family."""
    random = np.random.default_rng([seed, 13])
    chosen = protocol or str(random.choice(PROTOCOLS))
    content, losses = _drawn(random, chosen)
    messages = content["messages"]
    count = len(messages)
    trial = FamilyTrial(seed, chosen, np.full(count, np.nan), np.zeros(count), content)
    made = limits(content, Assumed(losses=losses))
    if made is None:
        return trial
    trial.bound = made.bound
    spec = made.scenario.network_spec(1)
    period, jitter = (np.array([one[key] for one in messages], dtype=float) for key in ("period", "jitter"))
    for member in range(members):
        _change(random, spec, period, jitter)
        arrivals = [flow["arrivals"] for flow in spec["flows"][-count:]]
        own, offset = (np.array([one[key] for one in arrivals]) for key in ("period", "phase"))
        cycles = int(offset.max() + jitter.max() + LONGEST_PERIODS * period.max())
        if losses:
            places = [(0, place) for place in range(content["network"]["nodes"])]
            attack = Attack.drawn(random, period, nodes=len(places), cuts=losses, end=cycles / 2)
            spec["network"]["errors"]["links"] = attack.links(places)
        simulation = Simulation(json.dumps(spec), seed=1 + member)
        simulation.advance(cycles)
        trial.simulations += 1
        if losses:
            errors = simulation.error_counters()
            if errors["lost_sends"].sum() + errors["lost_echoes"].sum() > losses:
                continue
        trial.sets += 1
        counters = {name: values[-count:] for name, values in simulation.flow_counters().items()}
        # Of the first messages, one more than are complete, one is not, and it was due with the last of them or before.
        oldest = np.ceil(offset + counters["completed_messages"] * own)
        worst = np.maximum(counters["message_latency_max_cycles"].astype(float), simulation.cycle - 1 - oldest)
        trial.worst = np.maximum(trial.worst, worst)
        over = np.flatnonzero(worst > trial.bound + 1e-6)
        if len(over) and not trial.exceeded:
            trial.exceeded, trial.scenario = over.tolist(), json.loads(json.dumps(spec))
    return trial


def _drawn(random: np.random.Generator, protocol: str) -> tuple[dict[str, Any], int]:
    """Returns the file of a family, and how many losses its bounds allow."""
    nodes, count = int(random.integers(2, 7)), int(random.integers(1, 6))
    kind = str(random.choice(list(BYTES)))
    network, options, _ = ring_of(random, protocol, nodes, PACKET_CYCLES[kind])
    losses = 0
    if protocol in LOSSY and random.random() < 0.4:
        losses, network["echoes"] = int(random.integers(1, 4)), True
    used = random.uniform(0.05, MOST_UTILISATION[protocol])
    messages: list[dict[str, Any]] = []
    for number in range(count):
        source, way, packets = int(random.integers(nodes)), int(random.integers(1, nodes)), int(random.integers(1, 4))
        period = round(count * packets * PACKET_CYCLES[kind] / used * random.uniform(0.6, 3))
        messages.append(
            {
                "name": str(number),
                "source": source,
                "destination": (source + way) % nodes,
                "size": BYTES[kind] * packets,
                "period": period,
                "jitter": int(period * random.choice([0, 0.1, 0.5, 1, 2.5]) * random.random()),
                "priority": int(random.integers(0, 3)) if protocol != "sci" else 0,
            }
        )
    content = {
        "network": network,
        "flow_control": options,
        "queues": {"service_time": int(random.choice([0, 0, 30, 60]))},
        # A bit that is wrong once in a blue moon, so that there are time-outs.
        **({"errors": {"bit_error_rate": 1e-18}} if losses else {}),
        "message_transaction": kind,
        "messages": messages,
        "run": {"duration": 1},
    }
    return content, losses


def _change(random: np.random.Generator, spec: dict[str, Any], period: np.ndarray, jitter: np.ndarray) -> None:
    """Makes the specification that of another member: with offsets at once, close together or anywhere, jitters up to
    the family's, and clocks that may be slow."""
    count = len(period)
    spread = random.choice([0.0, 100.0, 1e9])
    offset = np.floor(random.uniform(0, 1, count) * np.minimum(spread, period))
    drift = random.uniform(0, MOST_DRIFT, count) * random.integers(0, 2, count)
    late = np.floor(jitter * random.choice([0, 0.5, 1, 1], count))
    for flow, one, due, most in zip(spec["flows"][-count:], period * (1 + drift), offset, late, strict=True):
        flow["arrivals"] |= {"period": float(one), "phase": float(due)}
        if "jitter_cycles" in flow.get("messages", {}):
            flow["messages"]["jitter_cycles"] = int(most)
