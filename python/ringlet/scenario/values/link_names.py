"""Links by name: each is known by the node, or the port of a switch, that it leaves."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from ringlet.errors import RingletError
from ringlet.rings import Network
from ringlet.rings.network import NONE
from ringlet.scenario.values.per_node import OTHERS, check_length, filled, node_of


def link_of(path: str, source: int | str, network: Network, switches: Mapping[str, int]) -> int:
    """Returns the interface that a link leaves.

    Args:
        path: the key.
        source: a node, or a port as `switch.port`.
        network: rings, nodes and switches.
        switches: number of each switch by the name that the scenario gives it.

    Raises:
        RingletError: there is no such node or port.
    """
    if isinstance(source, int):
        if not 0 <= source < network.nodes:
            raise RingletError.not_allowed(path, source, f"a node from 0 to {network.nodes - 1}, or 'switch.port'")
        return int(network.node_interface[source])
    name, _, port = source.rpartition(".")
    if network.second_interface is not None:
        return _on_a_ring(path, source, network)
    switch = switches.get(name)
    if switch is None:
        some = ", ".join(map(repr, list(switches)[:8])) + (", ..." if len(switches) > 8 else "")
        known = f"a node, or 'switch.port'; the switches are {some}" if some else "a node: there is no switch"
        raise RingletError.not_allowed(path, source, known)
    ports = int(network.switch_start[switch + 1] - network.switch_start[switch])
    if not (port.isascii() and port.isdigit() and len(port) <= 4 and int(port) < ports):
        raise RingletError.not_allowed(path, source, f"'{name}.0' to '{name}.{ports - 1}'")
    return int(network.port_interface[network.switch_start[switch] + int(port)])


def _on_a_ring(path: str, source: str, network: Network) -> int:
    """Returns the interface of a node with two of them, by `node.ring`.

    Raises:
        RingletError: there is no such node or ring.
    """
    node, _, ring = source.rpartition(".")
    rings = [network.names.ring(number).removeprefix("ring ") for number in range(network.rings)]
    known = node.isascii() and node.isdigit() and len(node) <= 5 and int(node) < network.nodes
    if not known or ring not in rings or network.second_interface is None:
        allowed = f"a node from 0 to {network.nodes - 1}, or 'node.ring' with ring {' or '.join(rings)}"
        raise RingletError.not_allowed(path, source, allowed)
    return int((network.node_interface, network.second_interface)[rings.index(ring)][int(node)])


def of_links(
    path: str,
    given: Any,  # noqa: ANN401 - whatever the key may hold
    network: Network,
    *,
    names: Callable[[], Mapping[str, int]],
    switches: Mapping[str, int],
    default: Any,  # noqa: ANN401
) -> list[Any]:
    """Returns the value of the link that leaves each interface.

    Args:
        path: the key.
        given: one value; a list with one for each node; a table by node, `switch.port` and ring.
        network: rings, nodes and switches.
        names: returns the number of each node by its name.
        switches: number of each switch by the name that the scenario gives it.
        default: that of ports, of which a list says nothing.

    Raises:
        RingletError: a list of the wrong length, a name of nothing, or links without a value.
    """
    check_length(path, given, network.nodes)
    if isinstance(given, list) and network.second_interface is not None:
        # Both links between two neighbours are alike: the second ring's link of a node leads back to the one before it.
        return [*given, *given[-2::-1], given[-1]]
    if isinstance(given, list):
        return [default if node == NONE else given[node] for node in network.interface_node.tolist()]
    if not isinstance(given, Mapping):
        return [given] * network.interfaces
    rings = {network.names.ring(ring): ring for ring in range(network.rings)} if network.switches else {}
    values = [given.get(OTHERS)] * network.interfaces
    own: dict[int, Any] = {}
    names = cache(names)
    for name, one in given.items():
        at = f"{path}.{name}"
        if name in rings:
            first, end = network.ring_start[rings[name] : rings[name] + 2].tolist()
            values[first:end] = [one] * (end - first)
        elif "." in name and name not in names():
            own[link_of(at, name, network, switches)] = one
        elif name != OTHERS:
            own[int(network.node_interface[node_of(at, name, network.nodes, names)])] = one
    for interface, one in own.items():
        values[interface] = one
    return filled(path, given, values)
