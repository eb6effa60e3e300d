"""Networks given as lists: which nodes and switch ports are on which ring, in the order of its links."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.rings.network import IntArray, Names, Network, Role
from ringlet.rings.routes import Routes, RoutingTables
from ringlet.rings.shortest import Search, shortest_routes

if TYPE_CHECKING:
    from scipy import sparse
    from scipy.sparse import csgraph
else:
    csgraph = library("scipy.sparse.csgraph")
    sparse = library("scipy.sparse")

RINGS, ROUTES = "network.rings", "network.routes"


@dataclass(frozen=True)
class ChosenRoute:
    """A route that is not searched but given."""

    at: str
    """Name of the ring or switch where it holds."""
    to: Sequence[str]
    """Names of the rings that packets go to."""
    port: str
    """Port through which they leave it, `switch.port`."""


def explicit_network(
    rings: Mapping[str, Sequence[int | str]],
    switches: Mapping[str, int],
    nodes: int,
    *,
    memories: Collection[int] = (),
    search: Search = "shortest",
    chosen: Sequence[ChosenRoute] = (),
) -> tuple[Network, Routes]:
    """Returns the network of given rings.

    Args:
        rings: by name, what is on each in the direction of its links: a node's number, or a port as `switch.port`.
        switches: by name, how many ports each has.
        nodes: how many nodes there are, numbered from 0.
        memories: nodes that only serve requests; with some, all others are processors, else all are computing nodes.
        search: how routes are found.
        chosen: routes that count more than those found.

    Raises:
        RingletError: who is not on a ring, or on two; rings that nothing joins; a route that is none.
    """
    first_port = dict(zip(switches, np.cumsum([0, *switches.values()]).tolist(), strict=False))
    blocks = _blocks(rings, switches, nodes, first_port)
    ring_names, switch_names = list(rings), list(switches)
    network = Network.from_blocks(
        blocks,
        switch_start=np.cumsum([0, *switches.values()]),
        roles=_roles(nodes, memories),
        names=Names(
            ring=lambda ring: f"ring {ring_names[ring]!r}", switch=lambda switch: f"switch {switch_names[switch]!r}"
        ),
    )
    _check_switches(network)
    _check_joined(network)
    routes = shortest_routes(network, search)
    return network, _with_chosen(network, routes, chosen, ring_names, switch_names, first_port)


def _blocks(
    rings: Mapping[str, Sequence[int | str]], switches: Mapping[str, int], nodes: int, first_port: Mapping[str, int]
) -> list[IntArray]:
    places: dict[int, str] = {}
    blocks = []
    for index, (name, members) in enumerate(rings.items()):
        block = []
        for position, member in enumerate(members):
            path = f"{RINGS}[{index}].members[{position}]"
            number = _member(member, path, switches, nodes, first_port)
            if number in places:
                what = "node" if number >= 0 else "port"
                raise RingletError.not_allowed(
                    path, member, f"each {what} once; this one is on ring {places[number]!r}, too"
                )
            places[number] = name
            block.append(number)
        if all(number < 0 for number in block) and len(block) < 2:
            held = f"<{members[0]}>" if block else "<nothing>"
            raise RingletError.not_allowed(f"{RINGS}[{index}].members", held, f"a node or two ports on ring {name!r}")
        blocks.append(np.array([block], dtype=np.int64))
    for node in range(nodes):
        if node not in places:
            raise RingletError(f"{RINGS}: node {node} is on no ring; each of the {nodes} nodes has to be on one")
    for name, ports in switches.items():
        for port in range(ports):
            if -1 - (first_port[name] + port) not in places:
                raise RingletError(
                    f"{RINGS}: port '{name}.{port}' is on no ring; each of the switch's {ports} ports has to be on one"
                )
    return blocks


def _member(
    member: int | str, path: str, switches: Mapping[str, int], nodes: int, first_port: Mapping[str, int]
) -> int:
    if isinstance(member, int):
        if not 0 <= member < nodes:
            raise RingletError.not_allowed(path, member, f"a node from 0 to {nodes - 1}")
        return member
    return -1 - _port(member, path, switches, first_port)


def _port(name: str, path: str, switches: Mapping[str, int], first_port: Mapping[str, int]) -> int:
    switch, dot, port = name.rpartition(".")
    if not dot or switch not in switches:
        known = ", ".join(map(repr, list(switches)[:8])) or "none"
        raise RingletError.not_allowed(path, name, f"'switch.port'; the switches are {known}")
    if not port.isascii() or not port.isdigit() or len(port) > 4 or int(port) >= switches[switch]:
        raise RingletError.not_allowed(path, name, f"'{switch}.0' to '{switch}.{switches[switch] - 1}'")
    return first_port[switch] + int(port)


def _roles(nodes: int, memories: Collection[int]) -> np.ndarray[tuple[int], np.dtype[np.int8]]:
    roles = np.full(nodes, Role.PROCESSOR if memories else Role.COMPUTER, dtype=np.int8)
    roles[list(memories)] = Role.MEMORY
    return roles


def _check_switches(network: Network) -> None:
    for switch in range(network.switches):
        rings = network.port_ring[network.switch_start[switch] : network.switch_start[switch + 1]]
        if len(set(rings.tolist())) < 2:
            ring = network.names.ring(int(rings[0]))
            raise RingletError(
                f"{RINGS}: all ports of {network.names.switch(switch)} are on {ring}; a switch joins two rings or more"
            )


def _check_joined(network: Network) -> None:
    vertices = network.rings + network.switches
    edges = (np.ones(network.ports), (network.port_ring, network.rings + network.port_switch))
    _, component = csgraph.connected_components(sparse.csr_array(edges, shape=(vertices, vertices)), directed=False)
    apart = np.flatnonzero(component[: network.rings] != component[0])
    if len(apart):
        first, other = network.names.ring(0), network.names.ring(int(apart[0]))
        raise RingletError(
            f"{RINGS}: no switches lead from {first} to {other}; every ring has to be reached from every other"
        )


def _with_chosen(
    network: Network,
    routes: Routes,
    chosen: Sequence[ChosenRoute],
    ring_names: list[str],
    switch_names: list[str],
    first_port: Mapping[str, int],
) -> Routes:
    if not chosen:
        return routes
    switches = dict(zip(switch_names, np.diff(network.switch_start).tolist(), strict=True))
    on_rings, in_switches = list[tuple[int, int, int]](), list[tuple[int, int, int]]()
    for index, route in enumerate(chosen):
        path = f"{ROUTES}[{index}]"
        port = _port(route.port, f"{path}.port", switches, first_port)
        if route.at in ring_names:
            at, there, entries = ring_names.index(route.at), int(network.port_ring[port]), on_rings
        elif route.at in switch_names:
            at, there, entries = switch_names.index(route.at), int(network.port_switch[port]), in_switches
        else:
            raise RingletError.not_allowed(f"{path}.at", route.at, "the name of a ring or a switch")
        if there != at:
            raise RingletError.not_allowed(f"{path}.port", route.port, f"a port of {route.at!r}")
        for place, name in enumerate(route.to):
            if name not in ring_names or (entries is on_rings and name == route.at):
                raise RingletError.not_allowed(f"{path}.to[{place}]", name, "the name of another ring")
            entries.append((at, ring_names.index(name), port))
    return Routes(routes.address, _overlaid(routes.ring, on_rings), _overlaid(routes.switch, in_switches))


def _overlaid(tables: RoutingTables, entries: list[tuple[int, int, int]]) -> RoutingTables:
    if not entries:
        return tables
    table, address, port = np.array(sorted(entries), dtype=np.int64).T
    return tables.overlaid(table, address, port)
