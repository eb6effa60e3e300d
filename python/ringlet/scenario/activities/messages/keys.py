"""Periodic messages: the table of a real-time message set, from TOML or CSV."""

from pathlib import Path
from typing import Annotated, Any, Literal

from ringlet.scenario.activities.labels import Labels, labels_field
from ringlet.scenario.activities.receivers import ALL, by_its_way, read_destination, read_flag
from ringlet.scenario.activities.tables import Columns, Row, read_table
from ringlet.scenario.values.maxima import MAX_DRIFT_PPM, MAX_LEVELS
from ringlet.scenario.values.node_names import NODE_FORMS, Node, numbered
from ringlet.scenario.values.units import PositiveTime, Size, Time, size_bytes
from ringlet.sections import After, Before, Field, JsonSchema, refuse

MAX_PACKETS = 1_000_000
"""Packets into which a message may be cut."""

PriorityRule = Literal["given", "rate-monotonic", "deadline-monotonic"]

COLUMNS = Columns(
    required=("source", "destination", "size", "period"),
    optional=("name", "multicast", "deadline", "priority", "offset", "jitter", "drift", "sporadic"),
    quantities=("size", "deadline", "offset", "jitter", "sporadic", "period"),
    whole=("source", "priority"),
    renamed={"drift_ppm": "drift"},
    read={"destination": read_destination, "multicast": read_flag},
    elsewhere=("arrivals", "rate", "on", "off", "shape", "times", "start", "stop", "total"),
)
"""Columns of a file with messages."""

TIMES = ("period", "deadline", "offset", "jitter", "sporadic")
"""Keys of times."""


def _whole_bytes(value: float | str) -> float | str:
    count = size_bytes(value)
    if count < 1 or count != round(count):
        raise refuse("a whole number of bytes, at least 1")
    return value


def _are_receivers(value: Any) -> Any:  # noqa: ANN401 - whatever a file holds
    """Makes numbers of names, in a list, too."""
    if isinstance(value, list):
        return [numbered(one) for one in value]
    return value if value == ALL else numbered(value)


Receivers = Annotated[
    int | Literal["all"] | list[int],
    Before(_are_receivers),
    JsonSchema({"anyOf": [*NODE_FORMS, {"type": "array", "items": {"anyOf": NODE_FORMS}}]}),
]
"""A node; or several, or `all` others."""


class Message(Row):
    """A message that is sent once in every period."""

    source: Node = Field(description="Node whose requests move it: the sender; with a read, the receiver.")
    destination: Receivers = Field(
        description="Node that the requests go to, another one; with `multicast` a list of nodes, or `all` others."
    )
    multicast: bool = Field(
        default=False,
        description="`true`: each message goes to all nodes of `destination`. Each takes a copy as the packets pass, "
        "has the deadline for itself, and a row of results of its own, such as `state to 3`. On one ring, or on a "
        "`dual-attached-ring`.",
    )
    name: str = Field(
        default_factory=by_its_way,
        min_length=1,
        description="What it is called in results; no two may share a name. Default: its way, such as "
        "`0-3` or `camera-disk`; where that is taken, the number in the order of the table behind it: `0-3 (2)`.",
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
    jitter: Time = Field(
        default=0,
        description="Most time by which a release comes after it is due, drawn for each between 0 and this. The "
        "response counts from when it was due.",
    )
    drift: float = Field(
        default=0.0,
        gt=-MAX_DRIFT_PPM,
        le=MAX_DRIFT_PPM,
        description="Parts per million (ppm) by which the clock of the sender is slow: its period is longer by so many "
        "of them; below 0, shorter. The deadline stays.",
    )
    sporadic: Time = Field(
        default=0,
        description="Mean of a time, drawn for each release from an exponential distribution, by which the next one "
        "comes later than after a period; the period is the least distance then. Default: none, the message is "
        "periodic.",
    )

    labels: Labels = labels_field()

    @property
    def without_unit(self) -> tuple[str, ...]:
        """The times of a message from a CSV file that are plain numbers above 0: cycles."""
        times = {key: getattr(self, key) for key in TIMES}
        plain = (key for key, value in times.items() if isinstance(value, int | float) and value > 0)
        return tuple(plain) if self._place else ()

    @property
    def size_bytes(self) -> int:
        """Size in bytes."""
        return round(size_bytes(self.size))


def read_messages(file: Path) -> list[Message]:
    """Reads a CSV or Parquet file with a header and a row per message.

    A column is named after its key: `period` holds what a scenario file would, a number of cycles or a quantity such as
    10 us; `period_us` holds plain numbers in that unit. An empty cell leaves the default.

    Raises:
        RingletError: the file cannot be read, or a message in it is bad; names file and line.
    """
    return read_table(file, COLUMNS, Message, "message")
