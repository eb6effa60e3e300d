"""The phases of messages, loops and flows, and the search for those in which their responses are longest.

A response depends on when the others are released, and releases all at once are not the worst for every set. So phases
are drawn anew (random restarts) and those that are worst for a message so far are changed a little (hill climbing). In
each trial all first releases lie in a window that is about as long as their packets take together, so that they meet;
it is simulated from cycle 0 until shortly behind that window.

What builds up over many periods no window shows. So there are sweeps: clocks drift apart by a part of a packet in each
period, so that releases come through their relative phases one after the other, as those of real clocks do in hours.
The phases in which the response was longest are then tried without drift, from some periods before on.
"""

import json
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringlet._engine import Simulation
from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.scenario.activities.flows.plan import FlowPlan
from ringlet.scenario.activities.loops.activity import LoopKeys
from ringlet.scenario.activities.loops.plan import LoopPlan

if TYPE_CHECKING:
    from ringlet.scenario.activities.flows.resolved import ResolvedFlow
    from ringlet.scenario.resolved.scenario import Resolved

FloatArray = NDArray[np.float64]

NEVER = 2**64 - 1
"""Cycle that the engine gives where there is none."""

LEAST_TRIALS, MOST_TRIALS = 1, 1_000_000

WINDOWS = (0.5, 1.0, 2.0, 4.0)
"""Windows in which the first releases lie, as multiples of the time that the packets of one release of each take."""

RESTARTS = 4
"""One trial in so many draws all phases anew."""

CHANGES = 3
"""Phases at most that are changed at once."""

WAYS = 4
"""Revolutions of the longest ring for which a trial goes on behind its window."""

SWEEP_EVERY = 8
"""Trials from one sweep to the next."""

SWEEP_EVERY_OF_NETWORKS = 32
"""Trials from one sweep to the next on a network of rings, where a sweep takes much longer than on one ring: with one
in 8 trials they took most of the time, and less was found (docs/explanation/performance.md)."""

SWEEP_WINDOWS, SWEEP_WINDOWS_OF_NETWORKS = 128, 32
"""Trials of one window as long as which a sweep lasts, on one ring and on a network of rings."""

DRIFT = 0.1
"""Part of a packet, in the mean, by which clocks drift apart in a period, at most; and part of a period."""
MOST_DRIFT = 0.02

PIECE_PERIODS, MOST_PIECES = 2, 1024
"""Shortest periods of a piece of a sweep, behind each of which it is seen whose response was longer than before; and
pieces at most."""

BEFORE = (1, 4, 16)
"""Pieces before the end of the one with the longest response from which on its phases are tried."""

NEAR = 4.0
"""Lengths of a packet, in the mean, by which a phase is shifted a little."""


@dataclass(frozen=True, slots=True)
class Released:
    """A message, a loop, or a flow with a period and a deadline, released again and again; times in cycles."""

    part: str
    """`messages`, `loops` or `flows`: its table, and where its results stand."""
    name: str
    period: float
    offset: float
    deadline: int
    sent: float
    """Cycles that all packets of one release take of a link or a server, with the cycles that a loop's nodes work."""


@dataclass(frozen=True, slots=True)
class Phases:
    """The times at which everything is released, and how long that is simulated."""

    offsets: tuple[float, ...]
    """Cycle of the first release of each."""
    cycles: int
    """Cycles that are simulated, from cycle 0 on."""

    def scaled(self, factor: float) -> "Phases":
        """Returns the same phases of a set that is so much slower."""
        return Phases(tuple(one * factor for one in self.offsets), math.ceil(self.cycles * factor))


