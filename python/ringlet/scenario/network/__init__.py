"""The network section: rings, nodes and switches. Each topology is a module of its own, and all are listed here.

>>> from ringlet.scenario.network import TOPOLOGIES
>>> TOPOLOGIES.names(lambda one: not one.switched)
"'ring'"
"""

from typing import TYPE_CHECKING

from ringlet.scenario.family import Family, members
from ringlet.scenario.network.ring import OneRing
from ringlet.scenario.network.topology import DEFAULT_TOPOLOGY, MAX_NODES, Network, SwitchedNetwork

__all__ = ["MAX_NODES", "TOPOLOGIES", "AnyNetwork", "Network", "OneRing", "SwitchedNetwork"]

_LISTED = (
    "ring",
    "switch",
    "multistage",
    "torus",
    "chordal_ring",
    "dual_ring",
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
