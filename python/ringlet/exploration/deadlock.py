"""Proves that a network cannot deadlock, or searches for packets that make it; and for a livelock of PPQ.

The proof is the absence of a circle of buffers that can wait for each other (docs/how-to/topologies.md). Where there is
one the search simulates bursts of packets of more and more flows, then of random ones at random times, and takes away
what a deadlock does not need.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet._engine import Recorder, Simulation
from ringlet.exploration.checked import Checked, Property
from ringlet.exploration.flows import explored_flows, name
from ringlet.scenario.activities.flow import Flow
from ringlet.scenario.resolved.engine_spec import engine_flow
from ringlet.scenario.scenario import Scenario
from ringlet.scenario.values.units import MAX_CYCLES
from ringlet.simulation.notices import describe_stall
from ringlet.theory.warnings import relevant_check
from ringlet.trace import Recording
from ringlet.trace.record import drawing, layout_of
from ringlet.trace.recording import Source

if TYPE_CHECKING:
    from ringlet._engine import Stall

MAX_FLOWS = 4096
"""Ways from a node to another whose packets are tried together."""

BURSTS = (1, 2, 4, 8, 16, 32)
"""Packets of each flow that are tried from cycle 0 on."""

RANDOM_TRIALS = 200

LATEST_CYCLES = 2000
"""Cycle up to which the bursts of a random trial begin."""

STALL_CYCLES = 50_000
"""Cycles without a delivery after which nothing is taken to be delivered any more."""

MOST_CYCLES = 10**8
"""Length of a simulation in which something is always delivered."""

RECORDED_CYCLES = 3000
"""Cycles of the counterexample behind its last delivery: buffers still fill then."""

MAX_RECORDED = 2_000_000
"""Most interfaces times cycles of the counterexample."""

NAMED = 4
"""Buffers of a circle that a sentence names."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Bursts of packets: which flows, how many packets of each, and when."""

    flows: tuple[int, ...]
    packets: int
    start_cycles: tuple[int, ...]


def check_network(scenario: Scenario, *, seconds: float | None, progress: Callable[[int, int], None]) -> Checked:
    """Returns whether a network can deadlock with the traffic of a scenario, whenever its packets come.

    Args:
        scenario: a network of rings.
        seconds: most time of the search; None: as long as it takes.
        progress: called with the simulations made and the most.

    Raises:
        RingletError: too many ways from node to node.
    """
    found = relevant_check(scenario.resolved)
    search = Search(scenario)
    proved = Property("does not deadlock", True, None, "its buffers can never wait for each other in a circle")
    if found.free and not _may_livelock(scenario):
        return search.checked([proved], complete=True)
    schedule = search.look(seconds, progress)
    if schedule is None:
        some = ", ".join(found.cycle[:NAMED]) + (", ..." if len(found.cycle) > NAMED else "")
        waits = f"{len(found.cycle)} buffers can wait for each other in a circle ({some})"
        unknown = Property("does not deadlock", True, None, f"{waits}; no packets were found that do")
        if found.free:
            says = "no packets were found that are refused and sent again for ever"
            return search.checked([proved, Property("does not livelock", True, None, says)], complete=False)
        return search.checked([unknown], complete=False)
    schedule = search.smaller(schedule)
    stall = search.stall(schedule)
    assert stall is not None, "what was made smaller stalls"
    described, last = describe_stall(stall, scenario.routed_network[0]), stall["since_cycle"]
    blocked = [
        f"{one['packets']} at {one['port']} for a slot of {one['waits_for']}" for one in described.get("blocked", [])
    ]
    which = ", ".join(blocked[:NAMED]) + (f", and {len(blocked) - NAMED} more" if len(blocked) > NAMED else "")
    kind = "packets are refused and sent again for ever" if found.free or not blocked else f"{which} wait for ever"
    says = f"nothing is delivered after cycle {last}: {kind}"
    broken = Property("does not livelock" if found.free else "does not deadlock", False, None, says)
    return search.checked([*([proved] if found.free else []), broken], complete=True, broken=(schedule, stall))


def _may_livelock(scenario: Scenario) -> bool:
    """Returns whether packets of one priority may be refused for ever because others are, whatever buffers there are.

    A ring on which refused packets of high priority hold back those of low priority that would make room for them.
    """
    several = len({flow.priority for flow in scenario.resolved.flows}) > 1
    return several and any(protocol.preempts for _, protocol in scenario.resolved.ring_protocols.named())


