"""Traffic to the next node, and the worst case of many nodes that send to one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from ringlet.errors import RingletError
from ringlet.scenario.traffic.matrices import fan_in_destinations
from ringlet.scenario.traffic.section import Traffic
from ringlet.scenario.values.destinations import Destinations, Fixed
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.rings import Network


class NeighbourTraffic(Traffic):
    """Packets go to the next node."""

    pattern: Literal["neighbour"] = "neighbour"

    def between_nodes(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns the next node of each."""
        return [Fixed((node + 1) % network.nodes) for node in range(network.nodes)]


class FanInTraffic(Traffic):
    """Packets of `fan_in` consecutive nodes go to the node behind them, those of all others to their neighbour."""

    pattern: Literal["fan-in"] = "fan-in"
    fan_in: int = Field(ge=2, description="Nodes that send to one, 2 to `nodes` - 1.")

    def between_nodes(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns worst-case fan-in (picker1994, Section 5.3): nodes below `fan_in` to node `fan_in`."""
        nodes = network.nodes
        if nodes < 3:
            raise RingletError.not_allowed("traffic.pattern", "fan-in", "at least 3 nodes for fan-in")
        if self.fan_in > nodes - 1:
            raise RingletError.not_allowed("traffic.fan_in", self.fan_in, f"2 to {nodes - 1}, one less than the nodes")
        return [Fixed(node) for node in fan_in_destinations(nodes, self.fan_in)]
