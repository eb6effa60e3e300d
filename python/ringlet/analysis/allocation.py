"""Rates given to commodities, max-min fair."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Commodity:
    """A node's traffic of one priority, to which the optimum gives a rate."""

    node: int
    """Source of the requests."""
    priority: int
    """Send priority."""
    limit: float
    """Largest rate, in words per cycle; infinite if it takes whatever it gets."""
    payload_bytes: float
    """Data that each word moves."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """A max-min fair allocation of all that nodes send."""

    commodities: tuple[Commodity, ...]
    """What gets a rate: the traffic of a node at one priority."""
    rates: NDArray[np.float64]
    """Of each of them, in words of send packets per cycle; shape (commodities,)."""
    stopped_by: tuple[str | None, ...]
    """The full resource that stopped each of them; None where its own load did."""
    nodes: int
    """How many nodes there are."""
    utilisation: NDArray[np.float64]
    """What is used of each resource, as a part of it; shape (resources,)."""
    bottleneck: str | None
    """The resource that is used most; None without traffic."""

    @cached_property
    def words_per_cycle(self) -> NDArray[np.float64]:
        """The throughput of each node, in words of send packets per cycle, requests and responses; shape (nodes,)."""
        return self._sums([1.0] * len(self.commodities), [one.node for one in self.commodities], self.nodes)

    @cached_property
    def payload_bytes_per_cycle(self) -> NDArray[np.float64]:
        """Data of each node; shape (nodes,)."""
        each = [one.payload_bytes for one in self.commodities]
        return self._sums(each, [one.node for one in self.commodities], self.nodes)

    def node_stopped_by(self) -> list[str | None]:
        """Returns the full resource that stops each node's lowest priority; None where nothing does."""
        found: list[str | None] = [None] * self.nodes
        for one, resource in sorted(
            zip(self.commodities, self.stopped_by, strict=True), key=lambda each: -each[0].priority
        ):
            found[one.node] = resource or found[one.node]
        return found

    def _sums(self, factor: Sequence[float], place: Sequence[int], count: int) -> NDArray[np.float64]:
        sums = np.bincount(np.array(place, dtype=np.int64), self.rates * factor, count)
        return np.asarray(sums, dtype=np.float64)
