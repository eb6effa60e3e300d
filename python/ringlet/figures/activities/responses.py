"""Figures of what has a deadline: periodic messages, control loops."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ringlet.figures.activities.activity import Hyperperiod, Seen, SeenSchema
from ringlet.figures.figure import Figure, OverSeeds, Part, Values
from ringlet.figures.measurements import Found


class Timed(Protocol):
    """The counts and times of something that has a deadline; times are None where none of it was complete."""

    @property
    def released(self) -> int:
        """Number of times that it began in the measured time."""

    @property
    def completed(self) -> int:
        """Number of times that it was complete in the measured time."""

    @property
    def missed(self) -> int:
        """Deadlines that passed without it being complete."""

    @property
    def due(self) -> int:
        """Deadlines that passed."""

    @property
    def unfinished(self) -> int:
        """Number of times that it began in the whole run and was not complete at its end."""

    @property
    def mean_cycles(self) -> float | None:
        """Mean response."""

    @property
    def p99_cycles(self) -> float | None:
        """99th percentile of the response."""

    @property
    def worst_cycles(self) -> float | None:
        """Worst response."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Numbers of messages, or loops, that have times that are drawn, or clocks that drift."""

    jittered: int = 0
    sporadic: int = 0
    drifting: int = 0


PERIODIC_SEEN: SeenSchema = {
    "count": ("integer", "How many there are."),
    "released": ("integer", "Releases in the measured time."),
    "completed": ("integer", "Those that were complete in it."),
    "never_released": ("integer", "How many of them were not released in it."),
    "released_once": ("integer", "How many of them were released once: nothing is known of their worst."),
    "hyperperiods": ("integer", "Whole hyperperiods whose releases of each, with their deadlines, are in it."),
    "hyperperiod_ns": (
        ("number", "null"),
        "Time after which the releases of all messages and loops come back; null where no number holds it.",
    ),
    "jittered": ("integer", "How many of them are released late by times that are drawn."),
    "sporadic": ("integer", "How many of them come at distances that are drawn."),
    "drifting": ("integer", "How many of them are released by clocks that drift."),
    "least_released": ("integer", "Releases of the one that was released least often."),
}
"""Entries of `periodic_seen`."""


def periodic_seen(every: Sequence[Timed], periods: Sequence[float], hyperperiod: Hyperperiod, drawn: Drawn) -> Seen:
    """Returns how many hyperperiods were seen: so many releases of each, with their deadlines passed.

    Args:
        every: what was found of each.
        periods: cycles between two releases of each; infinite where none come back.
        hyperperiod: of all that is periodic in the run.
        drawn: what of their times is drawn.
    """
    # A float holds no more than 15 digits of a period that is no whole number of cycles.
    shares = [
        each.due * period / hyperperiod.cycles
        for each, period in zip(every, periods, strict=True)
        if math.isfinite(period)
    ]
    seen = min(shares, default=0.0)
    return {
        "count": len(every),
        "released": sum(each.released for each in every),
        "completed": sum(each.completed for each in every),
        "never_released": sum(each.released == 0 for each in every),
        "released_once": sum(each.released == 1 for each in every),
        "hyperperiod_ns": hyperperiod.ns,
        "hyperperiods": int(seen + 1e-9),
        "jittered": drawn.jittered,
        "sporadic": drawn.sporadic,
        "drifting": drawn.drifting,
        "least_released": min(each.released for each in every),
    }


def responses(part: Part, *, one: str, many: str, instance: str) -> tuple[Figure, ...]:
    """Returns what was released, complete and late, and how long it took.

    Args:
        part: of the document, and name of the activity, whose results are a list of `Timed`.
        one: what a deadline belongs to, in words.
        many: the same for several.
        instance: the same within a sentence about one of them.
    """

    def of(value: Callable[[Timed], Any], *, ns: bool = False) -> dict[Part, Values]:
        def values(found: Found) -> Sequence[Any]:
            all_of_it = [value(each) for each in found.activity(part)]
            return found.ns(all_of_it) if ns else all_of_it

        return {part: values}

    return (
        Figure(
            "released",
            f"released {many}",
            f"{many.capitalize()} that were released in the measured time.",
            values=of(lambda each: each.released),
            kind="integer",
            heading="\nreleased",
        ),
        Figure(
            "completed",
            f"completed {many}",
            f"{many.capitalize()} that were complete in the measured time.",
            values=of(lambda each: each.completed),
            kind="integer",
        ),
        Figure(
            "missed",
            "missed deadlines",
            f"Deadlines that passed in the measured time without {instance} being complete.",
            values=of(lambda each: each.missed),
            kind="integer",
            heading="\nmissed",
        ),
        Figure(
            "unfinished",
            f"unfinished {many}",
            f"{many.capitalize()} that were not complete at the end.",
            values=of(lambda each: each.unfinished),
            kind="integer",
        ),
        Figure(
            "deadline_miss_ratio",
            "share of missed deadlines",
            "Missed deadlines, as a share of those that passed; missing if none passed.",
            values=of(lambda each: each.missed / each.due if each.due else None),
            may_lack=True,
            heading="miss\nratio",
        ),
        Figure(
            "mean_response_ns",
            "mean response",
            f"Mean time from the release of {one} until it is complete.",
            unit="ns",
            values=of(lambda each: each.mean_cycles, ns=True),
            may_lack=True,
            heading="response\nmean us",
            scale=1e-3,
        ),
        Figure(
            "p99_response_ns",
            "response, 99th percentile",
            "99th percentile of the response times; between the least and the largest of them.",
            unit="ns",
            values=of(lambda each: each.p99_cycles, ns=True),
            may_lack=True,
            heading="p99\nus",
            scale=1e-3,
        ),
        Figure(
            "worst_response_ns",
            "worst response",
            f"Largest response time; of {one} that is still under way its time so far, if that is longer.",
            unit="ns",
            values=of(lambda each: each.worst_cycles, ns=True),
            may_lack=True,
            over_seeds=OverSeeds.LARGEST,
            heading="worst\nus",
            scale=1e-3,
        ),
    )
