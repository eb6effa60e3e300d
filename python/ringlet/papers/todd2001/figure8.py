"""Figure 8: one priority (Section 4.1)."""

from ringlet.papers.measurement import Measurement, below
from ringlet.papers.runs import Case
from ringlet.papers.todd2001.curves import (
    LOADS,
    Curve,
    cases_of,
    furthest,
    low_load_latency,
    peak,
    sustained,
)
from ringlet.papers.todd2001.settings import COMMON, LABELS, PROTOCOLS, Protocol, Setting
from ringlet.papers.todd2001.study import Results, Scale

PARTS = ("a", "b")
"""a: input queue service time 0.1 us, b: 1.0 us."""
FALL = 0.9
"""Throughput is said to fall with load if the sustained one is below this part of the peak."""


def curve(part: str, protocol: Protocol, setting: Setting = COMMON) -> Curve:
    """Returns one protocol's curve."""
    return Curve(f"figure8{part}.toml", protocol, LOADS, setting)


def cases(scale: Scale) -> list[Case]:
    """Returns the cases of both parts."""
    return cases_of([curve(part, protocol) for part in PARTS for protocol in PROTOCOLS], scale)


def measurements(results: Results, scale: Scale) -> dict[str, Measurement]:
    """Returns the rows of the figure and of Section 4.1 by id."""
    found = {f"todd2001.f8a.{protocol}": sustained(results, curve("a", protocol), scale) for protocol in PROTOCOLS}
    latency = {LABELS[protocol]: low_load_latency(results, curve("a", protocol), scale)[0] for protocol in PROTOCOLS}
    train = latency.pop(LABELS["train"])
    found["todd2001.f8.latency.sci"] = furthest(latency, 0.17, digits=3)
    found["todd2001.f8.latency.train"] = train
    plateau = {
        LABELS[protocol]: sustained(results, curve("b", protocol), scale) for protocol in PROTOCOLS if protocol != "ppq"
    }
    found["todd2001.f8b.plateau"] = furthest(plateau, 290, digits=0)
    found["todd2001.f8b.ppq"] = falls(results, curve("b", "ppq"), scale)
    return found


def falls(results: Results, line: Curve, scale: Scale) -> Measurement:
    """Returns 1 if throughput falls with load past its peak, else 0."""
    top, last = peak(results, line, scale), sustained(results, line, scale)
    detail = f"peak {top.value:z.0f}, sustained {last.value:z.0f} MB/s; {top.detail}"
    holds = below(last.intervals[0], top.intervals[0].scaled(FALL))
    return Measurement(float(last.value < FALL * top.value), detail=detail, case=last.case, intervals=(holds,))
