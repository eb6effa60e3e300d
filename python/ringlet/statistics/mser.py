"""The end of the initial transient of a series by the marginal standard error rule MSER-5.

K. P. White, M. J. Cobb, S. C. Spratt, "A comparison of five steady-state truncation heuristics for simulation", Winter
Simulation Conference 2000. The rule is the one that ends the warm-up of a run, in the crate `ringlet-run`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringlet._engine import mser5 as rule


@dataclass(frozen=True, slots=True)
class Truncation:
    """The transient of a series: the part that is cut off."""

    observations: int
    """Leading observations to discard."""
    settled: bool
    """True if that is at most half of the series; if not, the series is too short."""


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
    return Truncation(*rule(values))
