"""Results of periodic messages."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ringlet.document.figure import Figure, Kind, OverSeeds, Values
from ringlet.document.measured import Found
from ringlet.document.part import DocumentPart
from ringlet.scenario.activities.activity import (
    Activity,
    EndedRun,
    Hyperperiod,
    Seen,
    check_alone,
    check_belongs,
    moved_ends,
)
from ringlet.scenario.activities.deadlines import (
    PERIODIC_SEEN,
    DeadlineKeys,
    Drawn,
    deadline_line,
    periodic_seen,
    responses,
)
from ringlet.scenario.activities.labels import labels_of
from ringlet.scenario.activities.messages.keys import Message, PriorityRule
from ringlet.scenario.activities.messages.periodic import PeriodicMessage
from ringlet.scenario.values.transactions import MovingTransaction
from ringlet.sections import Field

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ringlet._engine import Measured, Simulation

NAME = "messages"

Counters = dict[str, "NDArray[np.uint64]"]

P99 = 0.99

NEVER = 2**64 - 1
"""Cycle that the engine gives where there is none."""


@dataclass(frozen=True, slots=True)
class MessageFound:
    """The counts and times of a periodic message in the measured time; times are None where no message was complete."""

    message: PeriodicMessage
    released: int
    completed: int
    missed: int
    """Deadlines that passed without the message being complete."""
    due: int
    """Deadlines that passed."""
    unfinished: int
    """Released in the whole run and not complete at its end."""
    mean_cycles: float | None
    p99_cycles: float | None
    worst_cycles: float | None
    """Worst response; a message that is still under way counts with its time so far."""


def _ns(cycles: Callable[[MessageFound], float | None]) -> dict[Any, Values]:
    def values(found: Found) -> list[float | None]:
        return found.ns([cycles(each) for each in found.activity(NAME)])

    return {"messages": values}


def _given(name: str, meaning: str, kind: Kind = "integer") -> Figure:
    return Figure(
        name,
        name.replace("_", " "),
        meaning,
        values={NAME: lambda found: [getattr(each.message, name) for each in found.activity(NAME)]},
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
        "jitter_ns",
        "jitter",
        "Most time from when a release is due until it comes.",
        unit="ns",
        values=_ns(lambda each: each.message.jitter_cycles),
        over_seeds=OverSeeds.GIVEN,
    ),
    Figure(
        "drift_ppm",
        "drift",
        "Parts per million by which the clock of its sender is slow.",
        unit="ppm",
        values={NAME: lambda found: [each.message.drift_ppm for each in found.activity(NAME)]},
        over_seeds=OverSeeds.GIVEN,
    ),
    Figure(
        "sporadic_ns",
        "time beyond the period",
        "Mean time, drawn for each release, by which the next one comes later than after a period; 0: it is periodic.",
        unit="ns",
        values=_ns(lambda each: each.message.extra_cycles),
        over_seeds=OverSeeds.GIVEN,
    ),
    *responses(NAME, one="a message", many="messages", instance="the message"),
    labels_of({NAME: lambda found: [dict(each.message.labels) for each in found.activity(NAME)]}, "the message"),
)


def messages_found(
    simulation: "Simulation", found: "Measured", messages: "Sequence[PeriodicMessage]"
) -> list[MessageFound]:
    """Returns what became of each message of a set, in its order; their flows are the last ones.

    Released, completed and missed belong to the measured time: a deadline is missed in the moment in which it passes
    and the message is not complete, so a message that is still under way counts. Responses of messages that take so
    long count with their time so far in the worst one. Where the run has come back to a state, means and percentiles
    are those of the period that repeats.
    """
    counters, exact = simulation.flow_counters(), found.get("exact")
    drawn = simulation.message_counters() if any(message.is_drawn for message in messages) else {}
    period = simulation if exact is None else exact["period"]
    in_period = counters if exact is None else period.flow_counters()
    first = len(counters["completed_messages"]) - len(messages)
    members = [[first + i] for i in range(len(messages))]
    p99 = period.message_latency_quantiles(members, [P99])[:, 0]
    lasting = zip(in_period["message_latency_sum_cycles"][first:], in_period["completed_messages"][first:], strict=True)
    means = [int(cycles) / int(completed) if completed else None for cycles, completed in lasting]
    found_of_each = []
    for i, message in enumerate(messages):
        mean_and_p99 = (means[i], float(p99[i]) if means[i] is not None else None)
        if message.is_drawn:
            releases = {name: int(column[first + i]) for name, column in drawn.items()}
            found_of_each.append(_found_of_drawn(message, first + i, found, counters, releases, mean_and_p99))
        else:
            found_of_each.append(_found(message, first + i, found, counters, mean_and_p99))
    return found_of_each


def missed(message: PeriodicMessage, cycle: int, *, completed: int, late: int) -> int:
    """Deadlines that have passed up to and including a cycle without the message being complete.

    Args:
        message: the message.
        cycle: the last one simulated.
        completed: messages complete by then. They are taken to complete in the order of their releases.
        late: those of them that were complete after their deadline.
    """
    return late + max(0, message.due(cycle) - completed)


def _found(
    message: PeriodicMessage,
    flow: int,
    found: "Measured",
    counters: Counters,
    mean_and_p99: tuple[float | None, float | None],
) -> MessageFound:
    mean, p99 = mean_and_p99

    def count(name: str) -> int:
        return int(counters[name][flow])

    before = found["completed_before"]
    completed_before, late_before = before[flow] if before else (0, 0)
    start, end = found["measured_from"] - 1, found["cycle"] - 1
    completed, late = count("completed_messages"), count("missed_deadlines")
    all_completed = completed_before + completed
    misses = missed(message, end, completed=all_completed, late=late_before + late)
    misses -= missed(message, start, completed=completed_before, late=late_before)
    due = message.due(end) - message.due(start)
    unfinished = message.released(end) - all_completed
    worst = count("message_latency_max_cycles")
    if message.due(end) > all_completed:
        worst = max(worst, end - message.release(all_completed))
    known = completed > 0
    return MessageFound(
        message=message,
        released=message.released(end) - message.released(start),
        completed=completed,
        missed=misses,
        due=due,
        unfinished=unfinished,
        mean_cycles=mean,
        p99_cycles=_within(p99, flow, counters),
        worst_cycles=worst if known or worst else None,
    )


def _within(quantile: float | None, flow: int, counters: Counters) -> float | None:
    """Returns a quantile between the least and the largest: it is the upper end of the histogram's interval that holds
    it, which may lie beyond what was measured."""
    least, largest = (int(counters[f"message_latency_{which}_cycles"][flow]) for which in ("min", "max"))
    return None if quantile is None else float(min(max(quantile, least), largest))


def _found_of_drawn(
    message: PeriodicMessage,
    flow: int,
    found: "Measured",
    counters: Counters,
    releases: dict[str, int],
    mean_and_p99: tuple[float | None, float | None],
) -> MessageFound:
    """Returns what became of a message whose releases are drawn, as the engine has counted it."""
    mean, p99 = mean_and_p99
    completed, worst = int(counters["completed_messages"][flow]), int(counters["message_latency_max_cycles"][flow])
    oldest, last = releases["oldest"], found["cycle"] - 1
    if oldest != NEVER and oldest + message.deadline_cycles <= last:
        worst = max(worst, last - oldest)
    return MessageFound(
        message=message,
        released=releases["released"],
        completed=completed,
        missed=releases["missed"],
        due=releases["judged"],
        unfinished=releases["open"],
        mean_cycles=mean,
        p99_cycles=_within(p99, flow, counters),
        worst_cycles=worst if completed or worst else None,
    )


def _of_run(run: EndedRun) -> list[MessageFound]:
    messages = run.resolved.messages
    return messages_found(run.engine, run.measured, messages) if messages else []


def _periods(found: Sequence[MessageFound]) -> list[float]:
    """Returns the cycles between two releases of each message that is periodic."""
    return [each.message.period_cycles for each in found if not each.message.extra_cycles]


def _drawn(found: Sequence[MessageFound]) -> Drawn:
    messages = [each.message for each in found if each.message.copies is None]
    return Drawn(
        jittered=sum(one.jitter_cycles > 0 for one in messages),
        sporadic=sum(one.extra_cycles > 0 for one in messages),
        drifting=sum(one.drift_ppm != 0 for one in messages),
    )


def _saw(found: Sequence[MessageFound], hyperperiod: Hyperperiod) -> Seen:
    periods = [math.inf if one.message.extra_cycles else one.message.period_cycles for one in found]
    copies = sum(one.message.copies is not None for one in found)
    return periodic_seen(found, periods, hyperperiod, _drawn(found), copies=copies)


def _check(file: Any) -> None:  # noqa: ANN401 - the keys of loops are in it, too
    check_alone(file, NAME, "messages_file")
    if not file.has_messages:
        of_messages = ("message_priorities", "message_transaction")
        shared = ("allow_late_deadlines",) if file.loops is None else ()
        check_belongs(file, *of_messages, *shared, to="messages or messages_file")


ACTIVITY = Activity(
    name=NAME,
    keys=(NAME, "messages_file"),
    plan=None,
    check=_check,
    parts=(
        DocumentPart(
            NAME, "Periodic messages", "Each periodic message", "a message set", MESSAGES, many=True, row="message"
        ),
    ),
    found=_of_run,
    title="Periodic messages",
    seen=PERIODIC_SEEN,
    saw=_saw,
    sentence=lambda document: deadline_line(document[NAME], document["saw"][NAME]),
    not_poisson="Poisson arrivals; allowed: none",
    moved=lambda planned, content, order: moved_ends(NAME, content, order),
    periods=_periods,
)


class MessageKeys(DeadlineKeys):
    """The keys of a message set."""

    activity: ClassVar[Activity] = ACTIVITY

    messages: list[Message] | None = Field(
        default=None,
        min_length=1,
        description="A set of periodic messages. Without a `[traffic]` section there is no other traffic.",
    )
    messages_file: str | None = Field(
        default=None,
        description="The set from a CSV file, relative to the scenario file: a header with the keys of a message, then "
        "a line for each. A column `period` holds what a scenario would, `period_us` numbers in that unit.",
    )
    message_transaction: MovingTransaction = Field(
        default="dmove64",
        description="The transaction that messages are cut into; a read moves the data to the source.",
    )
    message_priorities: PriorityRule = Field(
        default="given",
        description="`given`: each message's `priority`. `rate-monotonic`, `deadline-monotonic`: by period or "
        "deadline, the shortest highest, equal ones equal, all above the background traffic; `priority` "
        "does not count then.",
    )

    @property
    def has_messages(self) -> bool:
        """True if there is a message set."""
        return ACTIVITY.is_in(self)


KEYS = MessageKeys
"""The keys that the list of activities takes."""
