"""The paper's figures, drawn from our results."""

from collections.abc import Callable
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ringlet.papers.published import figures_of
from ringlet.papers.reproduction import PaperFigure
from ringlet.papers.style import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION, plain
from ringlet.papers.todd2001 import figure8, figure9, figure10, figure11, nearest
from ringlet.papers.todd2001.curves import Curve
from ringlet.papers.todd2001.settings import LABELS, PROTOCOLS, Protocol
from ringlet.papers.todd2001.study import PAPER, UNITS, Point, Results, Scale

COLOURS: dict[Protocol, str] = {"sci": GREY, "ppq": ORANGE, "train": BLUE, "dfc": GREEN}
MARKERS: dict[Protocol, str] = {"sci": "x", "ppq": "s", "train": "^", "dfc": "o"}
SAMPLE_COLOURS = (GREY, SKY, GREEN, ORANGE, VERMILION, PURPLE)
SAMPLE_MARKERS = ("x", "v", "D", "^", "s", "o")
THROUGHPUT = f"throughput (MB/s, {UNITS})"
PER_NODE = f"offered load per node (MB/s, {UNITS})"
PER_PRIORITY = f"offered load per node and priority (MB/s, {UNITS})"
LATENCY = "one-way latency (µs)"
SERVICE_TIMES = {"a": "0.1 µs", "b": "1.0 µs"}

Values = Callable[[Point], NDArray[np.float64]]
"""One value per seed, shape (seeds,)."""


def paper_figures(results: Results, scale: Scale) -> tuple[PaperFigure, ...]:
    """Returns the figures, to be drawn when they are needed."""
    return (
        *(
            PaperFigure(
                name=f"figure8{part}",
                title=f"Figure 8{part}: one priority, service time {SERVICE_TIMES[part]}",
                caption=f"Throughput of the ring and mean one-way latency, common host. {BARS} Dashed: published.",
                draw=partial(draw_figure8, results, part, scale),
            )
            for part in figure8.PARTS
        ),
        *(
            PaperFigure(
                name=f"figure9{part}",
                title=f"Figure 9{part}: three priorities, service time {SERVICE_TIMES[part]}",
                caption=f"Throughput and mean one-way latency of each priority, common host. {BARS} Base SCI, which the "
                "paper leaves out, has prioritised queues and one go bit.",
                draw=partial(draw_figure9, results, part, scale),
            )
            for part in figure9.PARTS
        ),
        PaperFigure(
            name="figure10",
            title="Figure 10: five of 128 priorities",
            caption=f"Throughput and mean one-way latency of single priorities, common host, service time 0.1 µs. {BARS} "
            "Base SCI, which the paper leaves out, has prioritised queues and one go bit.",
            draw=partial(draw_figure10, results, scale),
        ),
        PaperFigure(
            name="figure11",
            title="Figure 11: one overloaded node",
            caption=f"Throughput of the ring by the share of requests that go to the hot node, common host, service time "
            f"0.1 µs. {BARS} Dashed: published ends; for PPQ and TRAIN the two together.",
            draw=partial(draw_figure11, results, scale),
        ),
        PaperFigure(
            name="nearest",
            title="Not the common host: each protocol's own setting, nearest to the paper",
            caption="Chosen by comparing with the paper, so a fit; no row rests on it. Lines: the protocol's own setting. "
            f"Dotted: the common host. {BARS}",
            draw=partial(draw_nearest, results, scale),
        ),
    )


BARS = "Bars: smallest to largest over the seeds."


def draw_figure8(results: Results, part: str, scale: Scale) -> Figure:
    """Draws throughput and latency over the load, a panel each."""
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    throughput, latency = figure.subplots(1, 2)
    for protocol in PROTOCOLS:
        points = figure8.curve(part, protocol).points(results, scale)
        _draw(throughput, points, _total, protocol)
        _draw(latency, points, lambda point: point.mean_latency_us, protocol)
    if part == "a":
        for protocol in PROTOCOLS:
            throughput.axhline(_published(f"f8a.{protocol}"), color=COLOURS[protocol], linestyle="--", linewidth=0.8)
    else:
        throughput.axhline(_published("f8b.plateau"), color="black", linestyle="--", linewidth=0.8)
    _finish_pair(throughput, latency, PER_NODE)
    throughput.set_ylim(bottom=0)
    throughput.legend(frameon=False)
    return figure


def draw_figure9(results: Results, part: str, scale: Scale) -> Figure:
    """Draws throughput and latency over the load, a row of panels for each priority."""
    figure = Figure(figsize=(10, 9), layout="constrained")
    panels = figure.subplots(len(figure9.PRIORITIES), 2, sharex=True, sharey="col")
    for line, level in zip(panels, reversed(range(len(figure9.PRIORITIES))), strict=True):
        for protocol in PROTOCOLS:
            points = figure9.curve(part, protocol).points(results, scale)
            _draw(line[0], points, partial(_level_throughput, level), protocol)
            _draw(line[1], points, partial(_level_latency, level), protocol)
        _finish_pair(line[0], line[1], PER_PRIORITY if level == 0 else "")
        for axes in line:
            axes.set_title(f"{figure9.PRIORITIES[level]} priority", fontsize="medium")
    panels[0][0].set_ylim(bottom=0)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    return figure


