"""The retry section: when a refused packet is sent again. All strategies are listed in `STRATEGIES`."""

from collections.abc import Mapping
from typing import Annotated, Literal

from ringlet.scenario.values.per_node import TimePerNode
from ringlet.sections import Field, Section

StrategyName = Literal["constant", "linear", "exponential"]

STRATEGIES: Mapping[StrategyName, str] = {
    "constant": "`delay`",
    "linear": "`k` times as long",
    "exponential": "`2^(k-1)` times as long",
}
"""Delay after the `k`-th refusal of a packet by each strategy, in words; the engine's `RetrySpec` counts it."""


StrategyPerNode = StrategyName | Annotated[list[StrategyName], Field(fail_fast=True)] | dict[str, StrategyName]
"""A strategy of each node."""


class Retry(Section):
    """Retries: the time at which a refused packet is sent again."""

    strategy: StrategyPerNode = Field(
        default="constant",
        description="Delay after the `k`-th refusal of a packet: "
        + "; ".join(f"`{name}`: {delay}" for name, delay in STRATEGIES.items())
        + ". But never more than 2^53 cycles, however often a packet is refused. Or a list, or a "
        "table, as for `delay`.",
    )
    delay: TimePerNode = Field(
        default=0,
        description="Delay after the first refusal, of the node that waits. Or a list, or a table, as for "
        "`queues.service_time`.",
    )
    by: Literal["requester", "responder"] = Field(
        default="requester",
        description="Who waits: the sender, before it sends the packet again, or (`responder`) who refuses it, before "
        "it sends the busy echo (richter1997, Section 4.6.3).",
    )
    reservation: bool = Field(
        default=False,
        description="Do receivers reserve places for refused packets, by SCI's A and B ageing? Then every packet is "
        "accepted within two generations of refused ones, and no sender starves at a full receiver. Not by default, "
        "though SCI has it: a place that is kept stays empty until its packet comes again, which costs a full receiver "
        "6 % in the mean and up to 34 %, and the papers reproduced here do not say that they have it. Not with "
        "`ppq`.",
    )
