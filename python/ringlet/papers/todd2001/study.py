"""The part that all figures of the study share: lengths of runs, what is kept of them, and what the paper derives
without simulation (Section 4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.runs import Case
from ringlet.scenario import Scenario
from ringlet.simulation import Result

PAPER = "todd2001"
MB = 2**20
"""Bytes of the paper's MB: 610 MB/s are 64 bytes in 0.1 us."""
UNITS = "MB = 2^20 bytes"
"""Meaning of MB in words, for every axis and table."""
NODES = 8
READ_BYTES = 64
"""Data of one read64."""
LINK_BYTES_PER_US = 1000
"""1 GB/s."""
REQUEST_BYTES, RESPONSE_BYTES, ECHO_BYTES = 16, 80, 8
"""Packets of a read64, each of the two sends with its echo; idles are left out."""
CYCLE_US = 0.002
"""A symbol time at 1 GB/s."""
DESTINATION_NODE_CYCLES = 1
"""Cycles that the paper's latency counts beyond ours. Table 1 has links without delay and a delay of 1 cycle in each
*node*: a packet over h hops meets h + 1 nodes, its destination too, where ours counts h hop delays. Throughput does not
change."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The amount of simulation."""

    seeds: tuple[int, ...]
    """Every case runs once with each."""
    overrides: tuple[str, ...] = ()
    """Overrides of durations that are shorter than in the scenario files."""

    @property
    def quick(self) -> bool:
        """True if the study is a check, which leaves out what no row reads: the protocols' own settings."""
        return bool(self.overrides)


FULL = Scale(seeds=(1, 2, 3, 4, 5))
QUICK = Scale(seeds=(1, 2), overrides=("run.duration=0.4 ms", "run.warmup=0.1 ms"))


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a figure: a case under each seed. S seeds, P priorities in the order of the file, MB = 2^20
    bytes."""

    offered_MBps: NDArray[np.float64]  # noqa: N815 - the unit
    """Data of the reads that were generated, shape (S, P)."""
    throughput_MBps: NDArray[np.float64]  # noqa: N815 - the unit
    """Data of the reads that were completed, shape (S, P); 0 in a run that stalled."""
    latency_us: NDArray[np.float64]
    """Mean one-way latency of requests and responses as the paper counts it, shape (S, P); NaN without a delivery or
    after a stall."""
    mean_latency_us: NDArray[np.float64]
    """Mean one-way latency over all priorities, in us, shape (S,); NaN without a delivery or after a stall."""
    stalls: tuple[str, ...]
    """Words for what each run that stalled waited for."""

    @property
    def total_MBps(self) -> NDArray[np.float64]:  # noqa: N802 - the unit
        """Throughput of all priorities under each seed, shape (S,)."""
        return np.asarray(self.throughput_MBps.sum(axis=1))


def join(first: Point, others: Point) -> Point:
    """Returns the point under the seeds of both."""
    names = ("offered_MBps", "throughput_MBps", "latency_us", "mean_latency_us")
    arrays = {name: np.concatenate([getattr(first, name), getattr(others, name)]) for name in names}
    return Point(**arrays, stalls=first.stalls + others.stalls)


Results = Mapping[Case, Point]
"""Figures kept of each case, as `ringlet.papers.runs.simulate` returns them."""


def measure(scenario: Scenario, results: Sequence[Result]) -> Point:
    """Returns what is kept of a case."""
    priorities = _priorities(scenario)
    records = [[_record(result, priority) for priority in priorities] for result in results]
    alive = np.array([[result.stall is None] for result in results])
    return Point(
        offered_MBps=_table(records, "offered_MBps") * 1e6 / MB,
        throughput_MBps=np.where(alive, _table(records, "throughput_MBps") * 1e6 / MB, 0.0),
        latency_us=np.where(alive, _latency_us(records), np.nan),
        mean_latency_us=np.where(alive, _latency_us([[result.document["total"]] for result in results]), np.nan)[:, 0],
        stalls=tuple(str(result.stall["detail"]) for result in results if result.stall),
    )


def _priorities(scenario: Scenario) -> list[int]:
    listed = scenario.traffic.priorities
    return list(listed) if listed else [0]


def _record(result: Result, priority: int) -> Mapping[str, Any]:
    """The record of one priority; that of the whole ring where there is only one."""
    records = result.document.get("priorities") or [{"priority": priority, **result.document["total"]}]
    return next(record for record in records if record["priority"] == priority)


def _table(records: list[list[Mapping[str, Any]]], name: str) -> NDArray[np.float64]:
    return np.array([[record[name] for record in line] for line in records], dtype=np.float64)


def _latency_us(records: list[list[Mapping[str, Any]]]) -> NDArray[np.float64]:
    means = [[record["latency_ns"]["mean"] for record in line] for line in records]
    ours = np.array([[np.nan if mean is None else mean / 1e3 for mean in line] for line in means], dtype=np.float64)
    return ours + DESTINATION_NODE_CYCLES * CYCLE_US


def peak_GBps() -> float:  # noqa: N802 - the unit
    """Returns the most that reads of 64 bytes can get from a ring with uniform traffic, in 10^9 bytes per second.

    Packet and echo cross half of the links on average, so that the ring carries twice the link speed.
    """
    wire_bytes = REQUEST_BYTES + ECHO_BYTES + RESPONSE_BYTES + ECHO_BYTES
    links_crossed = wire_bytes / READ_BYTES * NODES / 2
    return NODES * LINK_BYTES_PER_US / links_crossed / 1e3


def service_limit_MBps(service_time_us: float) -> float:  # noqa: N802 - the unit
    """Returns what one node can serve, in 2^20 bytes per second."""
    return READ_BYTES / service_time_us * 1e6 / MB
