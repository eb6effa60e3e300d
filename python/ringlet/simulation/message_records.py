"""Results of each message of a set."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ringlet.figures import MessageFound
from ringlet.scenario import PeriodicMessage

if TYPE_CHECKING:
    from ringlet._engine import Measured, Simulation

Counters = dict[str, NDArray[np.uint64]]

P99 = 0.99


def messages_found(
    simulation: "Simulation", found: "Measured", messages: Sequence[PeriodicMessage]
) -> list[MessageFound]:
    """Returns what became of each message of a set, in its order; their flows are the last ones.

    Released, completed and missed belong to the measured time: a deadline is missed in the moment in which it passes
    and the message is not complete, so a message that is still under way counts. Responses of messages that take so
    long count with their time so far in the worst one.
    """
    counters = simulation.flow_counters()
    first = len(counters["completed_messages"]) - len(messages)
    members = [[first + i] for i in range(len(messages))]
    p99 = simulation.message_latency_quantiles(members, [P99])[:, 0]
    return [_found(message, first + i, found, counters, p99_cycles=float(p99[i])) for i, message in enumerate(messages)]


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
    message: PeriodicMessage, flow: int, found: "Measured", counters: Counters, *, p99_cycles: float
) -> MessageFound:
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
    # A quantile is the upper end of the histogram's interval that holds it, which may lie beyond what was measured.
    p99_cycles = np.clip(p99_cycles, count("message_latency_min_cycles"), count("message_latency_max_cycles"))
    return MessageFound(
        message=message,
        released=message.released(end) - message.released(start),
        completed=completed,
        missed=misses,
        due=due,
        unfinished=unfinished,
        mean_cycles=count("message_latency_sum_cycles") / completed if known else None,
        p99_cycles=float(p99_cycles) if known else None,
        worst_cycles=worst if known or worst else None,
    )
