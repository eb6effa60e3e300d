"""The keys of a flow: messages of any size from one source, at times of many kinds, from TOML, CSV, Parquet or a data
frame."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from ringlet.errors import RingletError
from ringlet.scenario.activities.labels import Labels, labels_field
from ringlet.scenario.activities.receivers import ALL, by_its_way, read_destination, read_flag
from ringlet.scenario.activities.tables import Columns, Row, frame_rows, read_size, read_table, rows_made
from ringlet.scenario.values.maxima import MAX_DRIFT_PPM, MAX_LEVELS
from ringlet.scenario.values.node_names import Node, numbered
from ringlet.scenario.values.sizes import Sizes, quantity
from ringlet.scenario.values.units import PositiveTime, Time, magnitude
from ringlet.sections import After, Before, Field, refuse

FlowArrivals = Literal[
    "saturated", "poisson", "bernoulli", "periodic", "on-off", "pareto-on-off", "times", "closed", "after"
]
"""The ways in which messages of a flow come."""

ThinkTimes = Literal["constant", "exponential"]
"""Distributions of the think times of a closed flow."""

MAX_WINDOW = 1 << 16
"""Messages of a window: what the engine takes."""

TOLERANCE = 1e-9
"""Largest deviation from 1 of the sum of probabilities."""


def _are_destinations(value: Any) -> Any:  # noqa: ANN401 - whatever a file holds
    """Makes numbers of names, in lists and tables of weights."""
    if isinstance(value, list):
        return [numbered(one) for one in value]
    if isinstance(value, Mapping):
        if not value or not all(_is_share(one) for one in value.values()):
            raise refuse('nodes with the shares of the messages, such as {"1" = 0.75, "2" = 0.25}')
        _check_sum(value.values())
        return {_number(key): float(share) for key, share in value.items()}
    return value if value == ALL else numbered(value)


def _number(node: Any) -> Any:  # noqa: ANN401 - whatever a file holds
    is_whole = isinstance(node, str) and node.isascii() and node.isdecimal()
    try:
        return numbered(node)
    except ValueError:
        if is_whole:
            return int(node)
        raise


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _check_sum(shares: Any) -> None:  # noqa: ANN401 - numbers
    total = math.fsum(shares)
    if abs(total - 1) > TOLERANCE:
        raise refuse(f"shares that sum to 1, not {total:.12g}")


def counts_messages(rate: str) -> bool:
    """Returns whether a rate is one of messages, such as `5 kHz`, and not of data."""
    return rate.strip().lower().endswith(("hz", "hertz"))


def _is_rate(value: str) -> str:
    try:
        if magnitude(value, "kHz" if counts_messages(value) else "MB/s") > 0:
            return value
    except ValueError:
        pass
    raise refuse("a rate above 0, of data such as '100 MB/s' or of messages such as '5 kHz'")


Destination = Annotated[
    int | Literal["all"] | list[int] | dict[int, float],
    Before(_are_destinations),
]
"""A node, several that are alike, nodes with weights, or `all` others."""


def _by_its_keys(keys: dict[str, Any]) -> str:
    """Returns the arrivals of the key that says when messages come."""
    of = {"times": "times", "after": "after", "window": "closed", "period": "periodic", "rate": "poisson"}
    return next((arrivals for key, arrivals in of.items() if keys.get(key) is not None), "saturated")


class FlowKeys(Row):
    """A flow: messages of one source."""

    source: Node = Field(description="Node whose requests move it: the sender; with a read, the receiver.")
    destination: Destination = Field(
        description="Node that its messages go to; or a list of nodes, of which each message goes to one, drawn; a "
        'table with their shares, `{"1" = 0.75, "2" = 0.25}`; or `"all"`: every other node alike.'
    )
    multicast: bool = Field(
        default=False,
        description="`true`: each message goes to all nodes of `destination`, a list or `all` (broadcast). Each takes "
        "a copy as the packet passes, and has a row of results of its own, such as `video to 3`. On one ring, or on "
        "a `dual-attached-ring`.",
    )
    name: str = Field(
        default_factory=by_its_way,
        min_length=1,
        description="What it is called in results; no two may share a name. Default: its way, such as `0-3`, `0-1+2` "
        "or `0-all`; where that is taken, the number in the order of the table behind it: `0-3 (2)`.",
    )
    size: Sizes = Field(
        description="Bytes of a message, or a quantity such as `100 MB`; or sizes with their probabilities, "
        '`{"64 B" = 0.9, "1500 B" = 0.1}`; or a distribution, log-normal, `{mean = "4 KiB", deviation = "2 KiB"}`, or '
        'uniform, `{least = 64, most = "1500 B"}`; drawn for each message. A message is cut into packets of '
        "`flow_transaction`; the last one is filled up."
    )
    arrivals: FlowArrivals = Field(
        default_factory=_by_its_keys,
        description="When messages come: `saturated`, always one waits; `poisson` or `bernoulli`, at random; "
        "`periodic`; `on-off` and `pareto-on-off`, at equal distances while the source is on, for times that are drawn "
        "(exponential, Pareto); `times`, as they are listed; `closed`, a think time after an earlier one is done; "
        "`after` those of another flow. Default: `times`, `after`, `closed`, `periodic` or `poisson`, whichever key is "
        "given: `times`, `after`, `window`, `period` or `rate`; else `saturated`.",
    )
    rate: Annotated[str, After(_is_rate)] | None = Field(
        default=None,
        description="Mean over time: of data, `100 MB/s`, or of messages, `5 kHz`; instead of `period`.",
    )
    period: PositiveTime | None = Field(
        default=None, description="Time from one message to the next, in the mean; instead of `rate`."
    )
    offset: Time = Field(default=0, description="Arrivals `periodic`: time of the first message, after `start`.")
    sporadic: Time = Field(
        default=0,
        description="Arrivals `periodic`: mean of a drawn time by which a message comes later than after a period.",
    )
    jitter: Time = Field(
        default=0, description="Most time by which a message is released after it is due, drawn for each."
    )
    drift: float = Field(
        default=0.0,
        gt=-MAX_DRIFT_PPM,
        le=MAX_DRIFT_PPM,
        description="Parts per million (ppm) by which the clock of the sender is slow: arrivals `periodic`.",
    )
    on: PositiveTime | None = Field(default=None, description="Arrivals `on-off`: mean time for which it is on.")
    off: PositiveTime | None = Field(default=None, description="Arrivals `on-off`: mean time for which it is off.")
    shape: float = Field(
        default=1.5, gt=1, le=1000, description="Arrivals `pareto-on-off`: shape of the distributions of both times."
    )
    times: list[Time] | None = Field(
        default=None, min_length=1, description="Arrivals `times`: when each message comes, after `start`, ascending."
    )
    window: int | None = Field(
        default=None,
        ge=1,
        le=MAX_WINDOW,
        description="Arrivals `closed`: so many messages come at `start`, and one more for each that is done: all its "
        "packets accepted, or answered where the transaction has responses, or lost. Default: 1.",
    )
    think: Time = Field(
        default=0,
        description="Arrivals `closed`: time from when a message is done until the next one is due, at least a cycle.",
    )
    think_times: ThinkTimes = Field(
        default="constant",
        description="Arrivals `closed`: `constant` think times, or `exponential` ones, drawn with the mean `think`.",
    )
    after: str | None = Field(
        default=None,
        min_length=1,
        description="Arrivals `after`: name of the flow after whose messages those of this one come, one after each "
        "that has been delivered whole at the source of this one. If both have one source: after each that has been "
        "answered whole.",
    )
    delay: Time = Field(
        default=0, description="Arrivals `after`: time from that delivery until the message is due, at least a cycle."
    )
    priority: int = Field(default=0, ge=0, lt=MAX_LEVELS, description="Send priority, 0 the lowest.")
    deadline: PositiveTime | None = Field(
        default=None, description="Time from when a message is due until all of it has been served. Default: none."
    )
    start: Time = Field(default=0, description="Time from which its own times count.")
    stop: PositiveTime | None = Field(default=None, description="Time from which on none is due. Default: never.")
    total: int | None = Field(
        default=None, ge=1, description="Messages after which there are no more. Default: there is no end."
    )

    labels: Labels = labels_field()


def _read_times(text: str) -> list[float | str]:
    """Returns the times that a cell lists; the unit behind the last one is that of all without one."""
    *earlier, last = (quantity(part.strip()) for part in text.split(";"))
    unit = last.partition(" ")[2] if isinstance(last, str) else ""
    return [f"{time!r} {unit}" if unit and isinstance(time, float) else time for time in earlier] + [last]


COLUMNS = Columns(
    required=("source", "destination", "size"),
    optional=(
        *("name", "multicast", "arrivals", "rate", "period", "offset", "sporadic", "jitter", "drift", "on", "off"),
        *("shape", "times", "window", "think", "think_times", "after", "delay"),
        *("priority", "deadline", "start", "stop", "total"),
    ),
    quantities=(
        *("size", "rate", "offset", "sporadic", "jitter", "on", "off", "think", "delay", "deadline", "start", "stop"),
        *("times", "period"),
    ),
    whole=("source", "window", "priority", "total"),
    texts=("name", "arrivals", "rate", "after", "think_times"),
    renamed={"drift_ppm": "drift"},
    read={
        "destination": read_destination,
        "multicast": read_flag,
        "size": read_size,
        "times": _read_times,
    },
)
"""Columns of a table of flows."""


def read_flows(file: Path) -> list[FlowKeys]:
    """Reads a CSV or Parquet file with a header and a row per flow.

    A column is named after its key: `period` holds what a scenario file would, `period_us` plain numbers in that unit,
    and so `rate_MBps`, `rate_kHz`, `size_bytes` and `drift_ppm`. An empty cell leaves the default. A cell may hold
    several destinations, sizes or times: `1; 2`, `64: 0.9; 1500: 0.1`.

    Raises:
        RingletError: the file cannot be read, or a flow in it is bad; names file and line.
    """
    return read_table(file, COLUMNS, FlowKeys, "flow")


def flows_of_frame(frame: Any) -> list[FlowKeys]:  # noqa: ANN401 - a data frame of any library
    """Returns the flows of a data frame with the columns of a file.

    Raises:
        RingletError: a flow in it is bad; names the row.
    """
    found = rows_made(frame_rows(frame, "flows"), COLUMNS, FlowKeys)
    if not found:
        raise RingletError.not_allowed("flows", "<no row>", "a data frame with a row for each flow")
    return found
