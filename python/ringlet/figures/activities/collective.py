"""Results of a collective operation."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ringlet.figures.activities.activity import Activity, DocumentPart
from ringlet.figures.activities.sentences import collective_line
from ringlet.figures.figure import Figure, OverSeeds, Values
from ringlet.figures.measurements import Found
from ringlet.scenario.values.units import size_bytes

if TYPE_CHECKING:
    from ringlet._engine import Measured, Simulation
    from ringlet.scenario import Scenario


NAME = "collective"


@dataclass(frozen=True, slots=True)
class CollectiveFound:
    """The counts of a collective operation from the start of the run on; times are in cycles."""

    data_bytes: int
    packets: int
    """Packets of all steps."""
    delivered: int
    """Packets of all steps that are delivered."""
    taken: int | None
    """From its start to its last delivery; None while there are some to come."""
    bound: float
    """Cycles for which the busiest link, B-Link, receive queue or window is in use."""
    limit: str
    """Which of them that is."""


def _of(value: Callable[[CollectiveFound], Any], *, ns: bool = False) -> dict[Any, Values]:
    """Returns how the record of the operation takes a figure, of cycles if `ns`."""

    def values(found: Found) -> list[Any]:
        one = [value(found.activity(NAME))]
        return found.ns(one) if ns else one

    return {"collective": values}


def _rate_MBps(found: Found) -> list[float | None]:  # noqa: N802 - the unit
    one: CollectiveFound = found.activity(NAME)
    return [one.data_bytes / (one.taken * found.symbol_time_ns) * 1e3 if one.taken else None]


COLLECTIVE = (
    Figure(
        "collective_packets",
        "packets of the operation",
        "Packets of all steps of the operation.",
        values=_of(lambda one: one.packets),
        kind="integer",
        unit="packets",
        over_seeds=OverSeeds.GIVEN,
    ),
    Figure(
        "collective_delivered_packets",
        "packets delivered of the operation",
        "Those of them that were delivered by the end of the run.",
        values=_of(lambda one: one.delivered),
        kind="integer",
        unit="packets",
    ),
    Figure(
        "completion_time_ns",
        "completion time",
        "Time from the start of the operation to its last delivery; missing where packets were still to come.",
        unit="ns",
        values=_of(lambda one: one.taken, ns=True),
        may_lack=True,
        log=True,
    ),
    Figure(
        "bandwidth_bound_ns",
        "bandwidth bound",
        "Time for which the busiest link, B-Link, receive queue or window is in use by the operation, echoes included "
        "but for those that may come after the last delivery: no completion time is shorter.",
        unit="ns",
        values=_of(lambda one: one.bound, ns=True),
        over_seeds=OverSeeds.GIVEN,
        log=True,
    ),
    Figure(
        "bandwidth_bound_limit",
        "what is busiest",
        "The link, B-Link, receive queue, window or slots that the bandwidth bound is of.",
        values=_of(lambda one: one.limit),
        kind="string",
        over_seeds=OverSeeds.NONE,
    ),
    Figure(
        "bandwidth_bound_ratio",
        "bandwidth bound as a share of the completion time",
        "Bandwidth bound as a share of the completion time; missing without one.",
        values=_of(lambda one: one.bound / one.taken if one.taken else None),
        may_lack=True,
    ),
    Figure(
        "collective_rate_MBps",
        "data over completion time",
        "Data of the operation (`collective.size`) over its completion time; missing without one.",
        unit="MB/s",
        values={"collective": _rate_MBps},
        may_lack=True,
    ),
)


def collective_found(simulation: "Simulation", measured: "Measured", scenario: "Scenario") -> CollectiveFound | None:
    """Returns what became of the collective operation of a run; None without one."""
    del measured  # it counts from the start of the run on
    # Late: they take numpy, which a command that only prints its help does without.
    from ringlet.scenario.resolved.collective_plan import CollectivePlan
    from ringlet.theory.collective_bound import bandwidth_bound_cycles

    counters = simulation.collective_counters()
    if counters is None:
        return None
    (plan,) = scenario.resolved.plans_of(CollectivePlan)
    packets, delivered, last_cycle = counters
    bound, limit = bandwidth_bound_cycles(scenario.resolved, plan)
    return CollectiveFound(
        data_bytes=round(size_bytes(plan.collective.size)),
        packets=packets,
        delivered=delivered,
        taken=last_cycle - plan.start_cycle if delivered == packets else None,
        bound=bound,
        limit=limit,
    )


ACTIVITY = Activity(
    NAME,
    (DocumentPart(NAME, "Collective operation", "A collective operation", "one", COLLECTIVE),),
    collective_found,
    lambda scenario: scenario.collective is not None,
    title="A collective operation, since the start of the run",
    seen={
        "packets": ("integer", "Packets of all its steps."),
        "delivered": ("integer", "Those of them that were delivered."),
        "complete": ("boolean", "Whether all of it was delivered."),
    },
    saw=lambda found, hyperperiod: {
        "packets": found.packets,
        "delivered": found.delivered,
        "complete": found.delivered == found.packets,
    },
    sentence=collective_line,
    is_complete=lambda found: found.delivered == found.packets,
)
