"""Communication matrices of a CAN bus in a spreadsheet, as canmatrix writes them: a row for each signal of a frame, and
a column for each node, which sends the frame (`s`) or receives the signal (`r`)."""

from collections.abc import Sequence
from typing import Any

from ringlet.errors import RingletError
from ringlet.imports.content import Answers, Imported
from ringlet.imports.messages.frames import Frame, messages_of

FRAME, CYCLE_TIME = "Frame Name", "Cycle Time [ms]"
BYTE, BIT, BITS = "Signal Byte No.", "Signal Bit No.", "Signal Length [Bit]"
FIRST_NODE, VALUE = ("Byteorder", "Signal Not Available"), "Value"
"""Columns, between which those of the nodes stand."""


def is_matrix(heads: Sequence[str]) -> bool:
    """Returns whether a sheet with these heads is a communication matrix."""
    return {FRAME, CYCLE_TIME, BYTE, BIT, BITS, VALUE} <= set(heads) and any(head in heads for head in FIRST_NODE)


def read_matrix(
    place: str, heads: Sequence[str], rows: Sequence[tuple[int, Sequence[Any]]], answers: Answers
) -> Imported:
    """Returns the frames of a matrix as messages, one for each receiver.

    A frame is as long as its signals need: the first bit of a signal and those behind it count in one order, whichever
    of its bytes is first.

    Raises:
        RingletError: a cell is not what its column says, which names the row; or as of `messages_of`.
    """
    begin = next(heads.index(head) for head in FIRST_NODE if head in heads) + 1
    nodes = {column: heads[column] for column in range(begin, heads.index(VALUE)) if heads[column]}
    named: dict[str, dict[str, Any]] = {}
    for number, row in rows:
        cells = dict(zip(heads, row, strict=False))
        if not cells[FRAME]:
            continue
        at = f"{place}, row {number}"
        frame = named.setdefault(str(cells[FRAME]).strip(), {"bits": 0, "time": None, "senders": {}, "receivers": {}})
        period = _number(cells[CYCLE_TIME], CYCLE_TIME, at)
        frame["time"] = f"{period:g} ms" if period else frame["time"]
        if cells[BITS] not in (None, ""):
            first, bit, bits = (_whole(cells[head], head, at) for head in (BYTE, BIT, BITS))
            frame["bits"] = max(frame["bits"], 8 * (first - 1) + bit + bits)
        for column, node in nodes.items():
            said = str(row[column] or "").split("/") if column < len(row) else []
            for letter, kind in (("s", "senders"), ("r", "receivers")):
                if letter in said:
                    frame[kind][node] = None
    frames = [
        Frame(name, answers.size or -(-one["bits"] // 8), one["time"], list(one["senders"]), list(one["receivers"]))
        for name, one in named.items()
    ]
    found = messages_of(place, frames, list(nodes.values()), answers)
    if answers.size is None:
        found.left_out.append("bytes of a frame behind its last signal: the sheet does not say them; --size says all")
    return found


def _number(cell: Any, head: str, place: str) -> float:  # noqa: ANN401 - a cell
    try:
        return float(cell or 0)
    except (TypeError, ValueError):
        raise RingletError.not_allowed(f"{place}, {head}", str(cell), "a number") from None


def _whole(cell: Any, head: str, place: str) -> int:  # noqa: ANN401 - a cell
    number = _number(cell, head, place)
    if number < 0 or number % 1:
        raise RingletError.not_allowed(f"{place}, {head}", str(cell), "a whole number")
    return int(number)
