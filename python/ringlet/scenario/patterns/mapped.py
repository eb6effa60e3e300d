"""Patterns in which a node's number says where its packets go (Dally and Towles, Principles and Practices of
Interconnection Networks, 2004, Section 3.2)."""

from abc import abstractmethod
from collections.abc import Sequence
from math import isqrt
from typing import TYPE_CHECKING, Literal

from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.scenario.traffic.section import Traffic
from ringlet.scenario.values.destinations import Destinations, Fixed
from ringlet.scenario.values.maxima import MAX_SEED
from ringlet.sections import Field

if TYPE_CHECKING:
    import numpy as np

    from ringlet.rings import Network
else:
    np = library("numpy")


class MappedTraffic(Traffic):
    """Packets of each node go to one other; those of each processor to one memory, counted among memories."""

    @abstractmethod
    def mapped(self, count: int) -> list[int]:
        """Returns the destination of each of so many nodes, or the memory of each of so many processors.

        Raises:
            RingletError: a number of nodes that the pattern does not have.
        """

    def between_nodes(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns each node's destination; a node whose own number comes out sends nothing."""
        destinations = self.mapped(network.nodes)
        return [None if node == to else Fixed(to) for node, to in enumerate(destinations)]

    def to_memories(self, network: "Network") -> "Sequence[Destinations | None]":
        """Returns each processor's memory."""
        memories = network.receivers.tolist()
        if len(memories) != len(network.senders):
            allowed = "as many memories as processors for this pattern"
            raise RingletError.not_allowed("traffic.pattern", self.pattern, allowed)
        return [Fixed(memories[to]) for to in self.mapped(len(memories))]

    def refused(self, count: int, allowed: str) -> RingletError:
        """Returns the error for a number of nodes that the pattern does not have."""
        return RingletError.not_allowed("network.nodes", count, f"{allowed} for pattern {self.pattern!r}")

    def bits(self, count: int) -> int:
        """Returns how many bits the numbers of so many nodes have.

        Raises:
            RingletError: the number of nodes is no power of two.
        """
        bits = count.bit_length() - 1
        if count != 1 << bits or count < 2:
            raise self.refused(count, "a power of two, of processors or of nodes")
        return bits


class TransposeTraffic(MappedTraffic):
    """Node `x + k y` of `k` x `k` nodes sends to node `y + k x`; those with `x = y` send nothing."""

    pattern: Literal["transpose"] = "transpose"

    def mapped(self, count: int) -> list[int]:
        """Swaps row and column."""
        side = isqrt(count)
        if side * side != count or side < 2:
            raise self.refused(count, "a square number, of processors or of nodes,")
        return [node % side * side + node // side for node in range(count)]


class BitComplementTraffic(MappedTraffic):
    """Each of 2^b nodes sends to the one whose number has all bits changed."""

    pattern: Literal["bit-complement"] = "bit-complement"

    def mapped(self, count: int) -> list[int]:
        """Changes all bits."""
        self.bits(count)
        return [count - 1 - node for node in range(count)]


class BitReversalTraffic(MappedTraffic):
    """Each of 2^b nodes sends to the one whose number has the bits in reverse order; its own number sends nothing."""

    pattern: Literal["bit-reversal"] = "bit-reversal"

    def mapped(self, count: int) -> list[int]:
        """Reverses the order of the bits."""
        bits = self.bits(count)
        return [int(f"{node:0{bits}b}"[::-1], 2) for node in range(count)]


class TornadoTraffic(MappedTraffic):
    """Each of N nodes sends to the one that is ceil(N / 2) - 1 further, nearly half of the way round."""

    pattern: Literal["tornado"] = "tornado"

    def mapped(self, count: int) -> list[int]:
        """Adds nearly half of the number of nodes."""
        if count < 3:
            raise self.refused(count, "at least 3, of processors or of nodes,")
        return [(node + (count + 1) // 2 - 1) % count for node in range(count)]


class RandomPermutationTraffic(MappedTraffic):
    """Each node sends to one other, and each receives from one other, drawn at random."""

    pattern: Literal["random-permutation"] = "random-permutation"
    permutation_seed: int = Field(
        default=1, ge=0, le=MAX_SEED, description="Seed of the permutation; the same for every seed of the run."
    )

    def mapped(self, count: int) -> list[int]:
        """Draws permutations until no node has its own number."""
        if count < 2:
            raise self.refused(count, "at least 2, of processors or of nodes,")
        rng = np.random.default_rng(self.permutation_seed)
        while True:
            # Every third one or so will do.
            drawn = rng.permutation(count)
            if (drawn != np.arange(count)).all():
                return [int(node) for node in drawn]
