"""Periodic messages: the table of a real-time message set, from TOML or CSV."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from ringlet.errors import Problems, RingletError
from ringlet.scenario.file.reading import read_text
from ringlet.scenario.values.maxima import MAX_LEVELS
from ringlet.scenario.values.node_names import Node, is_own, named
from ringlet.scenario.values.units import PositiveTime, Size, Time, size_bytes
from ringlet.sections import After, Field, Section, refuse

MAX_PACKETS = 1_000_000
"""Packets into which a message may be cut."""

PriorityRule = Literal["given", "rate-monotonic", "deadline-monotonic"]

REQUIRED = ("source", "destination", "size", "period")
OPTIONAL = ("name", "deadline", "priority", "offset")
WHOLE = ("source", "destination", "priority")
QUANTITIES = ("size", "period", "deadline", "offset")
"""Columns of a CSV file: those that have to be there, the others, those of whole numbers, those that may have units."""

_WITH_UNIT = re.compile(rf"({'|'.join(QUANTITIES)})_([A-Za-zµμ]+)")


def _whole_bytes(value: float | str) -> float | str:
    count = size_bytes(value)
    if count < 1 or count != round(count):
        raise refuse("a whole number of bytes, at least 1")
    return value


def _by_its_way(keys: dict[str, Any]) -> str:
    """Its name where it has none: the nodes as the file calls them."""
    return f"{named(keys.get('source'))}-{named(keys.get('destination'))}"


class Message(Section):
    """A message that is sent once in every period."""

    source: Node = Field(description="Node whose requests move it: the sender; with a read, the receiver.")
    destination: Node = Field(description="Node that the requests go to, another one.")
    name: str = Field(
        default_factory=_by_its_way,
        min_length=1,
        description="What it is called in results; no two may share a name. Default: its way, such as "
        "`0-3` or `camera-disk`.",
    )
    size: Annotated[Size, After(_whole_bytes)] = Field(
        description="Bytes, or a quantity such as `4 KiB`. The message is cut into packets of `message_transaction`; "
        "the "
        "last one is filled up."
    )
    period: PositiveTime = Field(description="Time from one release to the next, at least a cycle; not rounded.")
    deadline: PositiveTime | None = Field(
        default=None,
        description="Time from the release until all of it has been served, rounded down to cycles. Default: the "
        "period. "
        "Beyond the period only with `allow_late_deadlines`.",
    )
    priority: int | None = Field(
        default=None,
        ge=0,
        lt=MAX_LEVELS,
        description="Send priority, 0 the lowest and the default; for `message_priorities` `given`.",
    )
    offset: Time = Field(default=0, description="Time of the first release.")

    _place: str = ""

    @property
    def place(self) -> str:
        """The beginning of an error message about one of its keys, where it is from a CSV file; else empty."""
        return self._place

    @property
    def without_unit(self) -> tuple[str, ...]:
        """The times of a message from a CSV file that are plain numbers above 0: cycles."""
        times = {"period": self.period, "deadline": self.deadline, "offset": self.offset}
        plain = (key for key, value in times.items() if isinstance(value, int | float) and value > 0)
        return tuple(plain) if self._place else ()

    @property
    def size_bytes(self) -> int:
        """Size in bytes."""
        return round(size_bytes(self.size))


def read_messages(file: Path) -> list[Message]:
    """Reads a CSV file with a header and a line per message; blank lines do not count.

    A column is named after its key: `period` holds what a scenario file would, a number of cycles or a quantity such as
    10 us; `period_us` holds plain numbers in that unit. An empty cell leaves the default.

    Raises:
        RingletError: the file cannot be read, or a message in it is bad; names file and line.
    """
    reader = csv.reader(read_text(file, "a CSV file").splitlines())
    messages: list[Message] = []
    columns: list[tuple[str, str]] = []
    problems = Problems()
    try:
        for cells in reader:
            place = f"{file}, line {reader.line_num}"
            texts = [cell.strip() for cell in cells]
            if not any(texts):
                continue
            if not columns:
                columns = _columns(texts, place)
                continue
            if len(texts) != len(columns):
                allowed = f"{len(columns)}, one per column"
                problems.messages += RingletError.not_allowed(place, f"<{len(texts)} values>", allowed).args
                continue
            with problems.collected():
                try:
                    message = Message(**_keys(columns, texts))
                    message._place = f"{place}, "
                    messages.append(message)
                except RingletError as error:
                    raise error.behind(f"{place}, ") from None
    except csv.Error as error:
        raise RingletError(f"{file}, line {reader.line_num}: not a CSV file: {error}") from None
    problems.check()
    if not messages:
        raise RingletError.not_allowed(str(file), "<no message>", "a header and at least one line below it")
    return messages


def _columns(names: Sequence[str], place: str) -> list[tuple[str, str]]:
    """Returns the key and unit of each column."""
    known = (*REQUIRED, *OPTIONAL)
    columns = []
    for name in names:
        with_unit = _WITH_UNIT.fullmatch(name)
        key, unit = with_unit.groups() if with_unit else (name, "")
        if key not in known:
            raise RingletError.not_allowed(
                place, name, f"columns are {', '.join(known)}; those with units also as period_us"
            )
        columns.append((key, unit))
    keys = [key for key, _ in columns]
    for key in known:
        if keys.count(key) > 1:
            raise RingletError.not_allowed(place, key, "one column of each")
        if key in REQUIRED and key not in keys:
            raise RingletError(f"{place}: column {key!r} is missing; columns are {', '.join(known)}")
    return columns


def _keys(columns: Sequence[tuple[str, str]], texts: Sequence[str]) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    for (key, unit), text in zip(columns, texts, strict=True):
        if not text:
            continue
        if unit:
            keys[key] = f"{text} {unit}"
        elif key == "name" or (key in ("source", "destination") and is_own(text)):
            keys[key] = text
        else:
            keys[key] = _number(text, whole=key in WHOLE)
    return keys


def _number(text: str, *, whole: bool) -> int | float | str:
    """Returns the number that a cell holds, or the text where it holds none."""
    for kind in (int,) if whole else (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
