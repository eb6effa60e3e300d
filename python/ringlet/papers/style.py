"""How the papers' figures look."""

from matplotlib.axes import Axes

GREY, ORANGE, BLUE, GREEN, VERMILION, SKY, PURPLE = (
    "#777777",
    "#E69F00",
    "#0072B2",
    "#009E73",
    "#D55E00",
    "#56B4E9",
    "#CC79A7",
)
"""Okabe and Ito's colour-blind-safe palette, and a grey."""


def plain(axes: Axes) -> None:
    """Leaves two axes and faint lines of equal height."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
