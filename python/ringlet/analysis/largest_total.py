"""The largest total that commodities can reach which share resources: a linear program."""

from typing import TYPE_CHECKING

import numpy as np

from ringlet.analysis.max_min import FloatArray, Uses
from ringlet.lazy import library

if TYPE_CHECKING:
    from scipy import optimize
else:
    optimize = library("scipy.optimize")

MOST_ENTRIES = 1 << 22
"""Commodities times resources up to which it is computed."""


def largest_total(uses: Uses, *, limits: FloatArray, capacity: FloatArray, values: FloatArray) -> float | None:
    """Returns the largest sum of all rates times their values; None where it would take long.

    Args:
        uses: who uses how much of what.
        limits: largest rate of each commodity, shape (C,); infinite where the resources alone decide.
        capacity: of each resource, shape (R,).
        values: of a rate of one, shape (C,).

    Two flows over a link each, and a third one over both: the fair share of 1/2 each makes 3/2, and 2 is possible.

    >>> uses = Uses(np.array([0, 1, 2]), np.array([0, 0, 1]), np.array([2, 1, 2]), np.array([1.0, 1.0, 1.0]))
    >>> round(largest_total(uses, limits=np.full(3, np.inf), capacity=np.ones(2), values=np.ones(3)), 6)
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
    bounds = [(0.0, None if np.isinf(one) else one) for one in limits.tolist()]
    scale = float(values.max())
    if scale <= 0:
        return 0.0
    rows, most = amounts[used] / capacity[used, None], np.ones(int(used.sum()))
    found = optimize.linprog(-values / scale, A_ub=rows, b_ub=most, bounds=bounds, method="highs")
    return -float(found.fun or 0.0) * scale if found.status == 0 else None
