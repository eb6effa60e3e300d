"""The keys of a collective operation."""

from typing import Literal

from ringlet.scenario.keys.events import WritingTransaction
from ringlet.scenario.values.maxima import MAX_LEVELS
from ringlet.scenario.values.node_names import Node
from ringlet.scenario.values.sizes import WholeSize
from ringlet.scenario.values.units import Time
from ringlet.sections import Field, Section


class Collective(Section):
    """A collective operation: what a parallel program exchanges among all its members at once."""

    operation: Literal["all-reduce", "all-gather", "all-to-all", "broadcast"] = Field(
        description="Of `N` members, each of which sends to the next one. `all-gather`: in `N - 1` steps each hands on "
        "the part that has come to it. `all-reduce`: `N - 1` steps in which parts are combined, and an all-gather. "
        "`broadcast`: packet by packet from the root to the next one, and so on. `all-to-all`: in step `k` "
        "member `i` sends a part to member `i + k`."
    )
    size: WholeSize = Field(
        description="Data of the operation, such as `1 MiB`. `all-reduce`: of each member, and of the result; "
        "`all-gather`: of the result, to which each member brings a part; `all-to-all`: what each member has for all, "
        "the part for itself included; `broadcast`: what the root has. A part is `size / N`, rounded up to packets of "
        "`transaction`."
    )
    members: list[Node] | None = Field(
        default=None,
        min_length=1,
        description="The nodes that take part, in their order. Default: all that send and receive, by their numbers.",
    )
    root: Node | None = Field(default=None, description="The member that begins a `broadcast`. Default: the first one.")
    start: Time = Field(default=0, description="When it begins.")
    reduce_time: Time = Field(
        default=0, description="Time in which a member of an `all-reduce` combines a packet that has come with its own."
    )
    transaction: WritingTransaction = Field(default="dmove64", description="The transaction that parts are cut into.")
    priority: int = Field(default=0, ge=0, lt=MAX_LEVELS, description="Send priority of its packets, 0 the lowest.")
