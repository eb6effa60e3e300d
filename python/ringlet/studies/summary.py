"""One row per point: means over its replications, with intervals."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.statistics import replication_means
from ringlet.store import known_figures
from ringlet.studies.columns import ci95_name
from ringlet.studies.replications import Replications

if TYPE_CHECKING:
    import pandas as pd

OF_A_RUN = {"throughput_ci95_MBps": "throughput_MBps", "latency_ci95_ns": "latency_mean_ns"}
"""Half widths of the 95 % intervals of a single run, by batch means, and the figures that they belong to."""

BOOKKEEPING = ("replication", "seed", "wall_s", "ringlet", "scenario_key")

GIVEN = ("simulated_s", "cycles", "warmup_cycles", "optimum_words_per_cycle", "optimum_MBps")
"""How long was simulated, and what theory says: no estimates, so without an interval."""

FLAGS = {"stalled": "stalled_runs", "warnings": "warnings"}
"""Columns that are counted over the replications, and what the count is called."""


def summarised_figures() -> list[str]:
    """Returns the figures that the summary of any study has, each with an interval or as an extreme."""
    return [name for name in known_figures() if name not in (*OF_A_RUN, *FLAGS, *GIVEN)]


def summarise(points: "pd.DataFrame", figures: list[str], replications: Replications) -> "pd.DataFrame":
    """Returns one row per point: what varies, the number of replications, then each figure and its half width.

    A figure is the mean over the replications, each of which counts once: a quantile is the mean of their quantiles. Names with
    `max` or `min` are the largest or least of all. The half width is that of the 95 % interval over the replications; with a
    single one it is the run's own, by batch means, for throughput and mean latency, and missing for all others;
    `ci95_from` says which.

    Args:
        points: the table of points, in the order of points and replications.
        figures: its columns that are figures.
        replications: of the study.
    """
    import pandas as pd

    if points.empty:
        return pd.DataFrame()
    _, starts = np.unique(points["point"].to_numpy(), return_index=True)
    count = np.diff(starts, append=len(points))
    axes = [name for name in points.columns if name not in (*figures, *BOOKKEEPING)]
    columns: dict[str, Any] = {name: points[name].to_numpy()[starts] for name in axes}
    columns["replications"] = count
    averaged = [name for name in figures if name not in OF_A_RUN and name not in FLAGS and not _extreme(name)]
    values = points[averaged].to_numpy(dtype=np.float64)
    mean, half_width, _ = replication_means(values, starts)
    single = count == 1
    own = {figure: points[name].to_numpy()[starts] for name, figure in OF_A_RUN.items() if name in points}
    for name in figures:
        if name in averaged:
            i = averaged.index(name)
            columns[name] = mean[:, i]
            if name in GIVEN:
                continue
            columns[ci95_name(name)] = np.where(single, own.get(name, np.nan), half_width[:, i])
        elif (extreme := _extreme(name)) is not None:
            columns[name] = extreme.reduceat(points[name].to_numpy(dtype=np.float64), starts)
    for name, called in FLAGS.items():
        columns[called] = np.add.reduceat(points[name].to_numpy(dtype=np.int64), starts)
    columns["ci95_from"] = np.where(single, "batches", "replications")
    if replications.precision is not None:
        columns["precision_reached"] = _precise(points, starts, replications)
    columns["ringlet"] = points["ringlet"].to_numpy()[starts]
    columns["scenario_key"] = points["scenario_key"].to_numpy()[starts]
    return pd.DataFrame(columns)


def _extreme(name: str) -> np.ufunc | None:
    parts = name.split("_")
    return np.fmax if "max" in parts else np.fmin if "min" in parts else None


def _precise(points: "pd.DataFrame", starts: np.ndarray[Any, Any], replications: Replications) -> list[bool]:
    watched = np.split(points[list(replications.watched)].to_numpy(dtype=np.float64), starts[1:])
    return [replications.is_precise(values.tolist()) for values in watched]
