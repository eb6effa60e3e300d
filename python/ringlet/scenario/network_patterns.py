"""Where packets go in a network in which nodes differ: processors and memories, and nodes on one's own ring or not."""

from typing import Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.scenario.matrices import MAX_MATRIX_NODES, Matrix
from ringlet.scenario.traffic import Traffic
from ringlet.topology import Network, Role

Destinations = list[dict[str, Any] | None]
"""The engine's `destinations` of each node; None for one that sends no requests."""


def memory_pattern(traffic: Traffic, network: Network, given: Matrix) -> Destinations:
    """Returns where processors send to, by `given` with pattern `matrix`; memories send nothing of their own."""
    memories = network.receivers
    match traffic.pattern:
        case "uniform":
            sent = [_memory(network, None, 0.0)] * len(network.senders)
        case "hot-spot":
            hot = traffic.hot_node or 0
            if hot not in memories:
                raise RingletError.not_allowed("traffic.hot_node", hot, _listed("a memory", memories))
            sent = [_memory(network, hot, traffic.hot_fraction or 0.0)] * len(network.senders)
        case "local":
            share = traffic.locality or 0.0
            if len(memories) != len(network.senders):
                raise RingletError.not_allowed(
                    "traffic.pattern", "local", "as many memories as processors for this pattern"
                )
            sent = [_memory(network, memory, share) for memory in memories.tolist()]
        case "permutation":
            sent = _permutation(traffic, network)
        case "matrix":
            sent = _matrix(traffic, given)
        case pattern:
            allowed = "'uniform', 'local', 'hot-spot', 'permutation' or 'matrix' where processors send to memories"
            raise RingletError.not_allowed("traffic.pattern", pattern, allowed)
    destinations: Destinations = [None] * network.nodes
    for processor, spec in zip(network.senders.tolist(), sent, strict=True):
        destinations[processor] = spec
    return destinations


def local_pattern(traffic: Traffic, network: Network) -> Destinations:
    """Returns where computing nodes send to if a share stays on the own ring, and the rest goes to any other ring's nodes."""
    nodes, share = network.nodes, traffic.locality or 0.0
    if nodes > MAX_MATRIX_NODES:
        raise RingletError.not_allowed(
            "network.nodes", nodes, f"at most {MAX_MATRIX_NODES} with pattern 'local' and computing nodes"
        )
    rings = network.node_ring
    if network.rings < 2 or int(np.bincount(rings).max()) == nodes:
        raise RingletError.not_allowed("traffic.pattern", "local", "several rings with nodes for this pattern")
    destinations: Destinations = []
    for node in range(nodes):
        near = rings == rings[node]
        near[node] = False
        if not near.any() and share > 0:
            allowed = f"0: {network.node_name(node)} has no other node on its ring"
            raise RingletError.not_allowed("traffic.locality", share, allowed)
        far = rings != rings[node]
        weights = near * (share / max(near.sum(), 1)) + far * ((1 - share) / far.sum())
        destinations.append({"kind": "weighted", "weights": weights.tolist()})
    return destinations


def _memory(network: Network, local: int | None, share: float) -> dict[str, Any]:
    """Returns destinations: one memory with a given share, else any other."""
    memories = network.receivers
    first, count = int(memories[0]), len(memories)
    if count == 1 or (local is not None and share == 1):
        return {"kind": "fixed", "node": first if local is None else local}
    if int(memories[-1]) - first + 1 == count:
        return {"kind": "range", "first": first, "count": count, "local": local, "probability": share}
    if network.nodes > MAX_MATRIX_NODES:
        allowed = f"at most {MAX_MATRIX_NODES} where memories are not numbered one after the other"
        raise RingletError.not_allowed("network.nodes", network.nodes, allowed)
    weights = np.zeros(network.nodes)
    weights[memories] = 1 / count if local is None else (1 - share) / (count - 1)
    if local is not None:
        weights[local] = share
    return {"kind": "weighted", "weights": weights.tolist()}


def _permutation(traffic: Traffic, network: Network) -> list[dict[str, Any]]:
    destinations, processors = traffic.destinations or [], network.senders.tolist()
    if len(destinations) != len(processors):
        allowed = f"{len(processors)} destinations, one per processor"
        raise RingletError.not_allowed("traffic.destinations", destinations, allowed)
    for index, node in enumerate(destinations):
        if not 0 <= node < network.nodes or network.roles[node] != Role.MEMORY:
            raise RingletError.not_allowed(
                f"traffic.destinations[{index}]", node, _listed("a memory", network.receivers)
            )
    return [{"kind": "fixed", "node": node} for node in destinations]


def _matrix(traffic: Traffic, given: Matrix) -> list[dict[str, Any]]:
    if traffic.random_matrix is not None:
        raise RingletError(
            "traffic.random_matrix: every node sends by it, and here processors send to memories; give traffic.matrix"
        )
    return [{"kind": "weighted", "weights": row} for row in given.rows]


def _listed(what: str, nodes: np.ndarray) -> str:
    few = ", ".join(map(str, nodes[:6].tolist()))
    return f"{what}: {few}{', ...' if len(nodes) > 6 else ''}"
