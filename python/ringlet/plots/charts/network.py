"""The drawing of a network, coloured by what its parts carry."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.plots.chart import Chart
from ringlet.plots.charts.links import LINK_USES
from ringlet.plots.charts.run_chart import Figure as Share
from ringlet.plots.charts.run_chart import Name, Part, RunChart
from ringlet.plots.documents import Documents, Runs, documents_of
from ringlet.rings import drawing
from ringlet.rings.network import MAX_DRAWN, NONE, Network
from ringlet.scenario import Scenario
from ringlet.sections import Field

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

Colour = tuple[float, float, float, float]

HEAT = ("#c6d3de", "#f2a93b", "#e0482f")
"""Colours from an idle part to a busy one: ever darker, so that it can be read without colours, and never so dark that
a name upon it cannot be read."""


@dataclass(frozen=True, slots=True)
class Loads:
    """Share of the time in which each part of a network is busy."""

    links: np.ndarray
    """The link that leaves each interface; shape (interfaces,)."""
    rings: np.ndarray
    """The busiest link of each ring; shape (rings,)."""
    switches: np.ndarray
    """The busiest B-Link of each switch; shape (switches,)."""


@dataclass(frozen=True, slots=True)
class NetworkChart(Chart):
    """A drawing of a network instead of panels with axes."""

    document: Mapping[str, Any] = field(default_factory=dict)
    """Document of the run that is drawn."""

    def draw(self, *, width_inches: float | None = None) -> "Figure":
        """Draws the network, coloured by load, and returns the figure.

        Args:
            width_inches: of the whole figure, whose proportions stay; default: what the network takes.
        """
        # Late: matplotlib takes a while to load.
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import LinearSegmentedColormap, Normalize

        heat = LinearSegmentedColormap.from_list("load", list(HEAT))
        scenario = _scenario(self.document)
        network = scenario.routed_network[0]
        figure = scenario.network.drawn(network)
        _colour(figure, network, network_loads(self.document, network), heat)
        (axes,) = figure.axes
        # A line for each part: a small network is a narrow drawing.
        axes.set_title(self.title.replace("; ", "\n"), fontsize=9, color=drawing.INK)
        bar = figure.colorbar(
            ScalarMappable(Normalize(0, 100), heat), ax=axes, orientation="horizontal", shrink=0.5, aspect=40, pad=0.02
        )
        bar.set_label("busy, share of the time (%)", fontsize=8)
        bar.ax.tick_params(labelsize=8)
        if width_inches is not None:
            figure.set_size_inches(width_inches, figure.get_figheight() * width_inches / figure.get_figwidth())
        return figure


class LinkController(Part):
    """The record of a link controller."""

    name: Name
    link_busy_fraction: Share


class BLink(Part):
    """The record of a B-Link."""

    name: Name
    busy_fraction: Share


class Takes(Part):
    """The network of a run, and what its switches did; empty without switches."""

    scenario: dict[str, Any]
    link_controllers: list[LinkController] = Field(default=[])
    b_links: list[BLink] = Field(default=[])


def network_chart(runs: Runs) -> Chart:
    """Returns the drawing of a run's network, coloured by what its links and B-Links carry.

    Raises:
        RingletError: there are several runs, or it is one without switches or too large to be drawn.
    """
    documents = documents_of(runs)
    if not _is_alone(documents):
        allowed = f"one run of a network with switches, of at most {MAX_DRAWN} interfaces"
        raise RingletError.not_allowed("runs", ", ".join(documents), allowed)
    ((name, document),) = documents.items()
    return NetworkChart(
        name="network",
        title=f"{name}; {_busiest(document)}",
        caption="The network, coloured by load: a node's edge and a port by the link that leaves it, a ring by its "
        "busiest link, a switch by its busiest B-Link.",
        panels=(),
        document=document,
    )


def network_loads(document: Mapping[str, Any], network: Network) -> Loads:
    """Returns the loads of a run's network. Of a port with several link controllers the busiest link counts.

    Raises:
        RingletError: the document is of another network.
    """
    nodes = np.array([_busy(record) for record in document["nodes"]])
    controllers = np.array([record["link_busy_fraction"] for record in document["link_controllers"]])
    b_links = np.array([record["busy_fraction"] for record in document["b_links"]])
    for key, found, each in (
        ("nodes", nodes, network.nodes),
        ("link_controllers", controllers, network.ports),
        ("b_links", b_links, network.switches),
    ):
        if found.size == 0 or found.size % each:
            raise RingletError(f"{key}: {found.size} of them do not belong to the scenario's network, which has {each}")
    ports = controllers.reshape(network.ports, -1).max(axis=1)
    of_port = network.interface_node == NONE
    links = np.where(of_port, ports[network.interface_port], nodes[network.interface_node])
    return Loads(
        links=links,
        rings=np.maximum.reduceat(links, network.ring_start[:-1]),
        switches=b_links.reshape(network.switches, -1).max(axis=1),
    )


def _busy(node: Mapping[str, Any]) -> float:
    """Returns the share of the time in which the link that leaves a node carries more than idles."""
    return float(sum(node["link"][use] for use, *_ in LINK_USES))


def _busiest(document: Mapping[str, Any]) -> str:
    """Says in words which link and which B-Link are busiest."""
    links = [(_busy(record), record["name"]) for record in document["nodes"]]
    links += [(one["link_busy_fraction"], one["name"]) for one in document["link_controllers"]]
    (link, start) = max(links, key=lambda part: part[0])
    b_link = max(document["b_links"], key=lambda one: one["busy_fraction"])
    return (
        f"busiest link: from {start}, {100 * link:z.0f} %; "
        f"busiest B-Link: {b_link['name']}, {100 * b_link['busy_fraction']:z.0f} %"
    )


def _is_alone(documents: Documents) -> bool:
    """Returns whether there is one run, whose network can be drawn."""
    return len(documents) == 1 and all(_is_drawn(document) for document in documents.values())


def _is_drawn(document: Mapping[str, Any]) -> bool:
    """Returns whether a run is of a network with switches, small enough to be drawn."""
    return bool(document.get("link_controllers")) and _scenario(document).routed_network[0].interfaces <= MAX_DRAWN


def _scenario(document: Mapping[str, Any]) -> Scenario:
    """Returns a scenario with the run's network, which is all that its drawing needs."""
    return Scenario.from_dict({"network": document["scenario"].get("network", {})})


