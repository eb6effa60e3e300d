"""The sections of a scenario file but for the traffic: typed, with defaults and what each key means.

The JSON Schema, the reference in the documentation and the command line's checks all come from these classes.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from ringlet.scenario.per_node import NO_LIMIT, PlacesPerNode, TimePerNode, WaitingPlacesPerNode, items
from ringlet.scenario.units import PositiveTime, Time
from ringlet.sections import Field, Section

MAX_GROUPS = 256
MAX_LEVELS = 256
MAX_SEED = 2**63 - 1


class FromPreset(Section):
    """A section that takes what is not given from the values of a preset; without one its defaults are those."""

    presets: ClassVar[Mapping[str, Mapping[str, object]]]

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        preset = content.get("preset")
        return {**cls.presets[preset], **content} if isinstance(preset, str) and preset in cls.presets else content


class Queues(Section):
    """The queues of every node."""

    receive: PlacesPerNode = Field(
        default="unlimited",
        description="Packets that a receive queue holds: being received, waiting, in service. There is one for "
        "requests "
        "and one for responses. What finds it full is refused with a busy echo and sent again. "
        "Or a list, or a table, as for `service_time`.",
    )
    service_time: TimePerNode = Field(
        default=0,
        description="Time to serve a received packet, one at a time in each receive queue; or a list, one for each "
        "node; or a table by the nodes' names or numbers, with `others` for those that it does not name.",
    )
    responses: PlacesPerNode = Field(
        default="unlimited",
        description="Responses that a node may have created and not yet seen accepted: at this number it serves no "
        "further request that needs one. Or a list, or a table, as for `service_time`.",
    )
    window: PlacesPerNode = Field(
        default="unlimited",
        description="Transactions that a node may have begun and not completed: at this number it sends no further "
        "request that needs a response. Or a list, or a table, as for `service_time`.",
    )
    response_timeout: PositiveTime | None = Field(
        default=None,
        description="Time for which a request waits for its response, from its acceptance on. When it is over the "
        "transaction leaves its place in the `window`, and the request is sent again, behind those that wait; a "
        "response that still comes is dropped. Data count when a response comes in time. Requests of traces, plans and "
        "programs wait for ever, as all do by default.",
    )
    response_repeats: int = Field(
        default=3,
        ge=0,
        le=255,
        description="Times that a request is sent again after `response_timeout`; then it is given up.",
    )
    transmit: WaitingPlacesPerNode = Field(
        default="unlimited",
        description="Requests that a transmit queue holds, the head included. What finds it full is lost. With "
        "`host.slots` those "
        "that wait for a slot; only then it may be 0. Or a list, or a table, as for `service_time`.",
    )
    outstanding: PlacesPerNode = Field(
        default=64,
        description="Packets that a node may have sent and not yet seen accepted, requests and responses apart (the "
        "echo-waiting queue; SCI: 64). Or a list, or a table, as for `service_time`.",
    )
    order: Literal["alternate", "response-first", "request-first", "oldest"] = Field(
        default="alternate",
        description="Which of request and response goes first at equal priority: `alternate`, the class that did not "
        "leave last; or the one that has waited longest (`oldest`).",
    )
    priorities: int | None = Field(
        default=None,
        ge=1,
        le=MAX_LEVELS,
        description="Levels of the prioritised FIFOs: transmit and receive queues take the highest priority first. "
        "Default: 256 with the real-time protocols and where there are messages; else `flow_control.priorities`, or 1.",
    )

    @property
    def loses(self) -> bool:
        """Whether a transmit queue may be full, so that what is generated is lost."""
        return any(one != NO_LIMIT for one in items("queues.transmit", self.transmit).values())


class Run(Section):
    """The length of a run, its warm-up and its seed."""

    duration: PositiveTime | None = Field(
        default=None,
        description="Measured time, after the warm-up. With `precision`, the most. Default: `1 ms` without a "
        "precision; with a trace "
        "until all of it has been delivered.",
    )
    precision: float | None = Field(
        default=None,
        gt=0,
        lt=1,
        description="Measure until total throughput and mean latency are known within this relative half width (95 %).",
    )
    warmup: Time | Literal["auto"] = Field(
        default="auto",
        description="Time simulated before the measurement. `auto`: until MSER-5 finds the transient over; none for a "
        "trace, for a message set alone, whose first releases are to count, and where links or nodes fail.",
    )
    seed: int = Field(default=1, ge=0, le=MAX_SEED, description="Seed of all random draws.")
    stall_after: PositiveTime | None = Field(
        default=None,
        description="A ring or network on which packets wait and none is accepted for this long is reported as "
        "stalled. Default: "
        "1,000,000 cycles, with switches a quarter of the duration if that is less, but 25,000 cycles and 20 times "
        "what a packet takes through a switch, at "
        "a node, or until a time-out; at least 20 revolutions of the longest ring.",
    )
