"""The part that all figures of the study share: lengths of runs, and the quantities that are kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.runs import Case
from ringlet.scenario import Scenario
from ringlet.scenario.values.units import magnitude
from ringlet.simulation import Result

PAPER = "richter1997"
UNITS = "MB = 10^6 bytes"
"""Meaning of the units of rows, axes and tables."""
RINGS = 4
"""Rings of the switch's scenario file, each with as many requesters."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The amount of simulation."""

    seeds: tuple[int, ...]
    """Every case runs once with each."""
    delays_us: tuple[float, ...]
    """Initial delays."""
    lengths_ms: tuple[float, ...]
    """Run lengths at which the gain is looked for."""
    quick: bool = False
    """True if the study is a check, which leaves out what no row reads."""


FULL = Scale(
    seeds=(1, 2, 3, 4, 5),
    delays_us=(0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000),
    lengths_ms=(0.5, 2, 8, 32),
)
QUICK = Scale(seeds=(1, 2), delays_us=(0, 1, 20, 100, 2000), lengths_ms=(0.5, 2), quick=True)


@dataclass(frozen=True, slots=True)
class Point:
    """The figures kept of a case, rates in MB/s of packet bytes on one ring; one value per seed."""

    accepted_MBps: NDArray[np.float64]  # noqa: N815 - the unit
    """Rate that the slow responder served; with a switch the mean over its rings."""
    raw_MBps: NDArray[np.float64]  # noqa: N815 - the unit
    """Packets put on the ring for the first time, on the link into the responder, where all pass."""
    retry_MBps: NDArray[np.float64]  # noqa: N815 - the unit
    """Packets put on the ring again."""
    latency_us: NDArray[np.float64]
    """Mean one-way latency of the packets that were served, from generation to the end of service."""


def join(first: Point, others: Point) -> Point:
    """Returns the point under the seeds of both."""
    names = ("accepted_MBps", "raw_MBps", "retry_MBps", "latency_us")
    return Point(*(np.concatenate([getattr(first, name), getattr(others, name)]) for name in names))


Results = Mapping[Case, Point]
"""Figures kept of each case, as `ringlet.papers.runs.simulate` returns them."""


def measure(scenario: Scenario, results: Sequence[Result]) -> Point:
    """Returns what is kept of a case."""
    rings = RINGS if scenario.network.switched else 1
    requesters = scenario.network.nodes // rings if rings > 1 else scenario.network.nodes - 1
    last = [requesters * (ring + 1) - 1 for ring in range(rings)]
    link_MBps = magnitude(scenario.resolved.fastest_link_rate, "MB/s")

    def on_link(result: Result, use: str) -> float:
        return link_MBps * float(np.mean([result.document["nodes"][node]["link"][use] for node in last]))

    return Point(
        accepted_MBps=np.array([result.document["total"]["throughput_MBps"] / rings for result in results]),
        raw_MBps=np.array([on_link(result, "send") for result in results]),
        retry_MBps=np.array([on_link(result, "retry") for result in results]),
        latency_us=np.array([result.document["total"]["latency_ns"]["mean"] / 1e3 for result in results]),
    )
