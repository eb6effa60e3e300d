"""The utilisation of links, B-Links and servers by a set of flows, if no packet were refused."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ringlet.analysis.max_min import FloatArray
from ringlet.scenario.activities.flow import Flow
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.scenario.values.destinations import Fixed
from ringlet.theory.resources import Places, shared

MAX_SPREAD_NODES = 1024
"""Nodes up to which flows with more than one destination are counted: each takes as many steps."""


@dataclass(frozen=True, slots=True)
class Utilisation:
    """The utilisation of links, B-Links and servers, as shares of their capacity; above 1 they are overloaded."""

    load: FloatArray
    """Load of each resource; shape (resources,)."""
    places: Places
    """Places of the resources: which one is what."""

    @property
    def links(self) -> FloatArray:
        """Load of each link: packets with their idles, and echoes; shape (interfaces,)."""
        return self.load[: self.places.requests]

    @property
    def servers(self) -> FloatArray:
        """Load of each receive queue, those of requests first; shape (2 * interfaces of nodes,)."""
        return self.load[self.places.requests : self.places.switches]

    @property
    def busiest_link(self) -> float:
        """Utilisation of the busiest link."""
        return float(self.links.max(initial=0.0))

    @property
    def most(self) -> float:
        """Utilisation of whatever is used most."""
        return float(self.load.max(initial=0.0))

    def warnings(self) -> list[str]:
        """Returns a line if more is needed than there is of one ring's bandwidth, a link, a server or a B-Link."""
        found, places = [], self.places
        mean = float(self.links.mean())
        ring_is_full = places.single and mean > 1
        if ring_is_full:
            found.append(f"overload: utilisation {mean:.3g} of the ring's bandwidth, above 1")
        kinds = (
            range(0 if ring_is_full else places.requests),
            range(places.requests, places.switches),
            range(places.switches, places.hosts),
            range(places.hosts, places.count),
        )
        for kind in kinds:
            worst = max(kind, key=self.load.__getitem__, default=None)
            if worst is not None and self.load[worst] > 1:
                found.append(f"overload: utilisation {self.load[worst]:.3g} of {places.name(worst)}, above 1")
        return found


def utilisation(resolved: Resolved, flows: Iterable[Flow]) -> Utilisation | None:
    """Returns what some flows of a scenario need of its rings and switches; tickets, sent again, cost nothing here.

    What takes all it gets, a trace, and messages at listed times have no rate that lasts: they do not count. None where
    there are too many destinations.
    """
    counted = [
        flow
        for flow in flows
        if 0 < flow.rate < math.inf
        and not flow.is_listed
        and (isinstance(flow.destinations, Fixed) or resolved.nodes <= MAX_SPREAD_NODES)
    ]
    found = shared(resolved, counted, tickets=False)
    return None if found is None else Utilisation(found.load(), found.places)
