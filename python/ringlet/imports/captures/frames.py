"""Recorded frames as a trace: each is cut into packets, as messages are."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from ringlet.imports.content import TABLE, Imported, some
from ringlet.scenario.values.transactions import DATA_BYTES

SIZES = tuple(sorted({size for size in DATA_BYTES.values() if size}, reverse=True))
"""Data of moves, largest first."""


class Frame(NamedTuple):
    """A frame of a recording."""

    time_ns: Decimal
    source: str
    destination: str
    size: int
    """Bytes."""


def packets(size: int) -> Iterator[str]:
    """Yields the moves that carry so many bytes: the largest ones, then the smallest that holds the rest, padded."""
    while size > SIZES[0]:
        yield f"dmove{SIZES[0]}"
        size -= SIZES[0]
    yield f"dmove{min(one for one in SIZES if one >= size)}"


def trace(frames: Iterable[Frame], what: str) -> Imported:
    """Returns frames as a trace, in the order of their times."""
    lines = ["time_ns,source,destination,transaction\n"]
    names: dict[str, None] = {}
    count = rows = padding = turned = 0
    last = Decimal(0)
    for frame in frames:
        names.setdefault(frame.source)
        names.setdefault(frame.destination)
        count += 1
        turned += frame.time_ns < last
        last = max(last, frame.time_ns)
        for kind in packets(frame.size):
            rows += 1
            padding += int(kind.removeprefix("dmove"))
            lines.append(f"{last.normalize():zf},{frame.source},{frame.destination},{kind}\n")
        padding -= frame.size
    taken = [
        f"{len(names)} nodes: {some(names)}",
        f"{count} {what} as {rows} packets: a larger one is cut, and the last packet padded, by {padding} bytes in all",
    ]
    left = [f"{turned} times that go back: such a frame starts with the one before it"] if turned else []
    scenario = {"network": {"node_names": list(names)}, "traffic": {"trace": {"file": TABLE}}}
    return Imported(scenario, "".join(lines), taken, left)
