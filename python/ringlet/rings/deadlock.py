"""The deadlock check: the buffer dependency graph and its cycles.

A packet in a buffer waits for a place in the next one of its way: a receive buffer of a port for a transmit buffer of
another port of the switch, a transmit buffer for a receive buffer of a port or node on its ring. The ring itself is no
place to wait: bypass FIFOs always drain. If no cycle is possible, some packet can always go on. A request's receiver
sends a response, so its receive buffer waits for its transmit buffer, too; the sender of a request always takes the
response. Nodes keep requests and responses apart in any case.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from ringlet.lazy import library
from ringlet.rings.network import IntArray, Network
from ringlet.rings.reach import Reach, reach, reach_in_pairs
from ringlet.rings.routes import Routes

if TYPE_CHECKING:
    from scipy import sparse
    from scipy.sparse import csgraph
else:
    csgraph = library("scipy.sparse.csgraph")
    sparse = library("scipy.sparse")

Buffers = Literal["requests", "shared", "separate"]

KINDS: tuple[Buffers, ...] = ("requests", "shared", "separate")


@dataclass(frozen=True)
class DeadlockCheck:
    """The result of a deadlock check for one kind of traffic and buffers."""

    buffers: Buffers
    """`requests`: there are no responses; `shared`: responses use the same buffers of ports; `separate`: they have
    buffers of their own, as in SCI."""
    cycle: tuple[str, ...]
    """Buffers that wait for each other, the last one for the first; empty if there is no such cycle."""

    @property
    def free(self) -> bool:
        """True if no deadlock is possible."""
        return not self.cycle


def check_deadlock(
    network: Network, routes: Routes, pairs: tuple[IntArray, IntArray] | None = None
) -> tuple[DeadlockCheck, ...]:
    """Checks the network for deadlock with requests alone, and with responses in shared and in separate buffers.

    Args:
        network: the rings and switches.
        routes: the tables.
        pairs: who sends requests to whom, two arrays of nodes of shape (pairs,); None: every processor and computing
            node to every memory and computing node.
    """
    if pairs is not None:
        senders, receivers = pairs
        requests = reach_in_pairs(network, routes, senders, receivers)
        responses = reach_in_pairs(network, routes, receivers, senders)
    else:
        requests = reach(network, routes, network.senders, network.receivers)
        same = np.array_equal(network.senders, network.receivers)
        responses = requests if same else reach(network, routes, network.receivers, network.senders)
    graph = _Graph(network)
    alone = graph.cycle(graph.ports(requests))
    back = graph.cycle(graph.ports(responses))
    shared = graph.cycle([*graph.ports(requests), *graph.ports(responses), *graph.hosts(requests, responses)])
    return (
        DeadlockCheck("requests", graph.names(alone)),
        DeadlockCheck("shared", graph.names(shared)),
        DeadlockCheck("separate", graph.names(alone) or graph.names(back)),
    )


class _Graph:
    """Numbers the buffers: receive and transmit buffers of ports, then of the nodes of each ring that serve requests,
    taken together.

    Those of one ring have the same ways on, so a cycle through one of them is a cycle through all.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.vertices = 2 * (network.ports + network.rings)

    def ports(self, packets: Reach) -> list[IntArray]:
        """Returns who waits for whom at ports."""
        into, out = packets.crossed.T
        sent, taken = packets.carried.T
        return [
            np.stack([self._receives(into), self._transmits(out)], axis=1),
            np.stack([self._transmits(sent), self._receives(taken)], axis=1),
        ]

    def hosts(self, requests: Reach, responses: Reach) -> list[IntArray]:
        """Returns how requests wait for responses at the nodes that serve them."""
        network = self.network
        serving = np.unique(network.node_ring[network.receivers])
        last = requests.delivered
        ring, taken = responses.injected.T
        return [
            np.stack([self._transmits(last), self._host_receives(network.port_ring[last])], axis=1),
            np.stack([self._host_receives(serving), self._host_transmits(serving)], axis=1),
            np.stack([self._host_transmits(ring), self._receives(taken)], axis=1),
        ]

    def cycle(self, edges: list[IntArray]) -> list[int]:
        """Returns the buffers of a shortest cycle through the first buffer that is on one, or none."""
        tail, head = np.concatenate(edges).T
        _, component = csgraph.connected_components(
            sparse.csr_array((np.ones(len(tail)), (tail, head)), shape=(self.vertices, self.vertices)),
            connection="strong",
        )
        inside = component[tail] == component[head]
        if not inside.any():
            return []
        first = int(tail[inside].min())
        within = inside & (component[tail] == component[first])
        graph = sparse.csr_array(
            (np.ones(within.sum()), (tail[within], head[within])), shape=(self.vertices, self.vertices)
        )
        order, predecessors = csgraph.breadth_first_order(graph, first)
        # The first one found that leads back closes the shortest cycle.
        before = set(tail[within & (head == first)].tolist())
        buffer = next(int(each) for each in order if int(each) in before)
        cycle = [buffer]
        while buffer != first:
            buffer = int(predecessors[buffer])
            cycle.append(buffer)
        return cycle[::-1]

    def names(self, cycle: list[int]) -> tuple[str, ...]:
        network = self.network
        names = []
        for buffer in cycle:
            kind, number = ("receive", "transmit")[buffer % 2], buffer // 2
            if number < network.ports:
                names.append(f"{network.port_name(number)} {kind}")
            else:
                ring = number - network.ports
                nodes = network.receivers[network.node_ring[network.receivers] == ring]
                names.append(f"{network.node_name(int(nodes[0]))} {kind}")
        return tuple(names)

    def _receives(self, port: IntArray) -> IntArray:
        return 2 * port

    def _transmits(self, port: IntArray) -> IntArray:
        return 2 * port + 1

    def _host_receives(self, ring: IntArray) -> IntArray:
        return 2 * (self.network.ports + ring)

    def _host_transmits(self, ring: IntArray) -> IntArray:
        return 2 * (self.network.ports + ring) + 1