def draw_figure10(results: Results, scale: Scale) -> Figure:
    """Draws the sampled priorities' throughput and latency, a column of panels for each protocol."""
    figure = Figure(figsize=(11, 6.4), layout="constrained")
    panels = figure.subplots(2, len(PROTOCOLS), sharex=True, sharey="row")
    for (throughput, latency), protocol in zip(panels.T, PROTOCOLS, strict=True):
        points = figure10.curve(protocol).points(results, scale)
        for level, colour, marker in zip(figure10.SHOWN, SAMPLE_COLOURS, SAMPLE_MARKERS, strict=False):
            _draw_line(throughput, points, partial(_level_throughput, level), colour, marker, str(level))
            _draw_line(latency, points, partial(_level_latency, level), colour, marker, str(level))
        throughput.set_title(LABELS[protocol], fontsize="medium")
        latency.set_yscale("log")
        for axes in (throughput, latency):
            plain(axes)
    panels[0][0].set_ylim(bottom=0)
    panels[0][0].set_ylabel(THROUGHPUT)
    panels[1][0].set_ylabel(LATENCY)
    figure.supxlabel(PER_PRIORITY, fontsize="medium")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(
        handles[::-1], labels[::-1], loc="outside upper center", ncols=5, frameon=False, title="priority (127: highest)"
    )
    return figure


def draw_figure11(results: Results, scale: Scale) -> Figure:
    """Draws throughput over the load for each share of hot requests, a panel per protocol."""
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    panels = figure.subplots(1, len(PROTOCOLS), sharey=True)
    for axes, protocol in zip(panels, PROTOCOLS, strict=True):
        for percent, colour, marker in zip(figure11.HOT_PERCENTS, SAMPLE_COLOURS, SAMPLE_MARKERS, strict=True):
            points = figure11.curve(protocol, percent).points(results, scale)
            _draw_line(axes, points, _total, colour, marker, f"{percent} %")
        published = {"dfc": (560, 750), "ppq": (330, 500), "train": (330, 500)}.get(protocol, ())
        for value in published:
            axes.axhline(value, color="black", linestyle="--", linewidth=0.8)
        axes.set_title(LABELS[protocol], fontsize="medium")
        plain(axes)
    panels[0].set_ylim(bottom=0)
    panels[0].set_ylabel(THROUGHPUT)
    figure.supxlabel(PER_NODE, fontsize="medium")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=6, frameon=False, title="requests to the hot node")
    return figure


def draw_nearest(results: Results, scale: Scale) -> Figure:
    """Draws Figures 8 and 9 (in total) under the protocols' own settings, and dotted under the common host."""
    figure = Figure(figsize=(10, 7.6), layout="constrained")
    places = ("8a", "8b", "9a", "9b")
    for place, axes in zip(places, figure.subplots(2, 2).flat, strict=True):
        for curve in nearest.curves():
            if curve.file == f"figure{place}.toml":
                _draw(axes, curve.points(results, scale), _total, curve.protocol, curve.setting.name)
                _draw_common(axes, results, curve, scale)
        axes.set_title(f"Figure {place}{' (all priorities)' if place[0] == '9' else ''}", fontsize="medium")
        axes.set_xlabel(PER_NODE if place[0] == "8" else PER_PRIORITY)
        axes.set_ylabel(THROUGHPUT)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False)
        plain(axes)
    return figure


def _draw_common(axes: Axes, results: Results, curve: Curve, scale: Scale) -> None:
    part = curve.file.removesuffix(".toml")[-1]
    common = (figure8 if curve.file.startswith("figure8") else figure9).curve(part, curve.protocol)
    points = common.points(results, scale)
    means = [point.total_MBps.mean() for point in points.values()]
    axes.plot(list(points), means, color=COLOURS[curve.protocol], linestyle=":", linewidth=1)


def _draw(axes: Axes, points: dict[float, Point], values: Values, protocol: Protocol, more: str = "") -> None:
    label = f"{LABELS[protocol]}, {more}" if more else LABELS[protocol]
    _draw_line(axes, points, values, COLOURS[protocol], MARKERS[protocol], label)


def _draw_line(axes: Axes, points: dict[float, Point], values: Values, colour: str, marker: str, label: str) -> None:
    loads = np.array(list(points))
    each = np.stack([values(point) for point in points.values()])
    seen = np.isfinite(each).any(axis=1)
    loads, each = loads[seen], each[seen]
    mean = np.nanmean(each, axis=1) if len(each) else np.array([])
    ends = np.stack([np.nanmin(each, axis=1), np.nanmax(each, axis=1)]) if len(each) else np.zeros((2, 0))
    axes.errorbar(
        loads,
        mean,
        yerr=np.abs(ends - mean),
        color=colour,
        marker=marker,
        markersize=4,
        linewidth=1.2,
        elinewidth=0.8,
        label=label,
    )


def _finish_pair(throughput: Axes, latency: Axes, load: str) -> None:
    throughput.set_ylabel(THROUGHPUT)
    latency.set_ylabel(LATENCY)
    latency.set_yscale("log")
    for axes in (throughput, latency):
        axes.set_xlabel(load)
        plain(axes)


def _total(point: Point) -> NDArray[np.float64]:
    return point.total_MBps


def _level_throughput(level: int, point: Point) -> NDArray[np.float64]:
    return point.throughput_MBps[:, level]


def _level_latency(level: int, point: Point) -> NDArray[np.float64]:
    return point.latency_us[:, level]


def _published(row: str) -> float:
    return next(figure.value for figure in figures_of(PAPER) if figure.id == f"{PAPER}.{row}")
