"""Results of control loops: of each, and of all together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from ringlet.document.figure import Figure, OverSeeds, Part, Values
from ringlet.document.measured import Found
from ringlet.document.part import DocumentPart
from ringlet.scenario.activities.activity import Activity, EndedRun, Hyperperiod, Seen
from ringlet.scenario.activities.deadlines import (
    PERIODIC_SEEN,
    DeadlineKeys,
    Drawn,
    deadline_line,
    periodic_seen,
    responses,
)
from ringlet.scenario.activities.loops.keys import Loop
from ringlet.scenario.activities.loops.plan import LoopPlan
from ringlet.sections import Field

NAME = "loops"


@dataclass(frozen=True, slots=True)
class LoopFound:
    """The counts and times of a control loop in the measured time; times are None where no instance was complete."""

    loop: LoopPlan
    node_names: tuple[str, ...]
    released: int
    completed: int
    missed: int
    """Deadlines that passed without the instance being complete."""
    due: int
    """Deadlines that passed."""
    unfinished: int
    """Released in the whole run and not complete at its end."""
    least_cycles: float | None
    mean_cycles: float | None
    p99_cycles: float | None
    worst_cycles: float | None
    """One that is overdue counts with its time so far."""


def _each(value: Callable[[LoopFound], Any], *, ns: bool = False) -> dict[Part, Values]:
    def values(found: Found) -> list[Any]:
        every = [value(one) for one in found.activity(NAME)]
        return found.ns(every) if ns else every

    return {"loops": values}


def _all(value: Callable[[Found], Any]) -> dict[Part, Values]:
    return {"end_to_end": lambda found: [value(found)]}


def _miss_ratio(found: Found) -> float | None:
    due = sum(one.due for one in found.activity(NAME))
    return sum(one.missed for one in found.activity(NAME)) / due if due else None


def _worst_share(found: Found) -> float | None:
    shares = [
        one.worst_cycles / one.loop.deadline_cycles for one in found.activity(NAME) if one.worst_cycles is not None
    ]
    return max(shares, default=None)


_given = partial(Figure, over_seeds=OverSeeds.GIVEN)

LOOPS = (
    _given("name", "loop", "Name of the loop.", values=_each(lambda one: one.loop.name), kind="string"),
    _given(
        "way",
        "way",
        "Its nodes in the order in which it reaches them.",
        values=_each(lambda one: ">".join(one.node_names)),
        kind="string",
        heading="\nway",
    ),
    _given(
        "priority",
        "priority",
        "Its send priority.",
        values=_each(lambda one: one.loop.priority),
        kind="integer",
        heading="\npriority",
    ),
    _given(
        "packets",
        "packets",
        "Packets of an instance, of all its messages.",
        values=_each(lambda one: sum(one.loop.packets)),
        kind="integer",
    ),
    _given(
        "period_ns",
        "period",
        "Time between two releases.",
        unit="ns",
        values=_each(lambda one: one.loop.period_cycles, ns=True),
        heading="period\nus",
        scale=1e-3,
    ),
    _given(
        "deadline_ns",
        "deadline",
        "Time from its release in which an instance is to be complete.",
        unit="ns",
        values=_each(lambda one: one.loop.deadline_cycles, ns=True),
        heading="deadline\nus",
        scale=1e-3,
    ),
    _given(
        "compute_time_ns",
        "computing time",
        "Time for which all its nodes work, in each response.",
        unit="ns",
        values=_each(lambda one: sum(one.loop.compute_cycles), ns=True),
        heading="compute\nus",
        scale=1e-3,
    ),
    *responses(NAME, one="an instance", many="instances", instance="an instance"),
    Figure(
        "least_response_ns",
        "least response",
        "Least response time.",
        unit="ns",
        values=_each(lambda one: one.least_cycles, ns=True),
        may_lack=True,
        over_seeds=OverSeeds.LEAST,
    ),
    Figure(
        "margin_ns",
        "margin",
        "What is left of the deadline after the worst response; below 0 where a deadline was missed.",
        unit="ns",
        values=_each(
            lambda one: None if one.worst_cycles is None else one.loop.deadline_cycles - one.worst_cycles, ns=True
        ),
        may_lack=True,
        over_seeds=OverSeeds.LEAST,
        heading="margin\nus",
        scale=1e-3,
    ),
)
"""Figures of each loop."""

END_TO_END = (
    Figure(
        "end_to_end_missed",
        "end-to-end deadlines missed",
        "End-to-end deadlines of all loops that passed in the measured time without an instance being complete.",
        values=_all(lambda found: sum(one.missed for one in found.activity(NAME))),
        kind="integer",
    ),
    Figure(
        "end_to_end_miss_ratio",
        "share of end-to-end deadlines missed",
        "End-to-end deadlines missed, as a share of those that passed; missing if none passed.",
        values=_all(_miss_ratio),
        may_lack=True,
    ),
    Figure(
        "end_to_end_worst_share",
        "worst response as a share of its deadline",
        "Worst response of a loop as a share of its deadline, of the loop where that is largest; missing without a "
        "response.",
        values=_all(_worst_share),
        may_lack=True,
        over_seeds=OverSeeds.LARGEST,
    ),
)
"""Figures of all loops together."""


def loops_found(run: EndedRun) -> list[LoopFound]:
    """Returns what became of each control loop in the measured time, in the order of the scenario.

    A deadline is missed in the moment in which it passes and the instance is not complete, so one that is still under
    way counts; if it is overdue, it counts in the worst response with its time so far.
    """
    counters = run.engine.activity_counters(LoopPlan.kind)
    if not counters:
        return []
    measured = run.measured
    last, exact = measured["cycle"] - 1, measured.get("exact")
    lasting = counters if exact is None else exact["period"].activity_counters(LoopPlan.kind)
    each = zip(run.resolved.plans_of(LoopPlan), counters, lasting, strict=True)
    return [_found(loop, counted, in_period, last, run) for loop, counted, in_period in each]


def _found(
    loop: LoopPlan, counted: Mapping[str, Any], in_period: Mapping[str, Any], last: int, run: EndedRun
) -> LoopFound:
    """Returns what became of a loop: means and percentiles of the period that repeats, if one is known."""
    completed, oldest = counted["completed"], counted["oldest"]
    worst = counted["max_cycles"]
    if oldest is not None and oldest + loop.deadline_cycles <= last:
        worst = max(worst, last - oldest)
    known = completed > 0
    return LoopFound(
        loop=loop,
        node_names=tuple(run.node_name(node).removeprefix("node ") for node in loop.nodes),
        released=counted["released"],
        completed=completed,
        missed=counted["missed"],
        due=counted["due"],
        unfinished=counted["open"],
        least_cycles=counted["min_cycles"] if known else None,
        mean_cycles=in_period["sum_cycles"] / in_period["completed"] if in_period["completed"] else None,
        p99_cycles=in_period["p99_cycles"] if in_period["completed"] else None,
        worst_cycles=worst if known or worst else None,
    )


def _periods(found: Sequence[LoopFound]) -> list[float]:
    """Returns the cycles between two releases of each loop."""
    return [each.loop.period_cycles for each in found]


def _saw(found: Sequence[LoopFound], hyperperiod: Hyperperiod) -> Seen:
    drawn = Drawn(
        jittered=sum(each.loop.jitter_cycles > 0 for each in found),
        drifting=sum(each.loop.drift_ppm != 0 for each in found),
    )
    return periodic_seen(found, _periods(found), hyperperiod, drawn)


ACTIVITY = Activity(
    name=NAME,
    keys=(NAME,),
    plan=LoopPlan,
    parts=(
        DocumentPart("end_to_end", "All control loops", "All control loops", "any", END_TO_END),
        DocumentPart(
            NAME,
            "Control loops",
            "Each control loop",
            "any",
            LOOPS,
            many=True,
            row="loop",
            late="missed",
            hidden=("released",),
        ),
    ),
    found=loops_found,
    title="Control loops",
    seen=PERIODIC_SEEN,
    saw=_saw,
    sentence=lambda document: deadline_line(document[NAME], document["saw"][NAME], "loop"),
    periods=_periods,
)


class LoopKeys(DeadlineKeys):
    """The key of control loops."""

    activity: ClassVar[Activity] = ACTIVITY

    loops: list[Loop] | None = Field(
        default=None,
        min_length=1,
        description="Control loops, each with an end-to-end deadline. Without a `[traffic]` section there is no other "
        "traffic.",
    )


KEYS = LoopKeys
"""The keys that the list of activities takes."""
