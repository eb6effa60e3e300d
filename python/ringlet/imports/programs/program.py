"""Parallel programs as traces with dependences: what each process sends, receives and computes, and in what order."""

import heapq
from collections import defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from ringlet.errors import RingletError
from ringlet.imports.content import TABLE, Imported
from ringlet.sections.wording import counted

MOST_AWAITED = 8
"""Messages that a record may wait for; more are collected by a packet to the own node."""

HEADER = "id,time_ns,source,destination,bytes,depends_on\n"


@dataclass(slots=True)
class Operation:
    """An operation of a process."""

    kind: Literal["send", "receive", "compute"]
    process: int
    place: str
    """Place in the file that says it."""
    peer: int = 0
    """Process that receives what is sent, or sends what is received."""
    size: int = 0
    """Bytes of a message."""
    tag: Hashable = 0
    """Receives take the messages of a sender with their tag in the order in which they are sent."""
    ns: Decimal = Decimal(0)
    """Time of a computation."""
    after: list[int] = field(default_factory=list)
    """Numbers of the operations that have ended before this one begins."""
    after_begin: list[int] = field(default_factory=list)
    """Numbers of the operations that have begun before this one begins."""


_NOTHING: set[int] = set()


@dataclass(slots=True)
class _State:
    """An operation while the program runs on a network that takes no time."""

    lacking: int = 0
    """Number of operations that it still waits for."""
    ready_ns: Decimal = Decimal(0)
    awaited: set[int] = field(default_factory=set)
    """Ids of the records that it waits for."""
    begun: bool = False
    ended: bool = False


class Program:
    """The operations of all processes."""

    def __init__(self, file: str, processes: int) -> None:
        """Makes a program without operations."""
        self.file = file
        self.processes = processes
        self.operations: list[Operation] = []

    def add(self, operation: Operation) -> int:
        """Adds an operation; returns its number."""
        self.operations.append(operation)
        return len(self.operations) - 1

    def trace(self) -> Imported:
        """Returns the messages as a trace: their times are those on a network that takes none, so that the time from
        one record to another that waits for it is what the process computes.

        A send ends when its message is handed over, a receive when the message is there and what it comes after has
        ended.

        Raises:
            RingletError: a message that nobody receives or sends, or operations that wait for each other.
        """
        pairs = self._pairs()
        rows = list(_Run(self, pairs).rows())
        messages = len(pairs)
        found = Imported({"network": {"nodes": max(2, self.processes)}, "traffic": {"trace": {"file": TABLE}}})
        found.table = HEADER + "".join(rows)
        sends = [one for one in self.operations if one.kind == "send"]
        computed = sum((one.ns for one in self.operations if one.kind == "compute"), Decimal(0))
        found.taken = [
            f"{self.processes} nodes, one for each process",
            f"{counted(messages, 'message')} of {sum(one.size for one in sends):,} bytes, and what each waits for",
            f"computing, {computed.normalize():z,f} ns in all: so long behind what it waits for a message starts",
        ]
        if len(rows) > messages:
            found.taken.append(
                f"{counted(len(rows) - messages, 'packet')} to the own node, each of which collects more than "
                f"{MOST_AWAITED} messages that are waited for"
            )
        empty = sum(not one.size for one in sends)
        if empty:
            found.taken.append(f"{counted(empty, 'message')} without data, as a byte")
        found.left_out = [
            "how long a send takes: it ends when its message is handed over, whatever its size",
            "what processes compute behind their last message",
        ]
        return found

    def _pairs(self) -> dict[int, int]:
        """Returns the receive of each send, by their numbers."""
        waiting: dict[Hashable, deque[int]] = defaultdict(deque)
        for number, one in enumerate(self.operations):
            if one.kind == "send":
                waiting[one.process, one.peer, one.tag].append(number)
        pairs = {}
        for number, one in enumerate(self.operations):
            if one.kind == "receive":
                sent = waiting[one.peer, one.process, one.tag]
                if not sent:
                    value = f"receive from {one.peer}, tag {one.tag}"
                    raise RingletError.not_allowed(one.place, value, f"a message that process {one.peer} sends")
                pairs[sent.popleft()] = number
        left = min((sent[0] for sent in waiting.values() if sent), default=None)
        if left is not None:
            one = self.operations[left]
            value = f"send to {one.peer}, tag {one.tag}"
            raise RingletError.not_allowed(one.place, value, f"a message that process {one.peer} receives")
        return pairs


