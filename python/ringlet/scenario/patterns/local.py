"""Local traffic: a share of it stays near."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.scenario.traffic.section import Traffic
from ringlet.scenario.values.destinations import MAX_MATRIX_NODES, Destinations, Weighted, memory_or_others
from ringlet.sections import Field

if TYPE_CHECKING:
    import numpy as np

    from ringlet.rings import Network
else:
    np = library("numpy")


class LocalTraffic(Traffic):
    """Packets stay with `locality` at the processor's own memory, the one with its number, or on the node's ring."""

    pattern: Literal["local"] = "local"
    locality: float = Field(
        ge=0, le=1, description="Share of the packets that stay on their ring or with their own memory."
    )

    def between_nodes(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns the other nodes of the own ring, or any other ring's."""
        nodes, share = network.nodes, self.locality
        if nodes > MAX_MATRIX_NODES:
            allowed = f"at most {MAX_MATRIX_NODES} with pattern 'local' and computing nodes"
            raise RingletError.not_allowed("network.nodes", nodes, allowed)
        rings = network.node_ring
        if network.rings < 2 or int(np.bincount(rings).max()) == nodes:
            raise RingletError.not_allowed("traffic.pattern", "local", "several rings with nodes for this pattern")
        destinations: list[Destinations | None] = []
        for node in range(nodes):
            near = rings == rings[node]
            near[node] = False
            if not near.any() and share > 0:
                allowed = f"0: {network.node_name(node)} has no other node on its ring"
                raise RingletError.not_allowed("traffic.locality", share, allowed)
            far = rings != rings[node]
            weights = near * (share / max(near.sum(), 1)) + far * ((1 - share) / far.sum())
            destinations.append(Weighted(weights.tolist()))
        return destinations

    def to_memories(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns the processor's own memory, or any other."""
        memories = network.receivers.tolist()
        if len(memories) != len(network.senders):
            allowed = "as many memories as processors for this pattern"
            raise RingletError.not_allowed("traffic.pattern", "local", allowed)
        return [memory_or_others(network, memory, self.locality) for memory in memories]
