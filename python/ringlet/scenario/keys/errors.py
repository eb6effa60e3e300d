"""The errors section: links that spoil packets, parts that fail, what a network does then, and time-outs."""

from typing import Annotated, Literal

from ringlet.scenario.values.node_names import Node, NodeOrPort
from ringlet.scenario.values.units import PositiveTime, Time
from ringlet.sections import Field, Section

MAX_TIMEOUTS = 255

ErrorRate = Annotated[float, Field(ge=0, lt=1)]
"""Probability that a bit is wrong."""

REPAIRED = "Time from the start of the simulation, from which on it works again; default: never."


class ErrorLink(Section):
    """A link that is not as all others are."""

    source: NodeOrPort = Field(
        description='The node or port that the link leads away from: a node\'s number or name, or `"switch.port"` with '
        "the switch's name in topology `rings`, "
        "its number in any other."
    )
    bit_error_rate: ErrorRate | None = Field(
        default=None, description="Probability that a bit is wrong; default: that of all links."
    )
    fails_at: Time | None = Field(
        default=None,
        description="Time from the start of the simulation, from which on nothing comes through; default: never.",
    )
    repaired_at: PositiveTime | None = Field(default=None, description=REPAIRED)


class FailingNode(Section):
    """A node that fails: from then on both of its links carry nothing, or it is bypassed. Its host still offers its
    load."""

    node: Node = Field(description="Its number or name.")
    fails_at: Time = Field(description="Time from the start of the simulation.")
    repaired_at: PositiveTime | None = Field(default=None, description=REPAIRED)
    bypass: bool = Field(
        default=False,
        description="An optical switch bypasses it while it has failed: everything passes, packets to it too. They go "
        "round, and their senders take them off the ring.",
    )


class FailingSwitch(Section):
    """A switch that fails: from then on the links to and from all of its ports carry nothing."""

    switch: int | str = Field(description="Its name in topology `rings`, its number in any other.")
    fails_at: Time = Field(description="Time from the start of the simulation.")
    repaired_at: PositiveTime | None = Field(default=None, description=REPAIRED)


class Errors(Section):
    """Links that lose packets and echoes; by default none does."""

    bit_error_rate: ErrorRate = Field(
        default=0.0,
        description="Probability that a bit is wrong, of every link. A packet or echo with a wrong bit fails its CRC "
        "check and is lost.",
    )
    links: list[ErrorLink] = Field(default=[], description="Links that are different.")
    nodes: list[FailingNode] = Field(default=[], description="Nodes that fail.")
    switches: list[FailingSwitch] = Field(default=[], description="Switches that fail.")
    timeout: PositiveTime | None = Field(
        default=None,
        description="Time from a loss until the sender detects that no echo comes, and sends the packet again. At "
        "least a time that no echo takes: for each interface of the longest ring its hop delay and twice the longest "
        "packet of the traffic with its idle. Default: the same with 416 cycles for twice the longest packet of all.",
    )
    max_timeouts: int = Field(
        default=MAX_TIMEOUTS,
        ge=0,
        le=MAX_TIMEOUTS,
        description="Time-outs of one packet after which it is sent again; with the next one it is given up, and its "
        "data counts as lost.",
    )
    gives_up: Literal["packet", "destination"] = Field(
        default="packet",
        description="What a sender gives up with a packet's last time-out: that packet, or its `destination`, too. "
        "Packets to it are then dropped where they wait, but for one at a time, which is sent, and given up with its "
        "first time-out; once one is answered, all are sent again. So it is in the slots of hosts and ports, too: "
        "what is dropped frees its slot.",
    )
    steers_after: Time | None = Field(
        default=None,
        description="Time from a failure, or a repair, until all routes are those of the network as it then is: a "
        "packet whose way led over a ring that is interrupted takes another way, if there is one. Default: routes stay "
        "as they are.",
    )
    wraps_after: PositiveTime | None = Field(
        default=None,
        description="In topology `dual-ring`: time from the failure of a link between two stations until these join "
        "both rings to one, which turns round at the break, and from its repair until they part them. At least 256 "
        "cycles. Default: rings are never joined.",
    )

    @property
    def lose(self) -> bool:
        """True if anything can be lost."""
        return bool(self.bit_error_rate or self.links or self.nodes or self.switches)

    @property
    def spoil(self) -> bool:
        """True if a link spoils packets."""
        return any(rate for rate in (self.bit_error_rate, *(link.bit_error_rate for link in self.links)))

    @property
    def fail(self) -> bool:
        """True if a link, a node or a switch fails."""
        return bool(self.nodes or self.switches) or any(link.fails_at is not None for link in self.links)
