"""Permutation traffic: each node has one destination."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ringlet.errors import RingletError
from ringlet.scenario.traffic.section import Traffic
from ringlet.scenario.values.destinations import Destinations, Fixed, memories_in_words
from ringlet.scenario.values.node_names import Node
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.rings import Network


class PermutationTraffic(Traffic):
    """Packets go by `destinations`."""

    pattern: Literal["permutation"] = "permutation"
    destinations: list[Node] = Field(description="Each node's destination, or each processor's; several may share one.")

    def between_nodes(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns each node's destination."""
        nodes, destinations = network.nodes, self.destinations
        if len(destinations) != nodes:
            raise RingletError.not_allowed("traffic.destinations", destinations, f"{nodes} destinations, one per node")
        for node, destination in enumerate(destinations):
            if not 0 <= destination < nodes or (destination == node and nodes > 1):
                allowed = f"0 to {nodes - 1} and not the node itself"
                raise RingletError.not_allowed(f"traffic.destinations[{node}]", destination, allowed)
        return [Fixed(node) for node in destinations]

    def to_memories(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns each processor's memory."""
        processors, destinations = len(network.senders), self.destinations
        if len(destinations) != processors:
            allowed = f"{processors} destinations, one per processor"
            raise RingletError.not_allowed("traffic.destinations", destinations, allowed)
        for index, node in enumerate(destinations):
            if node not in network.receivers:
                raise RingletError.not_allowed(f"traffic.destinations[{index}]", node, memories_in_words(network))
        return [Fixed(node) for node in destinations]
