"""The common part of the real-time protocols of todd2001."""

from collections.abc import Sequence
from typing import ClassVar

from ringlet.errors import RingletError
from ringlet.scenario.flow_control.protocol import Bypass, FlowControl, Ring, default
from ringlet.scenario.values.node_names import Node
from ringlet.sections import Field


class RealTime(FlowControl):
    """A protocol of priorities."""

    prioritised: ClassVar[bool] = True
    acts_on_refusals: ClassVar[bool] = True


class MixedRing(RealTime):
    """A protocol on whose rings there may be nodes with SCI's own flow control.

    A node sends only what leaves room in its bypass FIFO.
    """

    bypass: Bypass | None = Field(
        default=None,
        description="Symbols of the nominal bypass FIFO; a node sends only what leaves room for "
        "what arrives meanwhile. Default: the longest packet of the traffic and its idle.",
    )
    base_nodes: list[Node] | None = Field(
        default=None,
        description="Nodes that have SCI's own flow control, as nodes do that are older than the protocol: they let "
        "pass what they do not know, preempt nothing, and answer at once. Default: none.",
    )

    @property
    def nodes_of_base_sci(self) -> Sequence[int]:
        """The nodes on its rings that have SCI's own flow control."""
        return self.base_nodes or ()

    def bypass_symbols(self, ring: Ring) -> int:
        """Returns the length of the bypass FIFO.

        Raises:
            RingletError: the longest packet does not fit.
        """
        least = ring.longest_symbols + 1
        bypass = default(self.bypass, least)
        if bypass < least:
            allowed = f"at least {least} symbols, the longest packet of the traffic and its idle"
            raise RingletError.not_allowed("flow_control.bypass", bypass, allowed)
        return bypass
