"""Figures of periodic messages."""

from collections.abc import Callable
from typing import Any

from ringlet.figures.figure import Figure, Kind, OverSeeds, Values, of_messages
from ringlet.figures.found import Found, MessageFound


def _ns(cycles: Callable[[MessageFound], float | None]) -> dict[Any, Values]:
    def values(found: Found) -> list[float | None]:
        return found.ns([cycles(each) for each in found.messages])

    return {"messages": values}


def _given(name: str, meaning: str, kind: Kind = "integer") -> Figure:
    return Figure(
        name,
        name.replace("_", " "),
        meaning,
        values=of_messages(lambda each: getattr(each.message, name)),
        kind=kind,
        over_seeds=OverSeeds.GIVEN,
        heading={"source": "\nfrom", "destination": "\nto", "size_bytes": "\nbytes"}.get(name, f"\n{name}"),
    )


MESSAGES = (
    _given("name", "Name of the message.", "string"),
    _given("source", "Node that sends it."),
    _given("destination", "Node that takes it."),
    _given("priority", "Its send priority."),
    _given("size_bytes", "Data of a message, in bytes."),
    _given("packets", "Packets of a message."),
    Figure(
        "period_ns",
        "period",
        "Time between two releases.",
        unit="ns",
        values=_ns(lambda each: each.message.period_cycles),
        over_seeds=OverSeeds.GIVEN,
        heading="period\nus",
        scale=1e-3,
    ),
    Figure(
        "deadline_ns",
        "deadline",
        "Time from its release in which a message is to be complete.",
        unit="ns",
        values=_ns(lambda each: each.message.deadline_cycles),
        over_seeds=OverSeeds.GIVEN,
        heading="deadline\nus",
        scale=1e-3,
    ),
    Figure(
        "released",
        "released messages",
        "Messages that were released in the measured time.",
        values=of_messages(lambda each: each.released),
        kind="integer",
        heading="\nreleased",
    ),
    Figure(
        "completed",
        "completed messages",
        "Messages that were complete in the measured time.",
        values=of_messages(lambda each: each.completed),
        kind="integer",
    ),
    Figure(
        "missed",
        "missed deadlines",
        "Deadlines that passed in the measured time without the message being complete.",
        values=of_messages(lambda each: each.missed),
        kind="integer",
        heading="\nmissed",
    ),
    Figure(
        "unfinished",
        "unfinished messages",
        "Messages that were not complete at the end.",
        values=of_messages(lambda each: each.unfinished),
        kind="integer",
    ),
    Figure(
        "deadline_miss_ratio",
        "share of missed deadlines",
        "Missed deadlines, as a share of those that passed; missing if none passed.",
        values=of_messages(lambda each: each.missed / each.due if each.due else None),
        may_lack=True,
        heading="miss\nratio",
    ),
    Figure(
        "mean_response_ns",
        "mean response",
        "Mean time from the release of a message until it is complete.",
        unit="ns",
        values=_ns(lambda each: each.mean_cycles),
        may_lack=True,
        heading="response\nmean us",
        scale=1e-3,
    ),
    Figure(
        "p99_response_ns",
        "response, 99th percentile",
        "99th percentile of the response times; between the least and the largest of them.",
        unit="ns",
        values=_ns(lambda each: each.p99_cycles),
        may_lack=True,
        heading="p99\nus",
        scale=1e-3,
    ),
    Figure(
        "worst_response_ns",
        "worst response",
        "Largest response time; of a message that is still under way its time so far, if that is longer.",
        unit="ns",
        values=_ns(lambda each: each.worst_cycles),
        may_lack=True,
        over_seeds=OverSeeds.LARGEST,
        heading="worst\nus",
        scale=1e-3,
    ),
)
