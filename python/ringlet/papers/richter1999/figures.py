"""The chapter's figures, from our results."""

from dataclasses import dataclass, replace

from ringlet.papers.published import figures_of
from ringlet.papers.richter1999 import testbeds
from ringlet.papers.richter1999.choices import READINGS
from ringlet.papers.richter1999.study import PAPER, Point, Results, Scale
from ringlet.papers.richter1999.systems import (
    FIRST_GRADE,
    FOUR_LONG,
    OMEGA_RINGLETS,
    SECOND_GRADE,
    SYSTEMS,
    TWO_LONG,
    TWO_RINGLETS,
    Curve,
    System,
    curve,
)
from ringlet.plots import Axis, Chart, Panel, Series
from ringlet.plots.palette import Colour, Look, Marker

INPUT = Axis("gross input (MB/s)")
OUTPUT = Axis("payload (MB/s)", low=0.0)
LATENCY = Axis("latency (ns)", scale="log")
BLOCK = Axis("block (bytes)", scale="log")
RATE = Axis("throughput (MB/s)", low=0.0)
ELAPSED = Axis("latency (µs)", scale="log")
LOOKS = {"dmove64": Look("blue", "square", "solid"), "nwrite64": Look("orange", "circle", "dashed")}
"""Looks of the readings: where both are equal, the one below is seen between dashes and at the corners of its marks."""
ASIDE = {"dmove64": -0.12, "nwrite64": 0.12}
"""Places of the bars of latency beside their points, in steps of the input, so that none hides another."""


@dataclass(frozen=True, slots=True)
class Stated:
    """The text on a system, by row id without the paper: input at which it holds, in MB/s, and the rows."""

    output: tuple[tuple[float, str], ...]
    loss: tuple[tuple[float, str], ...]
    latency: tuple[tuple[float, str], ...]


STATED: dict[System, Stated] = {
    TWO_RINGLETS: Stated(
        ((250, "f21.ringlet.sat.out"),), ((1000, "f21.ringlet.loss"),), ((200, "f22.ringlet.latency"),)
    ),
    TWO_LONG: Stated(((900, "f21.long.sat.out"),), ((1000, "f21.long.loss"),), ((850, "f23.long.latency"),)),
    FOUR_LONG: Stated(((1800, "f24.long4.sat.out"),), ((2000, "f24.long4.loss"),), ((1700, "f24.long4.latency"),)),
    OMEGA_RINGLETS: Stated(
        ((2000, "f25.omega.sat.out"),),
        ((2000, "f25.omega.loss.sat"), (8000, "f25.omega.loss.8000")),
        ((1600, "f25.omega.latency"),),
    ),
    FIRST_GRADE: Stated(((7200, "f26.first.sat.out"),), (), ((6400, "f26.first.latency"),)),
    SECOND_GRADE: Stated(((7200, "f27.second.sat.out"),), (), ((6800, "f27.second.latency"),)),
}
FIGURES = {
    TWO_RINGLETS: ("figure6-21-ringlets", "Figures 6.21 and 6.22"),
    TWO_LONG: ("figure6-21-long-rings", "Figures 6.21 and 6.23"),
    FOUR_LONG: ("figure6-24", "Figure 6.24"),
    OMEGA_RINGLETS: ("figure6-25", "Figure 6.25"),
    FIRST_GRADE: ("figure6-26", "Figure 6.26"),
    SECOND_GRADE: ("figure6-27", "Figure 6.27"),
}
BED_LOOKS: tuple[tuple[Colour, Marker], ...] = (
    ("grey", "cross"),
    ("sky", "down"),
    ("green", "diamond"),
    ("orange", "triangle"),
    ("vermilion", "square"),
    ("purple", "circle"),
)


def paper_figures(results: Results, scale: Scale) -> tuple[Chart, ...]:
    """Returns the figures."""
    beds = (_testbed_chart(results, scale), _testbed_latency_chart(results, scale))
    return (*(_system_chart(results, system, scale) for system in SYSTEMS), *beds)


