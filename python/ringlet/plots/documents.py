"""Documents of runs, as the figures take them."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ringlet.simulation import Result

Document = Mapping[str, Any]
"""Document of a run: `Result.document`, or what `ringlet run --json` prints."""

Documents = Mapping[str, Document]
"""Documents of runs by the name that each has in a legend."""

Runs = Result | Document | Mapping[str, Result | Document]
"""A run, or several by the name that each has in a legend."""


def documents_of(runs: Runs) -> Documents:
    """Returns the documents of runs; a single one goes by the name of its protocol."""
    if isinstance(runs, Result):
        return documents_of(runs.document)
    if "latency_distribution" in runs and "scenario" in runs:
        document: Document = runs
        return {document["scenario"]["flow_control"]["protocol"]: document}
    return {name: run.document if isinstance(run, Result) else run for name, run in runs.items()}


def offset_and_width(place: int, count: int) -> tuple[float, float]:
    """Returns how far the marks of one of several runs stand from their position, and how wide its bars are."""
    width = 0.8 / count
    return (place - (count - 1) / 2) * width, width


def number(value: float | None) -> float:
    """Returns a figure of a document: NaN where there is none."""
    return math.nan if value is None else value


def node_names(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Returns what stands at the places of nodes on an axis: numbers on a ring, names such as P0 and M0 in a
    network."""
    return tuple(str(record["name"]).removeprefix("node ") for record in document["nodes"])


MOST_NS = 100_000.0
"""Longest time that is drawn in nanoseconds."""


def time_unit(times_ns: Iterable[float]) -> tuple[str, float]:
    """Returns the unit in which times are drawn, and how many nanoseconds it has: numbers at an axis stay short."""
    longest = max((time for time in times_ns if not math.isnan(time)), default=0.0)
    return ("µs", 1e3) if longest > MOST_NS else ("ns", 1.0)
