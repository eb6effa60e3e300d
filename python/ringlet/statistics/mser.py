"""Where the initial transient of a series ends: the marginal standard error rule MSER-5.

K. P. White, M. J. Cobb, S. C. Spratt, "A comparison of five steady-state truncation heuristics for simulation", Winter
Simulation Conference 2000. PyPI's pymser was considered: it depends on torch and statsmodels.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

BATCH = 5
"""Observations averaged before the rule is applied: the 5 of MSER-5."""

LEAST_KEPT = 5
"""Batches always kept: the statistic of fewer is small by chance (S. Hoad, S. Robinson, R. Davies 2010)."""

LEAST_BATCHES = 10
"""Batches below which the rule says nothing."""


@dataclass(frozen=True, slots=True)
class Truncation:
    """How much of a series is transient."""

    observations: int
    """Leading observations to discard."""
    settled: bool
    """Whether that is at most half of the series; if not, the series is too short to tell."""


def _batch_averages(series: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Averages of five, and the index of each one's first observation; batches without an observation are left out."""
    groups = series[: series.size // BATCH * BATCH].reshape(-1, BATCH)
    present = np.isfinite(groups)
    count = present.sum(axis=1)
    kept = np.flatnonzero(count)
    sums = np.where(present, groups, 0.0).sum(axis=1)
    return sums[kept] / count[kept], kept * BATCH


def mser5(series: ArrayLike) -> Truncation:
    """Finds the truncation that minimises the standard error of the mean of what is left.

    With `Y_1 ... Y_n` the averages of five observations each, minimises over `d` (the first of equals)
    `sum_{i > d} (Y_i - mean_{i > d})^2 / (n - d)^2`.

    Args:
        series: observations in order of time, shape (M,). A value that is not finite is a missing observation, such as
            the mean latency of an interval without a delivery.

    Returns:
        The truncation; not settled with fewer than 50 observations.

    Raises:
        ValueError: more than one dimension.
    """
    values = np.asarray(series, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"series: shape {values.shape}; allowed: one dimension")
    y, first = _batch_averages(values)
    if y.size < LEAST_BATCHES:
        return Truncation(observations=0, settled=False)
    # Centred, because sums of squares of large, nearly equal values would be rounding noise.
    y = y - y.mean()
    if np.ptp(y) <= 1e-12 * np.abs(values[np.isfinite(values)]).max():
        return Truncation(observations=0, settled=True)
    left = np.arange(y.size, 0, -1)
    sums = np.cumsum(y[::-1])[::-1]
    squares = np.cumsum(y[::-1] ** 2)[::-1]
    error = np.maximum(0.0, squares - sums**2 / left) / left.astype(np.float64) ** 2
    best = int(np.argmin(error[: y.size - LEAST_KEPT + 1]))
    observations = int(first[best]) if best else 0
    return Truncation(observations=observations, settled=2 * observations <= values.size)
