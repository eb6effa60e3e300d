"""Multistage networks: processors on the left, memories on the right, one column for each stage (richter1999, Figures
6.18 to 6.20)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ringlet.rings.banyan import Banyan
from ringlet.rings.drawing.style import FONT, INK, RINGS, box, canvas, node, ring_colour, tag
from ringlet.rings.network import Network

COLUMN, WIDTH, LINE = 4.2, 1.3, 0.9
"""Distance of columns, width of a switch, distance of lines."""


def draw_stages(network: Network, banyan: Banyan, title: str) -> Figure:
    """Draws a Banyan network, connected by ringlets or by long rings."""
    size, n = banyan.size, banyan.stages
    long_rings = network.ports == n * size
    figure, axes = canvas(title, 0.42 * COLUMN * (n + 1.6), 0.36 * LINE * size + 1)
    _draw_switches(axes, banyan)
    last = (n + 1) * COLUMN
    if long_rings:
        _draw_rings(axes, network, banyan, last)
    else:
        _draw_ringlets(axes, network, banyan, last)
    for line in range(size):
        node(axes, network, line, (0, _y(line)))
    memory_at = np.arange(size) if not long_rings else _memory_lines(network, banyan)
    for memory, line in enumerate(memory_at.tolist()):
        node(axes, network, size + memory, (last, _y(line)))
    axes.set_xlim(-1.6, last + 1.9)
    axes.set_ylim(_y(size - 1) - 1, 1.4)
    return figure


def _memory_lines(network: Network, banyan: Banyan) -> np.ndarray:
    """Returns the output line of each memory: that of its ring's straight path, or its own number where rings are
    closed one to one."""
    return banyan.straight if network.rings == banyan.size else np.arange(banyan.size)


def _draw_switches(axes: Axes, banyan: Banyan) -> None:
    s = banyan.radix
    for stage in range(banyan.stages):
        for switch in range(banyan.switches_per_stage):
            lowest = _y(switch * s + s - 1) - LINE * 0.35
            number = stage * banyan.switches_per_stage + switch
            box(axes, number, (stage + 1) * COLUMN - WIDTH / 2, lowest, WIDTH, LINE * (s - 0.3))
        axes.text((stage + 1) * COLUMN, 0.75, f"stage {stage}", ha="center", fontsize=FONT + 1, color=INK)


def _draw_ringlets(axes: Axes, network: Network, banyan: Banyan, last: float) -> None:
    """Draws each line as two links, one each way, and the exchange in every switch."""
    for column, wiring in enumerate(banyan.wirings):
        left = column * COLUMN + (WIDTH / 2 if column else 0.0)
        right = (column + 1) * COLUMN - (WIDTH / 2 if column < banyan.stages else 0.0)
        for line, after in enumerate(wiring.tolist()):
            ring = _ringlet(network, banyan, column, line, after)
            for part, offset in enumerate((-0.07, 0.07)):
                (link,) = axes.plot(
                    [left, right], [_y(line) + offset, _y(after) + offset], color=RINGS[0], linewidth=0.6, zorder=1
                )
                tag(link, "ring", ring, part)
    s = banyan.radix
    for stage in range(banyan.stages):
        for switch in range(banyan.switches_per_stage):
            ys = [_y(switch * s + port) for port in range(s)]
            for y in ys:
                for x in (-WIDTH / 2, WIDTH / 2):
                    axes.plot((stage + 1) * COLUMN + x, y, marker="s", markersize=4, color=INK, zorder=3)
            axes.plot([(stage + 1) * COLUMN] * 2, [ys[0], ys[-1]], color=INK, linewidth=1.6, zorder=3)
            for y in ys:
                axes.plot(
                    [(stage + 1) * COLUMN - WIDTH / 2, (stage + 1) * COLUMN + WIDTH / 2],
                    [y, y],
                    color=INK,
                    linewidth=0.6,
                    zorder=3,
                )


def _ringlet(network: Network, banyan: Banyan, column: int, line: int, after: int) -> int:
    """Returns the ringlet that leads from a line of one column to a line of the next."""
    if column == 0:
        return int(network.node_ring[line])
    if column == banyan.stages:
        return int(network.node_ring[banyan.size + after])
    # Behind those of processors and memories, stage by stage.
    return (column + 1) * banyan.size + line


def _draw_rings(axes: Axes, network: Network, banyan: Banyan, last: float) -> None:
    """Draws each ring in a colour: its straight path, its ports on the switches' B-Links, and where its memory's output
    leads."""
    ends = banyan.straight.tolist()
    path = np.vstack([np.arange(banyan.size), banyan.stage_lines, ends])
    ring_of = network.node_ring[: banyan.size].tolist()
    merged = network.rings != banyan.size
    for line in range(banyan.size):
        colour = ring_colour(ring_of[line])
        ys = [_y(each) for each in path[:, line].tolist()]
        xs, heights = [0.0], [ys[0]]
        for stage in range(1, banyan.stages + 1):
            xs += [stage * COLUMN - WIDTH / 2, stage * COLUMN + WIDTH / 2]
            heights += [ys[stage]] * 2
            (square,) = axes.plot(
                stage * COLUMN,
                ys[stage],
                marker="s",
                markersize=5,
                color=colour,
                markeredgecolor=INK,
                markeredgewidth=0.5,
                zorder=4,
            )
            tag(square, "port", (stage - 1) * banyan.size + int(path[stage, line]))
        (way,) = axes.plot([*xs, last], [*heights, ys[-1]], color=colour, linewidth=1.3, zorder=3)
        tag(way, "ring", ring_of[line], line)
        # Back to the processor that it came from, or straight back along the line.
        back = ends[line] if merged else line
        label = network.node_name(back)
        axes.annotate(
            "", (last + 1.15, ys[-1]), (last + 0.4, ys[-1]), arrowprops={"arrowstyle": "->", "color": colour, "lw": 1.1}
        )
        axes.text(last + 1.2, ys[-1], label, ha="left", va="center", fontsize=FONT - 1, color=colour)
        axes.annotate(
            "", (-0.4, _y(line)), (-1.15, _y(line)), arrowprops={"arrowstyle": "->", "color": colour, "lw": 1.1}
        )
    s = banyan.radix
    for stage in range(1, banyan.stages + 1):
        for switch in range(banyan.switches_per_stage):
            axes.plot(
                [stage * COLUMN] * 2, [_y(switch * s), _y(switch * s + s - 1)], color=INK, linewidth=1.6, zorder=3.5
            )


def _y(line: int) -> float:
    return -LINE * line
