"""Breakdown utilisation: how much faster a message set may run until it first misses a deadline.

Three factors: for the phases that the set has, in the worst phases that a search has found, and guaranteed for all.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ringlet._engine import Simulation
from ringlet.errors import RingletError
from ringlet.rings.network import IntArray
from ringlet.rings.trace import follow
from ringlet.scenario import PeriodicMessage, Scenario, flow_control
from ringlet.scenario.resolved.horizon import hyperperiod_cycles
from ringlet.scenario.values.transactions import TRANSACTIONS
from ringlet.simulation.bisection import bisect
from ringlet.simulation.lowest_miss import guaranteed_factor, lowest_miss
from ringlet.theory.response_flows import Assumed
from ringlet.theory.utilisation import utilisation

LEAST_PERIODS, MOST_PERIODS = 2, 20
"""Longest periods that a simulation lasts: the hyperperiod, but no less and no more than these."""

LOOKS = 2000
"""Times at most that a simulation is stopped to look for a missed deadline."""

PATIENCE = 4096
"""A set that misses a deadline when each is so many times as long as its message takes alone has no breakdown factor:
it is not its own load that keeps it waiting."""


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The breakdown of a message set under one protocol."""

    protocol: str
    breakdown_factor: float
    """Largest load factor found with which no deadline is missed in the set's own phases: periods, deadlines and
    offsets are divided by it."""
    breakdown_utilisation: float
    """Utilisation of the busiest link by the messages then: packets with idles, and echoes, nothing sent again."""
    breakdown_MBps: float  # noqa: N815 - the unit
    """Data of all messages then, in MB/s."""
    first_miss: str | None
    """Message that misses its deadline first at a factor larger by the tolerance; None: none does at any factor
    tried."""
    simulations: int
    """Simulations that it took."""
    searched_factor: float
    """Largest load factor at which no trial of other phases missed a deadline; at most `breakdown_factor`."""
    searched_miss: str | None
    """Message that misses its deadline at a factor larger by the tolerance; None: none does at any factor tried."""
    trials: int
    """Trials of other phases that it took."""
    guaranteed_factor: float | None
    """Largest load factor found at which the deadlines are guaranteed in all phases; None: no bound is proven."""
    why_none: str | None = None
    """Why there is no factor without a miss, and the factor is 0; None: there is one."""
    why_unproven: str | None = None
    """Why nothing is guaranteed at any factor; None: something is."""
    witness: dict[str, Any] | None = None
    """The scenario, as a file holds it, in which `searched_miss` misses its deadline; None where no other phases do."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A message that has no way from some cycle on."""

    message: str
    failed: str
    """Part whose failure stops the message, in words: `link from node 3`."""
    factor: float
    """Load factor at and below which a simulation lasts until it misses its deadline for that."""


def protocols_able(scenario: Scenario) -> tuple[list[str], dict[str, str]]:
    """Returns the protocols that can run a scenario, and why the others cannot."""
    names, refusals = [], {}
    for name in flow_control.PROTOCOLS.listed:
        try:
            with_protocol(scenario, name).network_spec(scenario.seed)
        except RingletError as error:
            refusals[name] = str(error)
        else:
            names.append(name)
    return names, refusals


def with_protocol(scenario: Scenario, protocol: str) -> Scenario:
    """Returns the scenario under another protocol, with its default options; under its own one as it is.

    A protocol that preempts packets has no places to reserve, so there is no `retry.reservation` with it.
    """
    if scenario.flow_control.protocol == protocol:
        return scenario
    update: dict[str, Any] = {"flow_control": {"protocol": protocol}}
    found = flow_control.PROTOCOLS.listed.get(protocol)
    if found is not None and found.preempts:
        update["retry"] = scenario.retry.changed(reservation=False)
    return scenario.changed(**update)


def simulated_cycles(messages: Sequence[PeriodicMessage]) -> float:
    """Returns how long a set is simulated, in cycles, before it is scaled."""
    longest = max(message.period_cycles for message in messages)
    hyperperiod = hyperperiod_cycles(message.period_cycles for message in messages)
    repeats = min(max(hyperperiod, LEAST_PERIODS * longest), MOST_PERIODS * longest)
    offset = max(message.offset_cycles for message in messages)
    return offset + repeats + max(message.deadline_cycles for message in messages)


