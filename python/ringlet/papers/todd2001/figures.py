"""The paper's figures, from our results."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.published import figures_of
from ringlet.papers.todd2001 import figure8, figure9, figure10, figure11, nearest
from ringlet.papers.todd2001.curves import Curve
from ringlet.papers.todd2001.settings import LABELS, PROTOCOLS, Protocol
from ringlet.papers.todd2001.study import PAPER, UNITS, Point, Results, Scale
from ringlet.plots import Axis, Chart, Level, Panel, Series, with_common_ranges
from ringlet.plots.palette import INK, Colour, Marker

COLOURS: dict[Protocol, Colour] = {"sci": "grey", "ppq": "orange", "train": "blue", "dfc": "green"}
MARKERS: dict[Protocol, Marker] = {"sci": "cross", "ppq": "square", "train": "triangle", "dfc": "circle"}
SAMPLE_COLOURS: tuple[Colour, ...] = ("grey", "sky", "green", "orange", "vermilion", "purple")
SAMPLE_MARKERS: tuple[Marker, ...] = ("cross", "down", "diamond", "triangle", "square", "circle")
THROUGHPUT = Axis(f"throughput (MB/s, {UNITS})", low=0.0)
LATENCY = Axis("one-way latency (µs)", scale="log")
PER_NODE = Axis(f"offered load per node (MB/s, {UNITS})")
PER_PRIORITY = Axis(f"offered load per node and priority (MB/s, {UNITS})")
SERVICE_TIMES = {"a": "0.1 µs", "b": "1.0 µs"}
BARS = "Bars: smallest to largest over the seeds."
STALLED = "A run that stalled counts as 0 MB/s and has no latency."
PUBLISHED = "published"

Values = Callable[[Point], NDArray[np.float64]]
"""One value per seed, shape (seeds,)."""


def paper_figures(results: Results, scale: Scale) -> tuple[Chart, ...]:
    """Returns the figures."""
    return (
        *(figure8_chart(results, part, scale) for part in figure8.PARTS),
        *(figure9_chart(results, part, scale) for part in figure9.PARTS),
        figure10_chart(results, scale),
        figure11_chart(results, scale),
        *([] if scale.quick else [nearest_chart(results, scale)]),
    )


def figure8_chart(results: Results, part: str, scale: Scale) -> Chart:
    """Throughput and latency over the load, a panel each."""
    points = {protocol: figure8.curve(part, protocol).points(results, scale) for protocol in PROTOCOLS}
    levels = (
        tuple(
            Level(PUBLISHED, _published(f"f8a.{protocol}"), COLOURS[protocol], LABELS[protocol])
            for protocol in PROTOCOLS
        )
        if part == "a"
        else (Level(PUBLISHED, _published("f8b.plateau"), INK, "plateau"),)
    )
    throughput = tuple(_of_protocol(protocol, points[protocol], _total) for protocol in PROTOCOLS)
    latency = tuple(_of_protocol(protocol, points[protocol], _mean_latency) for protocol in PROTOCOLS)
    return Chart(
        name=f"figure8{part}",
        title=f"Figure 8{part}: one priority, service time {SERVICE_TIMES[part]}",
        caption=f"Throughput of the ring and mean one-way latency, common host. {BARS} Dashed: published.",
        panels=(Panel(PER_NODE, THROUGHPUT, throughput, levels=levels), Panel(PER_NODE, LATENCY, latency)),
        columns=2,
        scenarios=(f"figure8{part}.toml",),
    )


def figure9_chart(results: Results, part: str, scale: Scale) -> Chart:
    """Throughput and latency over the load, a row of panels for each priority."""
    points = {protocol: figure9.curve(part, protocol).points(results, scale) for protocol in PROTOCOLS}
    columns = []
    for axis, values in ((THROUGHPUT, _level_throughput), (LATENCY, _level_latency)):
        columns.append(
            with_common_ranges(
                [
                    Panel(
                        PER_PRIORITY,
                        axis,
                        tuple(_of_protocol(each, points[each], partial(values, level)) for each in PROTOCOLS),
                        title=f"{name} priority",
                    )
                    for level, name in reversed(list(enumerate(figure9.PRIORITIES)))
                ]
            )
        )
    return Chart(
        name=f"figure9{part}",
        title=f"Figure 9{part}: three priorities, service time {SERVICE_TIMES[part]}",
        caption=f"Throughput and mean one-way latency of each priority, common host. {BARS} {STALLED} "
        "Base SCI, which the paper leaves out, has prioritised queues and one go bit.",
        panels=tuple(panel for row in zip(*columns, strict=True) for panel in row),
        columns=2,
        panel_inches=(4.8, 2.9),
        scenarios=(f"figure9{part}.toml",),
    )


def figure10_chart(results: Results, scale: Scale) -> Chart:
    """The sampled priorities' throughput and latency, a column of panels for each protocol."""
    rows: list[Panel] = []
    for axis, values in ((THROUGHPUT, _level_throughput), (LATENCY, _level_latency)):
        panels = []
        for protocol in PROTOCOLS:
            points = figure10.curve(protocol).points(results, scale)
            looks = list(zip(figure10.SHOWN, SAMPLE_COLOURS, SAMPLE_MARKERS, strict=False))
            series = tuple(
                _curve(str(level), points, partial(values, level), colour, marker)
                for level, colour, marker in reversed(looks)
            )
            panels.append(Panel(PER_PRIORITY, axis, series, title=LABELS[protocol]))
        rows += with_common_ranges(panels)
    return Chart(
        name="figure10",
        title="Figure 10: five of 128 priorities",
        caption=f"Throughput and mean one-way latency of single priorities, common host, service time 0.1 µs. {BARS} "
        f"{STALLED} Base SCI, which the paper leaves out, has prioritised queues and one go bit.",
        panels=tuple(rows),
        columns=len(PROTOCOLS),
        legend_title="priority (127: highest)",
        panel_inches=(3.2, 3.2),
        scenarios=("figure10.toml",),
    )


