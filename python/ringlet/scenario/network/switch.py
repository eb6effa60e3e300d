"""One switch, and a ring at each of its ports."""

from typing import TYPE_CHECKING, Any, Literal

from ringlet import rings as ring_networks
from ringlet.errors import RingletError
from ringlet.scenario.network.topology import MAX_PORTS, SwitchedNetwork
from ringlet.sections import Field

if TYPE_CHECKING:
    from ringlet.rings import Network as Rings
    from ringlet.rings import Routes

DEFAULT_PORTS = 4
"""Ports of a single switch with long rings, as Dolphin's has."""


class OneSwitch(SwitchedNetwork):
    """A ring at each port of one switch."""

    topology: Literal["switch"] = "switch"
    connection: Literal["ringlet", "long-ring"] = Field(
        default="ringlet",
        description="`ringlet`, the default: each node has a ring with a port. `long-ring`: the nodes share the "
        "rings; with "
        "`uma` a ring leads from processors through the port to as many memories and back.",
    )
    ports: int = Field(
        default=DEFAULT_PORTS,
        ge=2,
        le=MAX_PORTS,
        description="Ports of the switch, each with a ring. Default: one for each node; with long rings 4.",
    )
    memory: Literal["uma", "numa"] = Field(
        default="uma",
        description="`uma`, the default: half of the nodes are processors, half memories; `numa`: every node "
        "computes and "
        "has memory.",
    )

    @classmethod
    def completed(cls, content: dict[str, Any]) -> dict[str, Any]:
        """Gives each node a port where they have ringlets."""
        if content.get("connection", "ringlet") == "ringlet" and "nodes" in content:
            return {"ports": content["nodes"], **content}
        return content

    def check(self) -> None:
        """Raises RingletError if the nodes cannot be spread evenly over the ports."""
        ports, nodes, uma = self.ports, self.nodes, self.memory == "uma"
        if not self.long_rings:
            if nodes != ports:
                allowed = f"{ports}, one at each port of the switch, with connection 'ringlet'"
                raise RingletError.not_allowed("network.nodes", nodes, allowed)
            if uma and ports % 2:
                allowed = "an even number with memory 'uma': half of them for memories"
                raise RingletError.not_allowed("network.ports", ports, allowed)
            return
        each = ports * (2 if uma else 1)
        if nodes % each:
            what = "processors and as many memories" if uma else "nodes"
            allowed = f"a multiple of {each}: equally many {what} on the ring of each of {ports} ports"
            raise RingletError.not_allowed("network.nodes", nodes, allowed)

    def built(self) -> "tuple[Rings, Routes]":
        """Builds the switch and its rings."""
        return ring_networks.one_switch(self.nodes, self.ports, long_rings=self.long_rings, uma=self.memory == "uma")

    @property
    def title(self) -> str:
        """Kind of network, in words."""
        return "one switch"

    @property
    def long_rings(self) -> bool:
        """True if nodes share rings."""
        return self.connection == "long-ring"
