"""Uniform traffic: to every other node alike."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ringlet.scenario.traffic.section import Traffic
from ringlet.scenario.values.destinations import Destinations, Uniform, memory_or_others

if TYPE_CHECKING:
    from ringlet.rings import Network


class UniformTraffic(Traffic):
    """Packets go to every other node with equal probability; where there are memories, to each of them."""

    pattern: Literal["uniform"] = "uniform"

    def between_nodes(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns every other node."""
        return [Uniform()] * network.nodes

    def to_memories(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns every memory."""
        return [memory_or_others(network, None, 0.0)] * len(network.senders)
