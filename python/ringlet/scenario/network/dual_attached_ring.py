"""Dual-attached rings: stations with an interface on each of two counter-rotating rings, without switches.

IEC 62439-3 (HSR) and IEEE 802.1CB send a copy of each packet round each ring, and the destination drops the one that
comes second. RPR (IEEE 802.17) sends each packet round the ring on which its way is shorter.
"""

from typing import TYPE_CHECKING, ClassVar, Literal

from ringlet import rings as ring_networks
from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.rings import drawing
from ringlet.scenario.network.topology import Network
from ringlet.sections import Field

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure

    from ringlet.rings import Network as Rings
    from ringlet.rings import Routes
else:
    np = library("numpy")

MAX_STATIONS = 4096
"""Stations with two interfaces each: the engine's MAX_DUAL_ATTACHED."""

MAX_WEIGHED = 128
"""Stations up to which the load of all links is weighed for all ways."""


class DualAttachedRing(Network):
    """Two counter-rotating rings on which each node has an interface."""

    topology: Literal["dual-attached-ring"] = "dual-attached-ring"
    nodes: int = Field(ge=2, le=MAX_STATIONS, description="Nodes, each with an interface on both rings.")
    ways: Literal["shorter", "lighter", "both"] = Field(
        default="shorter",
        description="The ring that a packet takes: `shorter`, the one on which it passes fewer nodes; half of the way "
        "round, that of rising numbers for sources with even numbers, and the other one for those with odd numbers. "
        "`lighter`: the one on which links have less to do, by the rates of all traffic; what takes all it gets counts "
        "as a link's worth. Each node has a point round the ring up to which the first ring leads, and these points "
        "are moved until the busiest link has least to do: a rule of ringlet's own. "
        "`both`: a copy takes each ring, and the destination drops the one that comes second, as in HSR (IEC 62439-3) "
        "and IEEE 802.1CB.",
    )

    has_ports: ClassVar[bool] = False
    both_ways: ClassVar[bool] = True

    def built(self) -> "tuple[Rings, Routes]":
        """Builds both rings: the first one in the order of the nodes' numbers, the second one the other way."""
        if self.ways == "lighter" and self.nodes > MAX_WEIGHED:
            allowed = f"at most {MAX_WEIGHED} with ways 'lighter', which weighs all links for all ways"
            raise RingletError.not_allowed("network.nodes", self.nodes, allowed)
        nodes = np.arange(self.nodes)
        network = ring_networks.Network.from_blocks(
            [nodes[None, :], nodes[::-1][None, :]],
            switch_start=np.zeros(1, dtype=np.int64),
            roles=np.full(self.nodes, ring_networks.Role.COMPUTER, dtype=np.int8),
            names=ring_networks.Names(ring=lambda ring: f"ring {('rising', 'falling')[ring]}"),
            ahead=None if self.ways == "both" else np.where(nodes % 2, (self.nodes - 1) // 2, self.nodes // 2),
        )
        # All nodes have one address, which is on both rings.
        rings = np.arange(2)
        return network, ring_networks.Routes.from_entries(
            network, network.node_ring, 1, [(rings, 0 * rings, 0 * rings + ring_networks.HERE)], []
        )

    @property
    def follows_traffic(self) -> bool:  # type: ignore[override]
        """True with `lighter`."""
        return self.ways == "lighter"

    @property
    def has_echoes(self) -> bool:
        """False with copies: nothing that is lost is sent again."""
        return self.ways != "both"

    @property
    def title(self) -> str:
        """Kind of network, in words."""
        return f"dual-attached ring of {self.nodes}"

    def drawn(self, rings: "Rings") -> "Figure":
        """Returns the drawing: one ring inside the other, through the same nodes."""
        return drawing.draw_dual_attached(rings, self.title)
