"""Differences and ratios of two systems that were simulated with the same seeds."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringlet.lazy import library
from ringlet.statistics.batch_means import CONFIDENCE

if TYPE_CHECKING:
    from scipy import special
else:
    special = library("scipy.special")


ROUNDING = 1e-12
"""Part of a figure below which an interval has no width: what sums lose."""


@dataclass(frozen=True, slots=True)
class Paired:
    """The differences of K figures of two systems; all arrays have shape (K,), NaN where there is no number."""

    difference: NDArray[np.float64]
    """Mean of the differences."""
    difference_half_width: NDArray[np.float64]
    """Half width of its 95 % interval; NaN with fewer than two pairs, and where figures that vary differ alike."""
    ratio: NDArray[np.float64]
    """Ratio of the means; NaN where the baseline's is 0."""
    ratio_half_width: NDArray[np.float64]
    pairs: NDArray[np.int64]
    """Pairs in which both have the figure."""


def paired(values: ArrayLike, baseline: ArrayLike) -> Paired:
    """Compares two systems by replications with common seeds.

    The difference is the mean over the pairs, with the interval of Student's t (A. M. Law, "Simulation Modeling and
    Analysis", Section 10.2.1): what the seeds do to both systems alike does not widen it. The ratio is that of the
    means, with the interval of a ratio estimator, from the residuals `value - ratio * baseline` of the pairs (W. G.
    Cochran, "Sampling Techniques", Section 6.4). Figures that vary from seed to seed and differ alike in all pairs have
    no interval: one without width would say that there is no chance in it, where few pairs have shown none.

    Args:
        values: of one system, a row per replication, shape (R, K).
        baseline: of the other one, with the same seeds, the same shape.

    >>> both = paired([[3.0], [5.0]], [[1.0], [4.0]])
    >>> both.difference, both.difference_half_width.round(2), both.ratio
    (array([1.5]), array([6.35]), array([1.6]))
    """
    value, base = np.asarray(values, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if value.ndim != 2 or value.shape != base.shape:
        raise ValueError(f"values, baseline: shapes {value.shape} and {base.shape}; allowed: replications by figures")
    there = np.isfinite(value) & np.isfinite(base)
    n = there.sum(axis=0)
    mean, mean_base = _mean(value, there, n), _mean(base, there, n)
    difference = _mean(value - base, there, n)
    ratio = np.full(n.shape, np.nan)
    np.divide(mean, mean_base, out=ratio, where=(mean_base != 0) & (n > 0))
    width = _half_width(value - base - difference, there, n)
    ratio_width = _half_width(value - ratio * base, there, n) / np.abs(mean_base)
    least = ROUNDING * np.abs(mean)
    differ_alike = (width <= least) & (_half_width(value - mean, there, n) > least)
    width[differ_alike] = ratio_width[differ_alike] = np.nan
    return Paired(difference, width, ratio, ratio_width, n)


def _mean(values: NDArray[np.float64], there: NDArray[np.bool_], n: NDArray[np.int64]) -> NDArray[np.float64]:
    mean = np.full(n.shape, np.nan)
    np.divide(np.where(there, values, 0.0).sum(axis=0), n, out=mean, where=n > 0)
    return mean


def _half_width(residuals: NDArray[np.float64], there: NDArray[np.bool_], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """Half width of the interval of a mean from what is left of each value."""
    width = np.full(n.shape, np.nan)
    several = n > 1
    square = (np.where(there, residuals, 0.0) ** 2).sum(axis=0)[several]
    count = n[several]
    width[several] = special.stdtrit(count - 1, 0.5 + CONFIDENCE / 2) * np.sqrt(square / (count - 1) / count)
    return width
