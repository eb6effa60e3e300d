"""The utilisation of links and servers by a set of flows, if no packet were refused."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringlet.scenario.destinations import Fixed
from ringlet.scenario.flows import Flow
from ringlet.scenario.resolved import Resolved

MAX_SPREAD_NODES = 1024
"""Nodes up to which flows with more than one destination are counted: each takes as many steps."""


@dataclass(frozen=True, slots=True)
class Utilisation:
    """The utilisation of links and servers, as shares of their capacity; above 1 they are overloaded."""

    links: NDArray[np.float64]
    """Of each link: packets with their idles, and echoes; shape (nodes,)."""
    servers: NDArray[np.float64]
    """Of the busier of each node's two receive-queue servers; shape (nodes,)."""

    @property
    def busiest_link(self) -> float:
        """Utilisation of the busiest link."""
        return float(self.links.max(initial=0.0))

    def warnings(self, names: Sequence[str]) -> list[str]:
        """Returns a line if more is needed than there is of a link, of the ring's bandwidth, or of a server.

        Args:
            names: of the nodes; empty where they have none but their numbers.
        """
        found = []
        if self.links.mean() > 1:
            found.append(f"overload: utilisation {self.links.mean():.3g} of the ring's bandwidth, above 1")
        elif self.busiest_link > 1:
            busiest = int(self.links.argmax())
            link = f"link from {names[busiest]}" if names else f"link {busiest}"
            found.append(f"overload: utilisation {self.busiest_link:.3g} of {link}, above 1")
        if self.servers.max(initial=0.0) > 1:
            worst = int(self.servers.argmax())
            node = names[worst] if names else f"node {worst}"
            found.append(f"overload: utilisation {self.servers[worst]:.3g} of the receive queue of {node}, above 1")
        return found


def utilisation(resolved: Resolved, flows: Iterable[Flow]) -> Utilisation:
    """Returns what some flows of a scenario need on its ring; of a network as if it were one ring.

    What takes all it gets, and a trace, has no rate: they do not count.
    """
    nodes, echo = resolved.nodes, resolved.echo_cost_symbols
    service = resolved.service_cycles
    links, requests, responses = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes)
    for flow in flows:
        rate, source, to = flow.rate, flow.source, flow.destinations
        if rate in (0.0, math.inf) or (not isinstance(to, Fixed) and nodes > MAX_SPREAD_NODES):
            continue
        # Of each distance from 1 hop on; summed up from behind: that a packet crosses link `source + d`.
        shares = np.roll(to.row(source, nodes), -source - 1)
        crosses = np.cumsum(shares[::-1])[::-1]
        there = sum(size * share for size, share in flow.sizes) + 1
        back = 0 if flow.response_symbols is None else flow.response_symbols + 1
        load = rate * (crosses * there + (1 - crosses) * echo)
        if back:
            load += rate * ((1 - crosses) * back + crosses * echo)
            responses[source] += rate * service[source]
        links += np.roll(load, source)
        requests += np.roll(shares, source + 1) * rate * service
    return Utilisation(links, np.maximum(requests, responses))
