"""The network section: rings, nodes and switches. Each topology is a module of its own, and all are listed here.

>>> from ringlet.scenario.network import TOPOLOGIES
>>> TOPOLOGIES.names(lambda one: not one.switched)
"'ring'"
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ringlet.errors import RingletError
from ringlet.scenario.network.ring import OneRing
from ringlet.scenario.network.topology import DEFAULT_TOPOLOGY, MAX_NODES, Network, SwitchedNetwork, routed
from ringlet.sections.plugins import Family, members

__all__ = [
    "MAX_NODES",
    "TOPOLOGIES",
    "AnyNetwork",
    "Network",
    "OneRing",
    "SwitchedNetwork",
    "node_numbers",
    "own_names",
]

_LISTED = (
    "ring",
    "switch",
    "multistage",
    "torus",
    "chordal_ring",
    "dual_ring",
    "dual_attached_ring",
    "ring_of_rings",
    "rings",
)
"""The modules of all members."""

_BASE: type[Network] = Network  # type: ignore[type-abstract]
TOPOLOGIES = Family(_BASE, members(_BASE, __name__, _LISTED), path="network.topology", group="ringlet.topologies")
"""All topologies by name."""

if TYPE_CHECKING:
    AnyNetwork = Network
else:
    AnyNetwork = TOPOLOGIES.annotation(DEFAULT_TOPOLOGY)
"""One of the topologies with its keys: which one, `topology` says."""


def own_names(section: object) -> tuple[str, ...]:
    """Returns what the network section of a file, or the section itself, calls its nodes; empty where it does not."""
    names = section.node_names if isinstance(section, Network) else None
    names = section.get("node_names") if isinstance(section, Mapping) else names
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def node_numbers(section: object) -> dict[str, int]:
    """Returns the number of each node by its name: the file's, or where there are switches `P0`, `M0` and so on.

    Empty where nodes have no names, or the section is wrong, which its own check says.

    Args:
        section: what a file holds for the network, or the section.
    """
    if names := own_names(section):
        return {name: node for node, name in enumerate(names)}
    content = dict(section.items()) if isinstance(section, Network | Mapping) else {}
    name = content.get("topology", DEFAULT_TOPOLOGY)
    try:
        member = TOPOLOGIES.member(name)
        if not member.switched:
            return {}
        network, _ = routed(member.checked({**content, "topology": name}, named="network"))
    except RingletError:
        return {}
    return {network.node_name(node): node for node in range(network.nodes)}
