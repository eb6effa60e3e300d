"""One ring."""

from typing import TYPE_CHECKING, ClassVar, Literal

from ringlet import rings as ring_networks
from ringlet.scenario.network.topology import Network

if TYPE_CHECKING:
    from ringlet.rings import Network as Rings
    from ringlet.rings import Routes


class OneRing(Network):
    """One ring, without switches."""

    topology: Literal["ring"] = "ring"

    switched: ClassVar[bool] = False
    rates_by_link: ClassVar[bool] = True

    def built(self) -> "tuple[Rings, Routes]":
        """Builds the ring."""
        return ring_networks.one_ring(self.nodes)

    @property
    def title(self) -> str:
        """Kind of network, in words."""
        return "one ring"
