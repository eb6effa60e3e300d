"""Rates given to commodities, max-min fair."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis.largest_total import largest_total
from ringlet.analysis.max_min import FloatArray, Uses


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
class Contest:
    """Commodities and the resources that they share."""

    commodities: tuple[Commodity, ...]
    """Traffic of a node at one priority, each of which gets a rate."""
    uses: Uses
    """Part of each resource that each commodity uses."""
    capacity: FloatArray
    """Capacity of each resource; shape (resources,)."""
    name: Callable[[int], str]
    """Returns what a resource is called."""
    senders: NDArray[np.int64]
    """Commodity of each flow; shape (flows,)."""
    words: FloatArray
    """Mean words of a transaction of each flow; shape (flows,)."""
    nodes: int
    """Number of nodes."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """A max-min fair allocation of all that nodes send: their fair shares."""

    contest: Contest
    """Who shares what."""
    limits: FloatArray
    """Largest rate of each commodity, in words of send packets per cycle; shape (commodities,)."""
    rates: NDArray[np.float64]
    """Rate of each commodity; shape (commodities,)."""
    stopped_by: tuple[str | None, ...]
    """The full resource that stopped each of them; None where its own load did."""
    utilisation: NDArray[np.float64]
    """Used share of the capacity of each resource; shape (resources,)."""
    bottleneck: str | None
    """The resource that is used most; None without traffic."""

    @property
    def commodities(self) -> tuple[Commodity, ...]:
        """Traffic of a node at one priority, each of which gets a rate."""
        return self.contest.commodities

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return self.contest.nodes

    @cached_property
    def growth(self) -> tuple[float, str] | None:
        """The factor by which all that is offered with a rate can grow together until a resource is full, and which;
        None where nothing has a rate."""
        rates, capacity = np.where(np.isfinite(self.limits), self.limits, 0.0), self.contest.capacity
        load = self.contest.uses.load(rates, capacity.size) / capacity
        most = int(load.argmax()) if load.size else 0
        if not rates.any() or load[most] <= 0:
            return None
        return 1 / float(load[most]), self.contest.name(most)

    @cached_property
    def maximum_payload_bytes_per_cycle(self) -> float | None:
        """The most data that all nodes together can move, the highest priority first, whoever gets how much; None where
        it would take long."""
        data = np.array([one.payload_bytes for one in self.commodities])
        if not any(self.stopped_by):
            return float(data @ self.rates)
        levels = np.array([one.priority for one in self.commodities], dtype=np.int64)
        uses, capacity = self.contest.uses, self.contest.capacity
        return largest_total(uses, limits=self.limits, capacity=capacity, values=data, levels=levels)

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
