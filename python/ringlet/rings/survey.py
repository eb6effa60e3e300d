"""The survey of a network before a simulation: its parts and their cost, lengths of routes, possible deadlocks."""

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ringlet.rings.banyan import Banyan
from ringlet.rings.deadlock import DeadlockCheck, check_deadlock
from ringlet.rings.network import NONE, Network, Role
from ringlet.rings.routes import Routes
from ringlet.rings.trace import Lengths, lengths


@dataclass(frozen=True)
class Cost:
    """Counts of parts. The ports of switches dominate the price (richter1999, Section 6.7)."""

    switches: int
    """Switches, bridges and routers."""
    ports: int
    """Ports of all switches."""
    rings: int
    """Rings, ringlets among them."""
    ringlets: int
    """Rings of two interfaces."""
    cables: int
    """Links, each from an interface to the next one on its ring, in one direction."""
    adapters: int
    """Interfaces of nodes."""


def cost(network: Network) -> Cost:
    """Counts the parts of a network."""
    lengths = network.ring_lengths
    return Cost(
        switches=network.switches,
        ports=network.ports,
        rings=network.rings,
        ringlets=int(np.count_nonzero(lengths == 2)),
        cables=int(lengths[lengths > 1].sum()),
        adapters=network.interfaces - network.ports,
    )


@dataclass(frozen=True)
class Closure:
    """The closure of a multistage network to rings (richter1999, Section 6.7)."""

    one_to_one: bool
    """True if every straight path becomes a ring of its own if output line `l` is led to input line `l`."""
    rings: int
    """Number of rings that straight paths make."""
    longest: int
    """Processors on the longest of them."""


@dataclass(frozen=True)
class Survey:
    """The survey of a network: its parts, the lengths of its routes, and whether it can deadlock."""

    network: Network
    """Rings, nodes and switches."""
    routes: Routes
    """Routing tables."""
    cost: Cost
    """Parts."""
    lengths: Lengths
    """Lengths of the ways of requests, from all who send to all who serve them."""
    deadlock: tuple[DeadlockCheck, ...]
    """Checks with requests alone, and with responses in shared and in separate buffers."""
    closure: Closure | None
    """Closure of a multistage network; None for another one."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the survey as JSON takes it: a ring's interfaces are node numbers, or pairs of a switch and its
        port."""
        network = self.network
        return {
            "nodes": [
                {"id": node, "name": network.node_name(node), "ring": ring}
                for node, ring in enumerate(network.node_ring.tolist())
            ],
            "rings": [
                {"id": ring, "name": network.names.ring(ring), "interfaces": interfaces}
                for ring, interfaces in enumerate(ring_interfaces(network))
            ],
            "switches": [
                {"id": switch, "name": network.names.switch(switch), "rings": rings.tolist()}
                for switch, rings in enumerate(np.split(network.port_ring, network.switch_start[1:-1]))
                if network.switches
            ],
            "cost": asdict(self.cost),
            "routes": {
                "table_entries": len(self.routes.ring.port) + len(self.routes.switch.port),
                **asdict(self.lengths),
                "mean_crossings": self.lengths.mean_crossings,
                "max_crossings": self.lengths.max_crossings,
            },
            "deadlock": [{**asdict(check), "free": check.free} for check in self.deadlock],
            "closure": None if self.closure is None else asdict(self.closure),
        }


def survey(network: Network, routes: Routes, banyan: Banyan | None = None) -> Survey:
    """Examines a network.

    Args:
        network: rings, nodes and switches.
        routes: its routing tables.
        banyan: the stages that it was made from, if it is a multistage network.

    Raises:
        RingletError: a route that loops or ends.
    """
    closure = None
    if banyan is not None:
        rings = banyan.closed_rings()
        closure = Closure(banyan.closes, len(rings), max(map(len, rings)))
    return Survey(
        network=network,
        routes=routes,
        cost=cost(network),
        lengths=lengths(network, routes, network.senders, network.receivers),
        deadlock=check_deadlock(network, routes),
        closure=closure,
    )


def ring_interfaces(network: Network) -> list[list[int | tuple[int, int]]]:
    """Returns what is on each ring, in the direction of its links: a node, or a switch and its port."""
    ports = network.interface_port
    places: list[int | tuple[int, int]] = network.interface_node.tolist()
    there = np.flatnonzero(ports != NONE)
    switch = network.port_switch[ports[there]]
    number = ports[there] - network.switch_start[switch]
    for place, one, port in zip(there.tolist(), switch.tolist(), number.tolist(), strict=True):
        places[place] = (one, port)
    bounds = network.ring_start.tolist()
    return [places[first:end] for first, end in pairwise(bounds)]


def role_counts(network: Network) -> dict[Role, int]:
    """Returns how many nodes there are of each role."""
    return {role: int(np.count_nonzero(network.roles == role)) for role in Role}
