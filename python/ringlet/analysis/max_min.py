"""Max-min fair rates of commodities that share resources, by progressive filling.

A *commodity* is what gets a rate: the traffic of a node in fixed shares to its destinations, say. A *resource* is what
it uses: a link, a bus, a server. All rates are raised together; a commodity stops at its own limit, or when a resource
that it uses is full; the others go on (Bertsekas and Gallager, Data Networks, Section 6.5.2). So none could get more
but at the cost of one that has no more than it.

Resources stand in a row, the links of a ring one behind the other, so that a packet's way is a stretch of them. A sum
over stretches takes two entries for each of them, however long they are.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringlet.errors import RingletError

Indices = NDArray[np.signedinteger[Any]]
FloatArray = NDArray[np.float64]

NO_RESOURCE = -1
"""Instead of a resource: a commodity that stopped at its own limit."""

TIE = 1e-12
"""Resources whose levels differ by less than this part fill together."""


CLEAR = 1e-9
"""Part of a resource whose being left shows that it is not full, whatever sums are rounded to."""


@dataclass(frozen=True, slots=True)
class Uses:
    """The use of resources: one entry for each commodity and stretch of resources, shape (E,) each.

    A commodity at rate `x` takes `amount * x` of each resource from `first` to `end - 1`. Of several entries of a
    commodity for a resource the sum counts.
    """

    commodity: Indices
    """Commodity that uses the stretch."""
    first: Indices
    """First resource of the stretch."""
    end: Indices
    """Resource behind its last one; above `first`."""
    amount: FloatArray
    """Part of each of them that a rate of 1 takes, above 0."""

    def of(self, chosen: NDArray[np.bool_]) -> "Uses":
        """Returns the chosen entries."""
        if chosen.all():
            return self
        return Uses(self.commodity[chosen], self.first[chosen], self.end[chosen], self.amount[chosen])

    def load(self, rates: FloatArray, resources: int) -> FloatArray:
        """Returns what of each resource these rates of the commodities take, shape (resources,)."""
        return self._sums(self.amount * rates[self.commodity], resources)

    def weights(self, resources: int) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Returns what of each resource a rate of 1 of every commodity takes, and whether it has users."""
        users = np.bincount(self.first, minlength=resources + 1) - np.bincount(self.end, minlength=resources + 1)
        return self._sums(self.amount, resources), np.cumsum(users)[:resources] > 0

    def _sums(self, values: FloatArray, resources: int) -> FloatArray:
        begun = np.bincount(self.first, weights=values, minlength=resources + 1)
        ended = np.bincount(self.end, weights=values, minlength=resources + 1)
        return np.cumsum(begun - ended)[:resources]


@dataclass(frozen=True, slots=True)
class MaxMin:
    """A max-min fair allocation."""

    rates: FloatArray
    """Rate of each commodity; shape (C,)."""
    stopped_by: Indices
    """The full resource that stopped each commodity, `NO_RESOURCE` where its own limit did, shape (C,)."""


def max_min(uses: Uses, *, limits: ArrayLike, capacity: ArrayLike) -> MaxMin:
    """Returns the max-min fair rates of commodities that share resources, by progressive filling.

    Each round takes some operations on the entries of commodities that still rise, and stops one of them at least:
    all whose limits lie below the level at which the next resource fills, or else all that use it.

    Args:
        uses: who uses how much of what.
        limits: largest rate of each commodity, shape (C,); infinite where the resources alone decide.
        capacity: of each resource, shape (R,).

    Raises:
        RingletError: a commodity without limit uses nothing.

    Three flows over two links of capacity 1, the first one over both:

    >>> uses = Uses(np.array([0, 1, 2]), np.array([0, 0, 1]), np.array([2, 1, 2]), np.array([1.0, 1.0, 4.0]))
    >>> allocation = max_min(uses, limits=[np.inf, np.inf, np.inf], capacity=[1.0, 1.0])
    >>> allocation.rates, allocation.stopped_by
    (array([0.2, 0.8, 0.2]), array([1, 0, 1]))
    """
    limit = np.asarray(limits, dtype=np.float64)
    left = np.array(capacity, dtype=np.float64)
    resources = left.size
    rates, stopped_by = np.zeros(limit.size), np.full(limit.size, NO_RESOURCE)
    if np.isfinite(limit).all() and (limit >= 0).all() and (uses.load(limit, resources) <= left * (1 - CLEAR)).all():
        # All get what they ask for, as the rounds would find one by one.
        return MaxMin(limit.copy(), stopped_by)
    rising = limit > 0
    uses = uses.of(rising[uses.commodity])
    while rising.any():
        weight, used = uses.weights(resources)
        # Sums of differences leave a residue in place of a tiny weight.
        weight = np.where(used, np.maximum(weight, np.finfo(np.float64).tiny), 1.0)
        with np.errstate(over="ignore"):
            # Where a rate takes next to nothing the level is beyond a float, and so never the lowest.
            level = np.where(used, np.maximum(left, 0.0) / weight, np.inf)
        lowest = float(level.min(initial=np.inf))
        stops = rising & (limit <= lowest)
        if stops.any():
            rates[stops] = limit[stops]
        else:
            full = np.flatnonzero(level <= lowest * (1 + TIE))
            next_full = np.append(full, resources)[np.searchsorted(full, uses.first)]
            touches = next_full < uses.end
            stopped_by[uses.commodity[touches]] = next_full[touches]
            stops = rising & (stopped_by != NO_RESOURCE)
            rates[stops] = lowest
        if np.isinf(rates[stops]).any():
            raise RingletError("limits: infinite for a commodity that uses no resource; allowed: a finite one")
        stopping = stops[uses.commodity]
        left -= uses.of(stopping).load(rates, resources)
        uses = uses.of(~stopping)
        rising &= ~stops
    return MaxMin(rates, stopped_by)
