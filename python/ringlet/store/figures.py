"""The totals of a run, packed: numbers in one piece of memory, their names once for many runs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ringlet.scenario import Scenario
from ringlet.simulation import run
from ringlet.simulation.tables import flat

Kind = Literal["float", "int", "bool"]

DTYPES: dict[Kind, type] = {"float": np.float64, "int": np.int64, "bool": np.bool_}

WORDS = ("bottleneck",)
"""Entries of the totals that are no figures."""

NUMBER = np.dtype("<f8")
"""How a figure is stored. Counts are below 2^53."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Names and kinds of the figures of a run."""

    names: tuple[str, ...]
    """With units, such as `latency_p99_ns`."""
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


def pack(document: Mapping[str, Any]) -> tuple[Layout, bytes]:
    """Returns the figures of a run's document: the totals, and how long was simulated."""
    found = figures(document)
    layout = Layout(tuple(found), tuple(map(_kind, found.values())))
    return layout, np.array(list(found.values()), dtype=NUMBER).tobytes()


def figures(document: Mapping[str, Any]) -> dict[str, float | int | bool]:
    """Returns the totals of a run and how long it lasted, units in the names; NaN where there is none."""
    precision = document["precision"] or {}
    return {
        **{name: value for name, value in flat(document["total"]).items() if name not in WORDS},
        "simulated_s": document["simulated_s"],
        "cycles": document["cycles"],
        "warmup_cycles": document["warmup_cycles"],
        **_replay(document.get("trace")),
        **({"run_precision_reached": bool(precision["reached"])} if precision else {}),
        "stalled": document["stall"] is not None,
        "warnings": len(document["warnings"]),
    }


def _replay(trace: Mapping[str, Any] | None) -> dict[str, float | int | bool]:
    """How the replay of a trace went: what differs from run to run."""
    if trace is None:
        return {}
    times = {name: np.nan if trace[name] is None else trace[name] for name in ("run_time_s", "late_s")}
    return {**times, "complete": trace["complete"], "waiting_packets": trace["waiting_packets"]}


def _kind(value: float | int | bool) -> Kind:
    if isinstance(value, bool):
        return "bool"
    return "int" if isinstance(value, int) else "float"


@cache
def known_figures() -> tuple[str, ...]:
    """Returns the names of the figures that every run has, from a run of a few cycles, so that the list cannot be wrong."""
    return tuple(
        figures(run(Scenario.from_dict({"network": {"nodes": 2}, "run": {"duration": 30, "warmup": 0}})).document)
    )
