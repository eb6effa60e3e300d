"""The record of how much of each activity a run has seen, on which its verdicts depend."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ringlet.scenario.activities.activity import Hyperperiod
from ringlet.scenario.activities.registry import ACTIVITIES
from ringlet.scenario.resolved.horizon import hyperperiod_cycles

if TYPE_CHECKING:
    from ringlet._engine import Measured
    from ringlet.scenario import Scenario


def saw(
    scenario: "Scenario",
    found: "Measured",
    activities: Mapping[str, Any],
    *,
    trace: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Returns how much the measured time holds of each activity that the scenario has; others are left out.

    Args:
        scenario: that was simulated.
        found: what the run returned.
        activities: what became of each, by its name.
        trace: the record of the replay.
    """
    record: dict[str, Any] = {
        "ended_by": _ended_by(scenario, found, activities),
        "packets": {"delivered": found["series"]["delivered_packets"][-1]},
    }
    # What is periodic shares the network, so that what happens comes back with the periods of all.
    there = [(one, activities[one.name]) for one in reversed(ACTIVITIES) if activities[one.name]]
    periods = [period for one, of_it in there for period in one.periods(of_it)]
    hyperperiod = Hyperperiod(hyperperiod_cycles(periods) if periods else 0.0, float(scenario.symbol_time_ns))
    for one, of_it in there:
        record[one.name] = one.saw(of_it, hyperperiod)
    if trace is not None:
        record["trace"] = {name: trace[f"{name}_packets"] for name in ("started", "waiting")}
        record["trace"]["complete"] = trace["complete"]
    return record


def _ended_by(scenario: "Scenario", found: "Measured", activities: Mapping[str, Any]) -> str:
    """Returns what ended the run: what its horizon says, or a stall, queues that grow, or the most that is measured."""
    horizon = scenario.horizon
    if found["stall"] is not None:
        return "stall"
    if found["growing"]:
        return "growing queues"
    if found["precision_reached"] is not None:
        return "precision" if found["precision_reached"] else "duration" if horizon.by == "duration" else "cap"
    if horizon.until_over:
        over = all(one.is_complete(activities[one.name]) for one in ACTIVITIES if activities[one.name])
        return "complete" if over else "cap"
    return {"packets": "cap"}.get(horizon.by, horizon.by)
