"""Figures of links: the load of each."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ringlet.document.figure import Figure, Values
from ringlet.figures.by_part import by_node
from ringlet.figures.measurements import Found
from ringlet.lazy import library

if TYPE_CHECKING:
    import numpy as np
else:
    np = library("numpy")

LINK_USES: Mapping[str, tuple[str, str]] = {
    "send": ("send packets", "send packets that are sent for the first time"),
    "retry": ("packets sent again", "send packets that are sent again"),
    "echo": ("echoes", "echoes"),
    "control": ("control symbols", "what a protocol sends of its own"),
    "idle": ("idles", "idles"),
}
"""Uses of a link to which a symbol may belong: in short, and in a sentence."""


def _share(use: str) -> Values:
    def values(found: Found) -> Sequence[float]:
        symbols = found.counter(f"link_{use}_symbols")
        each_link = found.links_of_node
        return found.per_cycle(
            [count * each / each_link for count, each in zip(symbols, found.symbol_cycles, strict=True)]
        )

    return values


def _mean(shares: Sequence[float]) -> float:
    return float(np.mean(shares))


LINKS = tuple(
    Figure(
        f"link_{use}_fraction",
        f"links: {words}",
        f"Share of the time in which the link that leaves the node, or the mean of two links, carries {what}; in total "
        "the mean of all nodes' links.",
        unit="share of time",
        values=by_node(_share(use), total=_mean),
        at=("link", use),
    )
    for use, (words, what) in LINK_USES.items()
)
