"""Multistage (Banyan) networks of processors and memories (richter1999, Section 6.7)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from ringlet import rings as ring_networks
from ringlet.errors import RingletError
from ringlet.rings import drawing
from ringlet.scenario.network.topology import MAX_NODES, MAX_PORTS, SwitchedNetwork, product
from ringlet.sections import Field

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ringlet.rings import Banyan, Routes
    from ringlet.rings import Network as Rings


Kind = Literal["omega", "flip", "indirect-cube", "generalized-cube", "baseline", "butterfly"]

KINDS: tuple[Kind, ...] = get_args(Kind)


class Multistage(SwitchedNetwork):
    """Stages of switches between `size` processors and as many memories."""

    topology: Kind = "omega"
    size: int = Field(ge=1, le=MAX_NODES // 2, description="Processors, and memories; a power of `radix`.")
    radix: int = Field(default=2, ge=2, le=MAX_PORTS // 2, description="Inputs and outputs of a switch. Default 2.")
    connection: Literal["ringlet", "long-ring"] = Field(
        default="ringlet",
        description="What nodes and switches are joined by. `ringlet`, the default: rings of a node and a port, and "
        "of two "
        "ports. `long-ring`: rings that lead from a processor through switches to a memory and back (first-grade "
        "optimized "
        "with radix 2, second-grade above).",
    )
    closing: Literal["permuted", "one-to-one"] = Field(
        default="permuted",
        description="Of long rings: where the memories' outputs lead. `permuted`, the default: to the processor from "
        "which "
        "the straight path came, which needs no permutation but with `baseline` and `butterfly`. `one-to-one`: "
        "output `l` to "
        "input `l`, which there makes fewer, longer rings.",
    )

    extra_stage: bool = Field(
        default=False,
        description="Whether an extra stage stands in front, so that `radix` ways lead from each processor to each "
        "memory, which have only their first and their last switch in common; of ringlets only. Default false.",
    )

    counted_by: ClassVar[str | None] = "size"

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Returns the names by which scenarios choose it."""
        return KINDS

    @classmethod
    def completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Takes the size from the number of nodes, or that from the size."""
        nodes = content.get("nodes")
        if "size" not in content and nodes is not None:
            if isinstance(nodes, int) and nodes % 2:
                allowed = f"an even number with topology {content.get('topology')!r}: processors and as many memories"
                raise RingletError.not_allowed("network.nodes", nodes, allowed)
            # Where it is no number, that will be said.
            content["size"] = max(nodes // 2, 1) if isinstance(nodes, int) else 1
        return super().completed(content)

    @classmethod
    def counted(cls, content: Mapping[str, Any]) -> int | None:
        """Returns twice the size."""
        return product([content["size"], 2])

    def check(self) -> None:
        """Raises RingletError if the size is no power of the radix, ringlets are to be closed, or long rings have an
        extra stage."""
        power = self.radix
        while power < self.size:
            power *= self.radix
        if power != self.size:
            lower = power // self.radix
            near = f"{lower} or {power}" if lower >= self.radix else str(power)
            allowed = f"a power of network.radix, {self.radix}, such as {near}"
            raise RingletError.not_allowed("network.size", self.size, allowed)
        if not self.long_rings and self.closing == "one-to-one":
            allowed = "'permuted' with ringlets; only long rings are closed"
            raise RingletError.not_allowed("network.closing", self.closing, allowed)
        if self.long_rings and self.extra_stage:
            allowed = (
                "false with long rings: a switch that fails interrupts the rings of processors and memories, round "
                "which no way leads"
            )
            raise RingletError.not_allowed("network.extra_stage", "true", allowed)

    def built(self) -> "tuple[Rings, Routes]":
        """Builds rings, stages and routes."""
        if self.long_rings:
            return ring_networks.long_ring_network(self.stages, one_to_one=self.closing == "one-to-one")
        return ring_networks.ringlet_network(self.stages)

    @property
    def stages(self) -> "Banyan":
        """The lines and stages."""
        stages, lines = 1, self.radix
        while lines < self.size:
            stages, lines = stages + 1, lines * self.radix
        return ring_networks.Banyan(self.topology, self.radix, stages + self.extra_stage, self.extra_stage)

    @property
    def title(self) -> str:
        """Kind of network, in words."""
        ways = f"long rings{self._grade}" if self.long_rings else "ringlets"
        extra = ", extra stage" if self.extra_stage else ""
        return f"{self.topology} {self.size} x {self.size}, radix {self.radix}, {ways}{extra}"

    @property
    def _grade(self) -> str:
        """The name in richter1999, Section 6.7, of long rings that close without permuted wiring."""
        if self.topology in ("baseline", "butterfly"):
            return ""
        return f" ({'first' if self.radix == 2 else 'second'}-grade optimized)"

    @property
    def long_rings(self) -> bool:
        """True if rings lead from processors through the stages to memories and back."""
        return self.connection == "long-ring"

    def drawn(self, rings: "Rings") -> "Figure":
        """Returns the drawing, stage by stage."""
        return drawing.draw_stages(rings, self.stages, self.title)
