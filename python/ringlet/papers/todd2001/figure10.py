"""Figure 10: 128 priorities (Section 4.3)."""

import math
from itertools import pairwise

from ringlet.papers.measurement import Measurement
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


def curve(protocol: Protocol, setting: Setting = COMMON) -> Curve:
    """Returns one protocol's curve; for base SCI, which the paper leaves out here, only the queues have priorities."""
    return Curve("figure10.toml", protocol, LOADS, setting, priorities=LEVELS)


def cases(scale: Scale) -> list[Case]:
    """Returns the cases of the figure."""
    return cases_of([curve(protocol) for protocol in PROTOCOLS], scale)


def row_cases(scale: Scale) -> list[Case]:
    """Returns those that the row reads: all of the three protocols that the paper compares."""
    return cases_of([curve(protocol) for protocol in PROTOCOLS if protocol != "sci"], scale)


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


def measurements(results: Results, scale: Scale) -> dict[str, Measurement]:
    """Returns the figure's row: 1 if a higher priority rolls off at a higher load, or never, in all three protocols."""
    holds, details = True, []
    for protocol in PROTOCOLS:
        if protocol == "sci":
            continue
        line = curve(protocol)
        loads = roll_off_loads(results, line, scale)
        holds &= all(low < high for low, high in pairwise(loads))
        words = ", ".join("never" if math.isinf(load) else f"{load:g}" for load in loads)
        stalled = sum(len(point.stalls) for point in line.points(results, scale).values())
        details.append(f"{LABELS[protocol]} {words}{f' (left out: {stalled} that stalled)' if stalled else ''}")
    priorities = ", ".join(str(priority) for priority in SHOWN)
    detail = f"priorities {priorities} get less than half of their offer from, in MB/s per node: " + "; ".join(details)
    return {"todd2001.f10.rolloff": Measurement(float(holds), detail=detail)}
