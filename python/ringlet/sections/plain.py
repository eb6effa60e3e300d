"""Values as programs have them, made what a file would hold: numpy scalars and arrays, pandas tables, pint quantities.

None of these libraries is imported: their values say themselves what they are.
"""

from collections.abc import Mapping
from typing import Any

_DEEPEST = 16
PLAIN = frozenset((int, float, str, bool, type(None)))
"""Types of values that a file holds as they are."""


def plain(value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - whatever a caller gives
    """Returns a value with everything in it made what a file could hold; what is something else stays as it is.

    >>> import numpy as np
    >>> plain({"nodes": np.int64(8), "load": np.array([0.1, 0.2])})
    {'nodes': 8, 'load': [0.1, 0.2]}

    Args:
        value: a numpy scalar or array, a pandas series or frame (its rows), a pint quantity (its number and unit), or
            mappings and lists of such.
        depth: tables and lists around it; what lies deeper than any key of a file stays as it is.
    """
    if type(value) in PLAIN or depth > _DEEPEST:
        return value
    if type(value) is dict or isinstance(value, Mapping):
        return {key: plain(one, depth + 1) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one, depth + 1) for one in value]
    if hasattr(value, "magnitude") and hasattr(value, "units"):
        return _with_unit(plain(value.magnitude), f"{value.units:~}")
    if hasattr(value, "to_numpy"):
        return plain(value.to_numpy())
    return value.tolist() if hasattr(value, "tolist") else value


def _with_unit(number: Any, unit: str) -> Any:  # noqa: ANN401 - a number, or lists of them
    if isinstance(number, list):
        return [_with_unit(one, unit) for one in number]
    return f"{number!r} {unit}" if unit else number


def is_same(one: Any, other: Any) -> bool:  # noqa: ANN401 - whatever a file holds
    """Returns whether two values are equal and of the same types, with all in them: 1 is neither 1.0 nor true."""
    if type(one) is not type(other):
        return False
    if type(one) is dict:
        return len(one) == len(other) and all(key in other and is_same(value, other[key]) for key, value in one.items())
    if type(one) is list:
        return len(one) == len(other) and all(map(is_same, one, other))
    return type(one) in PLAIN and one == other