def _colour(figure: "Figure", network: Network, loads: Loads, heat: "Colormap") -> None:
    from matplotlib.text import Annotation, Text

    # Only loads have colours.
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        text.set_color(drawing.INK)
        if isinstance(text, Annotation) and text.arrow_patch is not None:
            text.arrow_patch.set_color(drawing.INK)
    for kind, shares, fill in (
        ("ring", loads.rings, _fill_ring),
        ("switch", loads.switches, _fill_box),
        ("port", loads.links[network.port_interface], _fill_box),
        ("node", loads.links[network.node_interface], _fill_disc),
    ):
        for number, artist in drawing.tagged(figure, kind):
            fill(artist, heat(float(shares[number])))


def _fill_ring(artist: "Artist", colour: Colour) -> None:
    from matplotlib.lines import Line2D

    # A thin line has too little colour to compare.
    artist.set(linewidth=3.0, **({"color": colour} if isinstance(artist, Line2D) else {"edgecolor": colour}))


def _fill_box(artist: "Artist", colour: Colour) -> None:
    from matplotlib.lines import Line2D

    artist.set(**({"markerfacecolor": colour} if isinstance(artist, Line2D) else {"facecolor": colour}))


def _fill_disc(artist: "Artist", colour: Colour) -> None:
    artist.set(markerfacecolor=drawing.PAPER, markeredgecolor=colour, markeredgewidth=3.0)


CHART = RunChart(
    "network",
    "of one run with switches: the network as `ringlet topology` draws it, coloured by load. A node's edge and a port "
    "have the colour of the link that leaves them, a ring that of its busiest link, a switch that of its busiest "
    "B-Link; the title names the busiest ones, where the bottleneck is",
    network_chart,
    Takes,
    _is_alone,
)
