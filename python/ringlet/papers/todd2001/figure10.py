"""Figure 10: 128 priorities (Section 4.3)."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ringlet.papers.measurement import Interval, Measurement, mean_interval, relation
from ringlet.papers.runs import Case
from ringlet.papers.todd2001.curves import Curve, cases_of
from ringlet.papers.todd2001.settings import COMMON, LABELS, PROTOCOLS, Protocol, Setting
from ringlet.papers.todd2001.study import Point, Results, Scale

LEVELS = 128
SHOWN = (0, 32, 64, 96, 127)
"""Priorities that the paper samples, lowest first."""
LOADS = tuple(load / 4 for load in range(1, 15))
"""Offered load, in MB/s per node and priority: 0.25 to 3.5."""
ROLLED_OFF = 0.5
"""A priority has rolled off where it gets less than this part of what it offers."""

HOLDS_BESIDE = len(LOADS) + 1
"""Shares of the offer on which an order of two priorities rests: the lower one is below `ROLLED_OFF` at some load, the
higher one above it up to that load. An order of all pairs surely holds if each surely does, however many they are."""
FAILS_BESIDE = len(SHOWN) * len(LOADS) * (len(PROTOCOLS) - 1)
"""Shares of which a few look as if a pair's order failed by chance."""


def curve(protocol: Protocol, setting: Setting = COMMON) -> Curve:
    """Returns one protocol's curve; for base SCI, which the paper leaves out here, only the queues have priorities."""
    return Curve("figure10.toml", protocol, LOADS, setting, priorities=LEVELS)


def cases(scale: Scale) -> list[Case]:
    """Returns the cases of the figure."""
    return cases_of([curve(protocol) for protocol in PROTOCOLS], scale)


def roll_off_loads(results: Results, line: Curve, scale: Scale) -> list[float]:
    """Returns the first load at which each priority of `SHOWN` has rolled off, infinite if none.

    Sums over the seeds whose runs did not stall: a ring on which nothing moves says nothing of an order.
    """
    points = line.points(results, scale)
    return [next((load for load, point in points.items() if _rolled_off(point, level)), math.inf) for level in SHOWN]


def _rolled_off(point: Point, level: int) -> bool:
    alive = point.total_MBps > 0
    obtained, offered = point.throughput_MBps[alive, level].sum(), point.offered_MBps[alive, level].sum()
    return bool(obtained < ROLLED_OFF * offered)


def order(results: Results, line: Curve, scale: Scale) -> list[Interval]:
    """Returns, for each two neighbours of `SHOWN`, whether the lower one surely rolls off at a lower load."""
    points = line.points(results, scale)
    shares = [[_share(point, level, line.case(load, scale)) for load, point in points.items()] for level in SHOWN]
    found: list[Interval] = []
    for lower, higher in pairwise(shares):
        holds = _surely(lower, HOLDS_BESIDE) < _perhaps(higher, HOLDS_BESIDE)
        fails = _perhaps(lower, FAILS_BESIDE) >= _surely(higher, FAILS_BESIDE)
        # Shares that leave open whether it holds; if none does, whether it fails.
        doubtful = (
            [share for share in (*lower, *higher) if _is_open(share, beside)] for beside in (HOLDS_BESIDE, FAILS_BESIDE)
        )
        found.append(relation(next(filter(None, doubtful), lower[:1]), holds=holds, fails=fails))
    return found


def _surely(shares: Sequence[Interval], beside: int) -> float:
    """The place of the first load at which a priority surely has rolled off, infinite if none."""
    off = (replace(share, beside=beside).joint[1] < ROLLED_OFF for share in shares)
    return next((place for place, is_off in enumerate(off) if is_off), math.inf)


def _perhaps(shares: Sequence[Interval], beside: int) -> float:
    """The place of the first load at which a priority may have rolled off, infinite if none."""
    alive = (replace(share, beside=beside).joint[0] >= ROLLED_OFF for share in shares)
    return next((place for place, is_alive in enumerate(alive) if not is_alive), math.inf)


def _is_open(share: Interval, beside: int) -> bool:
    low, high = replace(share, beside=beside).joint
    return not (low >= ROLLED_OFF or high < ROLLED_OFF)


def _share(point: Point, level: int, case: Case) -> Interval:
    """The part of its offer that a priority gets, under the seeds whose runs did not stall."""
    alive = point.total_MBps > 0
    obtained, offered = point.throughput_MBps[alive, level], point.offered_MBps[alive, level]
    part = np.divide(obtained, offered, out=np.full_like(obtained, np.nan), where=offered > 0)
    return mean_interval(part, (case,))


def measurements(results: Results, scale: Scale) -> dict[str, Measurement]:
    """Returns the figure's row: 1 if a higher priority rolls off at a higher load, or never, in all three protocols."""
    holds, details, intervals = True, list[str](), list[Interval]()
    for protocol in PROTOCOLS:
        if protocol == "sci":
            continue
        line = curve(protocol)
        loads = roll_off_loads(results, line, scale)
        holds &= all(low < high for low, high in pairwise(loads))
        intervals += order(results, line, scale)
        words = ", ".join("never" if math.isinf(load) else f"{load:g}" for load in loads)
        stalled = sum(len(point.stalls) for point in line.points(results, scale).values())
        details.append(f"{LABELS[protocol]} {words}{f' (left out: {stalled} that stalled)' if stalled else ''}")
    priorities = ", ".join(str(priority) for priority in SHOWN)
    detail = f"priorities {priorities} get less than half of their offer from, in MB/s per node: " + "; ".join(details)
    return {"todd2001.f10.rolloff": Measurement(float(holds), detail=detail, intervals=tuple(intervals))}
