"""Where each node's packets go."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError
from ringlet.scenario.matrices import (
    MAX_MATRIX_NODES,
    Matrix,
    fan_in_destinations,
    given_matrix,
    random_matrix,
)
from ringlet.scenario.network_patterns import local_pattern, memory_pattern
from ringlet.scenario.traffic import Traffic
from ringlet.topology import Network, Role

KEYS = {
    "uniform": (),
    "neighbour": (),
    "fan-in": ("fan_in",),
    "hot-spot": ("hot_node", "hot_fraction"),
    "permutation": ("destinations",),
    "local": ("locality",),
    "matrix": ("matrix", "matrix_file", "random_matrix"),
    "trace": ("trace",),
}
"""The keys of the traffic section that belong to one pattern."""


@dataclass(frozen=True)
class Pattern:
    """Each node's destinations."""

    nodes: int
    destinations: tuple[dict[str, Any] | None, ...]
    """The engine's `destinations` of each node; None for one that sends nothing of its own accord."""
    notes: tuple[str, ...] = ()
    """What was done to what was given."""

    def matrix(self) -> NDArray[np.float64]:
        """Returns the probabilities of node `i`'s packets going to node `j`, shape (nodes, nodes).

        Raises:
            RingletError: more than `MAX_MATRIX_NODES` nodes.
        """
        nodes = self.nodes
        if nodes > MAX_MATRIX_NODES:
            allowed = f"at most {MAX_MATRIX_NODES} where a traffic matrix is needed"
            raise RingletError.not_allowed("network.nodes", nodes, allowed)
        matrix = np.zeros((nodes, nodes))
        for source, spec in enumerate(self.destinations):
            row = matrix[source]
            if spec is None:
                continue
            match spec["kind"]:
                case "uniform":
                    row[:] = 1 / max(nodes - 1, 1)
                    row[source] = 0 if nodes > 1 else 1
                case "fixed":
                    row[spec["node"]] = 1
                case "hot-spot":
                    row[:] = (1 - spec["probability"]) / max(nodes - 2, 1)
                    row[source] = 0
                    row[spec["node"]] = spec["probability"]
                case "range":
                    row[spec["first"] : spec["first"] + spec["count"]] = 1 / spec["count"]
                    if spec["local"] is not None:
                        row *= (1 - spec["probability"]) * spec["count"] / (spec["count"] - 1)
                        row[spec["local"]] = spec["probability"]
                case "weighted":
                    row[:] = spec["weights"]
        return matrix


def build_pattern(traffic: Traffic, network: Network, folder: Path) -> Pattern:
    """Returns the pattern that the traffic section describes, if not by a trace; `folder` is where file names start from."""
    check_keys(traffic)
    nodes = network.nodes
    specs: list[dict[str, Any]] | list[dict[str, Any] | None]
    given = given_matrix(traffic, network, folder)
    if (network.roles == Role.MEMORY).any():
        return Pattern(nodes, tuple(memory_pattern(traffic, network, given)), given.notes)
    match traffic.pattern:
        case "uniform":
            specs = [{"kind": "uniform"}] * nodes
        case "local":
            specs = local_pattern(traffic, network)
        case "neighbour":
            specs = _fixed([(node + 1) % nodes for node in range(nodes)])
        case "fan-in":
            specs = _fixed(_fan_in(traffic, nodes))
        case "hot-spot":
            specs = _hot_spot(traffic, nodes)
        case "permutation":
            specs = _fixed(_permutation(traffic, nodes))
        case "matrix":
            specs = _matrix(traffic, nodes, given)
        case "trace":
            raise AssertionError("a trace has a pattern of its own")
    return Pattern(nodes, tuple(specs), given.notes)


def check_keys(traffic: Traffic) -> None:
    """Raises RingletError if a key belongs to another pattern, or one is missing."""
    allowed = KEYS[traffic.pattern]
    for pattern, keys in KEYS.items():
        for key in keys:
            if key not in allowed and getattr(traffic, key) is not None:
                message = f"pattern {traffic.pattern!r} has no such key; it belongs to {pattern!r}"
                raise RingletError.not_allowed(f"traffic.{key}", getattr(traffic, key), message)
    given = [key for key in allowed if getattr(traffic, key) is not None]
    if traffic.pattern == "matrix" and len(given) != 1:
        raise RingletError(
            f"traffic.pattern: 'matrix' needs one of {', '.join(allowed)}; given: {', '.join(given) or 'none'}"
        )
    missing = [key for key in allowed if key not in given]
    if traffic.pattern != "matrix" and missing:
        raise RingletError(f"traffic.{missing[0]}: missing; pattern {traffic.pattern!r} needs it")


def _fixed(destinations: list[int]) -> list[dict[str, Any]]:
    return [{"kind": "fixed", "node": node} for node in destinations]


def _fan_in(traffic: Traffic, nodes: int) -> list[int]:
    fan_in = traffic.fan_in or 0
    if nodes < 3:
        raise RingletError.not_allowed("traffic.pattern", "fan-in", "at least 3 nodes for fan-in")
    if not 2 <= fan_in <= nodes - 1:
        raise RingletError.not_allowed("traffic.fan_in", fan_in, f"2 to {nodes - 1}, one less than the nodes")
    return fan_in_destinations(nodes, fan_in)


def _hot_spot(traffic: Traffic, nodes: int) -> list[dict[str, Any]]:
    hot, fraction = traffic.hot_node or 0, traffic.hot_fraction
    if hot >= nodes:
        raise RingletError.not_allowed("traffic.hot_node", hot, f"a node below {nodes}")
    if nodes < 3:
        raise RingletError.not_allowed("traffic.pattern", "hot-spot", "at least 3 nodes for a hot spot")
    other = {"kind": "hot-spot", "node": hot, "probability": fraction}
    return [{"kind": "uniform"} if node == hot else other for node in range(nodes)]


def _permutation(traffic: Traffic, nodes: int) -> list[int]:
    destinations = traffic.destinations or []
    if len(destinations) != nodes:
        raise RingletError.not_allowed("traffic.destinations", destinations, f"{nodes} destinations, one per node")
    for node, destination in enumerate(destinations):
        if not 0 <= destination < nodes or (destination == node and nodes > 1):
            allowed = f"0 to {nodes - 1} and not the node itself"
            raise RingletError.not_allowed(f"traffic.destinations[{node}]", destination, allowed)
    return destinations


def _matrix(traffic: Traffic, nodes: int, given: Matrix) -> list[dict[str, Any]]:
    rows = given.rows
    if traffic.random_matrix is not None:
        if nodes < 2:
            raise RingletError.not_allowed("network.nodes", nodes, "at least 2 with a random matrix")
        rows = random_matrix(traffic.random_matrix, nodes).tolist()
    return [{"kind": "weighted", "weights": row} for row in rows]
