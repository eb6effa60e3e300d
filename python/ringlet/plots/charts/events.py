"""Latency and losses of events at each builder."""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ringlet.plots.chart import Chart, Panel
from ringlet.plots.charts.run_chart import Figure, Name, Packets, Part, RunChart, given, some
from ringlet.plots.documents import Document, Runs, number, offset_and_width
from ringlet.plots.palette import look
from ringlet.plots.parts import Axis, Series
from ringlet.sections import Field

Builders = Sequence[Mapping[str, Any]]


class Builder(Part):
    """The record of a builder."""

    name: Name
    built: Packets
    lost: Packets
    incomplete: Packets
    latency_mean_ns: Figure | None
    latency_max_ns: Figure | None


class Takes(Part):
    """The builders of events; empty without event building."""

    builders: list[Builder] = Field(default=[])


def _builders(document: Document) -> bool:
    return bool(document.get("builders"))


def event_chart(runs: Runs) -> Chart:
    """Latency of the events of each builder, mean and largest, and the share of them that is lost.

    Raises:
        RingletError: no run builds events.
    """
    found = {name: document["builders"] for name, document in given(runs, _builders, "events").items()}
    names = list(dict.fromkeys(str(record["name"]) for records in found.values() for record in records))
    place = {name: float(i) for i, name in enumerate(names)}
    latencies, losses = [], []
    for i, (name, records) in enumerate(found.items()):
        colour, marker, _ = look(i)
        offset, width = offset_and_width(i, len(found))
        x = tuple(place[str(record["name"])] for record in records)
        mean = tuple(number(record["latency_mean_ns"]) / 1e3 for record in records)
        largest = tuple(number(record["latency_max_ns"]) / 1e3 for record in records)
        series = partial(Series, name, x, colour=colour, marker=marker, offset=offset, width=width)
        latencies.append(series(mean, low=mean, high=largest, mark="points"))
        losses.append(series(_shares_lost(records), mark="bars"))
    axis = Axis("builder", categories=tuple(name.removeprefix("node ") for name in names))
    return Chart(
        name="events",
        title="Latency and losses of events",
        caption="Above, the mean latency of the events that each builder has built, from the trigger to the last "
        "fragment, with a line up to the largest. Below, the share of its events that found its queue full or were "
        "given up. Triggers that are lost before they become an event are not among them.",
        panels=(
            Panel(axis, Axis("event latency (µs)", low=0.0), tuple(latencies), note="lines: up to the largest"),
            Panel(axis, Axis("events lost (%)", low=0.0), tuple(losses)),
        ),
        panel_inches=(max(5.0, min(12.0, 0.32 * len(names) + 2)), 2.6),
    )


def _shares_lost(records: Builders) -> tuple[float, ...]:
    """Returns the events that each builder lost or gave up, in percent of all that ended; NaN where none did."""
    lost = [record["lost"] + record["incomplete"] for record in records]
    ended = [each + record["built"] for each, record in zip(lost, records, strict=True)]
    return tuple(100 * each / all_of_it if all_of_it else math.nan for each, all_of_it in zip(lost, ended, strict=True))


CHART = RunChart(
    "events",
    "the latency of the events of each builder, mean and largest, and the share of them that is lost, where events are "
    "built",
    event_chart,
    Takes,
    some(_builders),
)
