"""Points of todd2001's figures from a formula: no simulation."""

import numpy as np

from ringlet.papers.runs import Case
from ringlet.papers.todd2001.curves import Curve
from ringlet.papers.todd2001.settings import COMMON
from ringlet.papers.todd2001.study import NODES, Point, Scale
from ringlet.papers.todd2001.tables import all_curves

CAPACITY_MBPS = {"sci": 700.0, "ppq": 670.0, "train": 610.0, "dfc": 840.0}
LATENCY_US = {"sci": 0.16, "ppq": 0.17, "train": 0.36, "dfc": 0.16}


def point(curve: Curve, load: float, scale: Scale, *, capacity: float | None = None) -> Point:
    """A ring that serves the highest priorities first, up to a capacity that differs by 1 MB/s from seed to seed."""
    seeds = len(scale.seeds)
    senders = NODES if curve.hot_percent is None else NODES - 1
    offered = np.full((seeds, curve.priorities), load * senders)
    throughput = np.zeros_like(offered)
    for seed in range(seeds):
        left = (CAPACITY_MBPS[curve.protocol] if capacity is None else capacity) + seed
        for level in reversed(range(curve.priorities)):
            throughput[seed, level] = min(left, offered[seed, level])
            left -= throughput[seed, level]
    latency = np.where(throughput > 0, LATENCY_US[curve.protocol] * (1 + load), np.nan)
    return Point(offered, throughput, latency, np.nanmean(latency, axis=1), ())


def results(scale: Scale) -> dict[Case, Point]:
    """Every case of the study; settings other than the common host get a tenth less."""
    found = {}
    for curve in all_curves(scale):
        for load in curve.loads_MBps:
            part = 1.0 if curve.setting == COMMON else 0.9
            found[curve.case(load, scale)] = point(curve, load, scale, capacity=part * CAPACITY_MBPS[curve.protocol])
    return found
