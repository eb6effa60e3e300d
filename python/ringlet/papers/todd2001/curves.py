"""Curves of the figures: one protocol over the offered load."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ringlet.papers.measurement import Measurement, common_seeds, jointly, largest, mean_interval, mean_run
from ringlet.papers.runs import Case
from ringlet.papers.todd2001.settings import COMMON, Protocol, Setting
from ringlet.papers.todd2001.study import NODES, PAPER, Point, Results, Scale

LOW_LOAD = 1.0
"""The lowest load of the paper, MB/s per node and priority: where latencies "at low loading levels" are read."""
STILL_LOW_LOAD = 10.0
"""The paper does not say which levels are low: the latency at this one stands beside, in MB/s per node and priority."""
SUSTAINED_LOADS = (125.0, 150.0)
"""The two highest loads of a figure, in MB/s per node and priority: a throughput called sustained is their mean."""
LOADS = (LOW_LOAD, STILL_LOW_LOAD, 25.0, 36.0, 50.0, 75.0, 90.0, 100.0, *SUSTAINED_LOADS)
"""Loads of Figure 8, in MB/s per node."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One protocol under one setting, over the load of one figure."""

    file: str
    protocol: Protocol
    loads_MBps: tuple[float, ...]  # noqa: N815 - the unit
    """Offered load per node and priority."""
    setting: Setting = COMMON
    priorities: int = 1
    hot_percent: int | None = None
    """Share of the requests that go to the hot node, which sends nothing itself."""
    duration: str = ""
    """Duration of each run, such as `40 ms`; empty: that of the file. Runs that are shortened anyway do not take it."""

    def case(self, load_MBps: float, scale: Scale) -> Case:
        """Returns the case of one point."""
        load = f"{load_MBps * self.priorities:g} MiB/s"
        if self.hot_percent is None:
            traffic: tuple[str, ...] = (f"traffic.load={load}",)
        else:
            each = ", ".join(f'"{load if node != HOT_NODE else "0 MiB/s"}"' for node in range(NODES))
            traffic = (f"traffic.hot_fraction={self.hot_percent / 100:g}", f"traffic.load=[{each}]")
        length = scale.overrides or ((f"run.duration={self.duration}",) if self.duration else ())
        return Case(PAPER, self.file, (*self.setting.select(self.protocol), *traffic, *length))

    def cases(self, scale: Scale) -> list[Case]:
        """Returns the cases of the whole curve."""
        return [self.case(load, scale) for load in self.loads_MBps]

    def points(self, results: Results, scale: Scale) -> dict[float, Point]:
        """Returns the points by load."""
        return {load: results[self.case(load, scale)] for load in self.loads_MBps}


HOT_NODE = 4
"""The hot node of Figure 11's scenario file."""


def sustained(results: Results, curve: Curve, scale: Scale) -> Measurement:
    """Returns the mean throughput, in MB/s, over the two highest loads."""
    cases = [curve.case(load, scale) for load in SUSTAINED_LOADS]
    points = [results[case] for case in cases]
    totals = np.mean(common_seeds([point.total_MBps for point in points]), axis=0)
    return mean_run(totals, detail=stalls_in_words(points), case=cases[-1], cases=cases)


def peak(results: Results, curve: Curve, scale: Scale) -> Measurement:
    """Returns the largest throughput over the load, in MB/s: the mean over the seeds decides the load."""
    points = curve.points(results, scale)
    load = max(points, key=lambda each: points[each].total_MBps.mean())
    detail = "; ".join(filter(None, [f"peak at {load:g} MB/s per node", stalls_in_words(points.values())]))
    found = mean_run(points[load].total_MBps, detail=detail, case=curve.case(load, scale))
    each = (mean_interval(point.total_MBps, (curve.case(load, scale),)) for load, point in points.items())
    return replace(found, intervals=(largest(each),))


def low_load_latency(results: Results, curve: Curve, scale: Scale) -> list[Measurement]:
    """Returns the mean one-way latency of each priority at the lowest load, in us; the details say how it rises."""
    case = curve.case(LOW_LOAD, scale)
    risen = results[curve.case(STILL_LOW_LOAD, scale)].latency_us.mean(axis=0)
    return [
        mean_run(latency, detail=f"{above:z.3f} at {STILL_LOW_LOAD:g} MB/s", case=case)
        for latency, above in zip(results[case].latency_us.T, risen, strict=True)
    ]


def furthest(measured: Mapping[str, Measurement], published: float, *, digits: int) -> Measurement:
    """Returns that of several measurements which is furthest from the one published figure for all of them.

    The detail names every one of them.
    """
    # A figure that could not be obtained is furthest of all.
    name = max(measured, key=lambda each: np.nan_to_num(abs(measured[each].value - published), nan=np.inf))
    chosen = measured[name]
    values = ", ".join(f"{each} {measurement.value:z.{digits}f}" for each, measurement in measured.items())
    notes = [f"{each}: {found.detail}" for each, found in measured.items() if found.detail]
    detail = "; ".join([f"furthest of {values}" if len(measured) > 1 else values, *notes])
    intervals = jointly([interval for measurement in measured.values() for interval in measurement.intervals])
    return Measurement(chosen.value, chosen.spread, detail, chosen.case, intervals)


def stalls_in_words(points: Iterable[Point]) -> str:
    """Returns how many runs stalled, empty if none did."""
    each = list(points)
    stalled = sum(len(point.stalls) for point in each)
    return f"{stalled} of {sum(len(point.total_MBps) for point in each)} runs stalled and count as 0" if stalled else ""


def cases_of(curves: Sequence[Curve], scale: Scale) -> list[Case]:
    """Returns the cases of several curves."""
    return [case for curve in curves for case in curve.cases(scale)]
