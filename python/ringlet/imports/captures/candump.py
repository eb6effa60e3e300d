"""Logs of a CAN bus by candump, whose lines cantools knows: a trace from senders to receivers."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError
from ringlet.imports.captures.frames import Frame, trace
from ringlet.imports.content import Answers, Imported, asked
from ringlet.imports.libraries import library
from ringlet.imports.lines import read_lines

WHAT = "a log of candump"
EXAMPLE = "(1436509052.249713) can0 123#11"
NO_FRAME = f"a log with frames: {EXAMPLE}"
ERROR = 0x20000000
"""Flag of frames of errors (linux/can.h)."""

FIRST_CLOCK = 662_688_000
"""Seconds to 1991, the year of the first CAN bus in a car: lower times count from the beginning of the log."""


def read(file: Path, answers: Answers) -> Imported:
    """Returns the frames of a log.

    A frame says its identifier only: the interface, such as can0, is the node that sends.

    Raises:
        RingletError: cantools is not there, the file is no log, or nothing says who receives.
    """
    library("cantools", "cantools", "Logs of candump")
    logreader = library("cantools.logreader", "cantools", "Logs of candump")
    if answers.receiver is None:
        # A file of another kind is refused as that: no answer would help.
        if next(_frames(file, logreader, "", answers.sender, []), None) is None:
            raise RingletError.not_allowed(str(file), "<no frame>", NO_FRAME)
        raise asked(str(file), "frames do not say who receives them", "--receiver", "the node that does")
    errors: list[int] = []
    found = trace(_frames(file, logreader, answers.receiver, answers.sender, errors), "frames")
    if not found.scenario["network"]["node_names"]:
        raise RingletError.not_allowed(str(file), "<no frame>", NO_FRAME)
    if errors:
        found.left_out.append(f"{len(errors)} frames of errors")
    found.left_out.append("identifiers and data of frames")
    return found


def _frames(
    file: Path,
    logreader: Any,  # noqa: ANN401 - a module
    receiver: str,
    sender: str | None,
    errors: list[int],
) -> Iterator[Frame]:
    known, parser, last = None, logreader.Parser(), Decimal(0)
    for number, line in read_lines(file, WHAT):
        if not line.strip():
            continue
        place = f"{file}, line {number}"
        known = known or parser.detect_pattern(line)
        match = known.pattern.match(line) if known else None
        if match is None or "can_id" not in match.groupdict():
            raise RingletError.not_allowed(place, line.strip(), f"a line of candump, such as {EXAMPLE}")
        if "timestamp" not in match.groupdict():
            raise RingletError.not_allowed(place, "<no time>", "times, as candump -l, -tz and -tA print them")
        time = _seconds(place, match["timestamp"])
        if time < last < FIRST_CLOCK:
            # Behind -td each time counts from the frame before; a log of several buses may swap two frames.
            allowed = f"a time that is not before {last}, as candump -l and -tz print them"
            raise RingletError.not_allowed(place, match["timestamp"], allowed)
        last = time
        if int(match["can_id"], 16) & ERROR:
            errors.append(number)
            continue
        data = "" if match["can_data"].startswith(("R", "r")) else match["can_data"].replace(" ", "")
        yield Frame(time * 10**9, sender or match["channel"], receiver, max(1, len(data) // 2))


def _seconds(place: str, text: str) -> Decimal:
    """Returns a time of a line: seconds, or a date with them."""
    try:
        if "-" in text:
            since = datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f") - datetime(1970, 1, 1)
            return Decimal(since // timedelta(microseconds=1)) / 10**6
        return Decimal(text)
    except (ValueError, InvalidOperation):
        raise RingletError.not_allowed(place, text, "seconds, or a date with them") from None
