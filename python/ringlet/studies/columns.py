"""Names of columns: every one with its unit."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.scenario.file_schema import base_unit
from ringlet.scenario.values.units import QUANTITY, magnitude
from ringlet.studies.axes import Auto, Listed, Range, Space


def axis_columns(space: Space, points: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Returns the values of the keys that vary at some points, by column name.

    Quantities become numbers in the unit of the first value, which the name ends with, such as `traffic.load_MBps`;
    plain numbers have the base unit of the key.
    """
    columns: dict[str, NDArray[Any]] = {}
    stride = space.points
    for axis, size in zip(space.axes, space.lengths, strict=True):
        stride //= size
        places, back = np.unique(points // stride % size, return_inverse=True)
        for key, values in axis.items():
            name, unit = column_name(key, values)
            columns[name] = _column([values[place] for place in places.tolist()], unit)[back]
    return columns


def column_name(key: str, values: Listed) -> tuple[str, str | None]:
    """Returns the name of a key's column, and the unit into which its values are turned."""
    sample = [values[0]] if isinstance(values, Range | Auto) else list(values)
    quantities = [QUANTITY.fullmatch(value) if isinstance(value, str) else None for value in sample]
    if all(quantities) and quantities[0] is not None:
        unit = quantities[0][2].strip()
        try:
            for value in sample:
                _number(value, unit)
        except ValueError:
            return key, None
        return f"{key}_{unit.replace(' ', '').replace('/', 'p')}", unit
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in sample):
        base = base_unit(key)
        return (f"{key}_{base.replace(' ', '_')}" if base else key), None
    return key, None


def _number(value: Any, unit: str) -> float:  # noqa: ANN401 - a quantity, from a list of anything
    """Returns a quantity in a unit; most have it, and need not be converted."""
    match = QUANTITY.fullmatch(value)
    if match is not None and match[2].strip() == unit:
        return float(match[1].replace("_", ""))
    return magnitude(value, unit)


def _column(values: list[Any], unit: str | None) -> NDArray[Any]:
    if unit is not None:
        return np.array([_number(value, unit) for value in values])
    if all(isinstance(value, int | float) for value in values):
        return np.array(values)
    column = np.empty(len(values), dtype=object)
    column[:] = [value if isinstance(value, str) else json.dumps(value) for value in values]
    return column
