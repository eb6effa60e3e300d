"""Throughput over time of runs in which parts fail."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from ringlet.plots.chart import Chart, Panel
from ringlet.plots.charts.run_chart import Figure, Part, RunChart, given, some
from ringlet.plots.documents import Runs
from ringlet.plots.palette import look
from ringlet.plots.parts import Axis, Series
from ringlet.sections import Field

POINTS = 100
"""Points of a curve: each is the mean of as many bins of time as that takes."""


class Service(Part):
    """Throughput over time."""

    bin_ns: Annotated[float, Field(gt=0)]
    throughput_MBps: list[Figure] = Field(min_length=1)  # noqa: N815 - the unit


class Failure(Part):
    """The record of a part that fails."""

    fails_at_ns: Figure


class Losses(Part):
    """The errors of a run."""

    failures: list[Failure] = Field(default=[])
    service: Service | None = Field(default=None)


class Takes(Part):
    """The errors of a run; None without any."""

    errors: Losses | None = Field(default=None)


def service_chart(runs: Runs) -> Chart:
    """Throughput of all nodes over time.

    Raises:
        RingletError: in no run anything fails.
    """
    found = given(runs, _service, "a link, node or switch that fails")
    curves, failures = [], set[float]()
    for i, (name, document) in enumerate(found.items()):
        service = _service(document)
        rates = np.array(service["throughput_MBps"])
        ends = np.linspace(0, len(rates), min(POINTS, len(rates)) + 1).astype(np.int64)
        middles = tuple(float((first + end) / 2 * service["bin_ns"] / 1e3) for first, end in pairwise(ends))
        means = tuple(float(rates[first:end].mean()) for first, end in pairwise(ends))
        curves.append(Series(name, middles, means, colour=look(i).colour, marker=None, dashes=look(i).dashes))
        failures |= {failure["fails_at_ns"] / 1e3 for failure in document["errors"]["failures"]}
    times = ", ".join(f"{time:g}" for time in sorted(failures))
    return Chart(
        name="service",
        title="Throughput over time",
        caption=f"Throughput of all nodes from the start of the simulation, each point the mean of a hundredth of it. "
        f"Failures at {times} µs.",
        panels=(
            Panel(
                Axis("time (µs)", low=0.0),
                Axis("throughput (MB/s)", low=0.0),
                tuple(curves),
                note=f"failures at {times} µs",
            ),
        ),
        panel_inches=(6.0, 3.0),
    )


def _service(document: Mapping[str, Any]) -> Mapping[str, Any]:
    service: Mapping[str, Any] = document.get("errors", {}).get("service", {})
    return service


CHART = RunChart(
    "service",
    "throughput over time, where a link, node or switch fails ([](../how-to/failures.md))",
    service_chart,
    Takes,
    some(_service),
)