def _system_chart(results: Results, system: System, scale: Scale) -> Chart:
    """Output, losses and latency over the input, under both readings, beside what the text states."""
    curves = [curve(results, system, reading, scale) for reading in READINGS]
    stated = STATED[system]
    panels = (
        Panel(INPUT, OUTPUT, (*(_output(line) for line in curves), _stated(stated.output)), title="output"),
        Panel(INPUT, OUTPUT, (*(_loss(line) for line in curves), *_stated_if(stated.loss)), title="losses"),
        Panel(INPUT, LATENCY, (*(_latency(line) for line in curves), _stated(stated.latency)), title="latency"),
    )
    name, place = FIGURES[system]
    return Chart(
        name=name,
        title=f"{place}: {system.title}",
        caption="Output, losses at injection and latency over the gross input of all processors. Latency: mean, and "
        "bars from the least to the largest of any packet, a little apart so that none hides another; with nwrite64 "
        "of requests and responses. Crosses: published.",
        panels=panels,
        columns=3,
        panel_inches=(3.6, 3.2),
        scenarios=(system.file,),
    )


def _testbed_chart(results: Results, scale: Scale) -> Chart:
    """Throughput over the block size on the test beds."""
    series = _bed_series({bed: bed.rates_MBps(results, scale) for bed in testbeds.BEDS})
    stated = ((64, "f4.one"), (256, "f8.max"), (512, "f8.drop"))
    return Chart(
        name="figure6-2",
        title="Figures 6.2 to 6.8: throughput of the test beds over the block size",
        caption="From memory to memory, simulated with a bridge whose times are fitted. Crosses: published.",
        panels=(Panel(BLOCK, RATE, (*series, _stated(stated))),),
        panel_inches=(6.4, 4.4),
        scenarios=("testbed-1-write.toml", "testbed-1-read.toml", "testbed-2.toml"),
    )


def _testbed_latency_chart(results: Results, scale: Scale) -> Chart:
    """Latency over the block size on the test beds."""
    series = _bed_series({bed: testbeds.latencies_us(results, bed, scale) for bed in testbeds.BEDS})
    published = {figure.id: figure for figure in figures_of(PAPER)}
    small = [published[f"{PAPER}.{row}"] for row in ("f5.small", "f5.check")]
    ends = Series(
        "published",
        (float(testbeds.SMALL),) * len(small),
        tuple((each.value + (each.value_hi or each.value)) / 2 for each in small),
        low=tuple(each.value for each in small),
        high=tuple(each.value_hi or each.value for each in small),
        mark="points",
        marker="cross",
    )
    return Chart(
        name="figure6-9",
        title="Figures 6.3, 6.5 and 6.9 to 6.11: latency of the test beds over the block size",
        caption=f"From the begin of a block until the next one may begin, {testbeds.APART_US:g} us of pause between "
        "them; simulated with a bridge whose times are fitted. Crosses with bars: the published ranges of small "
        "blocks.",
        panels=(Panel(BLOCK, ELAPSED, (*series, ends)),),
        panel_inches=(6.4, 4.4),
        scenarios=("testbed-1-write.toml", "testbed-2.toml"),
    )


def _bed_series(curves: dict[testbeds.Bed, dict[int, float]]) -> list[Series]:
    """Returns a line for each test bed, by block size."""
    return [
        Series(bed.name, tuple(map(float, curve)), tuple(curve.values()), colour=colour, marker=marker)
        for (bed, curve), (colour, marker) in zip(curves.items(), BED_LOOKS, strict=True)
    ]


def _inputs(line: Curve) -> tuple[float, ...]:
    return tuple(float(rate * line.system.processors) for rate in line.points)


def _output(line: Curve) -> Series:
    return _line(line, tuple(point.output_MBps for point in line.points.values()))


def _loss(line: Curve) -> Series:
    return _line(line, tuple(point.loss_MBps for point in line.points.values()))


def _latency(line: Curve) -> Series:
    points: list[Point] = list(line.points.values())
    first, second, *_ = _inputs(line)
    return replace(
        _line(line, tuple(point.mean_latency_ns for point in points)),
        low=tuple(point.least_latency_ns for point in points),
        high=tuple(point.largest_latency_ns for point in points),
        offset=ASIDE[line.reading.name] * (second - first),
    )


def _line(line: Curve, y: tuple[float, ...]) -> Series:
    look = LOOKS[line.reading.name]
    return Series(line.reading.name, _inputs(line), y, colour=look.colour, marker=look.marker, dashes=look.dashes)


def _stated(rows: tuple[tuple[float, str], ...]) -> Series:
    published = {figure.id: figure.value for figure in figures_of(PAPER)}
    values = tuple(published[f"{PAPER}.{row}"] for _, row in rows)
    return Series("published", tuple(x for x, _ in rows), values, mark="points", marker="cross")


def _stated_if(rows: tuple[tuple[float, str], ...]) -> tuple[Series, ...]:
    return (_stated(rows),) if rows else ()
