"""Dual rings: two rings through the same stations, in opposite directions.

Davik, Kvalbein, Gjessing, Congestion Domain Boundaries in Resilient Packet Rings, 2005, Section 2: each packet takes
the ring on which its way is shorter.
"""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

from ringlet import rings as ring_networks
from ringlet.lazy import library
from ringlet.rings import drawing
from ringlet.scenario.network.topology import MAX_NODES, SwitchedNetwork
from ringlet.sections import Field

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure

    from ringlet.rings import Network as Rings
    from ringlet.rings import Routes
else:
    np = library("numpy")


class DualRing(SwitchedNetwork):
    """Two counter-rotating rings through stations with a node each."""

    topology: Literal["dual-ring"] = "dual-ring"
    nodes: int = Field(ge=2, le=MAX_NODES, description="Nodes, each at a station of its own.")

    both_ways: ClassVar[bool] = True

    def built(self) -> "tuple[Rings, Routes]":
        """Builds rings, stations and routes: a packet takes the ring on which it passes fewer stations.

        A station's port 0 leads to its node, port 1 to the ring in the direction of rising numbers, and port 2 to the
        other. Half of the way round, stations with even numbers send in one direction, the others in the other one.
        """
        nodes, station = self.nodes, np.arange(self.nodes)
        own, rising, falling = (3 * station + port for port in range(3))
        network = ring_networks.Network.from_blocks(
            [
                np.stack([station, ring_networks.at_port(own)], axis=1),
                ring_networks.at_port(rising)[None, :],
                ring_networks.at_port(falling[::-1])[None, :],
            ],
            switch_start=3 * np.arange(nodes + 1),
            roles=np.full(nodes, ring_networks.Role.COMPUTER, dtype=np.int8),
            names=ring_networks.Names(ring=self._ring_name, switch="station {}".format),
        )
        ahead = np.where(station % 2, (nodes - 1) // 2, nodes // 2)
        behind = station + ahead + 1
        # Which ring leads to node 0: its interval may have begun below it.
        to_zero = np.where(behind <= nodes, falling, rising)
        to_zero[0] = own[0]
        turned = behind % nodes != station
        across = [
            (station, 0 * station, to_zero),
            (station[ahead > 0], (station[ahead > 0] + 1) % nodes, rising[ahead > 0]),
            (station[turned], behind[turned] % nodes, falling[turned]),
            (station, station, own),
        ]
        leaving: list[Any] = [
            (station, 0 * station, own),
            (0 * station + nodes, station, rising),
            (0 * station + nodes + 1, station, falling),
        ]
        return network, ring_networks.Routes.from_entries(network, station, nodes, leaving, across)

    @property
    def counter_rotating(self) -> tuple[int, int]:
        """The two rings."""
        return self.nodes, self.nodes + 1

    def _ring_name(self, ring: int) -> str:
        return f"ring {('rising', 'falling')[ring - self.nodes] if ring >= self.nodes else ring}"

    @property
    def title(self) -> str:
        """Kind of network, in words."""
        return f"dual ring of {self.nodes}"

    def drawn(self, rings: "Rings") -> "Figure":
        """Returns the drawing: one ring inside the other."""
        return drawing.draw_dual_ring(rings, self.title)
