"""What became of each message of a set."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringlet.scenario import PeriodicMessage

if TYPE_CHECKING:
    from ringlet._engine import Measured, Simulation

Counters = dict[str, NDArray[np.uint64]]

P99 = 0.99


def message_records(
    simulation: "Simulation", found: "Measured", messages: Sequence[PeriodicMessage], *, symbol_time_ns: float
) -> list[dict[str, Any]]:
    """Returns a record for each message of a set, in its order; their flows are the last ones.

    Released, completed and missed belong to the measured time: a deadline is missed in the moment in which it passes and
    the message is not complete, so a message that is still under way counts. Responses of messages that take so
    long count with their time so far in the worst one.
    """
    counters = simulation.flow_counters()
    first = len(counters["completed_messages"]) - len(messages)
    members = [[first + i] for i in range(len(messages))]
    p99 = simulation.message_latency_quantiles(members, [P99])[:, 0]
    return [
        _record(message, first + i, found, counters, p99_cycles=float(p99[i]), symbol_time_ns=symbol_time_ns)
        for i, message in enumerate(messages)
    ]


def missed(message: PeriodicMessage, cycle: int, *, completed: int, late: int) -> int:
    """Deadlines that have passed up to and including a cycle without the message being complete.

    Args:
        message: the message.
        cycle: the last one simulated.
        completed: messages complete by then. They are taken to complete in the order of their releases.
        late: those of them that were complete after their deadline.
    """
    return late + max(0, message.due(cycle) - completed)


def _record(
    message: PeriodicMessage,
    flow: int,
    found: "Measured",
    counters: Counters,
    *,
    p99_cycles: float,
    symbol_time_ns: float,
) -> dict[str, Any]:
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
    mean = count("message_latency_sum_cycles") / completed * symbol_time_ns if known else None
    # A quantile is the upper end of the histogram's interval that holds it, which may lie beyond what was measured.
    p99_cycles = np.clip(p99_cycles, count("message_latency_min_cycles"), count("message_latency_max_cycles"))
    return {
        "name": message.name,
        "source": message.source,
        "destination": message.destination,
        "priority": message.priority,
        "size_bytes": message.size_bytes,
        "packets": message.packets,
        "period_ns": message.period_cycles * symbol_time_ns,
        "deadline_ns": message.deadline_cycles * symbol_time_ns,
        "released": message.released(end) - message.released(start),
        "completed": completed,
        "missed": misses,
        "unfinished": unfinished,
        "deadline_miss_ratio": misses / due if due else None,
        "mean_response_ns": mean,
        "p99_response_ns": float(p99_cycles * symbol_time_ns) if known else None,
        "worst_response_ns": worst * symbol_time_ns if known or worst else None,
    }
