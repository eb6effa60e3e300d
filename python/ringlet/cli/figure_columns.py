"""Figures of the registry as columns of tables."""

from collections.abc import Mapping, Sequence
from typing import Any

from ringlet.cli.figures import MISSING, column
from ringlet.figures import Figure, Part, figures_of


def named(part: Part, names: Sequence[str]) -> list[Figure]:
    """Returns figures of a part of a run's document by their names."""
    there = {figure.name: figure for figure in figures_of(part)}
    return [there[name] for name in names]


def headings(figures: Sequence[Figure]) -> list[str]:
    """Returns the headings of columns: the figure in short, its unit in the last line."""
    return [figure.heading for figure in figures]


def columns(figures: Sequence[Figure], records: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Returns a column of text for each figure, with a cell for each record."""
    return [_column(figure, [_value(record, figure.path) for record in records]) for figure in figures]


def _column(figure: Figure, values: Sequence[Any]) -> list[str]:
    if figure.kind != "number":
        return [MISSING if value is None else str(value) for value in values]
    return column(None if value is None else figure.scale * value for value in values)


def _value(record: Mapping[str, Any], path: Sequence[str]) -> Any:  # noqa: ANN401 - a figure of any kind
    value: Any = record
    for key in path:
        value = value[key]
    return value
