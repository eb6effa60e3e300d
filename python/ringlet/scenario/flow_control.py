"""The flow-control section: the protocol and its options."""

from typing import Annotated, Literal

from pydantic import Field

from ringlet.scenario.sections import MAX_GROUPS, Count, Section
from ringlet.scenario.units import PositiveTime, Time

DEFAULT_PRESET = "A"
"""The reading of the paper's silent points that is taken where a scenario does not choose; docs/protocols.md argues it."""

MAX_SYMBOLS = 140
"""Longest train head or ticket, in symbols."""

MAX_BYPASS_SYMBOLS = 1_000_000


class GroupStep(Section):
    """A moment at which software rewrites the group registers."""

    at: Time = Field(description="When; the first step is at 0.")
    groups: list[Annotated[int, Field(ge=0, lt=MAX_GROUPS)]] = Field(description="Each node's group from then on.")


class FlowControl(Section):
    """Which node may send when."""

    protocol: Literal["none", "sci", "grouped", "ppq", "train", "dfc"] = Field(
        "sci",
        description="`none`: a node sends whenever its bypass FIFO is empty. `sci`: go bits. `grouped`: the enhanced "
        "protocol of picker1994, one go bit per transmission group and a block register. The real-time protocols of "
        "todd2001: `ppq`, preemptive priority queues; `train`, arbitration by a train of tickets; `dfc`, directed flow "
        "control, at most 256 nodes.",
    )
    preset: Literal["A", "B"] | None = Field(
        None,
        description="A reading of the points on which picker1994 is silent (`sci` and `grouped`). `A`: release "
        "`unblocked`, extension `after-send`, to be used with a hop delay of 3; `B`: release `all`, extension `none`, "
        f"with a hop delay of 1. Default: `{DEFAULT_PRESET}`. The hop delay itself is set in `[network]`.",
    )
    release: Literal["unblocked", "all"] | None = Field(
        None,
        description="What the idle behind an own packet carries while the bypass FIFO is not empty: the saved go bits "
        "of groups outside the block register, or all saved go bits. Default: the preset's.",
    )
    extension: Literal["none", "passing", "after-send", "always"] | None = Field(
        None,
        description="Go-bit extension: which idles created by stripping a packet copy the go bits of the last emitted "
        "idle. `passing`: those that pass a node with an empty bypass FIFO; `after-send`: also the one absorbed behind an "
        "own packet if the FIFO is empty then; `always`: that one in any case. Default: the preset's; without a preset `passing` "
        "where packets may be refused, by a full receive queue or a switch.",
    )
    priorities: int | None = Field(
        None,
        ge=1,
        le=4,
        description="`sci` only: send priorities. 1 (default): one go bit, as picker1994 describes it. 2 to 4: a low and "
        "a high go bit; experimental, see the model.",
    )
    groups: int | None = Field(
        None, ge=1, le=MAX_GROUPS, description="`grouped` only: transmission groups. Default: 8."
    )
    assignment: (
        Literal["node", "pair", "maximal-conflict"]
        | Annotated[list[int], Field(fail_fast=True)]
        | Annotated[list[Annotated[list[int], Field(fail_fast=True)]], Field(fail_fast=True)]
        | None
    ) = Field(
        None,
        description="`grouped` only: which group a packet belongs to. `node`: each node has its own group; `pair`: each "
        "source-destination pair that is used; `maximal-conflict`: nodes that conflict most share a group; a list with "
        "each node's group; or a matrix with the group of each source (row) and destination. Default: `node` if there "
        "are enough groups, else `maximal-conflict`.",
    )
    schedule: list[GroupStep] | None = Field(
        None,
        min_length=1,
        description="`grouped` only, instead of `assignment`: software rewrites the nodes' group registers between packets.",
    )
    bypass: Annotated[int, Field(ge=1, le=MAX_BYPASS_SYMBOLS)] | None = Field(
        None,
        description="`ppq`, `train`, `dfc`: symbols of the nominal bypass FIFO; a node sends only what leaves room for "
        "what arrives meanwhile. Default: the longest packet of the traffic and its idle.",
    )
    inheritance: bool | None = Field(
        None,
        description="`ppq`: do sent packets inherit the priority of what waits for their place in the echo-waiting "
        "queue, by an event message? `train`: do packets in an input queue inherit the priority of a ticket that was "
        "deleted because of them? Default: `false`.",
    )
    late_echo: Literal["service-end", "service-start"] | None = Field(
        None,
        description="`ppq` only: when the echo of an accepted packet is made; until then the packet can be preempted "
        "or, with `service-end`, is being served. Default: `service-end`.",
    )
    ageing: PositiveTime | None = Field(
        None,
        description="`ppq` only: the effective priority of a packet in a bypass FIFO rises by 1 in so much time. "
        "Default: it does not.",
    )
    ticket_master: Annotated[int, Field(ge=0)] | None = Field(
        None, description="`train` only: the node that makes the train. Default: 0."
    )
    locomotive: Annotated[int, Field(ge=1, le=MAX_SYMBOLS)] | None = Field(
        None, description="`train` only: symbols of the LocalMotive, the train's head. Default: 4."
    )
    ticket: Annotated[int, Field(ge=1, le=MAX_SYMBOLS)] | None = Field(
        None, description="`train` only: symbols of a ticket. Default: 2."
    )
    delay: Time | None = Field(
        None, description="`train` only: time that a node takes to rewrite a train. Default: 4 cycles."
    )
    tickets_per_node: Count | None = Field(
        None, description="`train` only: tickets that a node may add to a train. Default: 1."
    )
    size: Count | Literal["unlimited"] | None = Field(
        None,
        description="`train` only: symbols that a train may grant, each packet with its idle. Default: `unlimited` in the "
        "mode `arbitrated`; else the longest packet of the traffic for each ticket of each node.",
    )
    mode: Literal["arbitrated", "switching", "gearshift"] | None = Field(
        None,
        description="`train` only: when there is arbitration. `arbitrated`: always; `switching`: above a load, and else "
        "the train carries the bandwidth left; `gearshift`: above a load, and else the ring is base SCI. Default: "
        "`arbitrated`.",
    )
    shift_up: Annotated[float, Field(gt=0, le=1)] | None = Field(
        None,
        description="`train` only: share of the bandwidth in use above which arbitration begins. Default: 0.7.",
    )
    shift_down: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None,
        description="`train` only: share of the size filled by a request train below which arbitration ends. Default: 0.3.",
    )
    high_water: Count | None = Field(
        None,
        description="`dfc` only: packets in a receive queue from which on senders are stopped. Default: `queues.receive`.",
    )
    low_water: Annotated[int, Field(ge=0)] | None = Field(
        None,
        description="`dfc` only: packets at which they are released, less than `high_water`. Default: 1, or 0 with a "
        "`high_water` of 1.",
    )
    stop_thru: bool | None = Field(
        None,
        description="`dfc` only: does a node that lacks room announce its priority to those upstream? Default: `true`.",
    )
    fair: bool | None = Field(
        None, description="`dfc` only: are nodes of equal priority granted in turn? Default: `true`."
    )
