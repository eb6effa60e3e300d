"""The record of how much of each activity a run has seen, on which its verdicts depend."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ringlet.figures.activities.collective import CollectiveFound
from ringlet.figures.activities.events import EventsFound
from ringlet.figures.activities.loops import LoopFound
from ringlet.figures.activities.messages import MessageFound
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
    messages: Sequence[MessageFound] = activities["messages"]
    loops: Sequence[LoopFound] = activities["loops"]
    events: EventsFound | None = activities["events"]
    collective: CollectiveFound | None = activities["collective"]
    record: dict[str, Any] = {
        "ended_by": _ended_by(scenario, found, collective),
        "packets": {"delivered": found["series"]["delivered_packets"][-1]},
    }
    ns = float(scenario.symbol_time_ns)
    # Messages and loops share the network, so that what happens comes back with the periods of all.
    periods = [each.message.period_cycles for each in messages] + [each.loop.period_cycles for each in loops]
    hyperperiod = hyperperiod_cycles(periods) if periods else 0.0
    for name, every in (("messages", messages), ("loops", loops)):
        if every:
            of_each = periods[: len(messages)] if name == "messages" else periods[len(messages) :]
            record[name] = _periodic(every, of_each, hyperperiod, ns)
    if events is not None:
        record["events"] = {"triggers": events.triggers, "built": events.built}
    if collective is not None:
        record["collective"] = {
            "packets": collective.packets,
            "delivered": collective.delivered,
            "complete": collective.delivered == collective.packets,
        }
    if trace is not None:
        record["trace"] = {name: trace[f"{name}_packets"] for name in ("started", "waiting")}
        record["trace"]["complete"] = trace["complete"]
    return record


def _ended_by(scenario: "Scenario", found: "Measured", collective: CollectiveFound | None) -> str:
    """Returns what ended the run: what its horizon says, or a stall, queues that grow, or the most that is measured."""
    horizon = scenario.horizon
    if found["stall"] is not None:
        return "stall"
    if found["growing"]:
        return "growing queues"
    if found["precision_reached"] is not None:
        return "precision" if found["precision_reached"] else "duration" if horizon.by == "duration" else "cap"
    if horizon.until_over:
        return "complete" if collective is not None and collective.delivered == collective.packets else "cap"
    return {"packets": "cap"}.get(horizon.by, horizon.by)


def _periodic(
    every: Sequence[MessageFound | LoopFound], periods: Sequence[float], hyperperiod: float, ns: float
) -> dict[str, Any]:
    """Returns how many hyperperiods were seen: so many releases of each, with their deadlines passed."""
    # A float holds no more than 15 digits of a period that is no whole number of cycles.
    seen = min(each.due * period / hyperperiod for each, period in zip(every, periods, strict=True))
    return {
        "count": len(every),
        "released": sum(each.released for each in every),
        "completed": sum(each.completed for each in every),
        "never_released": sum(each.released == 0 for each in every),
        "released_once": sum(each.released == 1 for each in every),
        "hyperperiod_ns": hyperperiod * ns if hyperperiod < float("inf") else None,
        "hyperperiods": int(seen + 1e-9),
    }
