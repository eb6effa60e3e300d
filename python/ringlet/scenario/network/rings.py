"""Networks given as lists of rings and switches."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from ringlet import rings as ring_networks
from ringlet.errors import RingletError
from ringlet.scenario.network.topology import MAX_PORTS, SwitchedNetwork
from ringlet.scenario.values.node_names import Node, NodeOrPort
from ringlet.sections import Field, Section

if TYPE_CHECKING:
    from ringlet.rings import Network as Rings
    from ringlet.rings import Routes

Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=40)]


class RingMembers(Section):
    """A ring of topology `rings`."""

    name: Name | None = Field(default=None, description="Its name; default `r0`, `r1`, ...")
    members: list[NodeOrPort] = Field(
        description="What is on the ring, in the direction of its links: nodes by number or name, switch ports as "
        '`"switch.port"`, such as `[0, 1, "s.0"]`.'
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


class ListedRings(SwitchedNetwork):
    """Any rings and switches, as lists."""

    topology: Literal["rings"] = "rings"
    rings: list[RingMembers] = Field(min_length=1, description="The rings.")
    switches: list[SwitchPorts] | None = Field(default=None, description="The switches.")
    routing: Literal["shortest", "up-down"] = Field(
        default="shortest",
        description="`shortest`, the default: through the fewest switches; `up-down`: the same without deadlock, first "
        "towards the ring with most ports, then away from it.",
    )
    routes: list[RouteSection] | None = Field(default=None, description="Routes that count more than those found.")
    memories: list[Node] | None = Field(
        default=None, description="Nodes that are memories, all others are processors. Without it every node computes."
    )

    counted_by: ClassVar[str | None] = "rings"

    @classmethod
    def counted(cls, content: Mapping[str, Any]) -> int | None:
        """Returns one more than the highest number of a node."""
        try:
            members = [member for ring in content["rings"] for member in dict(ring)["members"]]
        except (TypeError, KeyError, ValueError):
            return None
        return max((member for member in members if isinstance(member, int)), default=-1) + 1

    def check_nodes(self) -> None:
        """Leaves it to the building of the network, which says which node is on no ring."""

    @property
    def ring_names(self) -> Sequence[str]:
        """Names of the rings."""
        return tuple(ring.name or f"r{index}" for index, ring in enumerate(self.rings))

    @property
    def switch_names(self) -> Sequence[str]:
        """Names of the switches."""
        return [switch.name for switch in self.switches or []]

    def check(self) -> None:
        """Raises RingletError for names given twice, switches of too many ports, and memories that are no nodes."""
        names = list(self.ring_names)
        for index, name in enumerate(names):
            if name in names[:index]:
                raise RingletError.not_allowed(f"network.rings[{index}].name", name, "each name once")
        for index, switch in enumerate(self.switches or []):
            where = f"network.switches[{index}]"
            if switch.name in names:
                raise RingletError.not_allowed(f"{where}.name", switch.name, "each name once, of rings and switches")
            names.append(switch.name)
            if not 2 <= switch.ports <= MAX_PORTS:
                allowed = f"2 to {MAX_PORTS} ports on switch {switch.name!r}"
                raise RingletError.not_allowed(f"{where}.ports", switch.ports, allowed)
        memories = self.memories or []
        for index, node in enumerate(memories):
            if not 0 <= node < self.nodes or node in memories[:index]:
                allowed = f"nodes from 0 to {self.nodes - 1}, each once"
                raise RingletError.not_allowed(f"network.memories[{index}]", node, allowed)
        if self.memories is not None and not 0 < len(memories) < self.nodes:
            raise RingletError.not_allowed("network.memories", memories, "some of the nodes, but not all")

    def built(self) -> "tuple[Rings, Routes]":
        """Builds the network of the lists, and finds routes."""
        rings = {name: ring.members for name, ring in zip(self.ring_names, self.rings, strict=True)}
        network, routes = ring_networks.explicit_network(
            rings,
            {switch.name: switch.ports for switch in self.switches or []},
            self.nodes,
            memories=self.memories or [],
            search=self.routing,
            chosen=[ring_networks.ChosenRoute(route.at, route.to, route.port) for route in self.routes or []],
        )
        ring_networks.check_routes(network, routes)
        return network, routes

    @property
    def title(self) -> str:
        """Kind of network, in words."""
        return "rings"
