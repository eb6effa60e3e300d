"""Means of independent replications and their confidence intervals."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringlet.lazy import library
from ringlet.statistics.batch_means import CONFIDENCE

if TYPE_CHECKING:
    from scipy import special
else:
    special = library("scipy.special")


def replication_means(
    values: ArrayLike, starts: ArrayLike = (0,)
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Mean and half width of the 95 % interval of each of G groups of replications, for each of K figures.

    Replications differ in their seed only, so that they are independent: the interval is Student's t for their number
    (A. M. Law, "Simulation Modeling and Analysis", Section 9.4.1). A replication without the figure (NaN) does not
    count.

    Args:
        values: one row per replication, shape (R, K), the replications of a group one after the other.
        starts: row with which each group begins, increasing from 0, shape (G,).

    Returns:
        Mean (NaN without a value), half width (NaN with fewer than two), and the number of values, each of shape (G,
        K).
    """
    value = np.asarray(values, dtype=np.float64)
    start = np.asarray(starts, dtype=np.int64)
    if value.ndim != 2:
        raise ValueError(f"values: shape {value.shape}; allowed: replications by figures")
    groups = (start.size, value.shape[1])
    if not value.shape[0]:
        return np.full(groups, np.nan), np.full(groups, np.nan), np.zeros(groups, dtype=np.int64)
    there = np.isfinite(value)
    count = np.add.reduceat(there.astype(np.int64), start, axis=0)
    mean = np.full(groups, np.nan)
    np.divide(np.add.reduceat(np.where(there, value, 0.0), start, axis=0), count, out=mean, where=count > 0)
    # Values that are all the same have it as their mean: a rounding would make an interval of them.
    least, most = np.fmin.reduceat(value, start), np.fmax.reduceat(value, start)
    mean = np.where(least == most, least, mean)
    of_each = np.repeat(mean, np.diff(start, append=value.shape[0]), axis=0)
    square = np.add.reduceat(np.where(there, value - of_each, 0.0) ** 2, start, axis=0)
    half_width = np.full(groups, np.nan)
    several = count > 1
    if several.any():  # else SciPy is not loaded, which takes longer than a small sweep
        n = count[several]
        half_width[several] = special.stdtrit(n - 1, 0.5 + CONFIDENCE / 2) * np.sqrt(square[several] / (n - 1) / n)
    return mean, half_width, count
