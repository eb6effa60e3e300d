"""The style of drawings."""

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from ringlet.rings.network import Network, Role

INK, PAPER, SWITCH = "#333333", "#ffffff", "#e8e8e8"

ROLES = {Role.PROCESSOR: "#56B4E9", Role.MEMORY: "#E69F00", Role.COMPUTER: "#9ad3b5"}
"""Fill of each kind of node, from Okabe and Ito's colour-blind-safe palette."""

RINGS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#777777", "#B8860B", "#56B4E9", "#882255")
"""Colours of rings, used in turn."""

FONT = 7


def canvas(title: str, width: float, height: float) -> tuple[Figure, Axes]:
    """Returns a figure of some inches, at most 40 each way, and its axes, on which x and y are equally long."""
    figure = Figure(figsize=(min(max(width, 4), 40), min(max(height, 2.5), 40)), layout="constrained")
    axes = figure.add_subplot()
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set_title(title, fontsize=FONT + 3, color=INK)
    return figure, axes


def ring_colour(ring: int) -> str:
    """Returns the colour of a ring; it differs from those of rings a few numbers, or a power of two, away."""
    return RINGS[(ring + ring // len(RINGS)) % len(RINGS)]


def tag(artist: Artist, kind: str, number: int, part: int = 0) -> None:
    """Names an artist as a part of a ring, switch, port or node, so that a page or a plot can find and colour it."""
    artist.set_gid(f"{kind}-{number}.{part}")


def tagged(figure: Figure, kind: str) -> Iterator[tuple[int, Artist]]:
    """Yields the artists that are parts of rings, switches, ports or nodes, with their numbers."""
    for artist in figure.findobj(include_self=False):
        name = artist.get_gid() or ""
        found, _, rest = name.partition("-")
        if found == kind:
            yield int(rest.partition(".")[0]), artist


def node(axes: Axes, network: Network, number: int, place: Sequence[float] | np.ndarray) -> None:
    """Draws a node as a disc with its name."""
    colour, name = ROLES[Role(int(network.roles[number]))], network.node_name(number)
    (disc,) = axes.plot(
        place[0], place[1], marker="o", markersize=15, color=colour, markeredgecolor=INK, markeredgewidth=0.6, zorder=4
    )
    tag(disc, "node", number)
    font = FONT if len(name) < 3 else FONT * 2.6 / len(name)
    axes.text(place[0], place[1], name, ha="center", va="center_baseline", fontsize=font, color=INK, zorder=5)


def box(axes: Axes, switch: int, left: float, bottom: float, width: float, height: float, label: str = "") -> None:
    """Draws a switch."""
    shape = FancyBboxPatch(
        (left, bottom),
        width,
        height,
        boxstyle="round,pad=0,rounding_size=0.12",
        facecolor=SWITCH,
        edgecolor=INK,
        linewidth=0.8,
        zorder=2,
    )
    axes.add_patch(shape)
    tag(shape, "switch", switch)
    if label:
        axes.text(
            left + width / 2, bottom + height / 2, label, ha="center", va="center", fontsize=FONT, color=INK, zorder=6
        )
