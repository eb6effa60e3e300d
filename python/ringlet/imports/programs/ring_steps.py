"""Collective operations of a program as messages on a ring of their members, as `[collective]` has them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ringlet.imports.programs.program import Operation, Program

Kind = Literal["all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast", "reduce", "gather", "scatter"]


@dataclass(frozen=True)
class Collective:
    """A collective operation, which all of its members call."""

    kind: Kind
    members: Sequence[int]
    """Processes, in the order of the ring."""
    part: int
    """Bytes of a part: of an all-reduce, the data over the members; of a broadcast or a reduce, all."""
    root: int = 0
    """Place of the root among the members."""
    place: str = ""
    name: str = ""
    """Words that tell it from others, as a tag."""


def add_steps(program: Program, one: Collective, entries: Sequence[int]) -> list[int]:
    """Adds the messages of a collective operation.

    Args:
        program: to which they are added.
        one: the operation.
        entries: number of an operation of each member, which ends before its messages begin.

    Returns:
        number of an operation of each member, which ends when all of the collective has ended for it.
    """
    count = len(one.members)
    lasts: list[list[int]] = [[entry] for entry in entries]
    before = [[entry] for entry in entries]
    if count > 1:
        for step, moves in enumerate(_steps(one, count)):
            sends = {at: [program.add(_operation("send", one, at, to, step, before[at]))] for at, to in moves}
            receives = {to: [program.add(_operation("receive", one, to, at, step, [entries[to]]))] for at, to in moves}
            for at in range(count):
                lasts[at] += sends.get(at, []) + receives.get(at, [])
                # Parts that come to nobody else do not wait for each other.
                if one.kind not in ("all-to-all", "gather", "scatter") and at in receives:
                    before[at] = receives[at]
    return [program.add(Operation("compute", one.members[at], one.place, after=ends)) for at, ends in enumerate(lasts)]


def _operation(
    kind: Literal["send", "receive"], one: Collective, at: int, to: int, step: int, after: list[int]
) -> Operation:
    tag = (one.name, step)
    return Operation(kind, one.members[at], one.place, one.members[to], one.part, tag, after=list(after))


def _steps(one: Collective, count: int) -> list[list[tuple[int, int]]]:
    """Returns the places of sender and receiver of each message, step by step."""
    around = [(at, (at + 1) % count) for at in range(count)]
    others = [(one.root + at) % count for at in range(1, count)]
    match one.kind:
        case "all-reduce":
            return [around] * (2 * (count - 1))
        case "all-gather" | "reduce-scatter":
            return [around] * (count - 1)
        case "all-to-all":
            return [[(at, (at + step) % count) for at in range(count)] for step in range(1, count)]
        case "broadcast":
            return [[pair] for pair in zip([one.root, *others], others, strict=False)]
        case "reduce":
            return [[pair] for pair in zip(others, [*others[1:], one.root], strict=True)]
        case "gather":
            return [[(at, one.root)] for at in others]
        case "scatter":
            return [[(one.root, at)] for at in others]
