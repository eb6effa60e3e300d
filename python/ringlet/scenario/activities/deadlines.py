"""Deadlines of periodic messages and control loops: figures, and sentences on them.

Each sentence is true of the document that it is made from: docs/reference/verdicts.md has a table of all, with what
makes them true.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ringlet.document.figure import Figure, OverSeeds, Part, Values
from ringlet.document.measured import Found
from ringlet.document.words import Record, percent, time_in_words
from ringlet.scenario.activities.activity import ActivityKeys, Hyperperiod, Seen, SeenSchema
from ringlet.scenario.values.units import MAX_CYCLES
from ringlet.sections import Field
from ringlet.sections.wording import counted, plural


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
    """Numbers of messages, or loops, that have times that are drawn, or clocks that drift; each counts once, whatever
    the number of its receivers."""

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
    "hyperperiod_fits": ("boolean", "Is the hyperperiod no longer than a run can be?"),
    "jittered": ("integer", "How many of them are released late by times that are drawn."),
    "sporadic": ("integer", "How many of them come at distances that are drawn."),
    "drifting": ("integer", "How many of them are released by clocks that drift."),
    "least_released": ("integer", "Releases of the one that was released least often."),
    "copies": ("integer", "How many of them are further receivers of a message to several nodes, each for itself."),
}
"""Entries of `periodic_seen`."""


def periodic_seen(
    every: Sequence[Timed], periods: Sequence[float], hyperperiod: Hyperperiod, drawn: Drawn, *, copies: int = 0
) -> Seen:
    """Returns how many hyperperiods were seen: so many releases of each, with their deadlines passed.

    Args:
        every: what was found of each.
        periods: cycles between two releases of each; infinite where none come back.
        hyperperiod: of all that is periodic in the run.
        drawn: what of their times is drawn.
        copies: how many of them are further receivers of a message to several nodes.
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
        "hyperperiod_fits": hyperperiod.cycles <= MAX_CYCLES,
        "hyperperiods": int(seen + 1e-9),
        "jittered": drawn.jittered,
        "sporadic": drawn.sporadic,
        "drifting": drawn.drifting,
        "least_released": min(each.released for each in every),
        "copies": copies,
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


def margin_ns(message: Record) -> float | None:
    """Returns the part of a message's deadline that its worst response leaves; None without a response."""
    worst: float | None = message["worst_response_ns"]
    return None if worst is None else float(message["deadline_ns"]) - worst


def deadline_line(messages: Sequence[Record], seen: Record, what: str = "message") -> str:
    """Returns whether messages, or loops, met their deadlines: those that missed some, or all of them with the least
    margin. Without a miss it is a verdict only where the run has seen a hyperperiod; else it says what is missing.

    Args:
        messages: their records.
        seen: what the run has seen of them.
        what: they are.
    """
    late = [one for one in messages if one["missed"]]
    if late:
        worst = max(late, key=lambda one: one["deadline_miss_ratio"] or 0)
        share = percent(worst["deadline_miss_ratio"] or 0)
        which = f"{len(late)} of {_all_of(messages, seen, what)} {'misses' if len(late) == 1 else 'miss'}"
        return f"deadlines: {which} some; {worst['name']} most, {share} of its own"
    known = [(left, one) for one in messages if (left := margin_ns(one)) is not None]
    unknown = _not_seen(messages, seen, what)
    if unknown:
        return f"deadlines: none missed, which is no verdict: {unknown}"
    left, one = min(known, key=lambda each: each[0] / each[1]["deadline_ns"])
    share = f"{percent(left / one['deadline_ns'])} of its deadline"
    meet = (
        f"all {_all_of(messages, seen, what)} meet all of theirs"
        if len(messages) > 1
        else f"the {what} meets all of its own"
    )
    if seen["sporadic"]:
        length = f"at least {counted(seen['least_released'], 'release')} of each"
    else:
        length = counted(seen["hyperperiods"], "hyperperiod")
    drawn = _drawn(seen)
    if drawn:
        meet, length = f"{meet} as drawn", f"{length}, {drawn}"
    return f"deadlines: {meet} ({length}); least margin: {one['name']}, {left / 1e3:.4g} us, {share}"


