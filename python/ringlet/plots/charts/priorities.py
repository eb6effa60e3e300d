"""Throughput and latency of each send priority."""

from typing import Any

import numpy as np

from ringlet.plots.chart import Chart, Panel
from ringlet.plots.charts.run_chart import Figure, Part, RunChart, given, some
from ringlet.plots.documents import Document, Runs, number, offset_and_width, time_unit
from ringlet.plots.palette import look
from ringlet.plots.parts import Axis, Series
from ringlet.sections import Field


class Latency(Part):
    """Latencies of the packets of a priority."""

    min: Figure | None
    p50: Figure | None
    p99: Figure | None


class Priority(Part):
    """The record of a send priority."""

    priority: int
    throughput_MBps: Figure  # noqa: N815 - the unit
    throughput_ci95_MBps: Figure | None  # noqa: N815
    latency_ns: Latency


class Takes(Part):
    """The send priorities of a run; empty where there is one."""

    priorities: list[Priority] = Field(default=[])


def _several(document: Document) -> bool:
    return bool(document.get("priorities"))


def priority_chart(runs: Runs) -> Chart:
    """Throughput and latency of each send priority.

    Raises:
        RingletError: no run has several priorities.
    """
    found = {name: document["priorities"] for name, document in given(runs, _several, "several priorities").items()}
    levels = sorted({record["priority"] for records in found.values() for record in records})
    place = {level: float(i) for i, level in enumerate(levels)}
    unit, unit_ns = time_unit(
        number(record["latency_ns"][key]) for records in found.values() for record in records for key in ("p50", "p99")
    )
    throughput, latency = [], []
    for i, (name, records) in enumerate(found.items()):
        colour, marker, _ = look(i)
        offset, width = offset_and_width(i, len(found))
        looks: dict[str, Any] = {"colour": colour, "marker": marker, "offset": offset, "width": width}
        position = tuple(place[record["priority"]] for record in records)
        rate = np.array([record["throughput_MBps"] for record in records])
        half = np.array([number(record["throughput_ci95_MBps"]) for record in records])
        throughput.append(
            Series(
                name,
                position,
                tuple(rate.tolist()),
                low=tuple((rate - half).tolist()),
                high=tuple((rate + half).tolist()),
                mark="bars",
                **looks,
            )
        )
        times = [record["latency_ns"] for record in records]
        latency.append(
            Series(
                name,
                position,
                tuple(number(time["p50"]) / unit_ns for time in times),
                low=tuple(number(time["min"]) / unit_ns for time in times),
                high=tuple(number(time["p99"]) / unit_ns for time in times),
                mark="points",
                **looks,
            )
        )
    intervals = "lines: 95 % intervals" if any(one.has_interval for one in throughput) else ""
    axis = Axis("send priority", categories=tuple(str(level) for level in levels))
    return Chart(
        name="priorities",
        title="Throughput and latency of each priority",
        caption="Throughput with 95 % intervals; latency: median, lines from the shortest to the 99th percentile.",
        panels=(
            Panel(axis, Axis("throughput (MB/s)", low=0.0), tuple(throughput), note=intervals),
            Panel(
                axis,
                Axis(f"one-way latency ({unit})", scale="log"),
                tuple(latency),
                note="marks: medians; lines: shortest to 99th percentile",
            ),
        ),
        columns=2,
    )


CHART = RunChart(
    "priorities",
    "throughput and latency of each send priority, where there are several",
    priority_chart,
    Takes,
    some(_several),
)
