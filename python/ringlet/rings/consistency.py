"""Consistency of a network's arrays and of its routes: those of an installed package may not fit each other."""

import numpy as np

from ringlet.rings.network import NONE, Network
from ringlet.rings.routes import Routes, RoutingTables


def misfit(network: Network, routes: Routes, nodes: int) -> str | None:
    """Returns what is wrong with a network of so many nodes and its routes, in words; None: all fits.

    Args:
        network: rings and switches, of which nothing is known yet.
        routes: tables of the same.
        nodes: how many there are to be.
    """
    try:
        return _of_network(network, nodes) or _of_routes(network, routes)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        return f"arrays of other shapes or types ({type(error).__name__})"


def _of_network(network: Network, nodes: int) -> str | None:
    if network.nodes != nodes:
        return f"roles of {network.nodes} nodes, not of {nodes}"
    if len(network.node_names) not in (0, nodes):
        return f"names of {len(network.node_names)} nodes, not of {nodes}"
    if not _ascends(network.ring_start, network.interfaces):
        return f"a ring_start that does not lead from 0 to {network.interfaces}, the number of interfaces"
    if not _ascends(network.switch_start, network.ports):
        return "a switch_start that does not ascend from 0 on"
    at_node, at_port = network.interface_node != NONE, network.interface_port != NONE
    if len(at_port) != len(at_node) or (at_node == at_port).any():
        return "an interface that is not that of one node or of one port"
    times = _times(network.interface_node[at_node], nodes)
    if times is None or not (times == times[0]).all() or times[0] not in (1, 2):
        return "nodes that have not one interface each, or two"
    times = _times(network.interface_port[at_port], network.ports)
    if times is None or not (times == 1).all():
        return "ports that have not one interface each"
    return None


def _of_routes(network: Network, routes: Routes) -> str | None:
    if len(routes.address) != network.nodes:
        return f"addresses of {len(routes.address)} nodes, not of {network.nodes}"
    for what, tables, count in (("rings", routes.ring, network.rings), ("switches", routes.switch, network.switches)):
        if len(tables.start) - 1 != count:
            return f"tables of {len(tables.start) - 1} {what}, not of {count}"
        if not _leads(tables, network.ports):
            return f"a table of {what} with an interval or a port that is not there"
    if not ((routes.address >= 0) & (routes.address < routes.ring.addresses)).all():
        return "an address that no table has"
    return None


def _leads(tables: RoutingTables, ports: int) -> bool:
    entries = len(tables.port)
    same = len(tables.first_address) == entries
    return same and _ascends(tables.start, entries) and bool((tables.port < ports).all())


def _ascends(start: "np.ndarray[tuple[int], np.dtype[np.int64]]", end: int) -> bool:
    """Returns whether parts that begin there, one behind the other, make up all from 0 to `end`."""
    return len(start) > 0 and start[0] == 0 and start[-1] == end and bool((np.diff(start) >= 0).all())


def _times(
    numbers: "np.ndarray[tuple[int], np.dtype[np.int64]]", count: int
) -> "np.ndarray[tuple[int], np.dtype[np.int64]] | None":
    """Returns how often each number below `count` is there; None where one is not below it."""
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < count):
        return None
    return np.bincount(numbers, minlength=max(count, 1)) if count else np.ones(1, dtype=np.int64)
