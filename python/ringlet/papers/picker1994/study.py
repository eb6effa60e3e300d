"""The part that all tables of the study share: lengths of runs, and the quantities that are measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.picker1994.deviations import CaseResult
from ringlet.papers.picker1994.presets import Mix, Preset, Protocol
from ringlet.papers.runs import Case

PAPER = "picker1994"

Results = Mapping[Case, CaseResult]
"""What `ringlet.papers.runs.simulate` returns."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The amount of simulation."""

    seeds: tuple[int, ...]
    """Every case runs once with each."""
    random_matrices: int
    """Random traffic matrices per family and ring size."""


FULL = Scale(seeds=tuple(range(1, 13)), random_matrices=16)
QUICK = Scale(seeds=(1, 2), random_matrices=4)


def case(file: str, preset: Preset, protocol: Protocol, mix: Mix, *overrides: str) -> Case:
    """Returns a case of one of this paper's scenario files."""
    return Case(PAPER, file, (*preset.overrides(protocol, mix), *overrides))


def weighted_average(values: Sequence[NDArray[np.float64]], weights: Sequence[float]) -> NDArray[np.float64]:
    """Returns the weighted mean over cases of values per seed, shape (seeds,)."""
    return np.asarray(np.average(np.stack(values), axis=0, weights=np.asarray(weights, dtype=np.float64)))
