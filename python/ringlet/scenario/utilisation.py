"""How much of the links and of the servers a set of flows needs, were nothing ever sent again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_SPREAD_NODES = 1024
"""Nodes up to which flows with more than one destination are counted: each takes as many steps."""


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Shares of what there is; above 1 is more than there is."""

    links: NDArray[np.float64]
    """Of each link: packets with their idles, and echoes; shape (nodes,)."""
    servers: NDArray[np.float64]
    """Of the busier of each node's two receive-queue servers; shape (nodes,)."""

    @property
    def busiest_link(self) -> float:
        """Of the link that is needed most."""
        return float(self.links.max(initial=0.0))

    def warnings(self) -> list[str]:
        """Returns a line if more is needed than there is of a link, of the ring's bandwidth, or of a server."""
        found = []
        if self.links.mean() > 1:
            found.append(f"overload: utilisation {self.links.mean():.3g} of the ring's bandwidth, above 1")
        elif self.busiest_link > 1:
            found.append(f"overload: utilisation {self.busiest_link:.3g} of link {self.links.argmax()}, above 1")
        if self.servers.max(initial=0.0) > 1:
            node = self.servers.argmax()
            found.append(f"overload: utilisation {self.servers[node]:.3g} of the receive queue of node {node}, above 1")
        return found


def utilisation(spec: Mapping[str, Any], flows: Sequence[Mapping[str, Any]] | None = None) -> Utilisation:
    """Returns what flows need.

    Args:
        spec: the engine's NetworkSpec.
        flows: some of its flows; default: all. A saturated flow takes what is left, and a trace has no rate: they do not count.
    """
    nodes, echo = int(spec["nodes"]), spec["echo_symbols"] + 1
    service = spec["receive_queue"]["service_cycles"]
    links, requests, responses = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes)
    for flow in spec["flows"] if flows is None else flows:
        rate = _rate(flow)
        to = flow["destinations"]
        if rate == 0 or (to["kind"] != "fixed" and nodes > MAX_SPREAD_NODES):
            continue
        source = flow["source"]
        # Probability that a packet goes `d + 1` hops or more, and so crosses link `source + d`.
        shares = _by_distance(to, source, nodes)
        crosses = np.cumsum(shares[::-1])[::-1]
        there = sum(size * share for size, share in flow["sizes"]) + 1
        back = 0 if flow["response_symbols"] is None else flow["response_symbols"] + 1
        load = rate * (crosses * there + (1 - crosses) * echo)
        if back:
            load += rate * ((1 - crosses) * back + crosses * echo)
            responses[source] += rate * service
        links += np.roll(load, source)
        requests += np.roll(shares, source + 1) * rate * service
    return Utilisation(links, np.maximum(requests, responses))


def _rate(flow: Mapping[str, Any]) -> float:
    arrivals = flow["arrivals"]
    match arrivals["kind"]:
        case "saturated" | "closed" | "trace":
            return 0.0
        case "periodic":
            return float(flow["burst"] / arrivals["period"])
    return float(flow["burst"] * arrivals["rate"])


def _by_distance(destinations: Mapping[str, Any], source: int, nodes: int) -> NDArray[np.float64]:
    """Probability of each distance, 1 to `nodes` hops."""
    shares = np.zeros(nodes)
    match destinations["kind"]:
        case "fixed":
            shares[(destinations["node"] - source - 1) % nodes] = 1
        case "uniform":
            shares[: max(nodes - 1, 1)] = 1 / max(nodes - 1, 1)
        case "hot-spot":
            shares[: nodes - 1] = (1 - destinations["probability"]) / max(nodes - 2, 1)
            shares[(destinations["node"] - source - 1) % nodes] = destinations["probability"]
        case "weighted":
            shares[:] = np.roll(destinations["weights"], -source - 1)
    return shares
