"""Points of a study beside its baseline: differences and ratios over the seeds that both have."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.figures import BY_NAME, OverSeeds
from ringlet.lazy import library
from ringlet.statistics import Paired, paired
from ringlet.studies.study import Study

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")


def compared(figures: list[str]) -> list[str]:
    """Returns the figures that are compared: those that are means over the seeds."""
    return [name for name in figures if name in BY_NAME and BY_NAME[name].over_seeds is OverSeeds.MEAN]


def differences(points: "pd.DataFrame", figures: list[str], axes: list[str], study: Study) -> "pd.DataFrame":
    """Returns one row per point that is not a baseline itself: what varies, and how it differs from its baseline.

    The baseline of a point has the same values on all axes but those that the study's `baseline` names. The half widths
    are those of 95 % intervals over the pairs of replications with common seeds, see `ringlet.statistics.paired`.
    Columns are `throughput_difference_MBps` with `throughput_difference_ci95_MBps`, and `throughput_ratio` with
    `throughput_ratio_ci95`, and so on.

    Args:
        points: the table of points, in the order of points and replications.
        figures: its columns that are figures.
        axes: its columns that vary.
        study: with a baseline.
    """
    names = compared(figures)
    rows: list[dict[str, Any]] = []
    runs = {int(rows["point"].iloc[0]): rows for _, rows in points.groupby("point", sort=False)}
    for point, own in runs.items():
        base = study.baseline_of(point)
        if base == point or base not in runs:
            continue
        pairs = own.merge(runs[base], on=["replication", "seed"], suffixes=("", "_base"))
        if pairs.empty:
            continue
        both = paired(
            pairs[names].to_numpy(dtype=np.float64),
            pairs[[f"{name}_base" for name in names]].to_numpy(dtype=np.float64),
        )
        row: dict[str, Any] = {"point": point, "baseline_point": base}
        row |= {axis: own.iloc[0][axis] for axis in axes}
        row["pairs"] = len(pairs)
        rows.append(row | difference_columns(names, both))
    return pd.DataFrame(rows)


def difference_columns(names: Sequence[str], both: Paired) -> dict[str, Any]:
    """Returns the differences and ratios of figures, with their intervals, by the names of their columns."""
    row: dict[str, Any] = {}
    for i, name in enumerate(names):
        figure = BY_NAME[name]
        row[figure.difference_name] = both.difference[i]
        row[figure.difference_interval_name] = both.difference_half_width[i]
        row[figure.ratio_name] = both.ratio[i]
        row[f"{figure.ratio_name}_ci95"] = both.ratio_half_width[i]
    return row
