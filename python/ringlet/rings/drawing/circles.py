"""Any network: every ring is a circle with its nodes and ports, every switch a box between them."""

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from ringlet.lazy import library
from ringlet.rings.drawing.style import FONT, INK, SWITCH, canvas, node, ring_colour, tag
from ringlet.rings.network import NONE, Network

if TYPE_CHECKING:
    import networkx as nx
else:
    nx = library("networkx")

Points = np.ndarray
"""Places in the plane; shape (places, 2)."""

SPACING = 1.0
"""Distance of neighbours on a ring."""

GAP = 1.6
"""Distance between circles for which the layout is made."""

LEAST_GAP = 0.7
"""Least distance between circles: the discs of two nodes that face each other do not touch."""


def draw_circles(network: Network, title: str) -> Figure:
    """Draws the network; the layout is that in which distances on paper are most like those in the network (Kamada and
    Kawai)."""
    radii = np.maximum(network.ring_lengths * SPACING / (2 * math.pi), 0.75)
    rings, switches = _places(network, radii)
    corner = (
        np.max(np.abs(np.concatenate([rings + radii[:, None], rings - radii[:, None], switches])), axis=0, initial=1)
        + 0.8
    )
    figure, axes = canvas(title, 0.42 * 2 * corner[0], 0.42 * 2 * corner[1] + 0.5)
    angles = [_first_angle(network, ring, rings, switches) for ring in range(network.rings)]
    for ring in range(network.rings):
        _draw_ring(axes, network, ring, rings[ring], float(radii[ring]), angles[ring])
    for port in range(network.ports):
        ring = int(network.port_ring[port])
        at = _interface_place(network, int(network.port_interface[port]), rings[ring], float(radii[ring]), angles[ring])
        end = switches[network.port_switch[port]]
        axes.plot([at[0], end[0]], [at[1], end[1]], color=INK, linewidth=1.4, zorder=1)
    for switch in range(network.switches):
        (square,) = axes.plot(*switches[switch], marker="s", markersize=11, color=SWITCH, markeredgecolor=INK, zorder=3)
        tag(square, "switch", switch)
        if network.switches > 1:
            _label(axes, network.names.switch(switch), switches[switch] + np.array([0, -0.55]), INK)
    axes.set_xlim(-corner[0], corner[0])
    axes.set_ylim(-corner[1], corner[1])
    return figure


def _places(network: Network, radii: np.ndarray) -> tuple[Points, Points]:
    """Returns where the centres of rings and the switches are, with no circle in another."""
    if network.rings == 1:
        return np.zeros((1, 2)), np.zeros((0, 2))
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(network.rings + network.switches))
    for ring, switch in zip(network.port_ring.tolist(), network.port_switch.tolist(), strict=True):
        graph.add_edge(ring, network.rings + switch, length=float(radii[ring]) + GAP / 2)
    found = nx.kamada_kawai_layout(graph, weight="length")
    places = np.array([found[vertex] for vertex in range(network.rings + network.switches)])
    places -= (places.max(axis=0) + places.min(axis=0)) / 2
    sizes = np.concatenate([radii, np.full(network.switches, 0.3)])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    needed = sizes[:, None] + sizes[None] + LEAST_GAP
    places *= float((needed / np.maximum(apart, 1e-3)).max())
    return places[: network.rings], places[network.rings :]


def _first_angle(network: Network, ring: int, rings: Points, switches: Points) -> float:
    """Returns the angle of a ring's first interface: the one with which its ports are nearest to their switches."""
    first, end = network.ring_start[ring], network.ring_start[ring + 1]
    ports = network.interface_port[first:end]
    places = np.flatnonzero(ports != NONE)
    if len(places) == 0:
        return math.pi / 2
    towards = switches[network.port_switch[ports[places]]] - rings[ring]
    wanted = np.arctan2(towards[:, 1], towards[:, 0]) + 2 * math.pi * places / (end - first)
    return float(np.angle(np.exp(1j * wanted).sum()))


def _interface_place(
    network: Network, interface: int, centre: np.ndarray, radius: float, first_angle: float
) -> np.ndarray:
    ring = network.interface_ring[interface]
    place = interface - network.ring_start[ring]
    angle = first_angle - 2 * math.pi * place / network.ring_lengths[ring]
    return centre + radius * np.array([math.cos(angle), math.sin(angle)])


def _draw_ring(axes: Axes, network: Network, ring: int, centre: np.ndarray, radius: float, first_angle: float) -> None:
    colour = ring_colour(ring)
    circle = Circle((centre[0], centre[1]), radius, fill=False, edgecolor=colour, linewidth=1.5, zorder=1.5)
    axes.add_patch(circle)
    tag(circle, "ring", ring)
    _label(axes, network.names.ring(ring), centre, colour)
    length = int(network.ring_lengths[ring])
    for place in range(length):
        interface = int(network.ring_start[ring]) + place
        at = _interface_place(network, interface, centre, radius, first_angle)
        number = int(network.interface_node[interface])
        if number == NONE:
            (square,) = axes.plot(
                *at, marker="s", markersize=5, color=colour, markeredgecolor=INK, markeredgewidth=0.5, zorder=2
            )
            tag(square, "port", int(network.interface_port[interface]))
        else:
            node(axes, network, number, at)
    # Links run clockwise; an arrow halfway behind the first interface says so.
    angle = first_angle - math.pi / max(length, 1)
    tip = centre + radius * np.array([math.cos(angle), math.sin(angle)])
    along = np.array([math.sin(angle), -math.cos(angle)])
    axes.annotate(
        "",
        (tip + 0.12 * along).tolist(),
        (tip - 0.12 * along).tolist(),
        arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.2},
        zorder=3,
    )


def _label(axes: Axes, name: str, place: np.ndarray, colour: str) -> None:
    """Writes a name without the word that says what it names."""
    short = name.split(" ", 1)[-1].strip("'")
    axes.text(place[0], place[1], short, ha="center", va="center", fontsize=FONT, color=colour, zorder=4)
