"""Figures of control loops: of each, and of all together."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ringlet.figures.figure import Figure, OverSeeds, Part, Values
from ringlet.figures.measurements import Found, LoopFound
from ringlet.figures.responses import responses


def _each(value: Callable[[LoopFound], Any], *, ns: bool = False) -> dict[Part, Values]:
    def values(found: Found) -> list[Any]:
        every = [value(one) for one in found.loops]
        return found.ns(every) if ns else every

    return {"loops": values}


def _all(value: Callable[[Found], Any]) -> dict[Part, Values]:
    return {"end_to_end": lambda found: [value(found)]}


def _miss_ratio(found: Found) -> float | None:
    due = sum(one.due for one in found.loops)
    return sum(one.missed for one in found.loops) / due if due else None


def _worst_share(found: Found) -> float | None:
    shares = [one.worst_cycles / one.loop.deadline_cycles for one in found.loops if one.worst_cycles is not None]
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
    *responses("loops", lambda found: found.loops, one="an instance", many="instances", instance="an instance"),
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
"""Of each loop."""

END_TO_END = (
    Figure(
        "end_to_end_missed",
        "end-to-end deadlines missed",
        "End-to-end deadlines of all loops that passed in the measured time without an instance being complete.",
        values=_all(lambda found: sum(one.missed for one in found.loops)),
        kind="integer",
    ),
    Figure(
        "end_to_end_miss_ratio",
        "share of end-to-end deadlines missed",
        "Their share of those that passed; missing if none passed.",
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
"""Of all loops together."""
