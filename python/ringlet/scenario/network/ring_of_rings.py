"""Rings of rings: a tree of rings joined by bridges."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from ringlet import rings as ring_networks
from ringlet.errors import RingletError
from ringlet.scenario.network.topology import SwitchedNetwork, product
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.rings import Network as Rings
    from ringlet.rings import Routes


class RingOfRings(SwitchedNetwork):
    """A tree of rings joined by bridges."""

    topology: Literal["ring-of-rings"] = "ring-of-rings"
    shape: list[Annotated[int, Field(ge=2)]] = Field(
        min_length=1,
        description="Nodes on each of the lowest rings, then how many rings of each level the next one joins, such as "
        "`[8, 4]`.",
    )

    counted_by: ClassVar[str | None] = "shape"

    @classmethod
    def counted(cls, content: Mapping[str, Any]) -> int | None:
        """Returns the product of the shape."""
        return product(content["shape"]) if isinstance(content["shape"], list) else None

    def check(self) -> None:
        """Raises RingletError for a single level."""
        if len(self.shape) < 2:
            raise RingletError.not_allowed("network.shape", self.shape, "two levels or more, such as [8, 4]")

    def built(self) -> "tuple[Rings, Routes]":
        """Builds rings, bridges and routes."""
        return ring_networks.ring_of_rings(self.shape)

    @property
    def title(self) -> str:
        """Kind of network, in words."""
        return f"ring-of-rings {' x '.join(map(str, self.shape))}"
