"""Logs of a CAN bus by candump, read by python-can: a trace from senders to receivers."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError
from ringlet.imports.captures.frames import Frame, trace
from ringlet.imports.content import Answers, Imported, asked
from ringlet.imports.libraries import library


def read(file: Path, answers: Answers) -> Imported:
    """Returns the frames of a log.

    A frame says its identifier only: the interface, such as can0, is the node that sends.

    Raises:
        RingletError: python-can is not there, the file is no log, or nothing says who receives.
    """
    can = library("can", "python-can", "Logs of candump")
    if answers.receiver is None:
        raise asked(str(file), "frames do not say who receives them", "--receiver", "the node that does")
    found = trace(_frames(file, can, answers.receiver, answers.sender), "frames")
    if not found.scenario["network"]["node_names"]:
        raise RingletError.not_allowed(str(file), "<no frame>", "a log with frames: (1436509052.249713) can0 123#11")
    found.left_out.append("identifiers and data of frames")
    return found


def _frames(file: Path, can: Any, receiver: str, sender: str | None) -> Iterator[Frame]:  # noqa: ANN401
    number = 0
    try:
        with can.CanutilsLogReader(file) as reader:
            for message in reader:
                number += 1
                ns = Decimal(round(message.timestamp * 10**6)) * 1000
                yield Frame(ns, sender or str(message.channel), receiver, max(1, len(message.data)))
    except (ValueError, IndexError, UnicodeDecodeError) as error:
        raise RingletError(f"{file}, behind frame {number}: not a line of candump: {error}") from None
