"""Recorded calls of MPI as a program: each call of a process follows the one before it and what is computed between
them; how long a call took is left out, since the network decides it."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from ringlet.errors import RingletError
from ringlet.imports.content import LEAVE_OUT, Answers, Imported, asked
from ringlet.imports.programs.program import Operation, Program
from ringlet.imports.programs.ring_steps import Collective, Kind, add_steps
from ringlet.sections.wording import counted

WHOLE: tuple[Kind, ...] = ("all-gather", "broadcast", "reduce", "gather", "scatter", "all-to-all")
"""Operations of which a call says the bytes of a part; of the others those of all parts."""


@dataclass
class Call:
    """A call of a collective operation by a process."""

    place: str
    kind: Kind
    size: int
    """Bytes of a part, or of all parts."""
    root: int
    """Place of the root in the communicator."""
    entry: int
    """Number of the operation that ends when the process calls."""
    end: int
    """Number of the operation that ends when the process goes on."""


@dataclass
class Recorded:
    """The calls of all processes."""

    program: Program
    answers: Answers
    calls: dict[Hashable, dict[int, list[Call]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    """Collective calls of each process by communicator."""
    left_out: int = 0

    def trace(self, members: dict[Hashable, Sequence[int]]) -> Imported:
        """Returns the messages as a trace.

        Args:
            members: processes of each communicator, by their places in it.

        Raises:
            RingletError: members call different collective operations, or messages have no partner.
        """
        expanded = 0
        for communicator, of_each in self.calls.items():
            ranks = members[communicator]
            counts = {rank: len(of_each[rank]) for rank in ranks}
            most = max(ranks, key=lambda rank: counts[rank])
            fewest = min(ranks, key=lambda rank: counts[rank])
            if counts[most] > counts[fewest]:
                value = f"<{counts[fewest]} collective calls at process {fewest}, {counts[most]} at process {most}>"
                raise RingletError.not_allowed(self.program.file, value, "as many at each member of a communicator")
            for at in range(counts[most]):
                ones = [of_each[rank][at] for rank in ranks]
                self._expand(ones, ranks, f"{communicator} {at}")
                expanded += 1
        if not any(one.kind == "send" for one in self.program.operations):
            raise RingletError.not_allowed(
                self.program.file, "<no message>", "a trace of several processes, with messages"
            )
        found = self.program.trace()
        if expanded:
            found.taken.append(
                f"{counted(expanded, 'collective operation')} as messages around the ring of their members"
            )
        if self.left_out:
            found.left_out.append(f"{counted(self.left_out, 'call')} of collective operations, which end at once")
        found.left_out.append("how long calls of MPI took, and when each process began: all begin at 0")
        return found

    def _expand(self, ones: Sequence[Call], ranks: Sequence[int], name: str) -> None:
        first = ones[0]
        other = next((one for one in ones if one.kind != first.kind), None)
        if other is not None:
            raise RingletError.not_allowed(other.place, other.kind, f"{first.kind}, which process {ranks[0]} calls")
        size = max(one.size for one in ones)
        part = size if first.kind in WHOLE else -(-size // len(ranks))
        steps = Collective(first.kind, ranks, part, first.root, first.place, name)
        for one, end in zip(ones, add_steps(self.program, steps, [one.entry for one in ones]), strict=True):
            self.program.operations[one.end].after.append(end)


class Process:
    """The calls of a process, in their order."""

    def __init__(self, recorded: Recorded, rank: int) -> None:
        """Begins a process."""
        self._recorded = recorded
        self._rank = rank
        self._last: int | None = None
        self._left_ns: Decimal | None = None

    def enter(self, place: str, time_ns: Decimal) -> None:
        """Begins a call: what lies between it and the one before it is computed.

        Raises:
            RingletError: times go back.
        """
        if self._left_ns is not None and time_ns < self._left_ns:
            allowed = f"at least {self._left_ns.normalize():zf} ns, when the call before it ended"
            raise RingletError.not_allowed(f"{place}, time", f"{time_ns.normalize():zf} ns", allowed)
        ns = Decimal(0) if self._left_ns is None else time_ns - self._left_ns
        self._after(Operation("compute", self._rank, place, ns=ns))
        self._left_ns = time_ns

    def leave(self, time_ns: Decimal) -> None:
        """Ends a call."""
        self._left_ns = time_ns

    def message(
        self, kind: Literal["send", "receive"], place: str, peer: int, size: int, tag: Hashable, *, waits: bool = True
    ) -> int:
        """Adds a message; returns its number, for which `wait` waits where this call does not."""
        before = self._last
        number = self._after(Operation(kind, self._rank, place, peer, size, tag))
        if not waits:
            self._last = before
        return number

    def wait(self, place: str, numbers: Sequence[int]) -> None:
        """Waits for messages."""
        self._after(Operation("compute", self._rank, place, after=list(numbers)))

    def collective(self, place: str, communicator: Hashable, kind: Kind | None, size: int, root: int) -> None:
        """Calls a collective operation; of kind None: one that cannot be made messages.

        Raises:
            RingletError: no option says what becomes of it; or it cannot be made messages.
        """
        answer = self._recorded.answers.collectives
        if answer is None:
            said = "what becomes of such calls: ring, messages around the ring of their members; or leave-out"
            raise asked(place, "a collective operation does not say its messages", "--collectives", said)
        if answer == LEAVE_OUT:
            self._recorded.left_out += 1
            return
        if kind is None:
            raise asked(
                place, "no messages are known of this operation", f"--collectives {LEAVE_OUT}", "that all are left out"
            )
        assert self._last is not None, "a call has been entered"
        entry = self._last
        self.wait(place, [])
        self._recorded.calls[communicator][self._rank].append(Call(place, kind, size, root, entry, self._last))

    def _after(self, operation: Operation) -> int:
        if self._last is not None:
            operation.after.append(self._last)
        self._last = self._recorded.program.add(operation)
        return self._last
