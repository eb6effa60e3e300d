"""Dual-attached rings: one ring inside the other, through the same nodes."""

import math

import numpy as np
from matplotlib.figure import Figure

from ringlet.rings.drawing.dual_ring import APART, SPACING, draw_ring, out_of
from ringlet.rings.drawing.style import INK, canvas, node, ring_colour, tag
from ringlet.rings.network import Network


def draw_dual_attached(network: Network, title: str) -> Figure:
    """Draws two rings, of which the second one leads the other way, and the nodes that are on both."""
    nodes = network.nodes
    outer = max(nodes * SPACING / (2 * math.pi), 2 * APART)
    reach = outer + APART
    figure, axes = canvas(title, 0.42 * 2 * reach, 0.42 * 2 * reach + 0.5)
    for ring, radius, way in ((0, outer, 1), (1, outer - APART, -1)):
        tag(draw_ring(axes, radius, way, nodes, ring_colour(ring)), "ring", ring)
    for number in range(nodes):
        out = out_of(number, nodes)
        axes.plot(*np.stack([(outer - APART) * out, outer * out]).T, color=INK, linewidth=4, zorder=2)
        node(axes, network, number, (outer - APART / 2) * out)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    return figure
