"""Networks as GraphML and GML, read by networkx: a ring."""

from pathlib import Path
from typing import Any

import networkx

from ringlet.errors import RingletError
from ringlet.imports.content import Answers, Imported, some
from ringlet.imports.networks.ring import HOP_DELAYS, LENGTHS, RATES, Link, attribute, ring


def read(file: Path, answers: Answers) -> Imported:
    """Returns the ring that a graph is.

    Raises:
        RingletError: the file is no graph; or the graph no ring, and no option names its nodes.
    """
    try:
        is_gml = file.suffix.lower() == ".gml"
        # A label is no node's name until it is seen that each has one of its own.
        found: Any = networkx.read_gml(file, label="id") if is_gml else networkx.read_graphml(file)
    except Exception as error:
        raise RingletError(f"{file}: not a graph: {' '.join(str(error).split())}") from None
    names = {node: str(data.get("label", data.get("name", node))) for node, data in found.nodes(data=True)}
    if len(set(names.values())) < len(names):
        # Labels that are not each node's own.
        names = {node: str(node) for node in names}
    links: list[Link] = []
    used: set[str] = set()
    other: set[str] = set()
    for source, target, data in found.edges(data=True):
        length, length_name = attribute(data, LENGTHS)
        rate, rate_name = attribute(data, RATES)
        delay, delay_name = attribute(data, HOP_DELAYS)
        used |= {name for name in (length_name, rate_name, delay_name) if name}
        other |= {str(name) for name in data}
        links.append(Link(names[source], names[target], length, rate, delay))
    network, taken = ring(
        file, list(names.values()), links, answers, directed=found.is_directed() and not answers.both_ways
    )
    of_nodes = {str(name) for _, data in found.nodes(data=True) for name in data} - {"label", "name"}
    left = [f"attributes of links: {some(sorted(other - used))}"] if other - used else []
    left += [f"attributes of nodes: {some(sorted(of_nodes))}"] if of_nodes else []
    off = len(links) - len(network["node_names"])
    left += [f"{off} links that are not on the ring"] if off > 0 else []
    return Imported({"network": network}, None, taken, left)
