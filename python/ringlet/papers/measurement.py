"""One obtained figure, with its spread over the seeds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ringlet.papers.runs import Case


@dataclass(frozen=True, slots=True)
class Measurement:
    """One obtained figure."""

    value: float
    """Mean over the seeds of each run's metric, in the row's unit."""
    spread: float | None = None
    """Standard deviation over the seeds; None where the figure does not come from runs."""
    detail: str = ""
    """What the figure stands for, where the row does not say it."""
    case: Case | None = None
    """The case behind the figure, where there is one."""


def over_seeds(values: ArrayLike, *, detail: str = "", case: Case | None = None) -> Measurement:
    """Returns mean and standard deviation of one value per seed, shape (seeds,)."""
    array = np.asarray(values, dtype=np.float64)
    return Measurement(float(array.mean()), float(array.std(ddof=1)) if array.size > 1 else None, detail, case)
