"""The keys of queues."""

from typing import Literal

from ringlet.scenario.values.maxima import MAX_LEVELS
from ringlet.scenario.values.per_node import NO_LIMIT, PlacesPerNode, TimePerNode, WaitingPlacesPerNode, items
from ringlet.scenario.values.units import PositiveTime
from ringlet.sections import Field, Section


class Queues(Section):
    """The queues of every node."""

    receive: PlacesPerNode = Field(
        default="unlimited",
        description="Packets that a receive queue holds: being received, waiting, in service. There is one for "
        "requests "
        "and one for responses. What finds it full is refused with a busy echo and sent again; without echoes it is "
        "lost. "
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
    outstanding: PlacesPerNode | None = Field(
        default=None,
        description="Packets that a node may have sent and not yet seen accepted, requests and responses apart (the "
        "echo-waiting queue). Or a list, or a table, as for `service_time`. Default: 64, as SCI's; `unlimited` with "
        "`metaring`, `token-ring`, `timed-token`, `slotted-ring` and `rpr`.",
    )
    order: Literal["alternate", "response-first", "request-first", "oldest"] | None = Field(
        default=None,
        description="Which of request and response goes first at equal priority: `alternate`, the class that did not "
        "leave last; or the one that has waited longest (`oldest`). Default: `oldest` with `train`, whose tickets go "
        "by age; else `alternate`.",
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
        """True if a transmit queue may be full, so that what is generated is lost."""
        return any(one != NO_LIMIT for one in items("queues.transmit", self.transmit).values())
