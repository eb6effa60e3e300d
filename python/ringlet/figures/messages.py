"""Figures of periodic messages."""

from collections.abc import Callable
from typing import Any

from ringlet.figures.figure import Figure, Kind, OverSeeds, Values, of_messages
from ringlet.figures.measurements import Found, MessageFound
from ringlet.figures.responses import responses


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
    *responses("messages", lambda found: found.messages, one="a message", many="messages", instance="the message"),
)
