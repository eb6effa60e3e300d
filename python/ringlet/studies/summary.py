"""One row per point: means over its replications, with intervals."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.figures import BY_NAME, OverSeeds, columns_of_runs, interval_name
from ringlet.lazy import library
from ringlet.statistics import replication_means
from ringlet.studies.replications import Replications

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")

EXTREMES = {OverSeeds.LARGEST: np.fmax, OverSeeds.LEAST: np.fmin}

COUNTED = {OverSeeds.RUNS: "{}_runs", OverSeeds.SUM: "{}"}
"""Ways of adding up over the replications, each with the name of the sum."""

BOOKKEEPING = ("replication", "seed", "wall_s", "ringlet", "scenario_key")


def summarised_figures(*more: str) -> list[str]:
    """Returns the figures that the summary of a study has: those of every run, and of further parts of its document."""
    return [
        figure.name
        for figure in columns_of_runs(*more)
        if figure.over_seeds in (OverSeeds.MEAN, OverSeeds.LARGEST, OverSeeds.LEAST, OverSeeds.GIVEN)
    ]


def summarise(points: "pd.DataFrame", figures: list[str], replications: Replications) -> "pd.DataFrame":
    """Returns one row per point: what varies, the number of replications, then each figure and its half width.

    What becomes of a figure over the replications is said where it is defined (`ringlet.figures`). Most are the mean,
    to which each replication counts once: a quantile is the mean of their quantiles. The half width is that of the 95 %
    interval over the replications; with a single one it is the run's own, by batch means, for throughput and mean
    latency, and missing for all others; `ci95_from` says which.

    Args:
        points: the table of points, in the order of points and replications.
        figures: its columns that are figures.
        replications: of the study.
    """
    if points.empty:
        return pd.DataFrame()
    _, starts = np.unique(points["point"].to_numpy(), return_index=True)
    count = np.diff(starts, append=len(points))
    axes = [name for name in points.columns if name not in (*figures, *BOOKKEEPING)]
    columns: dict[str, Any] = {name: points[name].to_numpy()[starts] for name in axes}
    columns["replications"] = count
    become = {name: BY_NAME[name].over_seeds if name in BY_NAME else OverSeeds.MEAN for name in figures}
    averaged = [name for name in figures if become[name] in (OverSeeds.MEAN, OverSeeds.GIVEN)]
    mean, half_width, _ = replication_means(points[averaged].to_numpy(dtype=np.float64), starts)
    single = count == 1
    own = {
        BY_NAME[name].half_width_of: points[name].to_numpy()[starts]
        for name in figures
        if become[name] is OverSeeds.HALF_WIDTH
    }
    for name in figures:
        if name in averaged:
            i = averaged.index(name)
            columns[name] = mean[:, i]
            if become[name] is OverSeeds.MEAN:
                columns[interval_name(name)] = np.where(single, own.get(name, np.nan), half_width[:, i])
        elif (extreme := EXTREMES.get(become[name])) is not None:
            columns[name] = extreme.reduceat(points[name].to_numpy(dtype=np.float64), starts)
    for name in figures:
        if (called := COUNTED.get(become[name])) is not None:
            columns[called.format(name)] = np.add.reduceat(points[name].to_numpy(dtype=np.int64), starts)
    columns["ci95_from"] = np.where(single, "batches", "replications")
    if replications.precision is not None:
        columns["precision_reached"] = _precise(points, starts, replications)
    columns["ringlet"] = points["ringlet"].to_numpy()[starts]
    columns["scenario_key"] = points["scenario_key"].to_numpy()[starts]
    return pd.DataFrame(columns)


def _precise(points: "pd.DataFrame", starts: np.ndarray[Any, Any], replications: Replications) -> list[bool]:
    watched = np.split(points[list(replications.watched)].to_numpy(dtype=np.float64), starts[1:])
    return [replications.is_precise(values.tolist()) for values in watched]
