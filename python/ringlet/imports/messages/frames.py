"""Frames of a bus as messages on a ring, one for each receiver."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ringlet.errors import RingletError
from ringlet.imports.content import LEAVE_OUT, TABLE, Answers, Imported, asked, csv_line, some


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame that is sent again and again."""

    name: str
    size: int | str
    """Data that it carries, in bytes or with its unit; 0: none."""
    cycle_time: str | None
    """Time between two of them, with its unit; None: the file has none."""
    senders: Sequence[str]
    receivers: Sequence[str]


def messages_of(file: str, frames: Sequence[Frame], nodes: Sequence[str], answers: Answers) -> Imported:
    """Returns the frames of a file as messages, and the nodes between which they go, in the file's order.

    Raises:
        RingletError: two messages have one name; or a frame has no period, sender or receiver, and no option says one.
    """
    found = Imported({})
    rows: list[tuple[str, str, str, int | str, str]] = []
    for frame in frames:
        rows += _rows(file, frame, answers, found)
    if not rows:
        raise RingletError.not_allowed(file, "<no message>", f"one at least that is not left out ({LEAVE_OUT})")
    names = Counter(name for name, *_ in rows)
    if twice := [name for name, count in names.items() if count > 1]:
        raise RingletError.not_allowed(f"{file}, message", twice[0], "a name that no other message has")
    used = list(dict.fromkeys(node for _, source, destination, _, _ in rows for node in (source, destination)))
    order = [name for name in nodes if name in used]
    used = [*order, *(name for name in used if name not in order)]
    found.table = "name,source,destination,size,period\n" + "".join(map(csv_line, rows))
    found.scenario = {"messages_file": TABLE, "network": {"node_names": used}, "traffic": {"arrivals": "none"}}
    found.taken = [
        f"{len(used)} nodes: {some(used)}",
        f"{len(rows)} messages, one for each receiver: {some(name for name, *_ in rows)}",
        *found.taken,
    ]
    found.left_out += [
        "identifiers: on the bus a low one goes first; message_priorities says how they are served here",
        "signals, their scales and units; the rate of the bus",
    ]
    return found


def _rows(file: str, frame: Frame, answers: Answers, found: Imported) -> list[tuple[str, str, str, int | str, str]]:
    if not frame.size:
        found.left_out.append(f"{frame.name}: it has no data")
        return []
    period = frame.cycle_time or answers.period
    senders: Sequence[str | None] = frame.senders or [answers.sender]
    receivers: Sequence[str | None] = sorted(set(frame.receivers)) or [answers.receiver]
    said = (
        (period, "no cycle time", "--period", "that of such messages"),
        (senders[0], "no sender", "--sender", "that of such messages"),
        (receivers[0], "no receiver", "--receiver", "that of such messages"),
    )
    for value, what, option, sentence in said:
        if value is None:
            place = f"{file}, message {frame.name!r}"
            raise asked(place, what, option, f"{sentence}, and {option} {LEAVE_OUT} leaves them out")
        if value == LEAVE_OUT:
            found.left_out.append(f"{frame.name}: {what}")
            return []
    if len(senders) > 1:
        found.left_out.append(f"{frame.name}: its other senders {some(map(str, senders[1:]))}")
    to = [receiver for receiver in receivers if receiver != senders[0]]
    several = len(to) > 1
    return [
        (f"{frame.name}_{one}" if several else frame.name, str(senders[0]), str(one), frame.size, str(period))
        for one in to
    ]
