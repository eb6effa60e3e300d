"""Databases of CAN messages (DBC, ARXML, KCD), read by cantools: periodic messages."""

from collections import Counter
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError
from ringlet.imports.content import LEAVE_OUT, TABLE, Answers, Imported, asked, csv_line, some
from ringlet.imports.libraries import library, remarks_of

NOBODY = "Vector__XXX"
"""Name that the format gives a node that is not known."""


def read(file: Path, answers: Answers) -> Imported:
    """Returns the messages of a database, one for each receiver.

    Raises:
        RingletError: cantools is not there, the file is no database; two messages have one name; or a message has no
            period, sender or receiver, and no option says one.
    """
    cantools = library("cantools", "cantools", "Databases of CAN messages")
    try:
        with remarks_of("cantools") as remarks:
            database = cantools.database.load_file(str(file), strict=False)
    except UnicodeDecodeError as error:
        raise RingletError(f"{file}: not a database of CAN messages: {error.reason}") from None
    except Exception as error:
        raise RingletError(f"{file}: not a database of CAN messages: {' '.join(str(error).split())}") from None
    messages = getattr(database, "messages", None)
    if not messages:
        raise RingletError.not_allowed(str(file), "<no message>", "a database with messages")
    found = Imported({})
    rows: list[tuple[str, str, str, int, str]] = []
    for message in messages:
        rows += _rows(file, message, answers, found)
    if not rows:
        raise RingletError.not_allowed(str(file), "<no message>", f"one at least that is not left out ({LEAVE_OUT})")
    names = Counter(name for name, *_ in rows)
    if twice := [name for name, count in names.items() if count > 1]:
        raise RingletError.not_allowed(f"{file}, message", twice[0], "a name that no other message has")
    nodes = list(dict.fromkeys(node for _, source, destination, _, _ in rows for node in (source, destination)))
    order = [node.name for node in database.nodes if node.name in nodes]
    nodes = [*order, *(name for name in nodes if name not in order)]
    found.table = "name,source,destination,size,period\n" + "".join(map(csv_line, rows))
    found.scenario = {"messages_file": TABLE, "network": {"node_names": nodes}, "traffic": {"arrivals": "none"}}
    found.taken = [
        f"{len(nodes)} nodes: {some(nodes)}",
        f"{len(rows)} messages, one for each receiver: {some(name for name, *_ in rows)}",
        *found.taken,
    ]
    found.left_out += [
        "identifiers: on the bus a low one goes first; message_priorities says how they are served here",
        "signals, their scales and units; the rate of the bus",
        *(f"cantools: {remark}" for remark in remarks),
    ]
    return found


def _rows(file: Path, message: Any, answers: Answers, found: Imported) -> list[tuple[str, str, str, int, str]]:  # noqa: ANN401
    place = f"{file}, message {message.name!r}"
    if not message.length:
        found.left_out.append(f"{message.name}: it has no data")
        return []
    period = f"{message.cycle_time} ms" if message.cycle_time else answers.period
    senders = [name for name in message.senders if name != NOBODY] or [answers.sender]
    receivers = sorted({name for name in message.receivers if name != NOBODY}) or [answers.receiver]
    said = (
        (period, "no cycle time", "--period", "that of such messages"),
        (senders[0], "no sender", "--sender", "that of such messages"),
        (receivers[0], "no receiver", "--receiver", "that of such messages"),
    )
    for value, what, option, sentence in said:
        if value is None:
            raise asked(place, what, option, f"{sentence}, and {option} {LEAVE_OUT} leaves them out")
        if value == LEAVE_OUT:
            found.left_out.append(f"{message.name}: {what}")
            return []
    if len(senders) > 1:
        found.left_out.append(f"{message.name}: its other senders {some(map(str, senders[1:]))}")
    to = [receiver for receiver in receivers if receiver != senders[0]]
    several = len(to) > 1
    return [
        (f"{message.name}_{one}" if several else message.name, str(senders[0]), str(one), message.length, str(period))
        for one in to
    ]
