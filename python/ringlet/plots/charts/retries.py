"""Shares of packets by how often they are sent again before they are accepted."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.plots.chart import Chart, Panel
from ringlet.plots.charts.run_chart import Packets, Part, RunChart, check_bins, given, some
from ringlet.plots.documents import Document, Runs, offset_and_width
from ringlet.plots.palette import look
from ringlet.plots.parts import Axis, Series
from ringlet.sections import Field

EXACT = 8
"""Numbers of retries below this have a bar each; from there on each bar reaches to the next power of two."""


class Retries(Part):
    """The bins of a histogram of retries."""

    retries: list[Packets]
    packets: list[Packets]

    def _fits_together(self, folder: Path) -> None:
        check_bins(self.retries, self.packets, "retries")


class Distribution(Part):
    """The bins of all packets."""

    total: Retries


class Takes(Part):
    """The distribution of retries; runs stored before it was counted have none."""

    retry_distribution: Distribution | None = Field(default=None)


def has_retries(document: Document) -> bool:
    """Returns whether a packet of a run was accepted after it had been sent again; of runs stored before that was
    counted, false."""
    distribution = document.get("retry_distribution")
    return distribution is not None and any(distribution["total"]["retries"])


def retry_chart(runs: Runs) -> Chart:
    """Share of the packets that were accepted after each number of retries.

    Raises:
        RingletError: no run has a packet that was sent again and accepted.
    """
    documents = given(runs, has_retries, "packets that were sent again and accepted")
    found = {name: _shares(document["retry_distribution"]["total"]) for name, document in documents.items()}
    bars = max(len(shares) for shares in found.values())
    series = []
    for i, (name, shares) in enumerate(found.items()):
        colour, marker, _ = look(i)
        offset, width = offset_and_width(i, len(found))
        there = np.flatnonzero(shares)
        series.append(
            Series(
                name,
                tuple(there.astype(float).tolist()),
                tuple(shares[there].tolist()),
                mark="bars",
                colour=colour,
                marker=marker,
                offset=offset,
                width=width,
            )
        )
    return Chart(
        name="retries",
        title="Retries of each packet",
        caption="Share of the accepted packets, by how often their node sent them again before that. Packets that "
        "still wait at the end, and those that were given up, are not in it.",
        panels=(
            Panel(
                Axis("retries of a packet", categories=tuple(_bar_name(bar) for bar in range(bars))),
                Axis("share of packets", scale="log", high=1.2),
                tuple(series),
            ),
        ),
        panel_inches=(max(5.0, 0.45 * bars + 1.5), 3.6),
    )


def _shares(record: Mapping[str, Any]) -> NDArray[np.float64]:
    """Returns the share of packets in each bar, up to the last that has any."""
    retries, packets = np.array(record["retries"], dtype=np.int64), np.array(record["packets"], dtype=np.float64)
    octave = np.frexp(np.maximum(retries, 1).astype(np.float64))[1] - 1
    bar = np.where(retries < EXACT, retries, octave + EXACT - int(np.log2(EXACT)))
    shares: NDArray[np.float64] = np.bincount(bar, weights=packets) / packets.sum()
    return shares


def _bar_name(bar: int) -> str:
    """Returns the numbers of retries that a bar has, such as `3` or `16-31`."""
    if bar < EXACT:
        return str(bar)
    least = EXACT << (bar - EXACT)
    return f"{least}-{2 * least - 1}"


CHART = RunChart(
    "retries",
    "the share of the packets that were accepted after each number of retries, where any was sent again",
    retry_chart,
    Takes,
    some(has_retries),
)
