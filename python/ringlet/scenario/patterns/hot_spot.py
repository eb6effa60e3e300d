"""Hot-spot traffic: one node or memory takes more than its share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ringlet.errors import RingletError
from ringlet.scenario.traffic.section import Traffic
from ringlet.scenario.values.destinations import Destinations, HotSpot, Uniform, memories_in_words, memory_or_others
from ringlet.scenario.values.node_names import Node
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.rings import Network


class HotSpotTraffic(Traffic):
    """Packets go to `hot_node` with `hot_fraction`, else to every other node or memory alike."""

    pattern: Literal["hot-spot"] = "hot-spot"
    hot_node: Node = Field(description="The hot node, which itself sends uniformly.")
    hot_fraction: float = Field(ge=0, le=1, description="Share of each other node's packets that go to it.")

    def between_nodes(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns the hot node or any other."""
        hot, nodes = self.hot_node, network.nodes
        if hot >= nodes:
            raise RingletError.not_allowed("traffic.hot_node", hot, f"a node below {nodes}")
        if nodes < 3:
            raise RingletError.not_allowed("traffic.pattern", "hot-spot", "at least 3 nodes for a hot spot")
        other = HotSpot(hot, self.hot_fraction)
        return [Uniform() if node == hot else other for node in range(nodes)]

    def to_memories(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns the hot memory or any other."""
        if self.hot_node not in network.receivers:
            raise RingletError.not_allowed("traffic.hot_node", self.hot_node, memories_in_words(network))
        return [memory_or_others(network, self.hot_node, self.hot_fraction)] * len(network.senders)