class Search:
    """Simulates bursts of packets of a network's flows."""

    def __init__(self, scenario: Scenario) -> None:
        """Takes the flows of the scenario without their times.

        Raises:
            RingletError: there are too many ways from node to node.
        """
        self._scenario = scenario
        resolved = scenario.resolved
        self._flows: Sequence[Flow] = explored_flows(resolved.flows, resolved.nodes, MAX_FLOWS)
        self._spec = scenario.network_spec(scenario.seed)
        self._spec["measurement"]["stall_cycles"] = max(STALL_CYCLES, min(resolved.stall_cycles, 10 * STALL_CYCLES))
        self.simulations = 0

    def look(self, seconds: float | None, progress: Callable[[int, int], None]) -> Schedule | None:
        """Returns bursts after which nothing is delivered any more; None: there were none among those tried."""
        start = time.monotonic()
        every = tuple(range(len(self._flows)))
        random = np.random.default_rng(self._scenario.seed)
        trials = len(BURSTS) + RANDOM_TRIALS
        for number in range(trials):
            if number < len(BURSTS):
                schedule = Schedule(every, BURSTS[number], (0,) * len(every))
            else:
                chosen = np.flatnonzero(random.random(len(every)) < random.uniform(0.2, 1.0)).tolist()
                starts = random.integers(0, random.integers(1, LATEST_CYCLES), len(chosen)).tolist()
                schedule = Schedule(tuple(chosen), int(random.choice(BURSTS)), tuple(starts))
            if schedule.flows and self.stall(schedule) is not None:
                return schedule
            progress(number + 1, trials)
            if seconds is not None and time.monotonic() - start > seconds:
                return None
        return None

    def smaller(self, schedule: Schedule) -> Schedule:
        """Returns a schedule that still stalls, of which no flow can be left out, and no packet of all."""
        piece = len(schedule.flows)
        while piece >= 1:
            first = 0
            while first < len(schedule.flows) and len(schedule.flows) > 1:
                kept = [i for i in range(len(schedule.flows)) if not first <= i < first + piece]
                less = Schedule(
                    tuple(schedule.flows[i] for i in kept),
                    schedule.packets,
                    tuple(schedule.start_cycles[i] for i in kept),
                )
                if kept and self.stall(less) is not None:
                    schedule = less
                else:
                    first += piece
            piece //= 2
        while schedule.packets > 1:
            less = Schedule(schedule.flows, schedule.packets - 1, schedule.start_cycles)
            if self.stall(less) is None:
                break
            schedule = less
        return schedule

    def stall(self, schedule: Schedule) -> "Stall | None":
        """Returns the engine's report of a stall with these packets and no others."""
        self.simulations += 1
        simulation = Simulation(json.dumps(self._with(schedule), allow_nan=False))
        return simulation.advance(MOST_CYCLES)

    def checked(
        self, found: Sequence[Property], *, complete: bool, broken: "tuple[Schedule, Stall] | None" = None
    ) -> Checked:
        """Returns what was found, with the recording of a counterexample."""
        arrivals: list[tuple[int, str]] = []
        recording = None
        if broken is not None:
            schedule = broken[0]
            for flow, start in zip(schedule.flows, schedule.start_cycles, strict=True):
                arrivals += [(start, self._name(self._flows[flow]))] * schedule.packets
            recording = self._recorded(*broken)
        return Checked(
            states=0,
            complete=complete,
            flows=tuple(map(self._name, self._flows)),
            properties=tuple(found),
            counterexample=recording,
            arrivals=tuple(sorted(arrivals)),
            losses=(),
            repeats_from=None,
            round_cycles=None,
            simulations=self.simulations,
        )

    def _with(self, schedule: Schedule) -> dict[str, Any]:
        flows = []
        for flow, start in zip(schedule.flows, schedule.start_cycles, strict=True):
            once = {"kind": "periodic", "period": float(MAX_CYCLES), "phase": float(start)}
            flows.append(engine_flow(self._flows[flow]) | {"arrivals": once, "burst": schedule.packets})
        return self._spec | {"flows": flows}

    def _name(self, flow: Flow) -> str:
        return name(flow, self._scenario.node_name)

    def _recorded(self, schedule: Schedule, stall: "Stall") -> Recording:
        scenario, spec = self._scenario, self._with(schedule)
        layout = layout_of(scenario, spec)
        stop = stall["since_cycle"] + RECORDED_CYCLES
        start = max(0, stop - MAX_RECORDED // layout.interfaces)
        tables, _ = Recorder(json.dumps(spec, allow_nan=False), start, stop).record()
        return Recording(
            scenario=scenario.to_dict(),
            seed=scenario.seed,
            start=start,
            stop=stop,
            layout=layout,
            flows=tuple(Source(self._name(self._flows[flow])) for flow in schedule.flows),
            symbol_time_ns=float(scenario.symbol_time_ns),
            reading=scenario.resolved.ring_protocols.reading(),
            tables=tables,
            stall=stall,
            drawn=drawing(scenario, layout),
        )