def _all_of(messages: Sequence[Record], seen: Record, what: str) -> str:
    """Returns how many there are, in words: of receivers, where messages have several."""
    count = len(messages)
    if not seen["copies"]:
        return f"{count} {plural(count, what)}"
    return f"{count} receivers of {counted(count - seen['copies'], what)}"


def searched_line(search: Record) -> str:
    """Returns in how many trials of other phases a deadline was missed, and which response came closest to its own."""
    trials, missed = counted(search["trials"], "trial"), search["missed_trials"]
    closest = next(one for one in search["responses"] if one["name"] == search["closest"])
    if closest["searched_ns"] is None:
        return f"searched: no response in {trials} of other phases"
    said = f"{missed} of {trials} of other phases miss a deadline" if missed else f"no miss in {trials} of other phases"
    share = percent(closest["searched_ns"] / closest["deadline_ns"])
    found = f"{closest['name']}, {closest['searched_ns'] / 1e3:.4g} us, {share} of its deadline"
    return f"searched: {said}{'' if missed else ', which proves nothing'}; longest: {found}"


def all_met(document: Record) -> bool:
    """Returns whether no deadline was missed in a run that has seen a hyperperiod of all messages and loops, and
    messages of each flow with a deadline, nor in a search of other phases, if there was one."""
    if document.get("search", {}).get("missed_trials"):
        return False
    if any(one["missed"] or not one["delivered"] for one in document.get("flows", ()) if one["missed"] is not None):
        return False
    return all(
        not any(one["missed"] for one in document[part]) and not _not_seen_of(document, part)
        for part, seen in document["saw"].items()
        if isinstance(seen, Mapping) and "hyperperiods" in seen
    )


def _not_seen_of(document: Record, part: str) -> str:
    return _not_seen(document[part], document["saw"][part], part.removesuffix("s"))


def _not_seen(messages: Sequence[Record], seen: Record, what: str) -> str:
    """Returns what the run has not seen of messages without a miss; empty where it has seen a hyperperiod of all."""
    every, margins = _all_of(messages, seen, what), [margin_ns(one) for one in messages]
    # The deadline passed before the measured time, and counts there for nothing.
    late = sum(left is not None and left < 0 for left in margins)
    if late:
        return f"{late} of {every} responded late to a release of the warm-up"
    few = {"never released": seen["never_released"], "released once": seen["released_once"]}
    if (seen["hyperperiods"] < 1 or seen["sporadic"]) and any(few.values()):
        # A set in which each has the same period is released once in its hyperperiod: that is seen then.
        were = " and ".join(
            f"{number} of {every} {'was' if number == 1 else 'were'} {how}" for how, number in few.items() if number
        )
        return f"{were}; nothing is known of their worst"
    if None in margins:
        return f"{margins.count(None)} of {every} had no response yet"
    if seen["hyperperiods"] < 1 and not seen["sporadic"]:
        if seen["hyperperiod_ns"] is None:
            drift = ""
            if drifting := seen["drifting"]:
                drift = f", as {counted(drifting, what)} {'drifts' if drifting == 1 else 'drift'}"
            return f"the hyperperiod is longer than any run{drift}"
        long = time_in_words(seen["hyperperiod_ns"] / 1e3)
        if not seen["hyperperiod_fits"]:
            return f"the hyperperiod, {long}, is longer than any run can be"
        return f"the run is shorter than the hyperperiod, {long}, and its deadlines"
    return ""


def _drawn(seen: Record) -> str:
    """Returns what of the releases was drawn, so that other draws may do worse; empty where nothing was."""
    parts = {"jitter": seen["jittered"], "distances": seen["sporadic"]}
    return " and ".join(f"{what} of {number} drawn" for what, number in parts.items() if number)


class DeadlineKeys(ActivityKeys):
    """The key that all activities with periods share."""

    allow_late_deadlines: bool = Field(default=False, description="May deadlines be beyond their periods?")
