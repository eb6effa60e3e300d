"""The totals of a run, packed: numbers in one piece of memory, their names once for many runs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["float", "int", "bool"]

DTYPES: dict[Kind, type] = {"float": np.float64, "int": np.int64, "bool": np.bool_}

NUMBER = np.dtype("<f8")
"""Number type of a stored figure. Counts are below 2^53."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Names and kinds of the figures of a run."""

    names: tuple[str, ...]
    """Names with units, such as `latency_p99_ns`."""
    kinds: tuple[Kind, ...]

    def to_json(self) -> str:
        """Returns the layout as the store keeps it."""
        return json.dumps(list(zip(self.names, self.kinds, strict=True)))

    @classmethod
    def from_json(cls, text: str) -> "Layout":
        """Returns the layout that `to_json` wrote."""
        names, kinds = zip(*json.loads(text), strict=True)
        return cls(tuple(names), tuple(kinds))

    def values(self, packed: bytes) -> dict[str, float]:
        """Returns the figures of a run by name."""
        return dict(zip(self.names, np.frombuffer(packed, dtype=NUMBER).tolist(), strict=True))

    def columns(self, packed: Sequence[bytes]) -> dict[str, NDArray[Any]]:
        """Returns the figures of several runs by name, each of shape (runs,)."""
        table = np.frombuffer(b"".join(packed), dtype=NUMBER).reshape(len(packed), len(self.names))
        return {
            name: table[:, i].astype(DTYPES[kind])
            for i, (name, kind) in enumerate(zip(self.names, self.kinds, strict=True))
        }


def pack(figures: Mapping[str, float]) -> tuple[Layout, bytes]:
    """Returns figures by name as the store keeps them."""
    layout = Layout(tuple(figures), tuple(map(_kind, figures.values())))
    return layout, np.array(list(figures.values()), dtype=NUMBER).tobytes()


def _kind(value: float | int | bool) -> Kind:
    return _KINDS.get(type(value), "float")


_KINDS: Mapping[type, Kind] = {bool: "bool", int: "int"}
