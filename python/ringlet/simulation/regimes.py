"""Two regimes of one ring: a run that starts empty beside one that starts overfull.

A ring that refuses packets may carry its load for as long as its queues are short, and less than that once they are
long, since what is sent again takes the place of what is new. A single run shows the regime that it has come into, with
a narrow interval. The second run here starts with packets waiting at every source.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ringlet._engine import Simulation
from ringlet.errors import RingletError
from ringlet.scenario import Scenario, ScenarioLike
from ringlet.scenario.network import MAX_NODES
from ringlet.scenario.resolved.horizon import MOST_NODE_CYCLES, Horizon
from ringlet.simulation.data_frames import Batches
from ringlet.simulation.document import Document
from ringlet.simulation.notices import kind_of
from ringlet.simulation.result import Result
from ringlet.simulation.simulate import measure, run

WAITING = 64
"""Packets that wait at cycle 0 for each flow whose load does not fill its link."""

DRAINED = 8
"""Packets for each such flow below which those of the start count as served."""

PIECES = 30
"""Looks at the queues in the time that a run takes."""

PATIENCE = 4
"""Factor by which the time grows in which the packets of the start may be served."""

CLEAR = 2.0
"""Half widths of a difference, at 95 %, by which two figures differ beyond chance: four standard errors."""

LEAST_THROUGHPUT_GAP, LEAST_LATENCY_GAP = 0.02, 0.2
"""Relative differences of throughput and mean latency below which two starts count as one regime: the latency of a busy
ring takes long to forget its start."""

STARTS = ("poisson", "bernoulli", "periodic", "sporadic", "on-off")
"""Kinds of arrivals that a ring may be ahead of or behind."""

NEVER_AGAIN = 2.0**50
"""Period of what is there once, at cycle 0."""

Verdict = Literal["two", "one", "undecided"]

Doubt = Literal["start", "growth", "chance"]
"""Reasons why nothing is decided: packets of the overfull start were still being served; queues grow after one start
only; the starts differ by as much as two regimes may, but chance may, too."""


@dataclass(frozen=True, slots=True)
class Regimes:
    """The results of both starts, and whether they come to the same.

    >>> import ringlet as rl
    >>> ring = {"network": {"nodes": 4}, "traffic": {"arrivals": "poisson", "load": "60 MB/s"}}
    >>> found = rl.regimes({**ring, "run": {"duration": "200 us"}})
    >>> found.to_dict()["waiting_packets"], found.overfull.document["seed"]
    (64, 1)
    """

    empty: Result
    overfull: Result
    draining: bool
    """True if the packets that waited at the start were still being served when the second run ended."""

    @property
    def verdict(self) -> Verdict:
        """`two` where throughput, or a steady latency, differs beyond chance, by 2 % or 20 % at least; `one` where they
        differ by less; else `undecided`, and `doubt` says why."""
        return "undecided" if self.doubt is not None else "two" if self._differ else "one"

    @property
    def doubt(self) -> Doubt | None:
        """Why nothing is decided; None where it is."""
        one, other = self.empty.document, self.overfull.document
        grow = _grows(one), _grows(other)
        if _differ(_throughput(one), _throughput(other), LEAST_THROUGHPUT_GAP):
            return "start" if self.draining and not grow[1] else None
        if self.draining:
            return "start"
        if grow[0] != grow[1]:
            return "growth"
        if self._differ:
            return None
        # What the ring carries of what came: more may have come after one start by chance.
        apart = _gap(_carried(one), _carried(other)) > LEAST_THROUGHPUT_GAP
        apart |= not any(grow) and _gap(_latency(one)[0], _latency(other)[0]) > LEAST_LATENCY_GAP
        return "chance" if apart else None

    @property
    def _differ(self) -> bool:
        """True if throughput, or a latency that is steady after both starts, differs beyond chance."""
        one, other = self.empty.document, self.overfull.document
        steady = not _grows(one) and not _grows(other)
        throughput = _differ(_throughput(one), _throughput(other), LEAST_THROUGHPUT_GAP)
        return throughput or (steady and _differ(_latency(one), _latency(other), LEAST_LATENCY_GAP))

    def to_dict(self) -> dict[str, Any]:
        """Returns both starts and the verdict, as the entry `regimes` of a run's JSON."""
        return {
            "verdict": self.verdict,
            "undecided_as": self.doubt,
            "waiting_packets": WAITING,
            "empty": _record(self.empty.document),
            "overfull": _record(self.overfull.document),
        }


