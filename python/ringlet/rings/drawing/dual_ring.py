"""Dual rings: one ring inside the other, stations across both, nodes outside."""

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from ringlet.rings.drawing.style import INK, SWITCH, canvas, node, ring_colour, tag
from ringlet.rings.network import Network

SPACING = 1.2
"""Distance of neighbouring stations."""

APART = 0.6
"""Distance between the two rings."""

OUT = 1.1
"""Distance from the outer ring to the nodes."""


def draw_dual_ring(network: Network, title: str) -> Figure:
    """Draws two rings of which the second one leads the other way through the switches of the first."""
    stations = network.switches
    outer = max(stations * SPACING / (2 * math.pi), 2 * APART)
    reach = outer + OUT + 0.6
    figure, axes = canvas(title, 0.42 * 2 * reach, 0.42 * 2 * reach + 0.5)
    for ring, radius, way in ((stations, outer, 1), (stations + 1, outer - APART, -1)):
        tag(draw_ring(axes, radius, way, stations, ring_colour(ring)), "ring", ring)
    for station in range(stations):
        out = out_of(station, stations)
        ends = np.stack([(outer - APART) * out, (outer + OUT) * out])
        (own,) = axes.plot(*ends.T, color=INK, linewidth=1.4, zorder=1)
        tag(own, "ring", int(network.node_ring[station]))
        ports = range(network.switch_start[station], network.switch_start[station + 1])
        for radius, ring in ((outer, stations), (outer - APART, stations + 1)):
            (place,) = axes.plot(
                *(radius * out),
                marker="s",
                markersize=5,
                color=ring_colour(ring),
                markeredgecolor=INK,
                markeredgewidth=0.5,
            )
            tag(place, "port", next(port for port in ports if network.port_ring[port] == ring))
        middle = (outer - APART / 2) * out
        (square,) = axes.plot(*middle, marker="s", markersize=9, color=SWITCH, markeredgecolor=INK, zorder=3)
        tag(square, "switch", station)
        node(axes, network, station, (outer + OUT) * out)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    return figure


def out_of(place: float, places: int) -> np.ndarray:
    """Returns the direction of a place, clockwise from the top."""
    angle = math.pi / 2 - 2 * math.pi * place / places
    return np.array([math.cos(angle), math.sin(angle)])


def draw_ring(axes: Axes, radius: float, way: int, stations: int, colour: str) -> Circle:
    """Draws a ring whose links lead one way through stations, or, with `way` -1, the other."""
    circle = Circle((0, 0), radius, fill=False, edgecolor=colour, linewidth=1.5, zorder=1.5)
    axes.add_patch(circle)
    # An arrow on each link says where it leads.
    for link in range(stations):
        middle = out_of(link + 0.5, stations)
        along = way * np.array([middle[1], -middle[0]])
        axes.annotate(
            "",
            (radius * middle + 0.12 * along).tolist(),
            (radius * middle - 0.12 * along).tolist(),
            arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.2},
            zorder=3,
        )
    return circle
