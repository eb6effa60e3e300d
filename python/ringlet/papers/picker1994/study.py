"""What every part of the study shares: how much is simulated, and what is measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringlet.papers.picker1994.presets import Mix, Preset, Protocol
from ringlet.papers.runs import Case, CaseResult

PAPER = "picker1994"

Results = Mapping[Case, CaseResult]
"""What `ringlet.papers.runs.simulate` returns."""


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is simulated."""

    seeds: tuple[int, ...]
    """Every case runs once with each."""
    random_matrices: int
    """Random traffic matrices per family and ring size."""


FULL = Scale(seeds=tuple(range(1, 13)), random_matrices=16)
QUICK = Scale(seeds=(1, 2), random_matrices=4)


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


def case(file: str, preset: Preset, protocol: Protocol, mix: Mix, *overrides: str) -> Case:
    """Returns a case of one of this paper's scenario files."""
    return Case(PAPER, file, (*preset.overrides(protocol, mix), *overrides))


def weighted_average(values: Sequence[NDArray[np.float64]], weights: Sequence[float]) -> NDArray[np.float64]:
    """Returns the weighted mean over cases of values per seed, shape (seeds,)."""
    return np.asarray(np.average(np.stack(values), axis=0, weights=np.asarray(weights, dtype=np.float64)))
