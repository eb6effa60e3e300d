"""Rings of rings: a tree of rings in which each ring is joined to the one above it by a bridge, a switch with two
ports."""

from collections.abc import Sequence

import numpy as np

from ringlet.rings.network import IntArray, Names, Network, Role, at_port
from ringlet.rings.routes import Entries, Routes, nested

BELOW, ABOVE = 0, 1
"""Ports of a bridge."""


def ring_of_rings(shape: Sequence[int]) -> tuple[Network, Routes]:
    """Returns a hierarchy of rings.

    Args:
        shape: nodes on each ring of the lowest level, then how many rings of each level are joined by one of the next;
            two numbers or more. The last ring joins all.
    """
    widths = np.cumprod([1, *shape[1:]]).tolist()
    lowest = widths[-1]
    """Rings with nodes, and so addresses."""
    blocks, ring_entries, switch_entries = [], list[Entries](), list[Entries]()
    children: IntArray = np.arange(lowest * shape[0]).reshape(lowest, shape[0])
    first = 0
    for level, width in enumerate(widths):
        rings = first + np.arange(lowest // width)
        top = level == len(widths) - 1
        block = children if top else np.concatenate([children, at_port(2 * rings + BELOW)[:, None]], axis=1)
        blocks.append(block)
        number = rings - first
        if not top:
            ring_entries.append((rings, rings * 0, 2 * rings + BELOW))
            levels = [(lowest, 2 * rings + ABOVE), (width, 2 * rings + BELOW)]
            switch_entries += nested(rings, number * width, levels, offset=rings * 0)
        if level > 0:
            down = at_port(children)
            ring_entries.append(
                (rings[:, None], number[:, None] * width + np.arange(shape[level]) * (width // shape[level]), down)
            )
            if not top:
                behind = (number + 1) * width
                left = behind < lowest
                ring_entries.append((rings[left], behind[left], 2 * rings[left] + BELOW))
        first += len(rings)
        if not top:
            children = at_port(2 * rings + ABOVE).reshape(-1, shape[level + 1])
    bridges = first - 1
    network = Network.from_blocks(
        blocks,
        switch_start=np.arange(bridges + 1) * 2,
        roles=np.full(lowest * shape[0], Role.COMPUTER, dtype=np.int8),
        names=Names(switch="bridge {}".format),
    )
    address = np.repeat(np.arange(lowest), shape[0])
    return network, Routes.from_entries(network, address, lowest, ring_entries, switch_entries)
