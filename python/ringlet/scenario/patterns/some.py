"""Traffic from some nodes to some others."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from ringlet.errors import RingletError
from ringlet.scenario.traffic.section import Traffic
from ringlet.scenario.values.destinations import MAX_MATRIX_NODES, Destinations, Fixed, Weighted
from ringlet.scenario.values.node_names import Node
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.rings import Network

Nodes = Annotated[list[Node], Field(min_length=1)]


class SomeTraffic(Traffic):
    """Packets of the `senders` go to the `receivers` with equal probability; all other nodes send nothing."""

    pattern: Literal["senders-receivers"] = "senders-receivers"
    senders: Nodes = Field(description="The nodes that send.")
    receivers: Nodes = Field(
        description="The nodes that they send to, but for the sender itself where it is one of them."
    )

    def between_nodes(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns the receivers for each sender."""
        nodes = range(network.nodes)
        return self._destinations(network, nodes, nodes)

    def to_memories(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns the receivers, which are memories, for each sender, which is a processor."""
        return self._destinations(network, network.senders.tolist(), network.receivers.tolist())

    def _destinations(
        self, network: "Network", may_send: Sequence[int], may_receive: Sequence[int]
    ) -> "Sequence[Destinations | None]":
        if network.nodes > MAX_MATRIX_NODES:
            allowed = f"at most {MAX_MATRIX_NODES} with pattern 'senders-receivers'"
            raise RingletError.not_allowed("network.nodes", network.nodes, allowed)
        for key, given, those in (("senders", self.senders, may_send), ("receivers", self.receivers, may_receive)):
            for index, node in enumerate(given):
                if node not in those or node in given[:index]:
                    allowed = f"nodes from {min(those)} to {max(those)}, each once"
                    raise RingletError.not_allowed(f"traffic.{key}[{index}]", node, allowed)
        found: dict[int, Destinations] = {}
        for index, node in enumerate(self.senders):
            others = [receiver for receiver in self.receivers if receiver != node]
            if not others:
                allowed = "a node with a receiver other than itself"
                raise RingletError.not_allowed(f"traffic.senders[{index}]", node, allowed)
            weights = [0.0] * network.nodes
            for receiver in others:
                weights[receiver] = 1 / len(others)
            found[node] = Fixed(others[0]) if len(others) == 1 else Weighted(weights)
        return [found.get(node) for node in may_send]
