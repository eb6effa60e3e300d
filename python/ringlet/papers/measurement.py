"""One obtained figure, with its spread over the seeds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringlet.papers.agreement import POINTS_TOLERANCE, RELATIVE_TOLERANCE
from ringlet.papers.runs import Case


@dataclass(frozen=True, slots=True)
class Measurement:
    """One obtained figure."""

    value: float
    """Each run's metric, averaged over the seeds, in the row's unit; the paper says by mean or median."""
    spread: float | None = None
    """Standard deviation over the seeds; None where the figure does not come from runs."""
    detail: str = ""
    """What the figure stands for, where the row does not say it."""
    case: Case | None = None
    """The case behind the figure, where there is one."""


def mean_run(values: ArrayLike, *, detail: str = "", case: Case | None = None) -> Measurement:
    """Returns mean and standard deviation of one value per seed, shape (seeds,)."""
    array = np.asarray(values, dtype=np.float64)
    return Measurement(float(array.mean()), float(array.std(ddof=1)) if array.size > 1 else None, detail, case)


def median_run(values: ArrayLike, *, detail: str = "", case: Case | None = None) -> Measurement:
    """Returns median and standard deviation of one value per seed, shape (seeds,): what one run typically gives.

    Where runs end far from each other, no run gives their mean. A published figure of a single run is one draw, and the
    detail then says between which values the draws lie.
    """
    array = np.asarray(values, dtype=np.float64)
    middle, low, high = float(np.median(array)), float(array.min()), float(array.max())
    apart = high - low > POINTS_TOLERANCE and high - low > 2 * RELATIVE_TOLERANCE * middle
    runs = f"single runs: {low:.2f} to {high:.2f}" if apart else ""
    spread = float(array.std(ddof=1)) if array.size > 1 else None
    return Measurement(middle, spread, ", ".join(filter(None, [detail, runs])), case)
