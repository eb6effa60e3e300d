"""Heat maps of pairs: what flows and messages offer between each source and destination, what arrives, how late."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError
from ringlet.plots.chart import Chart
from ringlet.plots.charts.network import HEAT
from ringlet.plots.charts.run_chart import Figure as Amount
from ringlet.plots.charts.run_chart import Name, Packets, Part, RunChart
from ringlet.plots.documents import Document, Documents, Runs, documents_of
from ringlet.sections import Field, refuse

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_CELLS = 128
"""Rows and columns of a map; of more nodes, several that follow each other share one."""

MOST_NAMED = 24
"""Nodes up to which each has its name on an axis."""

MOST_LETTERS = 50
"""Letters of the names along an axis, and of the gaps between them, up to which names do not stand upright."""

MAPS = (("offered", "offered (MB/s)"), ("delivered", "delivered (MB/s)"), ("latency", "largest latency (µs)"))
"""Maps, and what their colours stand for."""


class Node(Part):
    """The record of a node."""

    name: Name


class Flow(Part):
    """The record of a flow."""

    source: Packets
    destination: str
    offered_MBps: Amount  # noqa: N815 - the unit
    delivered_MBps: Amount  # noqa: N815
    latency_max_ns: Amount | None


class Between(Part):
    """The record of a pair of nodes."""

    source: Packets
    destination: Packets
    offered_MBps: Amount  # noqa: N815 - the unit
    delivered_MBps: Amount  # noqa: N815
    latency_max_ns: Amount | None


class Message(Part):
    """The record of a periodic message."""

    source: Packets
    destination: Packets
    size_bytes: Amount
    released: Amount
    completed: Amount
    worst_response_ns: Amount | None


class Takes(Part):
    """Flows and messages; empty without any."""

    nodes: list[Node]
    simulated_s: Amount
    flows: list[Flow] = Field(default=[])
    pairs: list[Between] = Field(default=[])
    messages: list[Message] = Field(default=[])

    def _fits_together(self, folder: object) -> None:
        del folder
        every: list[Flow | Between | Message] = [*self.flows, *self.pairs, *self.messages]
        ends = [end for one in every for end in (str(one.source), str(one.destination))]
        if any(_is_one(end) and int(end) >= len(self.nodes) for end in ends):
            raise refuse(f"sources and destinations below {len(self.nodes)}, the number of nodes")


@dataclass(frozen=True)
class Pairs:
    """Sums of all flows and messages between nodes, and the largest of their latencies; shape (nodes, nodes).

    NaN where nothing goes from a node to another one, or nothing was complete.
    """

    offered: NDArray[np.float64]
    delivered: NDArray[np.float64]
    latency: NDArray[np.float64]
    nodes_each: int
    """Nodes of the network that share a row."""
    several: int
    """Number of flows to several nodes that are counted as a whole: they are in no pair."""


def pairs(document: Document) -> Pairs:
    """Returns what goes from node to node in a run."""
    count = len(document["nodes"])
    each = -(-count // MOST_CELLS)
    size = -(-count // each)
    offered, delivered, latency = (np.full((size, size), math.nan) for _ in range(3))
    several = document["saw"]["flows"]["undivided"] if document.get("flows") else 0
    seconds = document["simulated_s"] or math.nan
    # Without a table of pairs each flow to one node is a pair.
    between = document.get("pairs") or [one for one in document.get("flows", []) if _is_one(one["destination"])]
    rows = [
        (one["source"], one["destination"], one["offered_MBps"], one["delivered_MBps"], one["latency_max_ns"])
        for one in between
    ]
    for one in document.get("messages", []):
        rates = (1e-6 * one["size_bytes"] * one[key] / seconds for key in ("released", "completed"))
        rows.append((one["source"], one["destination"], *rates, one["worst_response_ns"]))
    for source, destination, sent, arrived, late in rows:
        at = source // each, int(destination) // each
        offered[at] = np.nansum([offered[at], sent])
        delivered[at] = np.nansum([delivered[at], arrived])
        if late is not None:
            latency[at] = np.nanmax([latency[at], late / 1e3]) if np.isfinite(latency[at]) else late / 1e3
    return Pairs(offered, delivered, latency, each, several)


@dataclass(frozen=True, slots=True)
class PairsChart(Chart):
    """Maps of pairs instead of panels with axes."""

    found: Pairs | None = None
    names: Sequence[str] = field(default_factory=tuple)
    """Names of the nodes."""

    def draw(self, *, width_inches: float | None = None) -> "Figure":
        """Draws the maps beside each other and returns the figure.

        Args:
            width_inches: of the whole figure, whose proportions stay; default: 12.
        """
        # Late: matplotlib takes a while to load.
        from matplotlib.colors import LinearSegmentedColormap
        from matplotlib.figure import Figure

        assert self.found is not None, "it is made with them"
        heat = LinearSegmentedColormap.from_list("load", list(HEAT))
        width = width_inches or 12.0
        figure = Figure(figsize=(width, 0.4 * width), layout="constrained")
        figure.suptitle(self.title, fontsize=9)
        for axes, (key, label) in zip(figure.subplots(1, len(MAPS)), MAPS, strict=True):
            shown = axes.imshow(getattr(self.found, key), cmap=heat, interpolation="nearest")
            bar = figure.colorbar(shown, ax=axes, orientation="horizontal", shrink=0.8, aspect=30)
            bar.set_label(label, fontsize=8)
            bar.ax.tick_params(labelsize=7)
            self._label(axes)
        return figure

    def _label(self, axes: "Axes") -> None:
        assert self.found is not None, "it is made with them"
        each = self.found.nodes_each
        axes.set_xlabel("destination" if each == 1 else f"destination, {each} nodes each", fontsize=8)
        axes.set_ylabel("source" if each == 1 else f"source, {each} nodes each", fontsize=8)
        places = range(len(self.found.offered))
        step = -(-len(places) // MOST_NAMED)
        ticks = list(places)[::step]
        words = [self.names[place * each] for place in ticks]
        upright = len(words) * (1 + max(map(len, words))) > MOST_LETTERS
        axes.set_xticks(ticks, words, rotation=90 if upright else 0, fontsize=7)
        axes.set_yticks(ticks, words, fontsize=7)


def pairs_chart(runs: Runs) -> Chart:
    """Returns maps of what flows and messages of a run offered, delivered, and took, by source and destination.

    Raises:
        RingletError: there are several runs, or it is one without pairs.
    """
    documents = documents_of(runs)
    if not _is_alone(documents):
        allowed = "one run with a pair of nodes: flows or messages that are counted for each of their nodes"
        raise RingletError.not_allowed("runs", ", ".join(documents), allowed)
    ((name, document),) = documents.items()
    found = pairs(document)
    several = f"; not in it: {found.several} of the flows, to several nodes" if found.several else ""
    return PairsChart(
        name="pairs",
        title=f"{name}; {_largest(found)}{several}",
        caption="What flows and messages offered and delivered from each source to each destination, and the largest "
        "latency of a message. Pairs between which nothing goes, or nothing was complete, are blank.",
        panels=(),
        found=found,
        names=[str(node["name"]).removeprefix("node ") for node in document["nodes"]],
    )


def _largest(found: Pairs) -> str:
    """Says in words between how many pairs something goes, and the largest rate that is offered."""
    each = f"of {found.nodes_each} nodes " if found.nodes_each > 1 else ""
    count = int(np.isfinite(found.offered).sum())
    return f"pairs {each}with flows or messages: {count}; most offered: {np.nanmax(found.offered):.4g} MB/s"


def _is_alone(documents: Documents) -> bool:
    """Returns whether there is one run, which has a pair."""
    return len(documents) == 1 and all(map(_has_pair, documents.values()))


def _is_one(destination: str) -> bool:
    """Returns whether the destination of a flow is a single node."""
    return destination.isascii() and destination.isdecimal()


def _has_pair(document: Mapping[str, Any]) -> bool:
    flows = any(_is_one(one["destination"]) for one in document.get("flows", []))
    return flows or bool(document.get("pairs")) or bool(document.get("messages"))


CHART = RunChart(
    "pairs",
    "of one run with flows or messages: maps of what was offered and delivered, and of the largest latency, from each "
    "source to each destination; the title says how many flows to several nodes are in no pair, since they are counted "
    "as a whole",
    pairs_chart,
    Takes,
    _is_alone,
)
