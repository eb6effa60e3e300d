"""The trend of a mean over the batches of a run: whether it drifts or wanders, so that it has no interval."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

LEAST_BATCHES = 8
"""Batches with packets below which a trend says nothing."""

DRIFT_T = 4.0
"""Student's t of the slope above which a mean drifts."""

LEAST_DRIFT = 0.2
"""Rise over the run, as a share of the mean, above which a drift counts."""

WANDERING = 0.6
"""Correlation of neighbouring batches above which a mean wanders: they are one excursion, and no sample of several."""


@dataclass(frozen=True, slots=True)
class Trend:
    """The course of the means of batches."""

    drifts: bool
    """True if the means rise or fall throughout."""
    wanders: bool
    """True if neighbouring means are so alike that the run has seen few excursions."""
    slope: float
    """Rise of the mean from one batch to the next."""

    @property
    def is_steady(self) -> bool:
        """True if the batches are samples of one mean."""
        return not (self.drifts or self.wanders)


def trend(totals: Sequence[float], sizes: Sequence[float]) -> Trend:
    """Returns the trend of the means of batches; one without an observation is left out.

    Args:
        totals: sum of the observations of each batch.
        sizes: number of observations of each.

    >>> trend([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.5], [1.0] * 8).drifts
    True
    >>> trend([3.0, 1.0, 2.0, 3.0, 1.0, 3.0, 2.0, 1.0], [1.0] * 8).is_steady
    True
    """
    points = [(place, total / size) for place, (total, size) in enumerate(zip(totals, sizes, strict=True)) if size > 0]
    count = len(points)
    if count < LEAST_BATCHES:
        return Trend(drifts=False, wanders=False, slope=0.0)
    middle, mean = (sum(values) / count for values in zip(*points, strict=True))
    spread = sum((place - middle) ** 2 for place, _ in points)
    square = sum((value - mean) ** 2 for _, value in points)
    slope = sum((place - middle) * (value - mean) for place, value in points) / spread
    if square <= 1e-18 * mean * mean:
        return Trend(drifts=False, wanders=False, slope=0.0)
    left = max(square - slope * slope * spread, 0.0)
    t = abs(slope) * math.sqrt(spread * (count - 2) / left) if left > 0 else math.inf
    rise = abs(slope) * (points[-1][0] - points[0][0])
    near = sum((one - mean) * (other - mean) for (_, one), (_, other) in pairwise(points))
    return Trend(drifts=t > DRIFT_T and rise > LEAST_DRIFT * abs(mean), wanders=near / square > WANDERING, slope=slope)
