"""A message set resolved to cycles, packets and priorities."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ringlet.errors import Problems, RingletError
from ringlet.lazy import library
from ringlet.scenario.activities.messages.keys import MAX_PACKETS, Message, PriorityRule
from ringlet.scenario.activities.plan import Levels
from ringlet.scenario.activities.receivers import check_count, receivers_of
from ringlet.scenario.values.transactions import Transaction
from ringlet.scenario.values.units import MAX_CYCLES, cycles, exact_cycles, whole_cycles_within

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ringlet.rings import Network
else:
    np = library("numpy")

PPM = 1e6
"""Parts of a whole, of which a drift is so many."""

LATE = 1e-9
"""Relative excess of a deadline over its period that is rounding."""


@dataclass(frozen=True, slots=True)
class PeriodicMessage:
    """One message in the terms of the engine; one for each receiver, where a message has several."""

    name: str
    source: int
    destination: int
    priority: int
    size_bytes: int
    packets: int
    """Transactions that move it."""
    period_cycles: float
    """Least time between two releases that are due, by the clock of the sender."""
    deadline_cycles: int
    offset_cycles: float
    jitter_cycles: int = 0
    """Most time from when a release is due until it comes."""
    extra_cycles: float = 0.0
    """Mean time beyond the period until the next release; 0: it is periodic."""
    drift_ppm: float = 0.0
    """Parts per million by which the period is longer than it would be without."""
    labels: Mapping[str, str] = field(default_factory=dict, hash=False)
    row: int = field(default=0, compare=False)
    """Place of the message in the table."""
    copies: int | None = None
    """Place, among these, of the one whose packets' copies its receiver takes; None: its packets are its own."""

    @property
    def is_drawn(self) -> bool:
        """True if times of its releases are drawn."""
        return self.jitter_cycles > 0 or self.extra_cycles > 0

    @property
    def mean_period_cycles(self) -> float:
        """Mean time between two releases."""
        return self.period_cycles + self.extra_cycles

    def released(self, cycle: int) -> int:
        """Releases up to and including a cycle."""
        count = max(0, int((cycle - self.offset_cycles) // self.period_cycles) + 1)
        # The division may round to the other side of a release.
        while self.release(count) <= cycle:
            count += 1
        while count and self.release(count - 1) > cycle:
            count -= 1
        return count

    def release(self, k: int) -> int:
        """Cycle of the `k`-th release, `k` from 0."""
        return math.ceil(self.offset_cycles + k * self.period_cycles)

    def due(self, cycle: int) -> int:
        """Messages whose deadline is not after a cycle."""
        return self.released(cycle - self.deadline_cycles)


def resolve(
    messages: Sequence[Message],
    *,
    nodes: int,
    symbol_time_ns: float,
    transaction: Transaction,
    rule: PriorityRule,
    late_deadlines: bool,
    lowest: int,
    levels: Levels,
    path: str,
    network: "Callable[[], Network]",
) -> list[PeriodicMessage]:
    """Returns the messages in the order of the table; of one to several nodes, one for each, the last receiver's first.

    Args:
        messages: the table.
        nodes: of the ring.
        symbol_time_ns: of a cycle.
        transaction: what a message is cut into.
        rule: where priorities come from.
        late_deadlines: whether a deadline may be beyond its period.
        lowest: priority of the least urgent message where a rule gives priorities: above the background traffic.
        levels: priorities that packets may have.
        path: what a message about an error calls the table.
        network: returns the network on which those to several nodes go.

    Raises:
        RingletError: a message that the ring cannot have, or more priorities than levels.
    """
    seen: set[str] = set()
    problems = Problems()
    places = [message.place or f"{path}[{i}]." for i, message in enumerate(messages)]
    for message, where in zip(messages, places, strict=True):
        with problems.collected():
            _check_nodes(message, nodes, where)
        with problems.collected():
            if message.name in seen:
                raise RingletError.not_allowed(
                    f"{where}name", message.name, "a name that no other message has, or none"
                )
        seen.add(message.name)
        with problems.collected():
            _check_times(message, symbol_time_ns, late_deadlines=late_deadlines, where=where)
    problems.check()
    nominal = [exact_cycles(message.period, symbol_time_ns) for message in messages]
    periods = [drifted(period, message.drift) for period, message in zip(nominal, messages, strict=True)]
    deadlines = [message.period if message.deadline is None else message.deadline for message in messages]
    match rule:
        case "given":
            priorities = [message.priority or 0 for message in messages]
        case "rate-monotonic":
            priorities = _ranks(nominal, lowest, levels.count)
        case "deadline-monotonic":
            priorities = _ranks([exact_cycles(one, symbol_time_ns) for one in deadlines], lowest, levels.count)
    answers = "" if transaction.response_bytes is None else "message_transaction"
    receivers: list[list[int]] = []
    for message, where in zip(messages, places, strict=True):
        several: list[int] = []
        if message.multicast:
            with problems.collected():
                several = receivers_of(message.source, message.destination, network(), where, answers=answers)
        receivers.append(several)
    problems.check()
    check_count(receivers, path)
    resolved: list[PeriodicMessage] = []
    for i, message in enumerate(messages):
        packets = -(-message.size_bytes // int(transaction.payload_bytes))
        if packets > MAX_PACKETS:
            allowed = f"at most {MAX_PACKETS} packets of {transaction.payload_bytes:g} bytes"
            raise RingletError.not_allowed(f"{places[i]}size", message.size, allowed)
        levels.check(f"{places[i]}priority", priorities[i])
        sent = PeriodicMessage(
            name=message.name,
            source=message.source,
            destination=-1,
            priority=priorities[i],
            size_bytes=message.size_bytes,
            packets=packets,
            period_cycles=periods[i],
            deadline_cycles=whole_cycles_within(deadlines[i], symbol_time_ns),
            offset_cycles=exact_cycles(message.offset, symbol_time_ns),
            jitter_cycles=cycles(message.jitter, symbol_time_ns),
            extra_cycles=exact_cycles(message.sporadic, symbol_time_ns),
            drift_ppm=message.drift,
            labels=message.labels,
            row=i,
        )
        if not receivers[i]:
            assert isinstance(message.destination, int), "checked above"
            resolved.append(replace(sent, destination=message.destination))
            continue
        names = network().node_names or [str(node) for node in range(nodes)]
        *passed, last = receivers[i]
        place = len(resolved)
        resolved += [
            replace(sent, name=f"{message.name} to {names[node]}", destination=node, copies=copies)
            for node, copies in ((last, None), *((node, place) for node in passed))
        ]
    return resolved


def scaled(messages: Sequence[Message], load_factor: float, symbol_time_ns: float) -> list[dict[str, Any]]:
    """Returns the table with all times divided by a factor: the same set, so much faster."""

    def shrunk(value: float | str) -> float:
        return exact_cycles(value, symbol_time_ns) / load_factor

    return [
        {
            **message.table(),
            "period": shrunk(message.period),
            "deadline": shrunk(message.period if message.deadline is None else message.deadline),
            **{key: shrunk(getattr(message, key)) for key in ("offset", "jitter", "sporadic")},
        }
        for message in messages
    ]


def _check_nodes(message: Message, nodes: int, where: str) -> None:
    given = message.destination
    if not isinstance(given, int) and not message.multicast:
        words = given if isinstance(given, str) else "<a list>"
        raise RingletError.not_allowed(f"{where}destination", words, "a node, or multicast = true with several")
    several = given if isinstance(given, list) else [given] if isinstance(given, int) else []
    for key, node in (("source", message.source), *(("destination", one) for one in several)):
        if not 0 <= node < nodes:
            raise RingletError.not_allowed(f"{where}{key}", node, f"a node below {nodes}")
    if len(set(several)) < len(several):
        raise RingletError.not_allowed(f"{where}destination", "<a node twice>", "each node once")
    if message.source in several and nodes > 1:
        raise RingletError.not_allowed(f"{where}destination", message.source, "another node than the source")


def _check_times(message: Message, symbol_time_ns: float, *, late_deadlines: bool, where: str) -> None:
    check_period(where, message.period, message.offset, symbol_time_ns)
    if drifted(exact_cycles(message.period, symbol_time_ns), message.drift) < 1:
        raise RingletError.not_allowed(f"{where}drift", message.drift, "one that leaves a period of at least a cycle")
    for key in ("jitter", "sporadic"):
        if exact_cycles(getattr(message, key), symbol_time_ns) > MAX_CYCLES:
            allowed = f"at most 2^53 cycles of {symbol_time_ns:g} ns"
            raise RingletError.not_allowed(f"{where}{key}", getattr(message, key), allowed)
    if message.deadline is not None:
        check_deadline(where, message.deadline, message.period, symbol_time_ns, late_deadlines=late_deadlines)


def drifted(period_cycles: float, drift_ppm: float) -> float:
    """Returns a period by a clock that is slow by so many parts per million."""
    # One rounding, so that what is a whole number stays one.
    return period_cycles * (PPM + drift_ppm) / PPM


def check_period(where: str, period: float | str, offset: float | str, symbol_time_ns: float) -> None:
    """Raises RingletError for a period below a cycle, or one or an offset that is too long."""
    if not 1 <= exact_cycles(period, symbol_time_ns) <= MAX_CYCLES:
        raise RingletError.not_allowed(f"{where}period", period, f"1 to 2^53 cycles of {symbol_time_ns:g} ns")
    if exact_cycles(offset, symbol_time_ns) > MAX_CYCLES:
        raise RingletError.not_allowed(f"{where}offset", offset, f"at most 2^53 cycles of {symbol_time_ns:g} ns")


def check_deadline(
    where: str, deadline: float | str, period: float | str, symbol_time_ns: float, *, late_deadlines: bool
) -> None:
    """Raises RingletError for a deadline below a cycle, too long, or beyond its period where that is not allowed."""
    within = exact_cycles(deadline, symbol_time_ns)
    if not 1 <= within <= MAX_CYCLES:
        raise RingletError.not_allowed(f"{where}deadline", deadline, f"1 to 2^53 cycles of {symbol_time_ns:g} ns")
    if within > exact_cycles(period, symbol_time_ns) * (1 + LATE) and not late_deadlines:
        allowed = f"at most the period, {period}; or set allow_late_deadlines = true"
        raise RingletError.not_allowed(f"{where}deadline", deadline, allowed)


def _ranks(times: Sequence[float], lowest: int, levels: int) -> list[int]:
    """Priorities by time, the shortest highest; equal times share one."""
    distinct: NDArray[np.float64]
    distinct, rank = np.unique(-np.asarray(times), return_inverse=True)
    if lowest + distinct.size > levels:
        allowed = f"at least {lowest + distinct.size}: one for each of {distinct.size} different times"
        allowed += f", above the background traffic's {lowest}" if lowest else ""
        raise RingletError.not_allowed("queues.priorities", levels, allowed)
    return [lowest + int(i) for i in rank]
