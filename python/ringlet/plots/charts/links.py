"""The chart of the load of each link."""

import numpy as np

from ringlet.plots.chart import Chart, Panel
from ringlet.plots.charts.run_chart import Figure, Part, RunChart
from ringlet.plots.documents import Runs, documents_of, node_names
from ringlet.plots.palette import Colour
from ringlet.plots.parts import Axis, Series
from ringlet.scenario.network import TOPOLOGIES

LINK_USES: tuple[tuple[str, str, Colour], ...] = (
    ("send", "send packets", "blue"),
    ("retry", "sent again", "vermilion"),
    ("echo", "echoes", "orange"),
    ("control", "control symbols", "purple"),
)
"""Uses of a link besides idles, from the bottom up: key, name in the legend, colour."""


class Link(Part):
    """Shares of a link's time."""

    send: Figure
    retry: Figure
    echo: Figure
    control: Figure


class Node(Part):
    """The record of a node."""

    link: Link


class Takes(Part):
    """The links of the nodes."""

    nodes: list[Node]


def link_chart(runs: Runs) -> Chart:
    """Returns the chart of the shares of time in which links carry packets, echoes and idles: link k leaves node k."""
    documents = documents_of(runs)
    panels = []
    for name, document in documents.items():
        links = [record["link"] for record in document["nodes"]]
        position = tuple(float(record["id"]) for record in document["nodes"])
        base = np.zeros(len(links))
        series = []
        for use, words, colour in LINK_USES:
            top = base + np.array([100 * link[use] for link in links])
            if (top > base).any():
                series.append(
                    Series(
                        words,
                        position,
                        tuple(top.tolist()),
                        mark="bars",
                        colour=colour,
                        base=tuple(base.tolist()),
                    )
                )
            base = top
        # Where no ports join the rings a node has a link on each of two, and its record the mean of both.
        topology = TOPOLOGIES.listed.get(document.get("scenario", {}).get("network", {}).get("topology"))
        both = topology is not None and topology.switched and not topology.has_ports
        by_node = "both links, by the node that they leave" if both else "link, by the node that it leaves"
        panels.append(
            Panel(
                Axis(by_node, categories=node_names(document)),
                Axis("mean share of their time (%)" if both else "share of the link's time (%)", low=0.0, high=100.0),
                tuple(series),
                title=name if len(documents) > 1 else "",
            )
        )
    return Chart(
        name="links",
        title="Link utilisation",
        caption="What the symbols on each link belong to; the rest are idles.",
        panels=tuple(panels),
        columns=min(2, len(panels)),
        panel_inches=(5.6, 3.4),
    )


CHART = RunChart(
    "links",
    "what each link carries: send packets, packets sent again, echoes, control symbols; the rest are idles",
    link_chart,
    Takes,
)
