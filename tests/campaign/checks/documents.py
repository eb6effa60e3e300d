"""What a run's document says: finite, in order, and consistent with itself."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import ringlet as rl
from campaign.case import RuleError
from campaign.observe import Observed, require

SUMMED = (
    "throughput_MBps",
    "offered_MBps",
    "delivered_packets",
    "lost_packets",
    "lost_MBps",
    "given_up_packets",
    "retries",
)
"""Figures of which the total is the sum over nodes, and over priorities."""
NEAR = 1e-9
"""Relative difference that is rounding."""


def figures_are_finite_json(observed: Observed) -> None:
    """The document is JSON, and comes back from it as it was."""
    text = json.dumps(observed.document, allow_nan=False)
    require(json.loads(text) == json.loads(json.dumps(json.loads(text))), "another document after JSON")


def quantiles_are_in_order(observed: Observed) -> None:
    """Least, median, 95th and 99th percentile and most are in this order wherever they stand; the mean is between."""
    for place, record in _records(observed.document, "document"):
        if "p50" not in record:
            continue
        names = [name for name in ("min", "p50", "p95", "p99", "max") if name in record]
        figures = [record[name] for name in names]
        if any(figure is None for figure in figures):
            require(all(figure is None for figure in figures), f"{place}: {record}")
            continue
        near = NEAR * figures[-1]
        require(all(low <= high + near for low, high in pairwise(figures)), f"{place}: {record}")
        if record.get("mean") is not None and names[0] == "min":
            require(figures[0] - near <= record["mean"] <= figures[-1] + near, f"{place}: {record}")


def _records(value: Any, place: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, Mapping):
        yield place, value
        for key, inner in value.items():
            yield from _records(inner, f"{place}.{key}")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for number, inner in enumerate(value):
            yield from _records(inner, f"{place}[{number}]")


def totals_are_sums(observed: Observed) -> None:
    """The total is the sum over the nodes, and over the priorities where there are several."""
    document = observed.document
    for part in ("nodes", "priorities"):
        if not document.get(part):
            continue
        for name in SUMMED:
            # A saturated node offers the rate of its link, however many priorities its load has.
            if part == "priorities" and name == "offered_MBps":
                continue
            total, added = document["total"][name], math.fsum(row[name] for row in document[part])
            require(math.isclose(total, added, rel_tol=NEAR, abs_tol=NEAR), f"{part}: {name} {total}, added {added}")


def links_are_full(observed: Observed) -> None:
    """The uses of a node's link are shares of all its cycles; no rate is below 0."""
    if not observed.document["cycles"]:
        return
    for node in observed.document["nodes"]:
        shares = node["link"].values()
        require(all(0 <= share <= 1 for share in shares), f"node {node['id']}: {node['link']}")
        require(math.isclose(sum(shares), 1, rel_tol=NEAR), f"node {node['id']}: {node['link']}")
    for place, record in _records(observed.document["nodes"], "nodes"):
        for name, figure in record.items():
            negative = isinstance(figure, int | float) and figure < 0
            require(not negative, f"{place}.{name}: {figure}")


def a_run_is_repeatable(observed: Observed) -> None:
    """The document of the same run is the same, but for the speed of the machine."""
    again = rl.run(observed.scenario).to_dict()
    for key, value in observed.document.items():
        if again[key] != value:
            raise RuleError(f"another {key} in the same run")
