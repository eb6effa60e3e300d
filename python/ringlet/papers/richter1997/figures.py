"""The paper's figures, from our results."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.published import figures_of
from ringlet.papers.richter1997.delays import FILES, READINGS, STRATEGIES, SWITCH, Strategy, points
from ringlet.papers.richter1997.study import PAPER, Point, Results, Scale
from ringlet.plots import Axis, Chart, Level, Panel, Series
from ringlet.plots.palette import Colour, Marker

LOOKS: dict[Strategy, tuple[Colour, Marker]] = {
    "constant": ("grey", "cross"),
    "linear": ("sky", "triangle"),
    "exponential": ("blue", "circle"),
}
DELAY = Axis("initial delay (µs)", scale="log")
RATE = Axis("packets (MB/s)", low=0.0)
LATENCY = Axis("one-way latency (µs)", low=0.0)
PUBLISHED = "published"
SWITCH_TITLE = "Figure 4.9 (b): a ring of four at a switch"


def paper_figures(results: Results, scale: Scale) -> tuple[Chart, ...]:
    """Returns the figures."""
    return (
        _chart(
            results,
            scale,
            "figure4-10",
            "Figure 4.10: three requesters, one slow responder",
            FILES["3:1"],
            (Level(PUBLISHED, _published("f10.limit"), detail="limit"),),
        ),
        _chart(
            results,
            scale,
            "figure4-11",
            "Figures 4.11 and 4.12: nine requesters, one slow responder",
            FILES["9:1"],
            tuple(
                Level(PUBLISHED, 1000 * _published(row), detail=detail)
                for row, detail in (("f11.none", "no delay"), ("f11.delay", "with a delay"))
            ),
        ),
        *([] if scale.quick else [_chart(results, scale, "figure4-9", SWITCH_TITLE, SWITCH, ())]),
    )


def _chart(results: Results, scale: Scale, name: str, title: str, file: str, levels: tuple[Level, ...]) -> Chart:
    """Both readings of the throughput, the retry traffic, and what a packet takes, over the initial delay."""
    literal, accepted = (
        Panel(DELAY, RATE, _curves(results, file, reading.values, scale), title=reading.name, levels=levels)
        for reading in READINGS
    )
    again = Panel(DELAY, RATE, _curves(results, file, _retry, scale), title="put on the ring again")
    taken = Panel(DELAY, LATENCY, _curves(results, file, _latency, scale), title="time of a packet")
    return Chart(
        name=name,
        title=title,
        caption="Packets on the link into the responder over the initial retry delay, in runs of 2 ms, and the mean "
        "time from the generation of a served packet to the end of its service; the delay 0 stands at 0.5 µs. "
        "Bars: smallest to largest over the seeds. Dashed: published.",
        panels=(literal, accepted, again, taken),
        columns=2,
        legend_title="retry delay",
        panel_inches=(3.6, 3.2),
        scenarios=(file,),
    )


def _curves(
    results: Results, file: str, values: Callable[[Point], NDArray[np.float64]], scale: Scale
) -> tuple[Series, ...]:
    series = []
    for strategy, (colour, marker) in LOOKS.items():
        each = {max(delay, 0.5): values(point) for delay, point in points(results, file, strategy, scale).items()}
        series.append(
            Series(
                strategy,
                tuple(each),
                tuple(float(found.mean()) for found in each.values()),
                low=tuple(float(found.min()) for found in each.values()),
                high=tuple(float(found.max()) for found in each.values()),
                colour=colour,
                marker=marker,
            )
        )
    assert len(series) == len(STRATEGIES)
    return tuple(series)


def _retry(point: Point) -> NDArray[np.float64]:
    return point.retry_MBps


def _latency(point: Point) -> NDArray[np.float64]:
    return point.latency_us


def _published(row: str) -> float:
    return next(figure.value for figure in figures_of(PAPER) if figure.id == f"{PAPER}.{row}")
