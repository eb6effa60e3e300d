"""The errors section: links that spoil packets, links and nodes that fail, and time-outs."""

from typing import Annotated

from ringlet.scenario.node_names import Node, NodeOrPort
from ringlet.scenario.units import PositiveTime, Time
from ringlet.sections import Field, Section

MAX_TIMEOUTS = 255

ErrorRate = Annotated[float, Field(ge=0, lt=1)]
"""Probability that a bit is wrong."""


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


class FailingNode(Section):
    """A node that fails: from then on both of its links carry nothing, though its host still offers its load."""

    node: Node = Field(description="Its number or name.")
    fails_at: Time = Field(description="Time from the start of the simulation.")


class Errors(Section):
    """Links that lose packets and echoes; by default none does."""

    bit_error_rate: ErrorRate = Field(
        default=0.0,
        description="Probability that a bit is wrong, of every link. A packet or echo with a wrong bit fails its CRC "
        "check and is lost.",
    )
    links: list[ErrorLink] = Field(default=[], description="Links that are different.")
    nodes: list[FailingNode] = Field(default=[], description="Nodes that fail.")
    timeout: PositiveTime | None = Field(
        default=None,
        description="Time from a loss until the sender detects that no echo comes, and sends the packet again. At "
        "least, and by default, a time that "
        "no echo takes: for each interface of the longest ring its hop delay and twice the longest packet, 416 cycles.",
    )
    max_timeouts: int = Field(
        default=MAX_TIMEOUTS,
        ge=0,
        le=MAX_TIMEOUTS,
        description="Time-outs of one packet after which it is sent again; with the next one it is given up, and its "
        "data counts as lost.",
    )

    @property
    def lose(self) -> bool:
        """Whether anything can be lost."""
        return bool(self.bit_error_rate or self.links or self.nodes)

    @property
    def fail(self) -> bool:
        """Whether a link or a node fails."""
        return bool(self.nodes) or any(link.fails_at is not None for link in self.links)
