"""Destinations of processors where there are memories."""

import numpy as np

from ringlet.errors import RingletError
from ringlet.scenario.destinations import MAX_MATRIX_NODES, Destinations, Fixed, Range, Weighted
from ringlet.topology import Network


def one_or_others(network: Network, local: int | None, share: float) -> Destinations:
    """Returns one memory with a share of its own, else any other alike.

    Raises:
        RingletError: memories that are not numbered one after the other, and too many nodes for a matrix.
    """
    memories = network.receivers
    first, count = int(memories[0]), len(memories)
    if count == 1 or (local is not None and share == 1):
        return Fixed(first if local is None else local)
    if int(memories[-1]) - first + 1 == count:
        return Range(first, count, local, share)
    if network.nodes > MAX_MATRIX_NODES:
        allowed = f"at most {MAX_MATRIX_NODES} where memories are not numbered one after the other"
        raise RingletError.not_allowed("network.nodes", network.nodes, allowed)
    weights = np.zeros(network.nodes)
    weights[memories] = 1 / count if local is None else (1 - share) / (count - 1)
    if local is not None:
        weights[local] = share
    return Weighted(weights.tolist())


def some_of(network: Network) -> str:
    """Returns what a message calls the memories."""
    few = ", ".join(map(str, network.receivers[:6].tolist()))
    return f"a memory: {few}{', ...' if len(network.receivers) > 6 else ''}"
