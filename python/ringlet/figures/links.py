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
        shares = found.per_cycle(
            [count * each / each_link for count, each in zip(symbols, found.symbol_cycles, strict=True)]
        )
        slow_links = found.scenario.resolved.slow_links
        return [_of_slow_link(found, use, node) if node in slow_links else one for node, one in enumerate(shares)]

    return values


def _of_slow_link(found: Found, use: str, node: int) -> float:
    """Returns the share of the time in which a slow link carries such symbols.

    What its node sends stays on it for longer; one that is sent more than it carries is never idle.
    """
    slowness = float(found.scenario.resolved.slow_links[node])
    sent = {one: int(found.counter(f"link_{one}_symbols")[node]) for one in LINK_USES}
    cycles = sum(sent.values())
    busy = slowness * (cycles - sent["idle"])
    if use == "idle":
        return max(0.0, 1 - busy / cycles) if cycles else 0.0
    return slowness * sent[use] / max(cycles, busy) if cycles else 0.0


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
