"""The layout of a recording: the interfaces of each ring, and the switches between the rings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True, slots=True)
class Ring:
    """One ring."""

    name: str
    """Name of the ring."""
    interfaces: tuple[int, ...]
    """Interfaces of the ring in the direction of its links."""
    hop_cycles: tuple[int, ...]
    """Cycles from each interface's output to the next one's."""


@dataclass(frozen=True, slots=True)
class Port:
    """A link controller of a switch's port on a ring."""

    switch: int
    port: int
    link: int
    """Number of its B-Link in the switch."""


@dataclass(frozen=True)
class Layout:
    """Rings, nodes and ports of a recording.

    Interfaces have numbers: nodes their own, link controllers of ports those behind them, ring by ring in the direction
    of the links.
    """

    nodes: int
    """Nodes."""
    rings: tuple[Ring, ...]
    """The rings."""
    ports: tuple[Port, ...] = ()
    """The link controllers; the first is interface number `nodes`."""
    node_names: tuple[str, ...] = ()
    """Names of nodes where these are not their numbers, such as `P0`; empty where they are."""
    links: int = 1
    """B-Links of each switch."""

    @classmethod
    def of(cls, spec: Mapping[str, Any], *, node_names: Sequence[str] = (), ring_names: Sequence[str] = ()) -> "Layout":
        """Reads the engine's NetworkSpec; `node_names` and `ring_names` are empty where they are numbers."""
        nodes, hop_delay, network = spec["nodes"], spec["hop_delay"], spec.get("network")
        if network is None:
            of_links = hop_delay["each"] or [hop_delay["common"]] * nodes
            return cls(nodes, (Ring("ring", tuple(range(nodes)), tuple(of_links)),), (), tuple(node_names))
        rings: list[Ring] = []
        ports: list[Port] = []
        most = 1
        for number, ring in enumerate(network["rings"]):
            interfaces: list[int] = []
            hops: list[int] = []
            each = ring.get("hop_delays") or [hop_delay["common"]] * len(ring["interfaces"])
            symbol = ring["symbol_cycles"]
            for interface, hop in zip(ring["interfaces"], (symbol * hop for hop in each), strict=True):
                if isinstance(interface, int):
                    interfaces.append(interface)
                    hops.append(hop)
                    continue
                switch, port = interface
                links = network["switch_kinds"][network["switches"][switch]["kind"]]["links"]
                most = max(most, links)
                for link in range(links):
                    interfaces.append(nodes + len(ports))
                    hops.append(hop)
                    ports.append(Port(switch, port, link))
            name = ring_names[number] if ring_names else f"ring {number}"
            rings.append(Ring(name, tuple(interfaces), tuple(hops)))
        return cls(nodes, tuple(rings), tuple(ports), tuple(node_names), most)

    @property
    def interfaces(self) -> int:
        """Number of interfaces: nodes and link controllers."""
        return self.nodes + len(self.ports)

    @property
    def is_network(self) -> bool:
        """True if there are switches."""
        return bool(self.ports)

    @cached_property
    def ring_of(self) -> tuple[int, ...]:
        """Ring of each interface."""
        found = {one: number for number, ring in enumerate(self.rings) for one in ring.interfaces}
        return tuple(found[one] for one in range(self.interfaces))

    @cached_property
    def following(self) -> tuple[int, ...]:
        """The interface to which each one's output link leads."""
        after: dict[int, int] = {}
        for ring in self.rings:
            after |= dict(zip(ring.interfaces, (*ring.interfaces[1:], *ring.interfaces[:1]), strict=True))
        return tuple(after[one] for one in range(self.interfaces))

    def name(self, interface: int) -> str:
        """Returns the name of an interface, such as `node 3` or `switch 1 port 0`."""
        if interface < self.nodes:
            return f"node {self.node_names[interface] if self.node_names else interface}"
        port = self.ports[interface - self.nodes]
        link = f" link {port.link}" if self.links > 1 else ""
        return f"switch {port.switch} port {port.port}{link}"

    @cached_property
    def b_links(self) -> tuple[tuple[int, int], ...]:
        """The B-Links: switch and number there."""
        return tuple(sorted({(port.switch, port.link) for port in self.ports}))