def figure11_chart(results: Results, scale: Scale) -> Chart:
    """Throughput over the load for each share of hot requests, a panel per protocol."""
    ends = {"dfc": (560, 750), "ppq": (330, 500), "train": (330, 500)}
    panels = []
    for protocol in PROTOCOLS:
        series = []
        for percent, colour, marker in zip(figure11.HOT_PERCENTS, SAMPLE_COLOURS, SAMPLE_MARKERS, strict=True):
            points = figure11.curve(protocol, percent).points(results, scale)
            series.append(_curve(f"{percent} %", points, _total, colour, marker))
        levels = tuple(Level(PUBLISHED, value, INK, "end") for value in ends.get(protocol, ()))
        panels.append(Panel(PER_NODE, THROUGHPUT, tuple(series), title=LABELS[protocol], levels=levels))
    return Chart(
        name="figure11",
        title="Figure 11: one overloaded node",
        caption="Throughput of the ring by the share of requests that go to the hot node, common host, service time "
        f"0.1 µs. {BARS} Dashed: published ends; for PPQ and TRAIN the two together.",
        panels=with_common_ranges(panels),
        columns=len(PROTOCOLS),
        legend_title="requests to the hot node",
        panel_inches=(3.2, 3.8),
        scenarios=("figure11.toml",),
    )


def nearest_chart(results: Results, scale: Scale) -> Chart:
    """Figures 8 and 9 (in total) under the protocols' own settings, and dotted under the common host."""
    panels = []
    for place in ("8a", "8b", "9a", "9b"):
        series = []
        for curve in nearest.curves():
            if curve.file == f"figure{place}.toml":
                points = curve.points(results, scale)
                name = f"{LABELS[curve.protocol]}, {curve.setting.name}"
                line = _of_protocol(curve.protocol, points, _total, name)
                series += [line, _common(results, curve, scale)]
        panels.append(
            Panel(
                PER_NODE if place[0] == "8" else PER_PRIORITY,
                THROUGHPUT,
                tuple(series),
                title=f"Figure {place}{' (all priorities)' if place[0] == '9' else ''}",
            )
        )
    return Chart(
        name="nearest",
        title="Not the common host: each protocol's own setting, nearest to the paper",
        caption="Chosen by comparing with the paper, so a fit; no row rests on it. Lines: the protocol's own setting. "
        f"Dotted: the common host. {BARS}",
        panels=tuple(panels),
        columns=2,
        scenarios=("figure8a.toml", "figure8b.toml", "figure9a.toml", "figure9b.toml"),
    )


def _common(results: Results, curve: Curve, scale: Scale) -> Series:
    """Returns a curve's protocol and loads under the common host as a dotted line, for comparison only."""
    part = curve.file.removesuffix(".toml")[-1]
    common = (figure8 if curve.file.startswith("figure8") else figure9).curve(part, curve.protocol)
    name = f"{LABELS[curve.protocol]}, common host"
    line = _of_protocol(curve.protocol, common.points(results, scale), _total, name)
    return replace(line, low=(), high=(), dashes="dotted", marker=None)


def _of_protocol(protocol: Protocol, points: dict[float, Point], values: Values, name: str = "") -> Series:
    return _curve(name or LABELS[protocol], points, values, COLOURS[protocol], MARKERS[protocol])


def _curve(name: str, points: dict[float, Point], values: Values, colour: Colour, marker: Marker) -> Series:
    """Mean, smallest and largest over the seeds; a load at which no seed has a value is left out."""
    each = {load: values(point) for load, point in points.items()}
    seen = {load: found[np.isfinite(found)] for load, found in each.items() if np.isfinite(found).any()}
    return Series(
        name,
        tuple(seen),
        tuple(float(found.mean()) for found in seen.values()),
        low=tuple(float(found.min()) for found in seen.values()),
        high=tuple(float(found.max()) for found in seen.values()),
        colour=colour,
        marker=marker,
    )


def _total(point: Point) -> NDArray[np.float64]:
    return point.total_MBps


def _mean_latency(point: Point) -> NDArray[np.float64]:
    return point.mean_latency_us


def _level_throughput(level: int, point: Point) -> NDArray[np.float64]:
    return point.throughput_MBps[:, level]


def _level_latency(level: int, point: Point) -> NDArray[np.float64]:
    return point.latency_us[:, level]


def _published(row: str) -> float:
    return next(figure.value for figure in figures_of(PAPER) if figure.id == f"{PAPER}.{row}")
