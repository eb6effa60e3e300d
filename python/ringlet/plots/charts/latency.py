"""Distribution of latency."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from ringlet.plots.chart import Chart, Panel
from ringlet.plots.charts.run_chart import MOST, Packets, Part, RunChart, check_bins
from ringlet.plots.documents import Runs, documents_of, time_unit
from ringlet.plots.palette import look
from ringlet.plots.parts import Axis, Series
from ringlet.sections import Field


class Distribution(Part):
    """The bins of a histogram of latencies."""

    upper_ns: list[Annotated[float, Field(gt=0, le=MOST)]]
    packets: list[Packets]

    def _fits_together(self, folder: Path) -> None:
        check_bins(self.upper_ns, self.packets, "upper_ns")


class OfPriority(Distribution):
    """The bins of a send priority."""

    priority: int


class Distributions(Part):
    """The bins of all packets, and of each send priority where there are several."""

    total: Distribution
    priorities: list[OfPriority] = Field(default=[])


class Takes(Part):
    """The distribution of latency."""

    latency_distribution: Distributions


def latency_chart(runs: Runs) -> Chart:
    """Share of the packets that take a time or longer; of a single run with priorities, for each of them."""
    documents = documents_of(runs)
    ((only, document),) = documents.items() if len(documents) == 1 else (("", {}),)
    each = document.get("latency_distribution", {}).get("priorities", []) if only else []
    shown = _sample(each)
    if each:
        named = [(f"priority {record['priority']}", record) for record in reversed(shown)]
    else:
        named = [(name, document["latency_distribution"]["total"]) for name, document in documents.items()]
    unit, unit_ns = time_unit(one for _, record in named for one in record["upper_ns"])
    series = []
    for i, (name, record) in enumerate(named):
        packets = np.array(record["packets"], dtype=np.float64)
        if not packets.size:
            continue
        # Shares of the packets in the first bin and all above it, in the second and above, ...: the last is above 0.
        as_long = np.cumsum(packets[::-1])[::-1] / packets.sum()
        colour, marker, dashes = look(i)
        series.append(
            Series(
                name,
                tuple(one / unit_ns for one in record["upper_ns"]),
                tuple(as_long.tolist()),
                # Between two bounds of the histogram nothing is known of where a packet lies.
                mark="stairs",
                colour=colour,
                # Without one, a single point would not be seen.
                marker=marker if packets.size == 1 else None,
                dashes=dashes,
            )
        )
    return Chart(
        name="latency",
        title="Latency",
        caption="Share of the packets whose one-way latency, from generation to the end of service, is the time below "
        "or "
        "longer. Where a curve passes 0.01 is its 99th percentile.",
        panels=(
            Panel(
                Axis(f"one-way latency ({unit})", scale="log"),
                Axis(
                    "share of packets that take as long or longer",
                    scale="log",
                    # A decade at least, so that no share above 1 stands at the axis.
                    low=0.1 if min((one.y[-1] for one in series), default=0.0) > 0.1 else None,
                    high=1.05,
                ),
                tuple(series),
                note=f"{len(shown)} of {len(each)} priorities" if len(shown) < len(each) else "",
            ),
        ),
        panel_inches=(6.4, 4.2),
    )


def _sample(records: Sequence[Any], most: int = 8) -> list[Any]:
    """Returns at most so many records, with the first and the last: a reader cannot distinguish more curves."""
    if len(records) <= most:
        return list(records)
    return [records[i] for i in np.linspace(0, len(records) - 1, most).round().astype(int)]


CHART = RunChart(
    "latency",
    "the share of the packets that take a time or longer: where the curve passes 0.01 is the 99th percentile; of a "
    "single run with priorities, a curve for each",
    latency_chart,
    Takes,
)