def released_by(scenario: Scenario) -> tuple[Released, ...]:
    """Returns the messages, the loops and the flows with a period and a deadline of a scenario, in this order."""
    resolved = scenario.resolved
    service = int(resolved.service_cycles.max())

    def packet(number: int) -> int:
        return max(resolved.flows[number].sizes[0][0] + 1, service)

    messages, first = scenario.periodic_messages, len(resolved.flows) - len(scenario.periodic_messages)
    found = [
        Released(
            "messages",
            one.name,
            one.period_cycles,
            one.offset_cycles,
            one.deadline_cycles,
            # A copy takes no more of a link than its packet.
            one.packets * packet(number) if one.copies is None else 0.0,
        )
        for number, one in enumerate(messages, first)
    ]
    for loop in resolved.plans_of(LoopPlan):
        of_loop = sum(loop.packets) * packet(resolved.first_flow(loop)) + sum(loop.compute_cycles)
        found.append(
            Released("loops", loop.name, loop.period_cycles, loop.offset_cycles, loop.deadline_cycles, of_loop)
        )
    for number, flow, sent in _flows(resolved):
        period, offset = sent.arrivals["period"], sent.arrivals["phase"]
        # A copy takes no more of a link than its packet.
        of_flow = flow.sizes.mean_packets * packet(number) if flow is sent else 0.0
        found.append(Released("flows", flow.name, period, offset, flow.deadline_cycles or 0, of_flow))
    return tuple(found)


def _flows(resolved: "Resolved") -> "Iterator[tuple[int, ResolvedFlow, ResolvedFlow]]":
    """Yields the flows that have phases and deadlines, each with its place among the engine's, and the flow that sends
    what it counts: itself, but for the receivers of a packet that has several."""
    for plan in resolved.plans_of(FlowPlan):
        for number, flow in enumerate(plan.every, resolved.first_flow(plan)):
            sent = flow if flow.copies is None else plan.every[flow.copies]
            if "phase" in sent.arrivals and flow.deadline_cycles is not None:
                yield number, flow, sent