def regimes(
    scenario: ScenarioLike, *, seed: int | None = None, threads: int = 1, empty: Result | None = None
) -> Regimes:
    """Simulates a scenario from an empty start and from an overfull one, and says whether both come to the same.

    The second run starts with 64 packets waiting at each source, or as many as its queue holds. Its measurement begins
    when they have been served and the warm-up of the first run has passed, or, where they are not served, after half of
    the first run; it lasts as long as that of the first. So it takes about as long as the first run, and twice as long
    where queues stay full; where they are served slowly up to 16 times as long, but no more than some 200,000,000
    cycles times nodes.

    >>> import ringlet as rl
    >>> ring = {"network": {"nodes": 4}, "traffic": {"arrivals": "poisson", "load": "60 MB/s"}}
    >>> rl.regimes({**ring, "run": {"duration": "200 us"}}).verdict
    'one'

    Args:
        scenario: what to simulate, with random traffic that does not fill its links.
        seed: of every random stream; default: the scenario's.
        threads: threads on which the rings of a network advance.
        empty: the run of this scenario and seed, where it is there already.

    Raises:
        RingletError: what `run` refuses; a scenario without a steady state, or whose sources are saturated.
    """
    scenario = Scenario.of(scenario)
    check_regimes(scenario)
    if empty is None:
        empty = run(scenario, seed=seed, threads=threads)
    overfull, draining = _Overfull(scenario, empty, min(threads, MAX_NODES)).run()
    return Regimes(empty, overfull, draining)


def check_regimes(scenario: Scenario, key: str = "regimes") -> None:
    """Raises RingletError for a scenario that has no steady state, or no source that could be behind its load."""
    if not has_regimes(scenario):
        allowed = "random traffic whose load does not fill its links: anything else has no start that is overfull"
        raise RingletError.not_allowed(key, "<two starts>", allowed)


def has_regimes(scenario: Scenario) -> bool:
    """Returns whether a scenario has a steady state that an overfull start could miss."""
    steady = scenario.replay is None and scenario.resolved.has_steady_state and not scenario.resolved.file.errors.fail
    return steady and bool(_open_flows(scenario))


def is_suspect(scenario: Scenario, document: Mapping[str, Any]) -> bool:
    """Returns whether a run has seen what makes a second regime: packets were refused.

    How many is no sign: todd2001's hot spot under PPQ carries its load for a millisecond with 0.06 % of its packets
    sent again, and from an overfull start a tenth less than that.
    """
    refused = document["total"]["refused_packets"] > 0 and document["stall"] is None
    return refused and has_regimes(scenario)


def _open_flows(scenario: Scenario) -> list[int]:
    """Numbers of the flows that offer a load."""
    flows = enumerate(scenario.resolved.flows)
    return [place for place, flow in flows if 0 < flow.rate < math.inf and flow.arrivals.get("kind") in STARTS]


