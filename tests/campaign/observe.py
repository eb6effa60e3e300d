"""A valid scenario as the checks see it: its specification, and what simulations of it count."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ringlet as rl
from campaign.case import RuleError
from ringlet import RingletError, Scenario
from ringlet._engine import Simulation
from ringlet.rings.trace import follow
from ringlet.scenario.activities.registry import PLANS as KINDS_OF_PLANS
from ringlet.simulation.replay import Feed

Counters = dict[str, NDArray[Any]]

MOST_PACKETS = 100_000
"""Packets that a trial of several simulations may release, about: those of loops that are released much too often all
wait, with some 900 bytes for each of all legs."""

MOST_NODES = 64
"""Nodes up to which all ways are looked at."""

TABLES = ("node_counters", "flow_counters", "port_counters", "link_counters", "error_counters")
"""What a simulation counts."""

PLANS = tuple(kind.kind for kind in KINDS_OF_PLANS if kind.kind)
"""Activities of which it counts something, as the engine names them."""

QUANTILES = [0.0, 0.1, 0.5, 0.9, 0.99, 1.0]
"""Quantiles at which the latencies of single flows are compared."""


@dataclass
class Counted:
    """What a simulation has counted when it ended."""

    cycle: int
    """Cycles that it went: fewer than wanted after a stall."""
    stall: dict[str, Any] | None
    tables: dict[str, Counters]
    """The tables, as the engine names them."""
    histogram: tuple[NDArray[np.uint64], NDArray[np.uint64]]
    """Latencies of all flows: upper edges in cycles, packets."""
    plans: dict[str, str]
    """Counts of activities, as text."""
    quantiles: NDArray[np.float64]
    """Quantiles of the latencies of each flow's packets, and behind them of its messages, in cycles."""
    replayed: dict[str, Any]

    @classmethod
    def of(cls, simulation: Simulation, flows: int, stall: Mapping[str, Any] | None) -> "Counted":
        """Returns what a simulation of so many flows has counted."""
        each = [[flow] for flow in range(flows)]
        quantiles = (simulation.latency_quantiles, simulation.message_latency_quantiles)
        return cls(
            cycle=simulation.cycle,
            stall=None if stall is None else dict(stall),
            tables={name: getattr(simulation, name)() for name in TABLES},
            histogram=simulation.latency_histogram(list(range(flows))),
            plans={name: as_text(simulation.activity_counters(name)) for name in PLANS},
            quantiles=np.concatenate([of(each, QUANTILES) for of in quantiles]),
            replayed=dict(simulation.replayed()),
        )

    @property
    def flows(self) -> Counters:
        """Counts per flow."""
        return self.tables["flow_counters"]

    @property
    def nodes(self) -> Counters:
        """Counts per node."""
        return self.tables["node_counters"]

    @property
    def ports(self) -> Counters:
        """Counts per link controller of a port."""
        return self.tables["port_counters"]

    def difference(self, other: "Counted") -> str | None:
        """Returns where another simulation counted something else; None if nowhere."""
        if (self.cycle, self.stall) != (other.cycle, other.stall):
            return f"ended at cycle {self.cycle} with {self.stall}, or at {other.cycle} with {other.stall}"
        if self.replayed != other.replayed:
            return f"replayed {self.replayed} or {other.replayed}"
        for name, table in self.tables.items():
            for column, values in table.items():
                unlike = np.flatnonzero(values != other.tables[name][column])
                if unlike.size:
                    at = int(unlike[0])
                    return f"{name}.{column}[{at}]: {values[at]} or {other.tables[name][column][at]}"
        for one, another in zip(self.histogram, other.histogram, strict=True):
            if not np.array_equal(one, another):
                return "latency histogram"
        for name, plan in self.plans.items():
            if plan != other.plans[name]:
                return f"{name}: {plan} or {other.plans[name]}"
        if not np.array_equal(self.quantiles, other.quantiles, equal_nan=True):
            return "quantiles of the latencies of a flow"
        return None


