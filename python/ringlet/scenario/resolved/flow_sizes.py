"""Sizes of the messages of flows: in the engine's form, with their means."""

import math
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.scenario.keys.flows import FlowKeys, SizeDistribution
from ringlet.scenario.values.units import size_bytes

MAX_MESSAGE_PACKETS = 1 << 24
"""Packets of one message: what the engine takes."""

MOST_LOGNORMAL = 1 << 30
"""Largest log-normal size where the file says none."""

QUANTILES = 4096
"""Quantiles of which the mean of a log-normal size with bounds is made."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of a flow's messages, in the engine's form, with their means."""

    spec: dict[str, Any]
    mean_bytes: float
    mean_packets: float
    is_drawn: bool
    most_bytes: int


def sizes_of(flow: FlowKeys, packet_bytes: int, at: str) -> Sizes:
    """Returns the sizes of a flow's messages, which are cut into packets of so many bytes.

    Raises:
        RingletError: a size that the engine does not take, or a distribution that lacks something.
    """
    longest, path = MAX_MESSAGE_PACKETS * packet_bytes, f"{at}size"
    allowed = f"at most {MAX_MESSAGE_PACKETS} packets of {packet_bytes} bytes"
    pairs = flow.sizes
    if pairs is not None:
        most = max(size for size, _ in pairs)
        if most > longest:
            raise RingletError.not_allowed(path, most, allowed)
        return Sizes(
            {"kind": "weighted", "sizes": pairs},
            sum(size * share for size, share in pairs),
            sum(-(-size // packet_bytes) * share for size, share in pairs),
            len(pairs) > 1,
            most,
        )
    given = flow.size
    assert isinstance(given, SizeDistribution), "what has no sizes has a distribution"
    least = round(size_bytes(given.least))
    if given.distribution == "uniform":
        for key in ("mean", "deviation"):
            if getattr(given, key) is not None:
                raise RingletError.not_allowed(f"{path}.{key}", getattr(given, key), "it belongs to 'lognormal'")
        if given.most is None:
            raise RingletError(f"{path}.most: missing; sizes are drawn from least to most")
        most = round(size_bytes(given.most))
        _check_order(path, given, least, most, longest, allowed)
        steps = np.arange(1, most // packet_bytes + 2) * packet_bytes
        # Of each number of packets the sizes that need it.
        reached = np.clip(steps, least - 1, most) - np.clip(steps - packet_bytes, least - 1, most)
        packets = float((np.arange(1, len(steps) + 1) * reached).sum() / (most - least + 1))
        return Sizes({"kind": "uniform", "least": least, "most": most}, (least + most) / 2, packets, True, most)
    if given.mean is None or given.deviation is None:
        missing = "mean" if given.mean is None else "deviation"
        raise RingletError(f"{path}.{missing}: missing; a log-normal size has a mean and a deviation")
    most = min(MOST_LOGNORMAL, longest) if given.most is None else round(size_bytes(given.most))
    _check_order(path, given, least, most, longest, allowed)
    mean, deviation = size_bytes(given.mean), size_bytes(given.deviation)
    variance = math.log1p((deviation / mean) ** 2)
    mean_log, deviation_log = math.log(mean) - variance / 2, math.sqrt(variance)
    mean_bytes, mean_packets = _means(mean_log, deviation_log, least, most, packet_bytes)
    spec = {
        "kind": "log-normal",
        "mean_log": mean_log,
        "deviation_log": deviation_log,
        "least": least,
        "most": most,
    }
    return Sizes(spec, mean_bytes, mean_packets, True, most)


def _check_order(path: str, given: SizeDistribution, least: int, most: int, longest: int, allowed: str) -> None:
    if most > longest:
        raise RingletError.not_allowed(f"{path}.most", given.most, allowed)
    if least > most:
        raise RingletError.not_allowed(f"{path}.least", given.least, f"at most the largest size, {most} bytes")


@lru_cache(maxsize=256)
def _means(mean_log: float, deviation_log: float, least: int, most: int, packet_bytes: int) -> tuple[float, float]:
    """Returns the mean bytes and packets of a log-normal size between two bounds."""
    normal = NormalDist(mean_log, deviation_log) if deviation_log > 0 else None
    places = [(i + 0.5) / QUANTILES for i in range(QUANTILES)]
    logs = np.array([normal.inv_cdf(place) for place in places] if normal else [mean_log])
    sizes = np.clip(np.ceil(np.exp(np.minimum(logs, 50.0))), least, most)
    return float(sizes.mean()), float(np.ceil(sizes / packet_bytes).mean())
