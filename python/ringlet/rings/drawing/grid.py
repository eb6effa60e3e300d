"""Tori of two dimensions: a grid of routers; every row and every column is a ring."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from ringlet.rings.drawing.style import RINGS, box, canvas, node, tag
from ringlet.rings.network import NONE, Network

STEP, HALF = 3.0, 0.42
"""Distance of routers and half the width of one."""

SHOWN_NODES = 4
"""Nodes of a router that are drawn one by one."""


def draw_grid(network: Network, shape: tuple[int, int], title: str) -> Figure:
    """Draws a torus; the first dimension runs to the right, the second one upwards."""
    columns, rows = shape
    figure, axes = canvas(title, 0.42 * STEP * (columns + 0.8), 0.42 * STEP * (rows + 0.8))
    concentration = network.nodes // (columns * rows)
    own_rings = bool(network.interface_port[network.ring_start[0]] == NONE)
    bow = 0.55 if own_rings else STEP - HALF - 0.4
    # Routers' own rings come first.
    first_ring = columns * rows if own_rings else 0
    right, top = (columns - 1) * STEP, (rows - 1) * STEP
    for row in range(rows):
        along = (0.0, row * STEP), (right, row * STEP)
        _draw_ring(axes, first_ring + row, along, columns, RINGS[0], bow)
    for column in range(columns):
        up = (column * STEP, 0.0), (column * STEP, top)
        _draw_ring(axes, first_ring + rows + column, up, rows, RINGS[1], 0.55)
    for router in range(columns * rows):
        x, y = router % columns * STEP, router // columns * STEP
        box(axes, router, x - HALF, y - HALF, 2 * HALF, 2 * HALF, f"{router % columns}, {router // columns}")
        _draw_nodes(
            axes, network, range(router * concentration, (router + 1) * concentration), (x, y), own_rings=own_rings
        )
    axes.set_xlim(-1.6, right + max(1.9, HALF + bow + 0.3))
    axes.set_ylim(-1.6, top + 1.9)
    return figure


def _draw_ring(
    axes: Axes,
    ring: int,
    ends: tuple[tuple[float, float], tuple[float, float]],
    routers: int,
    colour: str,
    bow: float,
) -> None:
    """Draws the links from router to router, and the one back from the last, which goes on for `bow` before it
    turns."""
    first, last = ends
    across, up = (last[0] - first[0]) / (routers - 1), (last[1] - first[1]) / (routers - 1)
    reach = 0.0 if up == 0 else HALF, 0.0 if across == 0 else HALF
    for each in range(routers - 1):
        tail = first[0] + each * across + reach[1], first[1] + each * up + reach[0]
        head = first[0] + (each + 1) * across - reach[1], first[1] + (each + 1) * up - reach[0]
        tag(_arrow(axes, tail, head, colour), "ring", ring, each)
    start, end = (last[0] + reach[1], last[1] + reach[0]), (first[0] - reach[1], first[1] - reach[0])
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    if up == 0:
        xs, ys = (
            (start[0], start[0] + bow, start[0] + bow, end[0] - 0.55, end[0] - 0.55),
            (start[1], start[1], start[1] - 0.8, start[1] - 0.8, end[1]),
        )
    else:
        xs, ys = (
            (start[0], start[0], start[0] - 0.8, start[0] - 0.8, end[0]),
            (start[1], start[1] + bow, start[1] + bow, end[1] - 0.65, end[1] - 0.65),
        )
    (back,) = axes.plot(xs, ys, color=colour, linewidth=0.8, linestyle=(0, (4, 2)), zorder=0.5)
    tag(back, "ring", ring, routers)
    tag(_arrow(axes, (xs[-1], ys[-1]), end, colour), "ring", ring, routers + 1)


def _arrow(axes: Axes, tail: tuple[float, float], head: tuple[float, float], colour: str) -> FancyArrowPatch:
    arrow = FancyArrowPatch(
        tail, head, arrowstyle="-|>", mutation_scale=7, color=colour, linewidth=1.2, shrinkA=0, shrinkB=0, zorder=1
    )
    axes.add_patch(arrow)
    return arrow


def _draw_nodes(axes: Axes, network: Network, nodes: range, place: tuple[float, float], *, own_rings: bool) -> None:
    """Draws the nodes of a router: on a ring of their own in its corner, or behind its port on the row's ring."""
    shown = nodes[:SHOWN_NODES]
    if not own_rings:
        for step, number in enumerate(shown):
            x = place[0] + HALF + (step + 1) * (STEP - 2 * HALF) / (len(shown) + 1)
            node(axes, network, number, (x, place[1]))
        if len(nodes) > len(shown):
            axes.text(
                place[0] + STEP / 2, place[1] + 0.45, f"and {len(nodes) - len(shown)} more", ha="center", fontsize=6
            )
        return
    corner = place[0] + HALF, place[1] + HALF
    for step, number in enumerate(shown):
        end = corner[0] + 0.45 + 0.55 * step, corner[1] + 0.5
        node(axes, network, number, end)
    head = corner[0] + 0.45, corner[1] + 0.5
    ring = nodes[0] // len(nodes)
    for part, bend in enumerate((0.35, -0.35)):
        arc = FancyArrowPatch(
            corner,
            head,
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-",
            color=RINGS[2],
            linewidth=1.1,
            zorder=1.5,
        )
        axes.add_patch(arc)
        tag(arc, "ring", ring, part)
    if len(shown) > 1:
        (line,) = axes.plot(
            [head[0], head[0] + 0.55 * (len(shown) - 1)], [head[1]] * 2, color=RINGS[2], linewidth=1.1, zorder=1.5
        )
        tag(line, "ring", ring, 2)
    if len(nodes) > len(shown):
        axes.text(corner[0] + 0.3, corner[1] + 0.85, f"and {len(nodes) - len(shown)} more", fontsize=6)
