"""Nodes as cells of tables: by the names that a scenario file may have for them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ringlet.errors import RingletError
from ringlet.exports.content import number
from ringlet.scenario.activities.receivers import ALL
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.scenario.values.destinations import Destinations, Fixed, Uniform


@dataclass(frozen=True)
class Nodes:
    """The nodes of a scenario."""

    resolved: Resolved

    @classmethod
    def of(cls, resolved: Resolved) -> "Nodes":
        """Returns the nodes of a scenario.

        Raises:
            RingletError: a name that a cell with several destinations cannot hold.
        """
        for place, name in enumerate(resolved.file.network.node_names or []):
            if ";" in name:
                allowed = "a name without ';', which separates destinations in a table of flows"
                raise RingletError.not_allowed(f"network.node_names[{place}]", name, allowed)
        return cls(resolved)

    def name(self, node: int) -> str:
        """Returns the name of a node, of a network also that of its role, such as `P0`; else its number."""
        own = self.resolved.file.network.node_names
        if own is not None:
            return own[node]
        return self.resolved.routed_network[0].node_name(node) if self.resolved.switched else str(node)

    def shared(self, shares: Mapping[int, float]) -> str:
        """Returns the cell of nodes with shares."""
        return "; ".join(f"{self.name(node)}: {number(share)}" for node, share in shares.items())

    def destinations(self, to: Destinations, source: int) -> str:
        """Returns the cell of the destinations of a source."""
        if isinstance(to, Uniform):
            return ALL
        if isinstance(to, Fixed):
            return self.name(to.node)
        row = to.row(source, self.resolved.nodes)
        return self.shared({int(node): float(row[node]) for node in np.flatnonzero(row)})
