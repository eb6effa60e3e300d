"""The network section: rings, nodes and switches."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, model_validator

from ringlet.errors import RingletError
from ringlet.scenario.network_checks import (
    BANYANS,
    DEFAULT_PORTS,
    DEFAULTS,
    KEYS,
    MAX_PORTS,
    NEEDED,
    check_network,
    count_nodes,
)
from ringlet.scenario.sections import Section
from ringlet.scenario.units import LinkRate, PositiveTime
from ringlet.scenario.validation import as_details

MAX_NODES = 65_536
MAX_FRAMING = 4

SWITCHED_LINKS = {"link_rate": "500 MB/s", "hop_delay": "69 ns"}
"""Links where there are switches: richter1999, Section 6.8: 1 ns of cable, 20 ns of address decoding, 48 ns of bypass FIFO."""

Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=40)]


class RingMembers(Section):
    """A ring of topology `rings`."""

    name: Name | None = Field(None, description="Its name; default `r0`, `r1`, ...")
    members: list[int | str] = Field(
        description='What is on the ring, in the direction of its links: nodes by number, switch ports as `"switch.port"`, such as '
        '`[0, 1, "s.0"]`.'
    )


class SwitchPorts(Section):
    """A switch of topology `rings`; with two ports it is a bridge."""

    name: Name = Field(description="Its name.")
    ports: int = Field(description=f"How many ports it has, 2 to {MAX_PORTS}, numbered from 0.")


class RouteSection(Section):
    """A route of topology `rings` that counts more than the one found."""

    at: Name = Field(description="The ring or switch where it holds.")
    to: list[Name] = Field(min_length=1, description="The rings that packets go to.")
    port: str = Field(description='The port through which they leave it, as `"switch.port"`.')


def _nodes_may_follow(schema: dict[str, Any]) -> None:
    schema["required"].remove("nodes")


class Network(Section):
    """Rings, nodes and switches."""

    model_config = ConfigDict(json_schema_extra=_nodes_may_follow)

    topology: Literal[
        "ring",
        "switch",
        "omega",
        "flip",
        "indirect-cube",
        "generalized-cube",
        "baseline",
        "butterfly",
        "torus",
        "ring-of-rings",
        "rings",
    ] = Field(
        "ring",
        description="How nodes are connected. `ring`: one ring; `switch`: a ring at each port of one switch; `omega` to `butterfly`: multistage "
        "(Banyan) networks of `size` processors and as many memories; `torus`: routers of which every row is a ring; `ring-of-rings`: "
        "a tree of rings joined by bridges; `rings`: any, as lists.",
    )
    nodes: int = Field(
        ge=1,
        le=MAX_NODES,
        description="Nodes of the whole network. On a ring node `i` feeds node `i + 1` modulo this number. Of a multistage network it is twice its "
        "`size`; it need not be given where other keys say it.",
    )
    link_rate: LinkRate = Field(
        "1 GB/s",
        description="Data rate of a link. One 16-bit symbol passes per cycle: 2 ns at 1 GB/s, 4 ns at 500 MB/s. Default: `1 GB/s`; "
        "with switches `500 MB/s`.",
    )
    hop_delay: PositiveTime = Field(
        1,
        description="Cycles, or a time, from one node's output to the next node's input (parse, wire, latch); a time is "
        "rounded up to whole cycles. At most 1,000,000 cycles. Default: 1; with switches `69 ns` (1 ns of cable, 20 ns of address "
        "decoding, 48 ns of bypass FIFO).",
    )
    framing: int = Field(
        0,
        ge=0,
        le=MAX_FRAMING,
        description="Symbols that every packet, echoes too, carries on the link beside its bytes and its one idle.",
    )
    bypass: Literal["cut-through", "store-and-forward"] | None = Field(
        None,
        description="Where there are switches: may a packet leave an interface that it passes before all of it is there? Default `cut-through`.",
    )
    connection: Literal["ringlet", "long-ring"] | None = Field(
        None,
        description="What nodes and switches are joined by. `ringlet`, the default: rings of a node and a port, and of two ports. `long-ring`: rings that "
        "lead from a processor through switches to a memory and back (first-grade optimized with radix 2, second-grade above); on a torus, nodes "
        "on the rings of the first dimension.",
    )
    ports: int | None = Field(
        None,
        ge=2,
        le=MAX_PORTS,
        description="Topology `switch`: ports of the switch, each with a ring. Default: one for each node; with long rings 4.",
    )
    memory: Literal["uma", "numa"] | None = Field(
        None,
        description="Topology `switch`: `uma`, the default: half of the nodes are processors, half memories; `numa`: every node computes and has memory.",
    )
    size: int | None = Field(
        None, ge=1, le=MAX_NODES // 2, description="Multistage networks: processors, and memories; a power of `radix`."
    )
    radix: int | None = Field(
        None, ge=2, le=MAX_PORTS // 2, description="Multistage networks: inputs and outputs of a switch. Default 2."
    )
    closing: Literal["permuted", "one-to-one"] | None = Field(
        None,
        description="Multistage networks of long rings: where the memories' outputs lead. `permuted`, the default: to the processor from which the straight path "
        "came, which needs no permutation but with `baseline` and `butterfly`. `one-to-one`: output `l` to input `l`, which there makes fewer, longer rings.",
    )
    shape: list[Annotated[int, Field(ge=2)]] | None = Field(
        None,
        min_length=1,
        description="Topology `torus`: routers in each dimension, such as `[8, 8]`. Topology `ring-of-rings`: nodes on each of the lowest rings, then how many "
        "rings of each level the next one joins.",
    )
    concentration: int | None = Field(None, ge=1, description="Topology `torus`: nodes at each router. Default 1.")
    rings: list[RingMembers] | None = Field(None, min_length=1, description="Topology `rings`: the rings.")
    switches: list[SwitchPorts] | None = Field(None, description="Topology `rings`: the switches.")
    routing: Literal["shortest", "up-down"] | None = Field(
        None,
        description="Topology `rings`: `shortest`, the default: through the fewest switches; `up-down`: the same without deadlock, first towards the ring with most "
        "ports, then away from it.",
    )
    routes: list[RouteSection] | None = Field(
        None, description="Topology `rings`: routes that count more than those found."
    )
    memories: list[int] | None = Field(
        None,
        description="Topology `rings`: nodes that are memories, all others are processors. Without it every node computes.",
    )

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, content: object) -> object:
        """Fills in what follows from the topology and its other keys."""
        with as_details():
            return cls._completed(content) if isinstance(content, dict) else content

    @classmethod
    def _completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        topology = content.get("topology", "ring")
        if not isinstance(topology, str) or topology not in KEYS or topology == "ring":
            return content
        needed = NEEDED.get(topology)
        if (
            needed is not None
            and content.get(needed) is None
            and not (needed == "size" and content.get("nodes") is not None)
        ):
            raise RingletError(f"network.{needed}: missing; topology {topology!r} needs it")
        given = {key: value for key, value in content.items() if value is not None}
        content = {**SWITCHED_LINKS, **DEFAULTS.get(topology, {}), **given}
        if topology == "switch" and "ports" not in content:
            content["ports"] = content.get("nodes") if content["connection"] == "ringlet" else DEFAULT_PORTS
        if needed == "size" and "size" not in content and isinstance(content["nodes"], int):
            if content["nodes"] % 2:
                allowed = f"an even number with topology {topology!r}: processors and as many memories"
                raise RingletError.not_allowed("network.nodes", content["nodes"], allowed)
            content["size"] = max(content["nodes"] // 2, 1)
        if "nodes" not in content and needed is not None:
            # Where this is not known, another key is wrong, and that will be said.
            content["nodes"] = count_nodes(topology, content) or 1
        return content

    @model_validator(mode="after")
    def _fits_together(self) -> "Network":
        with as_details():
            check_network(self)
        return self

    @property
    def title(self) -> str:
        """What kind of network it is, in words."""
        if self.topology in BANYANS:
            ways = "ringlets" if self.connection == "ringlet" else "long rings"
            return f"{self.topology} {self.size} x {self.size}, radix {self.radix}, {ways}{self._grade}"
        if self.shape is not None:
            return f"{self.topology} {' x '.join(map(str, self.shape))}"
        return {"ring": "one ring", "switch": "one switch", "rings": "rings"}[self.topology]

    @property
    def _grade(self) -> str:
        """What richter1999, Section 6.7, calls long rings that close without permuted wiring."""
        if self.connection == "ringlet" or self.topology in ("baseline", "butterfly"):
            return ""
        return f" ({'first' if self.radix == 2 else 'second'}-grade optimized)"

    @property
    def ring_names(self) -> tuple[str, ...]:
        """Names of the rings of topology `rings`."""
        return tuple(ring.name or f"r{index}" for index, ring in enumerate(self.rings or []))

    @property
    def switched(self) -> bool:
        """Whether there are switches: more than one ring."""
        return self.topology != "ring"
