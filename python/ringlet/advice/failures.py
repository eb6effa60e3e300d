"""The cost of a broken link, round whose ring routes lead: the data between nodes that no way joins."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ringlet.advice.candidates import Candidate, shares
from ringlet.advice.requirements import Requirements
from ringlet.lazy import library
from ringlet.rings import Network
from ringlet.rings.network import NONE
from ringlet.scenario import Scenario

if TYPE_CHECKING:
    from scipy import sparse
    from scipy.sparse import csgraph
else:
    csgraph = library("scipy.sparse.csgraph")
    sparse = library("scipy.sparse")


@dataclass(frozen=True)
class Failing:
    """The ring without which most data have no way."""

    ring: str
    """Name of the ring."""
    source: str
    """The node, interface or port that the broken link leads away from, as `errors.links` names it."""
    steers: bool
    """Do routes lead round it?"""
    share: float
    """Share of all data that has no way while the ring carries nothing; of events built, other receivers take those of
    one that has none."""
    reached: NDArray[np.bool_]
    """True where a sender has a way to a receiver then; shape (senders, receivers)."""


def worst_link(wanted: Requirements, candidate: Candidate, scenario: Scenario) -> Failing:
    """Returns which broken link costs a candidate most; of equals, one of the longest ring of them."""
    network, _ = scenario.routed_network
    if network.sends_copies:
        # The other copy of each packet has its way.
        every = np.ones((len(candidate.senders), len(candidate.receivers)), dtype=bool)
        return Failing(network.names.ring(0), "0.rising", steers=False, share=0.0, reached=every)
    data = shares(wanted, candidate)
    reached = (_reached(network, ring, candidate) for ring in range(network.rings))
    each = [float(data[~ways].sum()) if wanted.event_building is None else _without_events(ways) for ways in reached]
    # One ring that many ways use stands for all rings between switches, which cost no data.
    worst = max(range(network.rings), key=lambda ring: (round(each[ring], 9), network.ring_lengths[ring]))
    first = int(network.ring_start[worst])
    node, port = int(network.interface_node[first]), int(network.interface_port[first])
    if node == NONE:
        switch = int(network.port_switch[port])
        source = f"{switch}.{port - int(network.switch_start[switch])}"
    else:
        source = str(scenario.node_name(node))
    reached_then = _reached(network, worst, candidate)
    return Failing(network.names.ring(worst), source, steers=True, share=each[worst], reached=reached_then)


def _without_events(reached: NDArray[np.bool_]) -> float:
    """Returns the share of the fragments that have no way; all, if those left cannot all send to the same receivers."""
    senders, receivers = np.flatnonzero(reached.any(axis=1)), np.flatnonzero(reached.any(axis=0))
    whole = len(senders) > 0 and reached[np.ix_(senders, receivers)].all()
    return 1 - len(senders) / len(reached) if whole else 1.0


def _reached(network: Network, ring: int, candidate: Candidate) -> NDArray[np.bool_]:
    """Returns whether each sender has a way to each receiver without a ring; shape (senders, receivers)."""
    left = network.port_ring != ring
    rings, vertices = network.rings, network.rings + network.switches
    tail, head = network.port_ring[left], rings + network.port_switch[left]
    joined = sparse.csr_array((np.ones(len(tail)), (tail, head)), shape=(vertices, vertices))
    _, part = csgraph.connected_components(joined, directed=False)
    part[ring] = -1
    from_part, to_part = (part[network.node_ring[list(nodes)]] for nodes in (candidate.senders, candidate.receivers))
    reached: NDArray[np.bool_] = (from_part[:, None] == to_part[None, :]) & (from_part[:, None] >= 0)
    return reached