class _Run:
    """A run of a program on a network that takes no time."""

    def __init__(self, program: Program, pairs: dict[int, int]) -> None:
        self._program = program
        self._pairs = pairs
        self._states = [_State() for _ in program.operations]
        self._ends: dict[int, list[int]] = defaultdict(list)
        self._begins: dict[int, list[int]] = defaultdict(list)
        self._sent: dict[int, tuple[Decimal, int]] = {}
        """Time and id of the message of each receive."""
        self._events: list[tuple[Decimal, int, bool, int]] = []
        """Time, order, whether it ends, and number of an operation."""
        self._count = 0
        self._id = 0

    def rows(self) -> Iterator[str]:
        """Yields the records of the trace."""
        operations = self._program.operations
        for number, one in enumerate(operations):
            self._states[number].lacking = len(one.after) + len(one.after_begin)
            for other in one.after:
                self._ends[other].append(number)
            for other in one.after_begin:
                self._begins[other].append(number)
            if not self._states[number].lacking:
                self._push(Decimal(0), number, ends=False)
        while self._events:
            time, _, ends, number = heapq.heappop(self._events)
            if ends:
                state = self._states[number]
                state.ended = True
                self._follow(self._ends.pop(number, ()), number, time)
                # Nothing asks for them any more, and of a long program they are most of what is held.
                state.awaited = _NOTHING
            else:
                yield from self._begin(number, time)
        stuck = next((at for at, state in enumerate(self._states) if not state.ended), None)
        if stuck is not None:
            one = operations[stuck]
            allowed = "operations that do not wait for each other for ever"
            raise RingletError.not_allowed(one.place, one.kind, allowed)

    def _begin(self, number: int, time: Decimal) -> Iterator[str]:
        one, state = self._program.operations[number], self._states[number]
        is_awaited = one.kind == "send" or number in self._ends or number in self._begins
        if is_awaited and len(state.awaited) > MOST_AWAITED:
            yield self._row(time, one.process, one.process, 1, state.awaited)
            state.awaited = {self._id}
        state.begun = True
        self._follow(self._begins.pop(number, ()), number, time)
        if one.kind == "compute":
            self._push(time + one.ns, number, ends=True)
        elif one.kind == "send":
            yield self._row(time, one.process, one.peer, max(1, one.size), state.awaited)
            receive = self._pairs[number]
            self._sent[receive] = (time, self._id)
            self._push(time, number, ends=True)
            self._receive(receive)
        else:
            state.ready_ns = time
            self._receive(number)

    def _receive(self, number: int) -> None:
        """Ends a receive that has begun, and whose message is there."""
        state = self._states[number]
        if state.begun and number in self._sent:
            time, message = self._sent.pop(number)
            state.awaited = state.awaited | {message}
            self._push(max(time, state.ready_ns), number, ends=True)

    def _follow(self, numbers: Sequence[int], before: int, time: Decimal) -> None:
        awaited = self._states[before].awaited
        for number in numbers:
            state = self._states[number]
            state.awaited |= awaited
            state.ready_ns = max(state.ready_ns, time)
            state.lacking -= 1
            if not state.lacking:
                self._push(state.ready_ns, number, ends=False)

    def _push(self, time: Decimal, number: int, *, ends: bool) -> None:
        self._count += 1
        heapq.heappush(self._events, (time, self._count, ends, number))

    def _row(self, time: Decimal, source: int, destination: int, size: int, awaited: set[int]) -> str:
        self._id += 1
        ids = " ".join(map(str, sorted(awaited)))
        return f"{self._id},{time.normalize():zf},{source},{destination},{size},{ids}\n"
