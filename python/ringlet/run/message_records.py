"""What became of each message of a set."""

from collections.abc import Sequence
from typing import Any

from ringlet.run.engine import Counters, Engine
from ringlet.run.flows import Flows
from ringlet.run.records import number
from ringlet.scenario import PeriodicMessage

P99 = 0.99


def message_records(
    engine: Engine, flows: Flows, messages: Sequence[PeriodicMessage], *, symbol_time_ns: float
) -> list[dict[str, Any]]:
    """Returns a record for each message of a set, in its order; their flows are the last ones.

    Released, completed and missed belong to the measured time: a deadline is missed in the moment in which it passes and
    the message is not complete, so a message that is still under way counts. Responses of messages that take so
    long count with their time so far in the worst one.
    """
    if not messages:
        return []
    first = len(flows) - len(messages)
    members = [[first + i] for i in range(len(messages))]
    p99 = engine.message_latency_quantiles(members, [P99])[:, 0]
    counters = engine.flow_counters()
    return [
        _record(message, first + i, engine, counters, p99_cycles=float(p99[i]), symbol_time_ns=symbol_time_ns)
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
    message: PeriodicMessage, flow: int, engine: Engine, counters: Counters, *, p99_cycles: float, symbol_time_ns: float
) -> dict[str, Any]:
    def count(name: str) -> int:
        return int(counters[name][flow])

    def before(name: str) -> int:
        return 0 if engine.before is None else int(engine.before[name][flow])

    start, end = engine.measured_from - 1, engine.cycle - 1
    completed, late = count("completed_messages"), count("missed_deadlines")
    all_completed = before("completed_messages") + completed
    misses = missed(message, end, completed=all_completed, late=before("missed_deadlines") + late)
    misses -= missed(message, start, completed=before("completed_messages"), late=before("missed_deadlines"))
    due = message.due(end) - message.due(start)
    unfinished = message.released(end) - all_completed
    worst = count("message_latency_max_cycles")
    if message.due(end) > all_completed:
        worst = max(worst, end - message.release(all_completed))
    known = completed > 0
    mean = count("message_latency_sum_cycles") / completed * symbol_time_ns if known else None
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
        "p99_response_ns": number(p99_cycles * symbol_time_ns),
        "worst_response_ns": worst * symbol_time_ns if known or worst else None,
    }