def breakdown_of(scenario: Scenario, tolerance: float, trials: int, assumed: Assumed | None = None) -> Breakdown:
    """Returns the breakdown of a message set under the scenario's own protocol.

    Args:
        scenario: with messages.
        tolerance: relative distance of each factor found from one with a miss.
        trials: simulations of other phases.
        assumed: what bounds may assume that the scenario does not state.
    """
    messages = scenario.periodic_messages
    cycles = simulated_cycles(messages)
    needed = utilisation(scenario.resolved, scenario.resolved.flows[-len(messages) :])
    assert needed is not None, "each message has one destination"

    def probe(factor: float) -> str | None:
        return first_miss(scenario.scaled(factor), math.ceil(cycles / factor))

    # Beyond a utilisation of 1 no protocol can keep up, and nothing is done within a cycle.
    first_factor = min(1 / needed.most, *(min(one.deadline_cycles, one.period_cycles) for one in messages))
    at_rest = slowest(scenario, cycles, needed.most)
    cut = without_way(scenario, cycles)
    if cut is not None and cut.factor < at_rest:
        cut = None
    least_factor = at_rest if cut is None else cut.factor
    factor, missed, simulations = bisect(probe, first_factor, tolerance, least_factor=least_factor)
    why_none = None
    if factor == 0.0:
        if cut is not None:
            missed, why_none = cut.message, f"{cut.message} has no way once {cut.failed} has failed"
        else:
            why_none = _why_late(scenario.scaled(at_rest), math.ceil(cycles / at_rest))
    lowered = lowest_miss(scenario, factor, missed, tolerance, trials)
    guaranteed, why_unproven = guaranteed_factor(scenario, lowered.factor, tolerance, assumed)
    bytes_per_cycle = sum(message.size_bytes / message.period_cycles for message in messages)
    return Breakdown(
        protocol=scenario.flow_control.protocol,
        breakdown_factor=factor,
        breakdown_utilisation=factor * needed.busiest_link,
        breakdown_MBps=factor * bytes_per_cycle * 1e3 / scenario.symbol_time_ns,
        first_miss=missed,
        simulations=simulations,
        searched_factor=lowered.factor,
        searched_miss=lowered.missed,
        trials=lowered.trials,
        guaranteed_factor=guaranteed,
        why_none=why_none,
        why_unproven=why_unproven,
        witness=lowered.witness,
    )


def slowest(scenario: Scenario, cycles: float, most: float) -> float:
    """Returns the factor at and below which it is not the load of a set that makes it miss a deadline.

    There every deadline is `PATIENCE` times as long as its message takes alone: of a link, a switch or a server no more
    than that share of its period for which all messages use the one that they use most, and to go over its links and
    back. And each message has a release behind the last failure, repair or change of routes.

    Args:
        scenario: with messages.
        cycles: how long the set is simulated before it is scaled.
        most: the utilisation, at factor 1, of what the set uses most.
    """
    messages = scenario.periodic_messages
    hops = follow(*scenario.routed_network, *_ends(messages)).hops
    ways: list[int] = (2 * hops * int(scenario.hop_cycles.max())).tolist()
    factors: list[float] = [
        one.deadline_cycles / (PATIENCE * (one.period_cycles * most + way))
        for one, way in zip(messages, ways, strict=True)
    ]
    last_change = 0 if scenario.link_errors is None else scenario.link_errors.last_change_cycle
    if last_change:
        factors += [_last_release(one, cycles) / last_change for one in messages]
    return min(factors)