@dataclass
class Observed:
    """A valid scenario, what is to be drawn for its checks, and its simulations, made when a check asks for them."""

    scenario: Scenario
    folder: Path
    """Where its files are; checks may write there."""
    rng: Random
    notes: list[str] = field(default_factory=list)

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The engine's specification."""
        return self.scenario.network_spec(self.scenario.seed)

    @cached_property
    def cycles(self) -> int:
        """Cycles to simulate: the duration, or for a trace without one until well after its last packet."""
        if self.scenario.measured_cycles is not None:
            return self.scenario.measured_cycles
        return 20_000 if self.scenario.replay is None else self.scenario.replay.last_cycle + 20_000

    @cached_property
    def counted(self) -> Counted:
        """What one simulation counts, from cycle 0, in one piece, on one thread."""
        return self.simulate([self.cycles])

    @cached_property
    def document(self) -> dict[str, Any]:
        """The document of a run."""
        return rl.run(self.scenario).to_dict()

    @cached_property
    def least_hops(self) -> NDArray[np.int64] | None:
        """Links on the shortest way of each flow's packets and responses; None where there are too many ways."""
        network, routes = self.scenario.routed_network
        if network.nodes > MOST_NODES or not self.spec["flows"]:
            return None
        pairs = [_pairs(flow, network.nodes) for flow in self.spec["flows"]]
        both = np.array([pair for flow in pairs for pair in flow], dtype=np.int64).reshape(-1, 2)
        try:
            hops = follow(network, routes, both[:, 0], both[:, 1]).hops
        except RingletError as error:
            raise RuleError(f"a packet has no way: {error}") from error
        ends = np.cumsum([len(flow) for flow in pairs])
        return np.array([part.min() if part.size else 1 for part in np.split(hops, ends[:-1])], dtype=np.int64)

    @property
    def is_network(self) -> bool:
        """Whether the engine simulates it as a network of rings."""
        return self.spec.get("network") is not None

    def simulate(self, pieces: Sequence[int], threads: int = 1) -> Counted:
        """Simulates so many cycles in pieces, up to a stall."""
        try:
            simulation = Simulation(json.dumps(self.spec, allow_nan=False), threads)
        except ValueError as error:
            raise RuleError(f"the engine refuses a scenario that is valid: {error}") from error
        replay = self.scenario.replay
        feed = None if replay is None else Feed(replay)
        stall = None
        for piece in pieces:
            end = simulation.cycle + piece
            while stall is None and simulation.cycle < end:
                if feed is not None and simulation.known_until <= simulation.cycle:
                    simulation.hand_in(*feed.piece())
                else:
                    stall = simulation.advance(end - simulation.cycle)
        return Counted.of(simulation, len(self.spec["flows"]), stall)


def _pairs(flow: dict[str, Any], nodes: int) -> list[tuple[int, int]]:
    """Returns sources and destinations of a flow's packets and responses."""
    source, where = flow["source"], flow["destinations"]
    match where["kind"]:
        case "fixed":
            targets = [where["node"]]
        case "weighted":
            targets = [node for node, weight in enumerate(where["weights"]) if weight > 0]
        case "range":
            targets = [
                *range(where["first"], where["first"] + where["count"]),
                *([where["local"]] if where["local"] is not None else []),
            ]
        case _:
            targets = list(range(nodes))
    requests = [(source, target) for target in targets if target != source]
    answered = flow["response_symbols"] is not None
    return [*requests, *((target, source) for _, target in requests if answered)]


def as_text(found: object) -> str:
    """Returns records and arrays as text, so that they can be compared."""
    return json.dumps(found, default=lambda value: value.tolist(), sort_keys=True)


def require(holds: bool | np.bool_, message: str) -> None:
    """Raises RuleError unless something holds."""
    if not holds:
        raise RuleError(message)


def require_all(holds: NDArray[np.bool_], what: str, *columns: NDArray[Any]) -> None:
    """Raises RuleError for the first place at which something does not hold, with what stands there."""
    if not holds.all():
        at = int(np.flatnonzero(~holds)[0])
        raise RuleError(f"{what}: at place {at} {', '.join(str(column[at]) for column in columns)}")


def is_large(scenario: Scenario, cycles: float) -> bool:
    """Returns whether a trial of so many cycles would release too many packets."""
    return released(scenario, cycles) + _scattered(scenario.engine_spec) > MOST_PACKETS


def released(scenario: Scenario, cycles: float) -> float:
    """Returns how many packets all flows with a rate release in so many cycles."""
    return cycles * sum(flow.rate for flow in scenario.resolved.flows if math.isfinite(flow.rate))


def _scattered(spec: str) -> int:
    """Returns how many packets scatter-gather has in all rounds, which are handed in at once."""
    count = 0
    for plan in json.loads(spec).get("workload", ()):
        if plan["kind"] == "scatter-gather":
            count += plan["rounds"] * (len(plan["flows"]) - 1) * (plan["piece_packets"] + plan["answer_packets"])
    return count
