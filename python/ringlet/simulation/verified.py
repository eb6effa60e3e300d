"""A message set verified in one case: under one protocol, on one network, by every means there is.

Of each response there is a bound, the worst in these phases, and the longest that a search of other phases finds; of
the whole set the load factors at which a deadline is missed, and up to which all are guaranteed.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.scenario.activities.plan import Bounded, Plan
from ringlet.scenario.resolved.horizon import MOST_PACKETS, hyperperiod_cycles
from ringlet.simulation.breakdown import breakdown_of
from ringlet.simulation.phases import Released, released_by, search_phases
from ringlet.simulation.simulate import run
from ringlet.theory.guarantee import Guarantee, guarantees
from ringlet.theory.response_flows import Assumed

US = 1e-3
"""Microseconds of a nanosecond."""

MOST_CYCLES = 500_000_000
"""Cycles times interfaces of a network of rings in its own phases: it does not skip the time in which nothing moves, as
one ring does, and comes back to a state more seldom."""

HYPERPERIODS = 4
"""Hyperperiods that are simulated in a set's own phases: one until the ring is as it was, one that repeats, and two in
which it may be found out."""


OF_FLOWS = {"worst": "max", "mean": "mean", "p99": "p99"}
"""Names of a flow's latencies in a document, by those of responses."""


def verified(
    scenario: Scenario, *, trials: int, tolerance: float | None, assumed: Assumed | None = None
) -> dict[str, Any]:
    """Returns all that is found of a message set under the scenario's own protocol, as JSON; times in us.

    Args:
        scenario: with messages, loops, or flows with periods and deadlines.
        trials: simulations of other phases for the longest responses, and as many again for the breakdown.
        tolerance: relative error of the load factors; None: they are not computed, nor is there one without messages.
        assumed: what bounds may assume that the scenario does not state.

    Raises:
        RingletError: the engine cannot simulate the scenario.
    """
    assumed = _assumed(scenario, assumed)
    bounds, why = _bounds(scenario, assumed)
    document = run(in_own_phases(scenario)).document
    ns = float(scenario.symbol_time_ns)
    own = [_found(document, one, ns) for one in released_by(scenario)]
    worst = [None if one["worst_response_ns"] is None else round(one["worst_response_ns"] / ns) for one in own]
    search = search_phases(scenario, trials, worst)
    scales = tolerance is not None and bool(scenario.periodic_messages)
    # A set that runs faster has other offsets.
    of_phases = replace(assumed, offsets=False)
    factors = breakdown_of(scenario, tolerance, trials, of_phases) if scales and tolerance is not None else None
    cycle_us = ns * US
    rows = []
    for one, longest in zip(own, search.worst_cycles, strict=True):
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
    released = released_by(scenario)
    hyperperiod = hyperperiod_cycles(one.period for one in released)
    rates = [one.packets / one.period_cycles for one in scenario.periodic_messages if one.copies is None]
    rates += [one.packets / one.period_cycles for plan in scenario.resolved.plans for one in _bounded(plan)]
    if not hyperperiod * sum(rates) <= MOST_PACKETS:
        return _shortened(scenario, scenario.measured_cycles)
    first = max(one.offset for one in released) + max(one.deadline for one in released)
    cycles = math.ceil(first + HYPERPERIODS * hyperperiod)
    return _shortened(scenario, max(cycles, scenario.measured_cycles or 0))


def _shortened(scenario: Scenario, cycles: int | None) -> Scenario:
    """Returns the scenario with a duration, which in a network of rings is as long as is allowed."""
    if cycles is None:
        return scenario
    if scenario.network.switched:
        longest = math.ceil(2 * max(one.period for one in released_by(scenario)))
        cycles = min(cycles, max(longest, MOST_CYCLES // len(scenario.hop_cycles)))
    return scenario.changed(run=scenario.run.changed(duration=cycles))


def _bounded(plan: Plan) -> Sequence[Bounded]:
    """Returns the bounds of what a plan releases; none where nothing bounds it."""
    return () if plan.unbounded is not None else plan.bounds()


def _found(document: Mapping[str, Any], released: Released, symbol_time_ns: float) -> dict[str, Any]:
    """Returns what a run has found of a message, a loop or a flow: that of a flow by the names that the others have."""
    found = next(one for one in document[released.part] if one["name"] == released.name)
    if released.part != "flows":
        return dict(found)
    times = {f"{key}_response_ns": found[f"latency_{short}_ns"] for key, short in OF_FLOWS.items()}
    deadline = released.deadline * symbol_time_ns
    return {**times, "name": released.name, "deadline_ns": deadline, "released": found["offered"]} | {
        "missed": found["missed"]
    }


def bounded(scenario: Scenario, assumed: Assumed | None = None) -> dict[str, Any]:
    """Returns how many deadlines are guaranteed, of how many, why one has no bound, and which sizes are needed."""
    found, why = _bounds(scenario, _assumed(scenario, assumed))
    names = [one.name for one in released_by(scenario)]
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
    own = [_found(document, one, float(scenario.symbol_time_ns)) for one in released_by(scenario)]
    late = [one["name"] for one in own if one["missed"] or one["worst_response_ns"] is None]
    return {"messages": len(own), "late": late, "exact": document["exact"] is not None}


def _assumed(scenario: Scenario, assumed: Assumed | None) -> Assumed:
    """Returns the assumptions of bounds, which hold with a failure where the scenario has one."""
    return replace(assumed or Assumed(), failure=scenario.errors.fail)


def counts_offsets(scenario: Scenario, assumed: Assumed) -> bool:
    """Returns whether the bounds of a scenario are those for its offsets; else they are those for all phases."""
    return assumed.offsets and why_no_offsets(scenario, assumed) is None


def why_no_offsets(scenario: Scenario, assumed: Assumed) -> str | None:
    """Returns why a scenario has no bounds for its offsets; None: it has."""
    try:
        found = guarantees(scenario, assumed)
    except RingletError as error:
        return str(error)
    if any(one.bound_cycles is not None for one in found):
        return None
    return next(one.why for one in found)


def _bounds(scenario: Scenario, assumed: Assumed) -> tuple[dict[str, Guarantee], str | None]:
    """Returns the guarantee of each message, loop and flow by its name, or why there are none."""
    try:
        # What holds for all phases holds for these offsets, too.
        found = guarantees(scenario, replace(assumed, offsets=counts_offsets(scenario, assumed)))
        names = [one.name for one in found]
        if len(set(names)) < len(names):
            return {}, f"{next(one for one in names if names.count(one) > 1)} is the name of a loop and of a flow"
        return {one.name: one for one in found}, None
    except RingletError as error:
        return {}, str(error)


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
