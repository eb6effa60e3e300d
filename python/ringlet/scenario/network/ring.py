"""One ring."""

from typing import TYPE_CHECKING, ClassVar, Literal

from ringlet.errors import RingletError
from ringlet.scenario.network.topology import Network

if TYPE_CHECKING:
    from ringlet.rings import Network as Rings
    from ringlet.rings import Routes


class OneRing(Network):
    """One ring, without switches."""

    topology: Literal["ring"] = "ring"

    switched: ClassVar[bool] = False

    def check(self) -> None:
        """Raises RingletError for what only networks have."""
        if self.bypass is not None:
            raise RingletError.not_allowed("network.bypass", self.bypass, "a topology with switches")
        if self.pass_delay != 0:
            raise RingletError.not_allowed("network.pass_delay", self.pass_delay, "a topology with switches")

    def built(self) -> "tuple[Rings, Routes]":
        """Builds the ring."""
        from ringlet.rings import one_ring

        return one_ring(self.nodes)

    @property
    def title(self) -> str:
        """Kind of network, in words."""
        return "one ring"
