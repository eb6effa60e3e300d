"""Databases of CAN messages (DBC, ARXML, KCD), read by cantools: periodic messages."""

from pathlib import Path
from typing import Any

from ringlet.errors import RingletError
from ringlet.imports.content import Answers, Imported
from ringlet.imports.libraries import library, remarks_of
from ringlet.imports.messages.frames import Frame, messages_of

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
    found = messages_of(str(file), list(map(_frame, messages)), [node.name for node in database.nodes], answers)
    found.left_out += [f"cantools: {remark}" for remark in remarks]
    return found


def _frame(message: Any) -> Frame:  # noqa: ANN401
    return Frame(
        message.name,
        message.length,
        f"{message.cycle_time} ms" if message.cycle_time else None,
        [name for name in message.senders if name != NOBODY],
        [name for name in message.receivers if name != NOBODY],
    )
