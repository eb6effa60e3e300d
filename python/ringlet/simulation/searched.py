"""The record of a search of phases beside a run: responses in these phases, searched, and guaranteed."""

from collections.abc import Mapping
from typing import Any

from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.simulation.phases import released_by, search_phases
from ringlet.theory.guarantee import guarantees

FLOWS_WORST = "latency_max_ns"
"""Figure of a flow that is its worst response."""


def searched_record(document: Mapping[str, Any], scenario: Scenario, trials: int) -> tuple[dict[str, Any], Scenario]:
    """Searches for phases in which messages, loops and flows take longer than in a run.

    Args:
        document: of the run.
        scenario: that was simulated.
        trials: simulations of other phases.

    Returns:
        The entry `search` of the document, and the scenario in the phases in which the response that comes closest to
        its deadline was found; the given one where that was in its own phases.

    Raises:
        RingletError: neither messages, loops nor flows with phases, or no trial.
    """
    ns = float(scenario.symbol_time_ns)
    worst = {
        (part, one["name"]): one[figure]
        for part, figure in (("messages", "worst_response_ns"), ("loops", "worst_response_ns"), ("flows", FLOWS_WORST))
        for one in document.get(part, ())
    }
    own = [worst[one.part, one.name] for one in released_by(scenario)]
    found = search_phases(scenario, trials, [None if worst is None else round(worst / ns) for worst in own])
    bounds, why = _bounds(scenario)
    rows = [
        {
            "name": one.name,
            "deadline_ns": one.deadline * ns,
            "these_phases_ns": in_these,
            "searched_ns": cycles * ns if cycles else None,
            "bound_ns": None if (bound := bounds.get(one.name)) is None else bound * ns,
        }
        for one, in_these, cycles in zip(found.released, own, found.worst_cycles, strict=True)
    ]
    record = {
        "trials": trials,
        "missed_trials": found.missed,
        "closest": found.released[found.closest].name,
        "why_no_bound": why,
        "responses": rows,
    }
    return record, found.witness or scenario


def _bounds(scenario: Scenario) -> tuple[dict[str, float | None], str | None]:
    """Returns the bound of each message in cycles, and why one has none, or nothing is bounded."""
    try:
        found = guarantees(scenario)
    except RingletError as error:
        return {}, str(error)
    return {one.name: one.bound_cycles for one in found}, next((one.why for one in found if one.why is not None), None)
