"""A message set verified in one case: under one protocol, on one network, by every means there is.

Of each response there is a bound, the worst in these phases, and the longest that a search of other phases finds; of
the whole set the load factors at which a deadline is missed, and up to which all are guaranteed.
"""

import math
from collections.abc import Mapping
from typing import Any

from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.scenario.resolved.horizon import MOST_PACKETS, hyperperiod_cycles
from ringlet.simulation.breakdown import breakdown_of
from ringlet.simulation.phases import search_phases
from ringlet.simulation.simulate import run
from ringlet.theory.guarantee import Guarantee, guarantees

US = 1e-3
"""Microseconds of a nanosecond."""

MOST_CYCLES = 500_000_000
"""Cycles times interfaces of a network of rings in its own phases: it does not skip the time in which nothing moves, as
one ring does, and comes back to a state more seldom."""

HYPERPERIODS = 4
"""Hyperperiods that are simulated in a set's own phases: one until the ring is as it was, one that repeats, and two in
which it may be found out."""


def verified(scenario: Scenario, *, trials: int, tolerance: float | None) -> dict[str, Any]:
    """Returns all that is found of a message set under the scenario's own protocol, as JSON; times in us.

    Args:
        scenario: with messages.
        trials: simulations of other phases for the longest responses, and as many again for the breakdown.
        tolerance: relative error of the load factors; None: they are not computed.

    Raises:
        RingletError: the engine cannot simulate the scenario.
    """
    bounds, why = _bounds(scenario)
    document = run(in_own_phases(scenario)).document
    own: list[Mapping[str, Any]] = document["messages"]
    ns = float(scenario.symbol_time_ns)
    worst = [None if one["worst_response_ns"] is None else round(one["worst_response_ns"] / ns) for one in own]
    # Loops have phases, too, and stand behind the messages.
    loops = [None] * len(document.get("loops", ()))
    search = search_phases(scenario, trials, [*worst, *loops])
    factors = None if tolerance is None else breakdown_of(scenario, tolerance, trials)
    cycle_us = ns * US
    rows = []
    for one, longest in zip(own, search.worst_cycles, strict=False):
        bound = bounds.get(str(one["name"]))
        rows.append(
            {
                "name": one["name"],
                "deadline_us": one["deadline_ns"] * US,
                "bound_us": _times(None if bound is None else bound.bound_cycles, cycle_us),
                "guaranteed": bound is not None and bound.holds,
                "parts_us": {} if bound is None else {key: one * cycle_us for key, one in bound.parts_cycles.items()},
                "why_no_bound": why if bound is None else bound.why,
                "these_phases_us": _times(one["worst_response_ns"], US),
                "searched_us": longest * cycle_us if longest else None,
                "mean_us": _times(one["mean_response_ns"], US),
                "p99_us": _times(one["p99_response_ns"], US),
                "released": one["released"],
                "missed": one["missed"],
            }
        )
    exact = document["exact"]
    return {
        "messages": rows,
        "needed": dict(next((dict(one.needed) for one in bounds.values() if one.needed), {})),
        "exact": None if exact is None else {key: exact[key] for key in ("period_cycles", "transient_cycles")},
        "simulated_us": 1e6 * document["simulated_s"],
        "stall": None if document["stall"] is None else document["stall"]["detail"],
        "trials": trials,
        "missed_trials": search.missed,
        "closest": search.released[search.closest].name,
        "witness": None if search.witness is None else search.witness.short_dict(),
        "breakdown": None
        if factors is None
        else {
            "these_phases_factor": factors.breakdown_factor,
            "searched_factor": factors.searched_factor,
            "guaranteed_factor": factors.guaranteed_factor,
            "first_miss": factors.first_miss,
            "searched_miss": factors.searched_miss,
            "utilisation": factors.breakdown_utilisation,
            "why_none": factors.why_none,
            "why_unproven": factors.why_unproven,
        },
        "miss": None if factors is None else factors.witness,
    }


def in_own_phases(scenario: Scenario) -> Scenario:
    """Returns the scenario with a duration in which it may come back to a state, so that its worst is exact; where its
    hyperperiod is too long for that, as it is, or of a network of rings as much of that as takes some seconds."""
    messages = scenario.periodic_messages
    hyperperiod = hyperperiod_cycles(one.period_cycles for one in messages)
    packets = hyperperiod * sum(one.packets / one.period_cycles for one in messages)
    if not packets <= MOST_PACKETS:
        return _shortened(scenario, scenario.measured_cycles)
    first = max(one.offset_cycles for one in messages) + max(one.deadline_cycles for one in messages)
    cycles = math.ceil(first + HYPERPERIODS * hyperperiod)
    return _shortened(scenario, max(cycles, scenario.measured_cycles or 0))


def _shortened(scenario: Scenario, cycles: int | None) -> Scenario:
    """Returns the scenario with a duration, which in a network of rings is as long as is allowed."""
    if cycles is None:
        return scenario
    if scenario.network.switched:
        longest = math.ceil(2 * max(one.period_cycles for one in scenario.periodic_messages))
        cycles = min(cycles, max(longest, MOST_CYCLES // len(scenario.hop_cycles)))
    return scenario.changed(run=scenario.run.changed(duration=cycles))


def bounded(scenario: Scenario) -> dict[str, Any]:
    """Returns how many deadlines are guaranteed, of how many, why one has no bound, and which sizes are needed."""
    found, why = _bounds(scenario)
    names = [one.name for one in scenario.periodic_messages]
    # Without any bound every message is late.
    late = [name for name in names if name not in found or not found[name].holds]
    return {
        "messages": len(names),
        "guaranteed": len(names) - len(late),
        "late": late,
        "why_no_bound": why or next((one.why for one in found.values() if one.why is not None), None),
        "needed": dict(next((dict(one.needed) for one in found.values() if one.needed), {})),
    }


def missed(scenario: Scenario) -> dict[str, Any]:
    """Returns which messages miss a deadline in a simulation of their own phases, and whether it is exact."""
    document = run(in_own_phases(scenario)).document
    late = [one["name"] for one in document["messages"] if one["missed"] or one["worst_response_ns"] is None]
    return {"messages": len(document["messages"]), "late": late, "exact": document["exact"] is not None}


def _bounds(scenario: Scenario) -> tuple[dict[str, Guarantee], str | None]:
    """Returns the guarantee of each message by its name, or why there are none."""
    if scenario.loops:
        return {}, "a verification does not judge the deadlines of loops; ringlet guarantee bounds them, and messages"
    try:
        return {one.name: one for one in guarantees(scenario)}, None
    except RingletError as error:
        return {}, str(error)


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
