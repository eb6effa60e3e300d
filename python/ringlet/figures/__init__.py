"""The registry of figures: each has a name, a unit, a meaning, a computation, and an aggregation over seeds.

A figure is a `Figure` in one of the modules here, listed in `registry`. The JSON of a run and its schema, data frames,
tables, the columns of sweeps with their intervals, labels of plots and the page "What a run tells" come from it.
"""

from ringlet.document.figure import UNITS, Figure, OverSeeds, Part
from ringlet.figures.measurements import Found
from ringlet.figures.registry import (
    BY_INTERVAL,
    BY_NAME,
    COLUMNS,
    columns_of_record,
    columns_of_runs,
    figures_of,
    interval_name,
    records,
    row_of_run,
)
from ringlet.figures.rounding import plus_minus, with_half_width

__all__ = [
    "BY_INTERVAL",
    "BY_NAME",
    "COLUMNS",
    "UNITS",
    "Figure",
    "Found",
    "OverSeeds",
    "Part",
    "columns_of_record",
    "columns_of_runs",
    "figures_of",
    "interval_name",
    "plus_minus",
    "records",
    "row_of_run",
    "with_half_width",
]