class PhaseTrials:
    """A scenario that is simulated in other phases than its own."""

    def __init__(self, scenario: Scenario, *, judged: Collection[str] = ("messages", "loops")) -> None:
        """Prepares a scenario with messages or loops.

        Args:
            scenario: with messages or loops.
            judged: tables whose deadlines count; the phases of all are tried.
        """
        self.scenario = scenario
        self.released = released_by(scenario)
        self._spec: dict[str, Any] = json.loads(scenario.engine_spec)
        self._messages = scenario.periodic_messages
        self._is_drawn = any(message.is_drawn for message in self._messages)
        messages = len(self._messages)
        self._first = len(self._spec["flows"]) - messages
        chains = [plan for plan in self._spec.get("workload", ()) if plan["kind"] == "chain"]
        # A receiver has no times of its own: what is tried of them is not read.
        self._arrivals = [
            flow["arrivals"] if one.copies is None else {"period": one.period_cycles}
            for flow, one in zip(self._spec["flows"][self._first :], self._messages, strict=True)
        ]
        self._arrivals += [chain["release"] for chain in chains]
        flows = list(_flows(scenario.resolved))
        self._flows = [number for number, *_ in flows]
        # Where each row of the table of flows stands among all that is released.
        self._sent = {sent.place: len(self._arrivals) + i for i, (_, flow, sent) in enumerate(flows) if flow is sent}
        self.sender = np.arange(len(self.released))
        """Place of what sends each, itself but for the receivers of a packet that has several; shape (released,)."""
        self.sender[len(self._arrivals) :] = [self._sent[sent.place] for *_, sent in flows]
        copied = [i if one.copies is None else one.copies for i, one in enumerate(self._messages)]
        self.sender[:messages] = copied
        self._arrivals += [
            self._spec["flows"][number]["arrivals"] if flow is sent else dict(sent.arrivals)
            for number, flow, sent in flows
        ]
        self.periods = np.array([one.period for one in self.released])
        self.deadlines = np.array([one.deadline if one.part in judged else math.inf for one in self.released])

    def swept(self, phases: Phases, drifts: FloatArray, piece: int) -> Iterator[FloatArray]:
        """Simulates from cycle 0 with other periods, and yields the longest response of each behind each piece, in
        cycles.

        Args:
            phases: with the cycles that the whole sweep takes.
            drifts: cycles by which the period of each is longer; shape (released,).
            piece: cycles from one look to the next.

        Raises:
            RingletError: the engine cannot simulate the scenario.
        """
        for arrivals, drift in zip(self._arrivals, drifts.tolist(), strict=True):
            arrivals["period"] += drift
        try:
            simulation = self._simulation(phases)
        finally:
            for arrivals, one in zip(self._arrivals, self.released, strict=True):
                arrivals["period"] = one.period
        while simulation.cycle < phases.cycles and simulation.advance(piece) is None:
            yield np.array(self._longest(simulation))

    def responses(self, phases: Phases) -> FloatArray:
        """Simulates from cycle 0 and returns the worst response of each, in cycles; one that is overdue at the end
        counts with its time so far, 0: there was none.

        Raises:
            RingletError: the engine cannot simulate the scenario.
        """
        simulation = self._simulation(phases)
        simulation.advance(phases.cycles)
        last = simulation.cycle - 1
        worst = self._longest(simulation)
        counters, chains = simulation.flow_counters(), simulation.activity_counters(LoopPlan.kind)
        messages = len(self._messages)
        behind = messages + len(chains)
        completed = counters["completed_messages"][self._first :].tolist()
        drawn = simulation.message_counters()["oldest"].tolist() if self._is_drawn or self._flows else []
        for i, one in enumerate(self.released):
            oldest: float | None
            if i < messages and self._is_drawn and self._messages[i].is_drawn:
                oldest = drawn[self._first + i]
            elif i < messages:
                oldest = math.ceil(phases.offsets[i] + completed[i] * one.period)
            elif i < behind:
                oldest = chains[i - messages]["oldest"]
            else:
                oldest = drawn[self._flows[i - behind]]
            if oldest is not None and oldest != NEVER and oldest + one.deadline <= last:
                worst[i] = max(worst[i], last - oldest)
        return np.array(worst)

    def _simulation(self, phases: Phases) -> Simulation:
        for arrivals, offset in zip(self._arrivals, phases.offsets, strict=True):
            arrivals["phase"] = offset
        try:
            return Simulation(json.dumps(self._spec), seed=self.scenario.seed)
        except ValueError as error:
            raise RingletError(str(error)) from error

    def _longest(self, simulation: Simulation) -> list[float]:
        """Returns the longest response of each that is complete, in cycles; 0: none is."""
        messages = simulation.flow_counters()["message_latency_max_cycles"]
        worst = [float(cycles) for cycles in messages[self._first :]]
        worst += [float(chain["max_cycles"]) for chain in simulation.activity_counters(LoopPlan.kind)]
        return [*worst, *(float(messages[number]) for number in self._flows)]

    def as_scenario(self, phases: Phases) -> Scenario:
        """Returns the scenario in which everything is released in these phases, so long as they are simulated."""
        places = [flow.place or f"flows[{i}]." for i, flow in enumerate(self.scenario.resolved.flow_table)]
        count = len(self._messages)
        sent = [phases.offsets[i] for i, one in enumerate(self._messages) if one.copies is None]
        messages = [
            {**message.table(), "offset": offset}
            for message, offset in zip(self.scenario.resolved.message_table, sent, strict=True)
        ]
        offsets = iter(phases.offsets[count:])
        loops = [{**loop.table(), "offset": next(offsets)} for loop in LoopKeys.in_file(self.scenario).loops or ()]
        flows = [
            {**flow.table(), **({"offset": phases.offsets[self._sent[place]]} if place in self._sent else {})}
            for flow, place in zip(self.scenario.resolved.flow_table, places, strict=True)
        ]
        run = self.scenario.run.changed(duration=phases.cycles, warmup=0, precision=None)
        tables = {"messages": messages or None, "messages_file": None, "loops": loops or None}
        tables |= {"flows": flows or None, "flows_file": None}
        return self.scenario.changed(run=run, **tables)


