"""Tori of rings: k-ary n-cubes in which every row of routers is one ring.

The routers that agree in all coordinates but one are on one ring: whatever the distance, it is one ring to travel.
Routes correct the last dimension first, the first one last (dimension order), which cannot deadlock. Router
`x_1 + k_1 (x_2 + k_2 (x_3 + ...))` is at `(x_1, x_2, ...)`.
"""

from collections.abc import Sequence

import numpy as np

from ringlet.rings.network import IntArray, Names, Network, Role, at_port
from ringlet.rings.routes import Entries, Routes, nested


def torus_of_ringlets(shape: list[int], concentration: int) -> tuple[Network, Routes]:
    """Returns a torus whose routers have a ring for their own nodes: port 0; ports 1 to n belong to the dimensions.

    Args:
        shape: routers in each dimension.
        concentration: nodes on each router's own ring; 1 makes it a ringlet.
    """
    grid = _Grid(shape)
    routers, dimensions = np.arange(grid.routers), len(shape)
    nodes = np.arange(grid.routers * concentration).reshape(-1, concentration)
    own = np.concatenate([nodes, at_port(routers * (dimensions + 1))[:, None]], axis=1)
    blocks = [own, *(at_port(grid.rows(i) * (dimensions + 1) + i + 1) for i in range(dimensions))]
    network = _network(grid, blocks, dimensions + 1, nodes.size)
    ports = routers[:, None] * (dimensions + 1) + np.arange(dimensions + 1)
    ring_entries: list[Entries] = [(routers, routers * 0, ports[:, 0])]
    first_ring = grid.routers
    for i in range(dimensions):
        rows = grid.rows(i)
        ring = first_ring + np.arange(len(rows))[:, None]
        # In this dimension a packet has only the ones before left to correct.
        ring_entries.append((ring, grid.corner(rows, i), ports[rows, i + 1]))
        first_ring += len(rows)
    levels = [(grid.strides[i + 1], ports[:, i + 1]) for i in reversed(range(dimensions))] + [(1, ports[:, 0])]
    switch_entries = nested(routers, routers, levels, offset=routers * 0)
    address = np.repeat(routers, concentration)
    return network, Routes.from_entries(network, address, grid.routers, ring_entries, switch_entries)


def torus_of_long_rings(shape: list[int], concentration: int) -> tuple[Network, Routes]:
    """Returns a torus whose nodes are on the rings of the first dimension, behind their router's port; a router has a
    port for each dimension.

    A packet for another row leaves its own at its destination's column.
    """
    grid = _Grid(shape)
    routers, dimensions = np.arange(grid.routers), len(shape)
    nodes = np.arange(grid.routers * concentration).reshape(-1, concentration)
    rows = grid.rows(0)
    at_router = np.concatenate([at_port(routers * dimensions)[:, None], nodes], axis=1)
    blocks = [at_router[rows].reshape(len(rows), -1)]
    blocks += [at_port(grid.rows(i) * dimensions + i) for i in range(1, dimensions)]
    network = _network(grid, blocks, dimensions, nodes.size)
    ports = routers[:, None] * dimensions + np.arange(dimensions)
    # Addresses have the column in front, so that a column's are together.
    column, row = routers % shape[0], routers // shape[0]
    ring_entries: list[Entries] = [(np.arange(len(rows))[:, None], column[rows] * len(rows), ports[rows, 0])]
    rest = _Grid(shape[1:])
    first_ring = len(rows)
    for i in range(1, dimensions):
        line = grid.rows(i)
        ring = first_ring + np.arange(len(line))[:, None]
        ring_entries.append((ring, column[line] * len(rows) + rest.corner(row[line], i - 1), ports[line, i]))
        first_ring += len(line)
    levels = [(rest.strides[i], ports[:, i]) for i in reversed(range(1, dimensions))] + [(1, ports[:, 0])]
    switch_entries = nested(routers, row, levels, offset=column * len(rows))
    address = np.repeat(column * len(rows) + row, concentration)
    return network, Routes.from_entries(network, address, grid.routers, ring_entries, switch_entries)


class _Grid:
    """Routers and their coordinates."""

    def __init__(self, shape: Sequence[int]) -> None:
        self.shape = shape
        self.strides: list[int] = np.cumprod([1, *shape]).tolist()
        """Distance of neighbours in each dimension and, at the end, how many routers there are."""

    @property
    def routers(self) -> int:
        return int(self.strides[-1])

    def rows(self, dimension: int) -> IntArray:
        """Returns the routers that differ in one dimension only; shape (rows, routers in a row)."""
        stride, length = self.strides[dimension], self.shape[dimension]
        return np.arange(self.routers).reshape(-1, length, stride).swapaxes(1, 2).reshape(-1, length)

    def corner(self, router: IntArray, dimension: int) -> IntArray:
        """Returns the lowest router with the same coordinates in this dimension and those behind it."""
        return router - router % self.strides[dimension]


def _network(grid: _Grid, blocks: list[IntArray], ports: int, nodes: int) -> Network:
    def switch(number: int) -> str:
        place = ", ".join(
            str(number // stride % length) for stride, length in zip(grid.strides, grid.shape, strict=False)
        )
        return f"router ({place})"

    roles = np.full(nodes, Role.COMPUTER, dtype=np.int8)
    switch_start = np.arange(grid.routers + 1) * ports
    return Network.from_blocks(blocks, switch_start=switch_start, roles=roles, names=Names(switch=switch))
