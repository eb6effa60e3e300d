"""Rates given to commodities, max-min fair."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis.largest_total import largest_total
from ringlet.analysis.max_min import NO_RESOURCE, FloatArray, Uses, max_min

EXHAUSTED = 1e-12
"""Part of a resource that counts as nothing left for the priorities below."""


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
    """Commodity of each part of a flow; shape (parts,)."""
    flows: NDArray[np.int64]
    """Number of the flow of each part; shape (parts,)."""
    shares: FloatArray
    """Share of its flow's transactions that each part has; shape (parts,)."""
    words: FloatArray
    """Mean words of a transaction of each flow; shape (flows,)."""
    nodes: int
    """Number of nodes."""


@dataclass(frozen=True, eq=False)
class Optimum:
    """A max-min fair allocation of all that nodes send: their fair shares."""

    contest: Contest
    """Sharing of the links: who competes with whom."""
    limits: FloatArray
    """Largest rate of each commodity, in words of send packets per cycle; shape (commodities,)."""
    of_all: Contest | None = None
    """Contest of all that is offered, where what nodes can send of it has another mix."""

    @cached_property
    def _filled(self) -> tuple[FloatArray, NDArray[np.int64], FloatArray]:
        """Rates, what stopped each, and what is left of each resource: the highest priority first, each by progressive
        filling of what those above it have left."""
        commodities, uses, capacity = self.contest.commodities, self.contest.uses, self.contest.capacity
        level = np.array([one.priority for one in commodities], dtype=np.int64)
        rates, stopped_by = np.zeros(self.limits.size), np.full(self.limits.size, NO_RESOURCE)
        left = capacity.copy()
        for priority in sorted(set(level.tolist()), reverse=True):
            chosen = level == priority
            own = uses.of(chosen[uses.commodity])
            filled = max_min(own, limits=np.where(chosen, self.limits, 0.0), capacity=left)
            rates += filled.rates
            stopped_by[chosen] = filled.stopped_by[chosen]
            left -= own.load(filled.rates, capacity.size)
            left[left < EXHAUSTED * capacity] = 0.0
        return rates, stopped_by, left

    @property
    def rates(self) -> FloatArray:
        """Rate of each commodity; shape (commodities,)."""
        return self._filled[0]

    @cached_property
    def stopped_by(self) -> tuple[str | None, ...]:
        """The full resource that stopped each of them; None where its own load did."""
        name = self.contest.name
        return tuple(None if each == NO_RESOURCE else name(each) for each in self._filled[1].tolist())

    @cached_property
    def utilisation(self) -> FloatArray:
        """Used share of the capacity of each resource; shape (resources,)."""
        return np.asarray(1.0 - self._filled[2] / self.contest.capacity)

    @property
    def bottleneck(self) -> str | None:
        """The resource that is used most; None without traffic."""
        return self.contest.name(int(self.utilisation.argmax())) if self.commodities else None

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
        contest = self.of_all or self.contest
        rates, capacity = np.where(np.isfinite(self.limits), self.limits, 0.0), contest.capacity
        load = contest.uses.load(rates, capacity.size) / capacity
        most = int(load.argmax()) if load.size else 0
        if not rates.any() or load[most] <= 0:
            return None
        return 1 / float(load[most]), contest.name(most)

    @cached_property
    def maximum_payload_bytes_per_cycle(self) -> float | None:
        """The most data that all nodes together can move, whoever gets how much and whatever its priority, since none
        of all protocols serves every link in that order; None where it would take long."""
        data = np.array([one.payload_bytes for one in self.commodities])
        if not any(self.stopped_by):
            return float(data @ self.rates)
        uses, capacity = self.contest.uses, self.contest.capacity
        return largest_total(uses, limits=self.limits, capacity=capacity, values=data)

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
