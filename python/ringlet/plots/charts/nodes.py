"""Throughput of each node beside its fair share."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.plots.chart import Chart, Panel
from ringlet.plots.charts.run_chart import Figure, Name, Part, RunChart
from ringlet.plots.documents import Documents, Runs, documents_of, node_names, number, offset_and_width
from ringlet.plots.palette import look
from ringlet.plots.parts import Axis, Series
from ringlet.sections import Field

MAX_BARS = 64
"""Nodes up to which each has bars; beyond, marks."""


class Node(Part):
    """The record of a node."""

    id: int
    name: Name
    throughput_MBps: Figure  # noqa: N815 - the unit
    throughput_ci95_MBps: Figure | None  # noqa: N815
    optimum_MBps: Figure | None = Field(default=None)  # noqa: N815


class Takes(Part):
    """The nodes of a run, in the order of their numbers."""

    nodes: list[Node] = Field(min_length=1)

    def _fits_together(self, folder: Path) -> None:
        for place, node in enumerate(self.nodes):
            if node.id != place:
                raise RingletError.not_allowed(f"nodes[{place}].id", node.id, f"{place}: nodes stand in their order")


def node_chart(runs: Runs) -> Chart:
    """Throughput of each node beside its fair share: how fair a ring is, and how far it could go.

    The fair share is max-min fair, with echoes (`ringlet bound`), drawn where all runs share one.
    """
    documents = documents_of(runs)
    nodes = max(len(document["nodes"]) for document in documents.values())
    series = []
    best = _common_fair_share(documents)
    if best is not None:
        series.append(Series("fair share", tuple(map(float, range(nodes))), best, mark="steps"))
    for i, (name, document) in enumerate(documents.items()):
        records = document["nodes"]
        rate = np.array([record["throughput_MBps"] for record in records])
        colour, marker, _ = look(i)
        offset, width = offset_and_width(i, len(documents))
        series.append(
            Series(
                name,
                tuple(float(record["id"]) for record in records),
                tuple(rate.tolist()),
                **_interval(records, rate),
                mark="bars" if nodes <= MAX_BARS else "points",
                colour=colour,
                marker=marker,
                offset=offset,
                width=width,
            )
        )
    panel = Panel(
        Axis("node", categories=node_names(max(documents.values(), key=lambda document: len(document["nodes"])))),
        Axis("throughput (MB/s)", low=0.0),
        tuple(series),
        note="lines: 95 % intervals" if any(one.has_interval for one in series) else "",
    )
    beside = " beside its fair share, max-min fair with echoes" if best is not None else ""
    return Chart(
        name="nodes",
        title="Throughput of each node",
        caption=f"Data of accepted packets, by their source{beside}. Lines: 95 % intervals.",
        panels=(panel,),
        panel_inches=(max(5.0, min(12.0, 0.32 * nodes + 2)), 3.6),
    )


def _interval(records: Sequence[Mapping[str, Any]], rate: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Ends of the intervals."""
    half_width = np.array([number(record["throughput_ci95_MBps"]) for record in records])
    return {"low": tuple((rate - half_width).tolist()), "high": tuple((rate + half_width).tolist())}


def _common_fair_share(documents: Documents) -> tuple[float, ...] | None:
    """The fair shares of all runs if they have the same; of runs stored before there were any, none."""
    found = [[node.get("optimum_MBps") for node in document["nodes"]] for document in documents.values()]
    if any(value is None for each in found for value in each):
        return None
    same = all(len(each) == len(found[0]) and np.allclose(each, found[0]) for each in found)
    return tuple(found[0]) if same else None


CHART = RunChart(
    "nodes",
    "the throughput of each node beside its fair share, max-min fair with echoes ([what a ring can "
    "carry](../explanation/what-a-ring-can-carry.md))",
    node_chart,
    Takes,
)
