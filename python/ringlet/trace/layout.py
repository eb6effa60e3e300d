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


@dataclass(frozen=True, slots=True)
class Bridge:
    """A host's bridge to its ring: transmit slots that a bus fills."""

    slots: int
    """Slots: write buffers, or one for each master."""
    masters: bool
    """True if they are split among masters on the bus, of which each sets up its packets itself."""
    store_ps: int
    """Time from the end of a received packet's service until it is stored."""


@dataclass(frozen=True)
class Layout:
    """Rings, nodes and ports of a recording.

    Interfaces have numbers: nodes their own, second interfaces of nodes those behind them, in the order of the nodes,
    and behind these link controllers of ports, ring by ring in the direction of the links.
    """

    nodes: int
    """Nodes."""
    rings: tuple[Ring, ...]
    """The rings."""
    ports: tuple[Port, ...] = ()
    """The link controllers; the first is interface number `first_port`."""
    node_names: tuple[str, ...] = ()
    """Names of nodes where these are not their numbers, such as `P0`; empty where they are."""
    links: int = 1
    """B-Links of each switch."""
    seconds: int = 0
    """Nodes with a second interface: all or none."""
    echoes: bool = True
    """True if destinations answer packets with echoes."""
    from_link_ps: tuple[int, ...] = ()
    """Time from a B-Link into a transmit buffer, of each switch, in ps."""
    slowness: float = 1.0
    """Most cycles that a symbol takes on a link of a single ring, of which some may be slower than the ring."""
    bridges: tuple[Bridge | None, ...] = ()
    """Bridge of each node; None: its host has no slots; empty: none has."""

    @classmethod
    def of(cls, spec: Mapping[str, Any], *, node_names: Sequence[str] = (), ring_names: Sequence[str] = ()) -> "Layout":
        """Reads the engine's NetworkSpec; `node_names` and `ring_names` are empty where they are numbers."""
        nodes, hop_delay, network = spec["nodes"], spec["hop_delay"], spec.get("network")
        echoes = spec["format"]["echoes"]
        if network is None:
            of_links = hop_delay["each"] or [hop_delay["common"]] * nodes
            single = (Ring("ring", tuple(range(nodes)), tuple(of_links)),)
            slowness = max((link["cycles"] / link["symbols"] for link in spec.get("slow_links", ())), default=1.0)
            return cls(nodes, single, (), tuple(node_names), echoes=echoes, slowness=slowness)
        rings: list[Ring] = []
        ports: list[Port] = []
        most, seconds = 1, 0
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
                if isinstance(interface, Mapping):
                    interfaces.append(nodes + interface["second"])
                    hops.append(hop)
                    seconds += 1
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
        kinds = network["switch_kinds"]
        from_link = tuple(kinds[switch["kind"]]["from_link_ps"] for switch in network["switches"])
        hosts = network["hosts"] or [network["host"]] * nodes
        bridges = tuple(_bridge(host) for host in hosts) if any(host["slots"] for host in hosts) else ()
        each = (tuple(rings), tuple(ports), tuple(node_names))
        return cls(nodes, *each, most, seconds, echoes, from_link, bridges=bridges)

    @property
    def interfaces(self) -> int:
        """Number of interfaces: of nodes, one or two each, and link controllers."""
        return self.first_port + len(self.ports)

    @property
    def first_port(self) -> int:
        """Number of the first port's interface: those before it are of nodes."""
        return self.nodes + self.seconds

    @property
    def is_network(self) -> bool:
        """True if there are switches, or nodes with two interfaces."""
        return bool(self.ports or self.seconds)

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
        """Returns the name of an interface, such as `node 3`, `node 3 on ring falling` or `switch 1 port 0`."""
        if interface < self.first_port:
            name = self.node_name(interface % self.nodes)
            return f"{name} on {self.rings[self.ring_of[interface]].name}" if self.seconds else name
        port = self.ports[interface - self.first_port]
        link = f" link {port.link}" if self.links > 1 else ""
        return f"switch {port.switch} port {port.port}{link}"

    def node_name(self, node: int) -> str:
        """Returns the name of a node, such as `node 3`, whatever interfaces it has."""
        return f"node {self.node_names[node] if self.node_names else node}"

    def interfaces_of(self, node: int) -> tuple[int, ...]:
        """Returns the interfaces of a node: one, or one on each of two rings."""
        return (node, self.nodes + node) if self.seconds else (node,)

    @cached_property
    def b_links(self) -> tuple[tuple[int, int], ...]:
        """The B-Links: switch and number there."""
        return tuple(sorted({(port.switch, port.link) for port in self.ports}))


def _bridge(host: Mapping[str, Any]) -> Bridge | None:
    """Returns the bridge of a host of the engine's NetworkSpec."""
    if host["slots"] is None:
        return None
    return Bridge(host["slots"], host.get("split") is not None, host["store_ps"])
