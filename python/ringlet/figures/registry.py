"""The registry: every figure of a run, in the order of the JSON. A new one is a line here."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from ringlet.document.figure import Figure, OverSeeds, Part, Values
from ringlet.figures.deviation import DEVIATIONS
from ringlet.figures.fairness import FAIRNESS
from ringlet.figures.latencies import LATENCIES
from ringlet.figures.links import LINKS
from ringlet.figures.measurements import Found
from ringlet.figures.optimum import OPTIMUM
from ringlet.figures.packets import PACKETS, REFUSALS, RETRIES
from ringlet.figures.protocol_counts import PROTOCOL_FIGURES
from ringlet.figures.queues import QUEUES
from ringlet.figures.rates import RATES
from ringlet.figures.real_time import REAL_TIME
from ringlet.figures.replay import REPLAY
from ringlet.figures.run import PRECISION, RUN, WENT
from ringlet.scenario.activities.registry import PARTS

FIGURES: tuple[Figure, ...] = (
    *RATES,
    *LATENCIES,
    *PACKETS,
    *OPTIMUM,
    *DEVIATIONS,
    *REAL_TIME,
    *REFUSALS,
    *PROTOCOL_FIGURES,
    *RETRIES,
    *FAIRNESS,
    *QUEUES,
    *LINKS,
)
"""Figures of nodes, priorities and the total."""

OF_ACTIVITIES: tuple[Figure, ...] = tuple(dict.fromkeys(figure for part in PARTS for figure in part.figures))
"""Figures of the parts that activities have, each once: some are of a whole and of its parts."""


@cache
def figures_of(part: Part) -> tuple[Figure, ...]:
    """Returns the figures that a part of a run's document has."""
    return tuple(figure for figure in (*RUN, *FIGURES, *OF_ACTIVITIES) if part in figure.values)


@cache
def _keys(part: Part) -> tuple[tuple[str, tuple[str, ...], tuple[Values, ...]], ...]:
    """Returns the keys of a part's records: each one's name, the keys of the object that it has, if any, and how each
    value is computed: a count, and what a part says of the run itself, from the measured time alone."""
    groups: dict[str, list[tuple[tuple[str, ...], Values]]] = {}
    for figure in figures_of(part):
        values = figure.values[part]
        if figure.kind == "integer" or part == "run":
            values = _of_recorded(values)
        for path in figure.paths:
            groups.setdefault(path[0], []).append((path[1:], values))
    return tuple(
        (name, tuple(inner[0] for inner, _ in each if inner), tuple(values for _, values in each))
        for name, each in groups.items()
    )


def _of_recorded(values: Values) -> Values:
    return lambda found: values(found.recorded)


def records(part: Part, found: Found) -> list[dict[str, Any]]:
    """Returns the records of a part for the JSON: all its figures, those with a common key in an object."""
    keys = _keys(part)
    names = [name for name, _, _ in keys]
    columns = [_column(inner, values, found) for _, inner, values in keys]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _column(inner: tuple[str, ...], values: tuple[Values, ...], found: Found) -> Iterable[Any]:
    """Returns the value of a key for each record: a figure, or several in an object."""
    columns = [value(found) for value in values]
    if not inner:
        return columns[0]
    return (dict(zip(inner, row, strict=True)) for row in zip(*columns, strict=True))


NAMES: Mapping[tuple[str, ...], str] = {
    path: figure.name for figure in (*FIGURES, *OF_ACTIVITIES) for path in figure.paths
}
"""Columns of data frames by the keys that lead to them in a record."""


def columns_of_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the figures of a record by the names of columns; NaN where there is none, as tables have it."""
    row: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict):
            for inner, each in value.items():
                row[_column_of(key, inner)] = NONE if each is None else each
        else:
            row[_column_of(key)] = NONE if value is None else value
    return row


NONE = float("nan")
"""Value of a table where there is no figure."""


@cache
def _column_of(*path: str) -> str:
    return NAMES.get(path, "_".join(path))


TIMES = tuple(figure for name in ("simulated_s", "cycles", "warmup_cycles") for figure in RUN if figure.name == name)

COLUMNS: tuple[tuple[str, tuple[Figure, ...]], ...] = (
    ("total", tuple(figure for figure in figures_of("total") if figure.kind != "string")),
    ("", TIMES),
    ("trace", tuple(figure for figure in REPLAY if figure.over_seeds is not OverSeeds.NONE)),
    *(
        (part.name, tuple(figure for figure in part.figures if figure.kind != "string"))
        for part in PARTS
        if not part.many
    ),
    ("precision", PRECISION[:1]),
    ("", WENT),
)
"""Columns of the table that a study makes of its runs, by the part of the document that has them (empty: itself)."""

_COLUMN_PATHS = tuple(
    (part, tuple((figure.name, figure.path, figure.read) for figure in figures)) for part, figures in COLUMNS
)

BY_NAME: Mapping[str, Figure] = {
    figure.name: figure
    for figure in (
        # A name may stand for parts and for all of them: the record of all of it counts.
        *(figure for part in sorted(PARTS, key=lambda part: not part.many) for figure in part.figures),
        *RUN,
        *REPLAY,
        *PRECISION,
        *WENT,
        *FIGURES,
    )
}
"""All figures that are columns of a table."""

BY_INTERVAL: Mapping[str, Figure] = {figure.interval_name: figure for figure in BY_NAME.values()}
"""Figures by the column with the half width of their interval."""


def row_of_run(document: Mapping[str, Any]) -> dict[str, float | int | bool]:
    """Returns the figures of a run by the names of columns: totals, times, how it went; NaN where there is none.

    Args:
        document: the run's JSON.
    """
    row = {}
    for part, figures in _COLUMN_PATHS:
        record = document.get(part) if part else document
        if record is None:
            continue
        for name, path, read in figures:
            value: Any = record
            for key in path:
                value = value[key]
            number = value if read is None else read(value)
            row[name] = float("nan") if number is None else number
    return row


def columns_of_runs(*more: str) -> tuple[Figure, ...]:
    """Returns the figures that the table of a study has: those of every run, and those of further parts."""
    return tuple(figure for part, figures in COLUMNS if part in ("total", "", *more) for figure in figures)


def interval_name(column: str) -> str:
    """Returns the column with the half width of a column's 95 % interval, with the same unit: `latency_p99_ci95_ns`."""
    return BY_NAME[column].interval_name if column in BY_NAME else f"{column}_ci95"
