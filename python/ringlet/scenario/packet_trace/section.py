"""The keys of a trace in a scenario."""

from typing import Annotated, Literal

from ringlet.scenario.values.units import ClockTime, exact_ns, magnitude
from ringlet.sections import After, Before, Field, Section, refuse


def _is_clock(value: object) -> object:
    allowed = "a string with a unit, such as '1 GHz'"
    if not isinstance(value, str):
        raise refuse(allowed)
    try:
        rate = magnitude(value, "GHz")
    except ValueError:
        raise refuse(allowed) from None
    if not 1e-9 <= rate <= 1e6:
        raise refuse("at least 1 Hz and at most 1 PHz")
    return value


def _is_time_unit(value: object) -> object:
    try:
        exact_ns(f"1 {value}")
    except ValueError:
        raise refuse("a unit of time, such as 'ns', 'us' or 's'") from None
    return value


def _are_successive(value: list[int]) -> list[int]:
    if value != list(range(value[0], value[0] + len(value))):
        raise refuse("successive regions, such as [1] or [1, 2]")
    return value


Column = Literal["cycle", "time", "source", "destination", "transaction", "bytes", "priority", "id", "depends_on"]
"""A column of a table."""


class PacketTrace(Section):
    """A trace of packets that is replayed: pattern `trace`.."""

    file: str = Field(
        min_length=1,
        description="The trace, relative to the scenario file: a table (`.csv`, `.parquet`) or a netrace file "
        "(`.tra`, `.tra.bz2`).",
    )
    replay: Literal["dependence-driven", "open-loop"] = Field(
        default="dependence-driven",
        description="When a packet starts. `open-loop`: at its own time. `dependence-driven`: one that depends on "
        "others as long after their "
        "delivery as after their start in the trace.",
    )
    clock: Annotated[str, Before(_is_clock)] | None = Field(
        default=None,
        description="Clock of a trace that counts cycles, such as `2 GHz`. Default: a cycle is a symbol time of the "
        "network.",
    )
    time_unit: Annotated[str, Before(_is_time_unit)] | None = Field(
        default=None,
        description="Unit of the times of a table whose column says none, such as `timestamp`: `ns`, `us`, `s`.",
    )
    columns: dict[Column, str] = Field(
        default={},
        description='Heads of a table\'s columns whose meaning they do not say, such as `{source = "node"}`.',
    )
    time_scale: float = Field(
        default=1.0,
        gt=0,
        le=1e9,
        description="Times of the trace are multiplied by it: with 0.5 the traced machine is twice as fast.",
    )
    regions: Annotated[list[Annotated[int, Field(ge=0)]], After(_are_successive)] | None = Field(
        default=None, min_length=1, description="Only these regions of a netrace file, successive ones. Default: all."
    )
    start: ClockTime = Field(
        default=0, description="Only packets from this time of the trace on; a number counts cycles of the trace."
    )
    stop: ClockTime | None = Field(
        default=None, description="Only packets before this time of the trace. Default: up to its end."
    )
    sha256: str | None = Field(
        default=None,
        pattern="^[0-9a-f]{64}$",
        description="SHA-256 of the file, in hexadecimal: another file is refused. Where a scenario is kept with its "
        "results, it is filled in.",
    )
