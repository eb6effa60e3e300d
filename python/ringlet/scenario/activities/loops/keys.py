"""The keys of a control loop: a message that goes from node to node, each of which works on it."""

from typing import Annotated, Any

from ringlet.scenario.values.maxima import MAX_DRIFT_PPM, MAX_LEVELS
from ringlet.scenario.values.node_names import Node, named
from ringlet.scenario.values.sizes import WholeSize
from ringlet.scenario.values.transactions import WritingTransaction
from ringlet.scenario.values.units import PositiveTime, Time
from ringlet.sections import Field, Section


def _by_its_way(keys: dict[str, Any]) -> str:
    """Returns the name of a loop that has none: the nodes as the file calls them."""
    nodes = keys.get("nodes")
    return "-".join(map(named, nodes)) if nodes else "loop"


class Loop(Section):
    """A control loop: in every period a message goes from a sensor over controllers to an actuator."""

    nodes: list[Node] = Field(
        min_length=2,
        description="The nodes in the order in which the loop reaches them, such as sensor, controller, actuator; each "
        "sends to the next one, another node.",
    )
    name: str = Field(
        default_factory=_by_its_way,
        min_length=1,
        description="What it is called in results; no two loops or messages may share a name. Default: its way, such "
        "as `0-3-5` or `camera-planner-wheel`.",
    )
    size: WholeSize | Annotated[list[WholeSize], Field(min_length=1, fail_fast=True)] = Field(
        description="Data of each message, such as `512 B`; or a list with one for each: from the first node to the "
        "second one, and so on. It is cut into packets of `transaction`; the last one is filled up."
    )
    compute_time: Time | Annotated[list[Time], Field(min_length=1, fail_fast=True)] = Field(
        default=0,
        description="Time for which each node works: the first one before it sends, each other one from the moment in "
        "which all of its message has come until it sends, the last one until the loop is complete; or a list with one "
        "for each node. A node works on several instances at once.",
    )
    period: PositiveTime = Field(description="Time from one release to the next, at least a cycle; not rounded.")
    deadline: PositiveTime | None = Field(
        default=None,
        description="Time from the release until the last node has done its work, rounded down to cycles. Default: "
        "the period. Beyond the period only with `allow_late_deadlines`.",
    )
    offset: Time = Field(default=0, description="Time of the first release.")
    jitter: Time = Field(
        default=0,
        description="Most time by which the first node begins after the release, drawn for each; at most the period. "
        "It counts in the response.",
    )
    drift: float = Field(
        default=0.0,
        gt=-MAX_DRIFT_PPM,
        le=MAX_DRIFT_PPM,
        description="Parts per million (ppm) by which the clock of the first node is slow: the period is longer by so "
        "many of them; below 0, shorter. The deadline stays.",
    )
    priority: int = Field(default=0, ge=0, lt=MAX_LEVELS, description="Send priority of all its packets, 0 the lowest.")
    transaction: WritingTransaction = Field(
        default="dmove64", description="The transaction that its messages are cut into."
    )

    @property
    def sizes(self) -> list[float | str]:
        """Data of each message, as it is given."""
        return self.size if isinstance(self.size, list) else [self.size] * (len(self.nodes) - 1)

    @property
    def compute_times(self) -> list[float | str]:
        """Time for which each node works, as it is given."""
        return self.compute_time if isinstance(self.compute_time, list) else [self.compute_time] * len(self.nodes)
