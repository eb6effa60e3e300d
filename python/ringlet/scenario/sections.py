"""The sections of a scenario file but for the traffic: typed, with defaults and what each key means.

The JSON Schema, the reference in the documentation and the command line's checks all come from these models.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ringlet.scenario.units import PositiveTime, Time
from ringlet.scenario.validation import as_ringlet_error

MAX_GROUPS = 16
MAX_LEVELS = 256
MAX_SEED = 2**63 - 1

MAX_COUNT = 2**32 - 1

Count = Annotated[int, Field(ge=1, lt=MAX_COUNT + 1)]
"""How many places there are, or how many may be under way."""

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)  # it has no public name


class _OneMessage(ModelMetaclass):
    """Makes a section written in Python fail as one in a file does: with a RingletError."""

    if not TYPE_CHECKING:  # an editor is to see the fields

        def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
            try:
                return super().__call__(*args, **kwargs)
            except ValidationError as error:
                raise as_ringlet_error(error, self) from None


class Section(BaseModel, metaclass=_OneMessage):
    """What all sections have in common: no unknown keys, no silent conversions, no changes."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, revalidate_instances="always"
    )


class Queues(Section):
    """The queues of every node."""

    receive: Count | Literal["unlimited"] = Field(
        "unlimited",
        description="Packets that a receive queue holds: being received, waiting, in service. There is one for requests "
        "and one for responses. What finds it full is refused with a busy echo and sent again.",
    )
    service_time: Time = Field(0, description="Time to serve a received packet, one at a time in each receive queue.")
    responses: Count | Literal["unlimited"] = Field(
        "unlimited",
        description="Responses that a node may have created and not yet seen accepted: at this number it serves no "
        "further request that needs one.",
    )
    window: Count | Literal["unlimited"] = Field(
        "unlimited",
        description="Transactions that a node may have begun and not completed: at this number it sends no further "
        "request that needs a response.",
    )
    transmit: Annotated[int, Field(ge=0, lt=2**32)] | Literal["unlimited"] = Field(
        "unlimited",
        description="Requests that a transmit queue holds, the head included. What finds it full is lost. With `host.slots` those "
        "that wait for a slot; only then it may be 0.",
    )
    outstanding: Count | Literal["unlimited"] = Field(
        64,
        description="Packets that a node may have sent and not yet seen accepted, requests and responses apart (the "
        "echo-waiting queue; SCI: 64).",
    )
    order: Literal["alternate", "response-first", "request-first", "oldest"] = Field(
        "alternate",
        description="Which of request and response goes first at equal priority: `alternate`, the class that did not "
        "leave last; or the one that has waited longest (`oldest`).",
    )
    priorities: int | None = Field(
        None,
        ge=1,
        le=MAX_LEVELS,
        description="Levels of the prioritised FIFOs: transmit and receive queues take the highest priority first. "
        "Default: 256 with the real-time protocols and where there are messages; else `flow_control.priorities`, or 1.",
    )


class Retry(Section):
    """When a refused packet is sent again."""

    strategy: Literal["constant", "linear", "exponential"] = Field(
        "constant",
        description="Delay after the `k`-th refusal of a packet: `delay`, `k` times, or `2^(k-1)` times as long, "
        "but never more than 2^53 cycles, however often a packet is refused.",
    )
    delay: Time = Field(0, description="Delay after the first refusal.")
    by: Literal["requester", "responder"] = Field(
        "requester",
        description="Who waits: the sender, before it sends the packet again, or (`responder`) who refuses it, before it sends the busy echo (richter1997, "
        "Section 4.6.3). With protocol `none` or `sci`.",
    )
    reservation: bool = Field(
        False,
        description="Do receivers reserve places for refused packets, by SCI's A and B ageing? Then every packet is "
        "accepted within two generations of refused ones, and nobody starves at a full receiver. Not with `ppq`.",
    )


class Run(Section):
    """How long to simulate."""

    duration: PositiveTime | None = Field(
        None,
        description="Measured time, after the warm-up. With `precision`, the most. Default: `1 ms` without a precision; with a trace "
        "until all of it has been delivered.",
    )
    precision: float | None = Field(
        None,
        gt=0,
        lt=1,
        description="Measure until total throughput and mean latency are known within this relative half width (95 %).",
    )
    warmup: Time | Literal["auto"] = Field(
        "auto",
        description="Time simulated before the measurement. `auto`: until MSER-5 finds the transient over; none for a "
        "trace, for a message set alone, whose first releases are to count, and where links or nodes fail.",
    )
    seed: int = Field(1, ge=0, le=MAX_SEED, description="Seed of all random draws.")
    stall_after: PositiveTime | None = Field(
        None,
        description="A ring or network on which packets wait and none is accepted for this long is reported as stalled. Default: "
        "1,000,000 cycles, with switches a quarter of the duration if that is less, but 25,000 cycles and 20 times what a packet takes through a switch, at "
        "a node, or until a time-out; at least 20 revolutions of the longest ring.",
    )
