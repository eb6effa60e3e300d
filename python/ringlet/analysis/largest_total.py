"""The largest total that commodities can reach which share resources: a linear program."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis.max_min import FloatArray, Uses
from ringlet.lazy import library

if TYPE_CHECKING:
    from scipy import optimize
else:
    optimize = library("scipy.optimize")

MOST_ENTRIES = 1 << 22
"""Commodities times resources up to which it is computed."""

SLACK = 1e-9
"""Part of the total of higher priorities that may be given up for lower ones: what the solver's rounding needs."""


def largest_total(
    uses: Uses, *, limits: FloatArray, capacity: FloatArray, values: FloatArray, levels: NDArray[np.int64]
) -> float | None:
    """Returns the largest sum of all rates times their values, the highest level first; None where it would take long.

    The total of a level is the largest that leaves the totals of all higher ones as they are: lexicographic.

    Args:
        uses: who uses how much of what.
        limits: largest rate of each commodity, shape (C,); infinite where the resources alone decide.
        capacity: of each resource, shape (R,).
        values: of a rate of one, shape (C,).
        levels: priority of each commodity, shape (C,).

    Two flows over a link each, and a third one over both: the fair share of 1/2 each makes 3/2, and 2 is possible.

    >>> uses = Uses(np.array([0, 1, 2]), np.array([0, 0, 1]), np.array([2, 1, 2]), np.array([1.0, 1.0, 1.0]))
    >>> every = {"limits": np.full(3, np.inf), "capacity": np.ones(2), "values": np.ones(3)}
    >>> round(largest_total(uses, **every, levels=np.zeros(3, dtype=np.int64)), 6)
    2.0
    """
    commodities, resources = len(limits), len(capacity)
    if commodities * resources > MOST_ENTRIES:
        return None
    if not commodities:
        return 0.0
    # scipy takes a while to load.
    # A stretch of resources begins with its amount and ends with it taken away.
    steps = np.zeros((resources + 1, commodities))
    np.add.at(steps, (uses.first, uses.commodity), uses.amount)
    np.add.at(steps, (uses.end, uses.commodity), -uses.amount)
    amounts = np.cumsum(steps, axis=0)[:resources]
    used = amounts.any(axis=1)
    rows, most = list(amounts[used] / capacity[used, None]), [1.0] * int(used.sum())
    bounds = [(0.0, None if np.isinf(one) else one) for one in limits.tolist()]
    total = 0.0
    for level in sorted(set(levels.tolist()), reverse=True):
        value = np.where(levels == level, values, 0.0)
        if not value.any():
            continue
        scale = float(value.max())
        found = optimize.linprog(
            -value / scale, A_ub=np.array(rows), b_ub=np.array(most), bounds=bounds, method="highs"
        )
        if found.status != 0:
            return None
        best = -float(found.fun or 0.0)
        total += best * scale
        rows.append(-value / scale)
        most.append(-best * (1 - SLACK))
    return total
