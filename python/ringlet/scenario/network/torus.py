"""Tori of rings: routers of which every row is a ring."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from ringlet import rings as ring_networks
from ringlet.errors import RingletError
from ringlet.rings import drawing
from ringlet.scenario.network.topology import SwitchedNetwork, product
from ringlet.sections import Field

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ringlet.rings import Network as Rings
    from ringlet.rings import Routes


class Torus(SwitchedNetwork):
    """Routers of which every row is a ring."""

    topology: Literal["torus"] = "torus"
    shape: list[Annotated[int, Field(ge=2)]] = Field(
        min_length=1, description="Routers in each dimension, such as `[8, 8]`."
    )
    connection: Literal["ringlet", "long-ring"] = Field(
        default="ringlet",
        description="`ringlet`, the default: each router has a ring for its own nodes. `long-ring`: nodes are on the "
        "rings "
        "of the first dimension.",
    )
    concentration: int = Field(default=1, ge=1, description="Nodes at each router. Default 1.")

    counted_by: ClassVar[str | None] = "shape"

    @classmethod
    def counted(cls, content: Mapping[str, Any]) -> int | None:
        """Returns the product of the shape and the nodes at each router."""
        shape = content["shape"]
        return product([*shape, content.get("concentration", 1)]) if isinstance(shape, list) else None

    def check(self) -> None:
        """Raises RingletError if nodes would be on rings of the only dimension."""
        if self.long_rings and len(self.shape) < 2:
            allowed = "two dimensions or more where nodes are on the first one's rings"
            raise RingletError.not_allowed("network.shape", self.shape, allowed)

    def built(self) -> "tuple[Rings, Routes]":
        """Builds rings, routers and routes."""
        torus = ring_networks.torus_of_long_rings if self.long_rings else ring_networks.torus_of_ringlets
        return torus(self.shape, self.concentration)

    @property
    def title(self) -> str:
        """Kind of network, in words."""
        return f"torus {' x '.join(map(str, self.shape))}"

    @property
    def long_rings(self) -> bool:
        """True if nodes are on the rings of the first dimension."""
        return self.connection == "long-ring"

    def drawn(self, rings: "Rings") -> "Figure":
        """Returns the drawing: a grid, if there are two dimensions."""
        if len(self.shape) != 2:
            return super().drawn(rings)
        return drawing.draw_grid(rings, (self.shape[0], self.shape[1]), self.title)
