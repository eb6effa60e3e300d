"""Figure 9: three priorities (Section 4.2)."""

import math
from dataclasses import replace

from ringlet.papers.measurement import Measurement
from ringlet.papers.runs import Case
from ringlet.papers.todd2001.curves import (
    LOW_LOAD,
    STILL_LOW_LOAD,
    SUSTAINED_LOADS,
    Curve,
    cases_of,
    furthest,
    low_load_latency,
    peak,
    sustained,
)
from ringlet.papers.todd2001.figure8 import falls
from ringlet.papers.todd2001.settings import COMMON, LABELS, PROTOCOLS, Protocol, Setting
from ringlet.papers.todd2001.study import Results, Scale

PARTS = ("a", "b")
"""a: input queue service time 0.1 us, b: 1.0 us."""
PRIORITIES = ("low", "medium", "high")
"""Priorities 0, 1 and 2."""
LOADS = (LOW_LOAD, STILL_LOW_LOAD, 20.0, 30.0, 40.0, 50.0, 75.0, 100.0, *SUSTAINED_LOADS)
"""Offered load, in MB/s per node and priority."""
PUBLISHED_LATENCY_US: dict[Protocol, float] = {"dfc": 0.17, "ppq": 0.20, "train": 0.36}


def curve(part: str, protocol: Protocol, setting: Setting = COMMON) -> Curve:
    """Returns one protocol's curve; for base SCI, which the paper leaves out here, only the queues have priorities."""
    return Curve(f"figure9{part}.toml", protocol, LOADS, setting, priorities=len(PRIORITIES))


def cases(scale: Scale) -> list[Case]:
    """Returns the cases of both parts."""
    return cases_of([curve(part, protocol) for part in PARTS for protocol in PROTOCOLS], scale)


def measurements(results: Results, scale: Scale) -> dict[str, Measurement]:
    """Returns the rows of the figure and of Section 4.2 by id."""
    found = {
        "todd2001.f9a.dfc": sustained(results, curve("a", "dfc"), scale),
        "todd2001.f9a.ppq": _falling_peak(results, curve("a", "ppq"), scale),
        "todd2001.f9a.train": sustained(results, curve("a", "train"), scale),
    }
    for protocol, published in PUBLISHED_LATENCY_US.items():
        each = dict(zip(PRIORITIES, low_load_latency(results, curve("a", protocol), scale), strict=True))
        found[f"todd2001.f9.latency.{protocol}"] = furthest(each, published, digits=3)
    protocols: tuple[Protocol, ...] = ("train", "dfc")
    plateau = {LABELS[protocol]: sustained(results, curve("b", protocol), scale) for protocol in protocols}
    found["todd2001.f9b.plateau"] = furthest(plateau, 300, digits=0)
    return found


def _falling_peak(results: Results, line: Curve, scale: Scale) -> Measurement:
    """Returns the peak of a curve that declines behind it, as the figure's does; of any other curve there is none."""
    top, fall = peak(results, line, scale), falls(results, line, scale)
    if fall.value:
        return replace(top, detail=f"{top.detail}; {fall.detail}")
    detail = f"no decline, so that the curve is not the published one: {fall.detail}"
    return replace(top, value=math.nan, detail=detail)