class _Overfull:
    """The second run."""

    def __init__(self, scenario: Scenario, empty: Result, threads: int) -> None:
        """Adds the packets that wait to the engine's form of the scenario."""
        self._scenario, self._document, self._threads = scenario, empty.document, threads
        self._open = _open_flows(scenario)
        spec = json.loads(scenario.engine_spec)
        # The last flows, so that the streams of random numbers of the others stay the same.
        waiting = range(len(spec["flows"]), len(spec["flows"]) + len(self._open))
        spec["flows"] += [_waiting(spec["flows"][place]) for place in self._open]
        self._open += waiting
        payloads = scenario.payloads()
        self._payloads = [*payloads, *(payloads[place] for place in self._open[: len(waiting)])]
        self._spec = json.dumps(spec)
        self._few = DRAINED * len(waiting)

    def run(self) -> tuple[Result, bool]:
        """Returns the result, and whether the packets of the start were still being served when it ended."""
        cycles, warm_up = self._document["cycles"], self._document["warmup_cycles"]
        longest = max(cycles, MOST_NODE_CYCLES // len(self._document["nodes"]))
        patience = max(cycles // 2, 1)
        while True:
            served_after = self._served_after(patience)
            simulation = self._built()
            before = (patience if served_after is None else served_after) + warm_up
            found = measure(self._scenario, simulation, warm_up=before, horizon=Horizon("duration", cycles))
            fallen = found["settled_packets"] - found["generated_packets"]
            draining = served_after is None and fallen > self._few / 2 and found["stall"] is None
            if not draining or patience >= longest:
                document = Document(self._scenario, self._document["seed"], simulation, found)
                return Result(document, Batches.of(found)), draining
            patience = min(PATIENCE * patience, longest)

    def _served_after(self, most: int) -> int | None:
        """Returns a cycle by which so few packets wait that those of the start are served; None if that takes longer
        than `most`."""
        simulation = self._built()
        while simulation.cycle < most:
            before = simulation.cycle
            stall = simulation.advance(min(most // PIECES + 1, most - before))
            if stall is not None or simulation.cycle == before:
                return None
            counters = simulation.flow_counters()
            requests = counters["delivered_packets"] - counters["delivered_responses"]
            settled = requests + counters["lost_packets"] + counters["given_up_packets"]
            if int((counters["generated_packets"] - settled)[self._open].sum()) <= self._few:
                return simulation.cycle
        return None

    def _built(self) -> Simulation:
        seed = self._document["seed"]
        return Simulation(self._spec, self._threads, seed=seed, payloads=self._payloads)


def _waiting(flow: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a flow of as many packets as wait at the start, to where those of another one go."""
    once = {"kind": "periodic", "period": NEVER_AGAIN, "phase": 0.0}
    kept = {key: value for key, value in flow.items() if key != "messages"}
    return {**kept, "arrivals": once, "burst": WAITING, "deadline_cycles": None}


def _grows(document: Mapping[str, Any]) -> bool:
    return document["saw"]["ended_by"] == "growing queues" or any(
        kind_of(line) == "overloaded" for line in document["warnings"]
    )


def _throughput(document: Mapping[str, Any]) -> tuple[float | None, float | None]:
    return document["total"]["throughput_MBps"], document["total"]["throughput_ci95_MBps"]


def _latency(document: Mapping[str, Any]) -> tuple[float | None, float | None]:
    latency = document["total"]["latency_ns"]
    return latency["mean"], latency["ci95"]


def _carried(document: Mapping[str, Any]) -> float | None:
    total = document["total"]
    return total["throughput_MBps"] / total["offered_MBps"] if total["offered_MBps"] else None


def _gap(one: float | None, other: float | None) -> float:
    """Returns by which part of the smaller of two figures they differ; 0 where one is missing."""
    if one is None or other is None:
        return 0.0
    return abs(one - other) / min(one, other) if min(one, other) > 0 else math.inf if one != other else 0.0


def _differ(one: tuple[float | None, float | None], other: tuple[float | None, float | None], least: float) -> bool:
    """Returns whether two means, each with half its interval, differ by a share at least and beyond chance."""
    (first, half), (second, other_half) = one, other
    if first is None or second is None or half is None or other_half is None:
        return False
    return _gap(first, second) > least and abs(first - second) > CLEAR * math.hypot(half, other_half)


def _record(document: Mapping[str, Any]) -> dict[str, Any]:
    latency = document["total"]["latency_ns"]
    return {
        "throughput_MBps": document["total"]["throughput_MBps"],
        "throughput_ci95_MBps": document["total"]["throughput_ci95_MBps"],
        "latency_mean_ns": latency["mean"],
        "latency_ci95_ns": latency["ci95"],
        "queues_grow": _grows(document),
        "stalled": document["stall"] is not None,
        "warmup_cycles": document["warmup_cycles"],
        "cycles": document["cycles"],
    }