def without_way(scenario: Scenario, cycles: float) -> Cut | None:
    """Returns which message has no way from some cycle on, and at and below which factor a simulation is so long.

    The slower the set, the longer a simulation lasts: from some factor on it has a release of the message behind the
    last failure, repair and change of routes, which never arrives, and the deadline of that.

    Args:
        scenario: with messages.
        cycles: how long the set is simulated before it is scaled.

    Returns:
        Of several messages the one for which the factor is largest; None where there is none.
    """
    errors, messages = scenario.link_errors, scenario.periodic_messages
    if errors is None:
        return None
    source, target = _ends(messages)
    stopped = errors.stopped_ways(source, target)
    if TRANSACTIONS[scenario.resolved.message_keys.message_transaction].data_in == "response":
        back = errors.stopped_ways(target, source)
        stopped = [one or other for one, other in zip(stopped, back, strict=True)]
    last_change = errors.last_change_cycle
    cuts = [
        Cut(one.name, failure.what, _last_release(one, cycles) / last_change if last_change else math.inf)
        for one, failure in zip(messages, stopped, strict=True)
        if failure is not None
    ]
    return max(cuts, key=lambda cut: cut.factor, default=None)


def _ends(messages: Sequence[PeriodicMessage]) -> tuple[IntArray, IntArray]:
    return np.array([one.source for one in messages]), np.array([one.destination for one in messages])


def _last_release(message: PeriodicMessage, cycles: float) -> float:
    """Returns a release whose deadline is simulated at any factor, before it is scaled: the last one but one, as those
    of a scaled set are rounded to cycles."""
    releases = (cycles - message.offset_cycles - message.deadline_cycles) // message.period_cycles
    return message.offset_cycles + (releases - 1) * message.period_cycles


def first_miss(scenario: Scenario, cycles: int) -> str | None:
    """Simulates from cycle 0 and returns the name of the message that misses its deadline first, None if none does.

    Of several that miss it within a two thousandth of the time, or half of the shortest deadline, it is the one with
    the shortest deadline.

    Args:
        scenario: with messages.
        cycles: how long.
    """
    return _until_miss(scenario, cycles)[0]


def _until_miss(scenario: Scenario, cycles: int) -> tuple[str | None, Simulation]:
    """Returns what `first_miss` does, and the simulation as it is then."""
    messages = scenario.periodic_messages
    simulation = _simulation(scenario)
    first = len(scenario.payloads()) - len(messages)
    shortest = min(message.deadline_cycles for message in messages)
    step = max(1, shortest // 2, cycles // LOOKS)
    while simulation.cycle < cycles:
        stall = simulation.advance(min(step, cycles - simulation.cycle))
        counters = simulation.flow_counters()
        late = counters["missed_deadlines"][first:] > 0
        completed = counters["completed_messages"][first:].tolist()
        now = simulation.cycle - 1
        drawn = _missed_of_drawn(simulation, messages, first)
        overdue = [
            missed > 0 if message.is_drawn else message.due(now) > done
            for message, done, missed in zip(messages, completed, drawn, strict=True)
        ]
        missed = np.flatnonzero(late | np.array(overdue)).tolist()
        if missed:
            return messages[min(missed, key=lambda i: messages[i].deadline_cycles)].name, simulation
        if stall is not None:
            # Nothing moves any more: what waits will miss the deadline that comes next.
            pending = zip(messages, completed, strict=True)
            return min(pending, key=lambda one: one[0].release(one[1]) + one[0].deadline_cycles)[0].name, simulation
    return None, simulation


def _why_late(scenario: Scenario, cycles: int) -> str:
    """Returns why the first message that misses its deadline does so, where the load of the set is no cause."""
    missed, simulation = _until_miss(scenario, cycles)
    names = [one.name for one in scenario.periodic_messages]
    dropped = dict(zip(names, simulation.flow_counters()["given_up_packets"][-len(names) :].tolist(), strict=True))
    if scenario.link_errors is None and missed is not None and dropped[missed]:
        return f"packets of {missed} find a receive queue full, and nothing sends them again without echoes"
    return f"{missed} is not served within {PATIENCE} times as long as it takes alone"


def _missed_of_drawn(simulation: Simulation, messages: Sequence[PeriodicMessage], first: int) -> list[int]:
    """Returns how many deadlines have been missed of each message whose releases are drawn, 0 of others."""
    if not any(message.is_drawn for message in messages):
        return [0] * len(messages)
    missed: list[int] = simulation.message_counters()["missed"][first:].tolist()
    return missed


def _simulation(scenario: Scenario) -> Simulation:
    try:
        return Simulation(scenario.engine_spec, seed=scenario.seed)
    except ValueError as error:
        raise RingletError(str(error)) from error
