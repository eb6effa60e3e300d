"""One row per point: means over its replications, with intervals."""

from typing import Any

import numpy as np

from ringlet.figures import BY_NAME, OverSeeds, columns_of_runs, interval_name
from ringlet.statistics import replication_means
from ringlet.studies.replications import Replications
from ringlet.studies.table import Columns

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


def summarise(points: Columns, figures: list[str], replications: Replications) -> Columns:
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
    if not len(points):
        return Columns({})
    _, starts = np.unique(points["point"], return_index=True)
    count = np.diff(starts, append=len(points))
    axes = [name for name in points.by_name if name not in (*figures, *BOOKKEEPING)]
    columns: dict[str, Any] = {name: points[name][starts] for name in axes}
    columns["replications"] = count
    become = {name: BY_NAME[name].over_seeds if name in BY_NAME else OverSeeds.MEAN for name in figures}
    averaged = [name for name in figures if become[name] in (OverSeeds.MEAN, OverSeeds.GIVEN)]
    means = np.column_stack([points[name] for name in averaged]).astype(np.float64)
    mean, half_width, _ = replication_means(means, starts)
    single = count == 1
    own = {
        BY_NAME[name].half_width_of: points[name][starts] for name in figures if become[name] is OverSeeds.HALF_WIDTH
    }
    for name in figures:
        if name in averaged:
            i = averaged.index(name)
            columns[name] = mean[:, i]
            if become[name] is OverSeeds.MEAN:
                columns[interval_name(name)] = np.where(single, own.get(name, np.nan), half_width[:, i])
        elif (extreme := EXTREMES.get(become[name])) is not None:
            columns[name] = extreme.reduceat(np.asarray(points[name], dtype=np.float64), starts)
    for name in figures:
        if (called := COUNTED.get(become[name])) is not None:
            columns[called.format(name)] = np.add.reduceat(np.asarray(points[name], dtype=np.int64), starts)
    columns["ci95_from"] = np.where(single, "batches", "replications")
    if replications.precision is not None:
        columns["precision_reached"] = _precise(points, starts, replications)
    last = points.taken(starts.tolist(), ("ringlet", "scenario_key"))
    return Columns(columns | last.by_name)


def _precise(points: Columns, starts: np.ndarray[Any, Any], replications: Replications) -> list[bool]:
    figures = np.column_stack([points[name] for name in replications.watched]).astype(np.float64)
    watched = np.split(figures, starts[1:])
    return [replications.is_precise(values.tolist()) for values in watched]