class PhaseSearch:
    """A search that goes on, trial by trial: random restarts, and changes of the phases that are worst so far."""

    def __init__(self, trials: PhaseTrials, random: np.random.Generator) -> None:
        """Begins without a trial."""
        self.trials, self._random = trials, random
        count = len(trials.released)
        self.worst = np.zeros(count)
        """Longest response of each that was found, in cycles."""
        self.found: list[Phases | None] = [None] * count
        """Phases in which it was."""
        self._together = max(sum(one.sent for one in trials.released), 1.0)
        self._packet = self._together / max(1, count)
        resolved = trials.scenario.resolved
        around = np.add.reduceat(resolved.hop_cycles, resolved.routed_network[0].ring_start[:-1])
        self._way = WAYS * int(around.max())
        self._sweep_every, self._sweep_windows = (
            (SWEEP_EVERY_OF_NETWORKS, SWEEP_WINDOWS_OF_NETWORKS)
            if trials.scenario.network.switched
            else (SWEEP_EVERY, SWEEP_WINDOWS)
        )
        self._drawn = 0
        self._ahead: list[Phases] = []
        """Phases of the last sweep that are to be tried."""

    @property
    def shares(self) -> FloatArray:
        """Longest response of each as a share of its deadline."""
        shares: FloatArray = self.worst / self.trials.deadlines
        return shares

    def note(self, phases: Phases, responses: FloatArray) -> None:
        """Keeps the phases for everything whose response is longer in them than in all before."""
        for i in np.flatnonzero(responses > self.worst).tolist():
            self.worst[i], self.found[i] = responses[i], phases

    def step(self) -> tuple[Phases, FloatArray]:
        """Tries all at once, and then phases that follow from all before; returns them, and the responses."""
        phases = self._next()
        phases = replace(phases, offsets=tuple(np.array(phases.offsets)[self.trials.sender].tolist()))
        responses = self.trials.responses(phases)
        self.note(phases, responses)
        self._drawn += 1
        return phases, responses

    def moved(self, trials: PhaseTrials, factor: float) -> None:
        """Goes on with a set that is so much slower: what was found is the same there, nearly."""
        self.trials = trials
        self.found = [None if phases is None else phases.scaled(factor) for phases in self.found]

    def _next(self) -> Phases:
        if not self._drawn:
            return Phases((0.0,) * len(self.trials.released), self._cycles(self._window(1.0)))
        if self._drawn % self._sweep_every == 0:
            self._ahead = self._sweep()
        if self._ahead:
            return self._ahead.pop()
        known = [i for i, phases in enumerate(self.found) if phases is not None]
        if not known or self._drawn % RESTARTS == 0:
            window = self._window(float(self._random.choice(WINDOWS)))
            most = np.minimum(self.trials.periods, window)
            return Phases(tuple(self._random.uniform(0.0, most).tolist()), self._cycles(window))
        # What is closest to its deadline most often, then what comes next.
        order = sorted(known, key=lambda i: -self.shares[i])
        target = order[min(int(self._random.geometric(0.4)) - 1, len(order) - 1)]
        phases = self.found[target]
        assert phases is not None, "it is known"
        return replace(phases, offsets=tuple(self._changed(phases, target).tolist()))

    def _sweep(self) -> list[Phases]:
        """Lets clocks drift apart from drawn phases on, and returns those in which a response was longest."""
        trials, random = self.trials, self._random
        periods, shortest = trials.periods, float(trials.periods.min())
        offsets = random.uniform(0.0, periods)
        drifts = random.uniform(-1.0, 1.0, len(periods)) * np.minimum(DRIFT * self._packet, MOST_DRIFT * periods)
        cycles = self._sweep_windows * self._cycles(self._window(1.0))
        piece = max(math.ceil(PIECE_PERIODS * shortest), cycles // MOST_PIECES)
        longest, share, end = np.zeros(len(periods)), 0.0, 0
        for number, worst in enumerate(trials.swept(Phases(tuple(offsets.tolist()), cycles), drifts, piece), 1):
            longer = np.where(worst > longest, worst / trials.deadlines, 0.0)
            longest = worst
            if longer.max() > share:
                share, end = float(longer.max()), number * piece
        if end == 0:
            return []
        # The last releases before that end; those before them come without drift.
        last = offsets + np.floor((end - offsets) / (periods + drifts)) * (periods + drifts)
        found = []
        for pieces in BEFORE:
            begin = max(0, end - pieces * piece)
            found.append(Phases(tuple(((last - begin) % periods).tolist()), end - begin + self._way))
        return found

    def _changed(self, phases: Phases, target: int) -> FloatArray:
        """Returns the offsets with some of them drawn anew, shifted a little, or near a release of the target."""
        random, periods = self._random, self.trials.periods
        offsets = np.array(phases.offsets)
        count = min(int(random.integers(1, CHANGES + 1)), len(offsets))
        for i in random.choice(len(offsets), size=count, replace=False).tolist():
            most = min(float(periods[i]), phases.cycles / 2)
            match int(random.integers(3)):
                case 0:
                    offsets[i] = random.uniform(0.0, most)
                case 1:
                    offsets[i] += random.normal(0.0, NEAR * self._packet)
                case _:
                    at = offsets[target] + periods[target] * random.integers(3)
                    offsets[i] = at + random.normal(0.0, NEAR * self._packet)
            offsets[i] %= most
        return offsets

    def _window(self, multiple: float) -> float:
        return max(multiple * self._together, float(self.trials.periods.min()))

    def _cycles(self, window: float) -> int:
        """Returns the cycles of a trial: the window, and as much again in which what was released in it is served."""
        return math.ceil(2 * window) + self._way


@dataclass(frozen=True, slots=True)
class Searched:
    """The longest responses that a search has found."""

    released: tuple[Released, ...]
    worst_cycles: tuple[float, ...]
    trials: int
    missed: int
    """Trials in which a deadline was missed."""
    witness: Scenario | None
    """The scenario in the phases in which the response that comes closest to its deadline was found; None: as given."""
    closest: int
    """The message or loop whose response that is."""


def check_trials(trials: int, key: str = "trials") -> None:
    """Raises RingletError for a search without a budget."""
    if not LEAST_TRIALS <= trials <= MOST_TRIALS:
        allowed = f"{LEAST_TRIALS} to {MOST_TRIALS:,}: a search needs a budget"
        raise RingletError.not_allowed(key, trials, allowed)


def random_of(scenario: Scenario) -> np.random.Generator:
    """Returns the random stream of a search: that of the scenario's seed alone."""
    return np.random.default_rng([scenario.seed, 0x70686173])


def search_phases(scenario: Scenario, trials: int, known: Sequence[float | None] = ()) -> Searched:
    """Searches for the phases in which the responses of messages, loops and flows are longest.

    The same scenario, seed and number of trials find the same, on any machine.

    Args:
        scenario: with messages, loops, or flows with periods and deadlines.
        trials: simulations.
        known: worst response of each in its own phases, in cycles, from which the search goes on.

    Raises:
        RingletError: nothing that has phases, no trial, or what the engine cannot simulate.
    """
    check_trials(trials)
    at = PhaseTrials(scenario)
    if not at.released:
        raise RingletError(
            "messages: missing; a search of phases needs messages, loops, or flows with periods and deadlines"
        )
    search = PhaseSearch(at, random_of(scenario))
    if known:
        search.worst = np.array([one or 0.0 for one in known])
    missed = sum(bool(np.any(search.step()[1] > at.deadlines)) for _ in range(trials))
    closest = int(search.shares.argmax())
    phases = search.found[closest]
    return Searched(
        at.released,
        tuple(search.worst.tolist()),
        trials,
        missed,
        None if phases is None else at.as_scenario(phases),
        closest,
    )
