"""Destinations of packets: a row of probabilities, and the engine's form of it."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from ringlet.errors import RingletError
from ringlet.lazy import library

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ringlet.rings import Network
else:
    np = library("numpy")

MAX_MATRIX_NODES = 4096
"""Nodes up to which a traffic matrix is made."""


@dataclass(frozen=True)
class Destinations(ABC):
    """The destinations of the packets of one source."""

    kind: ClassVar[str]
    """Name of the kind in the engine."""

    def spec(self) -> dict[str, Any]:
        """Returns the engine's form."""
        return {"kind": self.kind, **vars(self)}

    def count(self, nodes: int) -> int:
        """Returns how many destinations there are, or a few more."""
        return nodes

    @abstractmethod
    def row(self, source: int, nodes: int) -> "NDArray[np.float64]":
        """Returns the share of each destination, shape (nodes,); it sums to 1."""


@dataclass(frozen=True)
class Uniform(Destinations):
    """Every other node alike."""

    kind: ClassVar[str] = "uniform"

    def row(self, source: int, nodes: int) -> "NDArray[np.float64]":
        """Returns equal shares for all others; a node alone sends to itself."""
        shares = np.full(nodes, 1 / max(nodes - 1, 1))
        shares[source] = nodes == 1
        return shares


@dataclass(frozen=True)
class Fixed(Destinations):
    """One node."""

    kind: ClassVar[str] = "fixed"
    node: int

    def count(self, nodes: int) -> int:
        """Returns 1."""
        return 1

    def row(self, source: int, nodes: int) -> "NDArray[np.float64]":
        """Returns all for the node."""
        shares = np.zeros(nodes)
        shares[self.node] = 1
        return shares


@dataclass(frozen=True)
class HotSpot(Destinations):
    """One node with a probability, else every other node alike."""

    kind: ClassVar[str] = "hot-spot"
    node: int
    probability: float

    def row(self, source: int, nodes: int) -> "NDArray[np.float64]":
        """Returns equal shares for all but the source and the hot node."""
        shares = np.full(nodes, (1 - self.probability) / max(nodes - 2, 1))
        shares[source] = 0
        shares[self.node] = self.probability
        return shares


@dataclass(frozen=True)
class Range(Destinations):
    """Nodes numbered one after the other, alike but for a `local` one with a probability of its own."""

    kind: ClassVar[str] = "range"
    first: int
    members: int
    local: int | None
    probability: float

    def spec(self) -> dict[str, Any]:
        """Returns the engine's form."""
        shares = {"local": self.local, "probability": self.probability}
        return {"kind": self.kind, "first": self.first, "count": self.members, **shares}

    def count(self, nodes: int) -> int:
        """Returns how many nodes there are in the range."""
        return self.members

    def row(self, source: int, nodes: int) -> "NDArray[np.float64]":
        """Returns equal shares for the nodes of the range but the local one."""
        shares = np.zeros(nodes)
        away = 1 / self.members if self.local is None else (1 - self.probability) / max(self.members - 1, 1)
        shares[self.first : self.first + self.members] = away
        if self.local is not None:
            shares[self.local] = self.probability
        return shares


@dataclass(frozen=True)
class Weighted(Destinations):
    """Any shares."""

    kind: ClassVar[str] = "weighted"
    weights: Sequence[float]

    def spec(self) -> dict[str, Any]:
        """Returns the engine's form."""
        weights = self.weights if isinstance(self.weights, list) else np.asarray(self.weights, dtype=float).tolist()
        return {"kind": self.kind, "weights": weights}

    def count(self, nodes: int) -> int:
        """Returns how many shares are above 0."""
        return int(np.count_nonzero(self.weights))

    def row(self, source: int, nodes: int) -> "NDArray[np.float64]":
        """Returns the shares."""
        return np.array(self.weights, dtype=np.float64)


@dataclass(frozen=True)
class Pattern:
    """Each node's destinations."""

    nodes: int
    destinations: tuple[Destinations | None, ...]
    """Destinations of each node; None for one that sends nothing of its own accord."""
    notes: tuple[str, ...] = ()
    """Notes on changes that were made to what was given."""
    rates: tuple[float, ...] = ()
    """Rates at which the nodes send, in the unit of what was given; none where shares are given."""

    def matrix(self) -> "NDArray[np.float64]":
        """Returns the probabilities of node `i`'s packets going to node `j`, shape (nodes, nodes).

        Raises:
            RingletError: more than `MAX_MATRIX_NODES` nodes.
        """
        nodes = self.nodes
        if nodes > MAX_MATRIX_NODES:
            allowed = f"at most {MAX_MATRIX_NODES} where a traffic matrix is needed"
            raise RingletError.not_allowed("network.nodes", nodes, allowed)
        matrix = np.zeros((nodes, nodes))
        for source, to in enumerate(self.destinations):
            if to is not None:
                matrix[source] = to.row(source, nodes)
        return matrix


def check_destinations(destinations: Sequence[Destinations | None], sources: Sequence[int], nodes: int) -> None:
    """Checks what a pattern of an installed package says.

    Args:
        destinations: of each source.
        sources: the nodes that send, ascending.
        nodes: number of all nodes.

    Raises:
        RingletError: what it says of a source is not where packets can go.
    """
    if len(destinations) != len(sources):
        raise RingletError(f"gives destinations of {len(destinations)} nodes; allowed: {len(sources)}, one for each")
    for source, to in zip(sources, destinations, strict=True):
        if not isinstance(to, Destinations | None):
            raise RingletError(f"gives {to!r} for node {source}; allowed: destinations, or None")
        if to is None or nodes > MAX_MATRIX_NODES:
            continue
        try:
            row = np.asarray(to.row(source, nodes), dtype=np.float64)
        except (IndexError, TypeError, ValueError) as error:
            raise RingletError(f"gives {to} for node {source}, which cannot be read: {error}") from error
        if row.shape != (nodes,):
            raise RingletError(f"gives {row.size} shares for node {source}; allowed: {nodes}, one for each node")
        if not (row >= 0).all() or not math.isclose(row.sum(), 1, rel_tol=1e-9):
            share = next((share for share in row.tolist() if not share >= 0), None)
            says = f"a share of {share:g}" if share is not None else f"shares that sum to {row.sum():.12g}"
            raise RingletError(f"gives {says} for node {source}; allowed: at least 0, and 1 in all")
        if nodes > 1 and row[source] > 0:
            raise RingletError(f"lets node {source} send to itself; allowed: to others")


def memory_or_others(network: "Network", local: int | None, share: float) -> Destinations:
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


def memories_in_words(network: "Network") -> str:
    """Returns what a message calls the memories."""
    few = ", ".join(map(str, network.receivers[:6].tolist()))
    return f"a memory: {few}{', ...' if len(network.receivers) > 6 else ''}"
