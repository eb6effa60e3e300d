"""Sizes of the messages of flows: in the engine's form, with their means."""

from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from ringlet.errors import RingletError
from ringlet.lazy import library
from ringlet.scenario.activities.flows.keys import FlowKeys
from ringlet.scenario.values.sizes import Spread, quantity
from ringlet.scenario.values.units import size_bytes

if TYPE_CHECKING:
    import numpy as np
else:
    np = library("numpy")

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
    if not isinstance(flow.size, Spread):
        given = flow.size.items() if isinstance(flow.size, dict) else [(flow.size, 1.0)]
        found = _weighted(tuple(given), packet_bytes)
        if found.most_bytes > longest:
            raise RingletError.not_allowed(path, found.most_bytes, allowed)
        return found
    spread = flow.size
    least = round(size_bytes(spread.least))
    most = min(MOST_LOGNORMAL, longest) if spread.most is None else round(size_bytes(spread.most))
    if most > longest:
        raise RingletError.not_allowed(f"{path}.most", spread.most, allowed)
    bounds = {"least": least, "most": most}
    if spread.log_normal is None:
        steps = np.arange(1, most // packet_bytes + 2) * packet_bytes
        # Sizes that need each number of packets.
        reached = np.clip(steps, least - 1, most) - np.clip(steps - packet_bytes, least - 1, most)
        packets = float((np.arange(1, len(steps) + 1) * reached).sum() / (most - least + 1))
        return Sizes({"kind": "uniform", **bounds}, (least + most) / 2, packets, True, most)
    mean_log, deviation_log = spread.log_normal
    mean_bytes, mean_packets = _means(mean_log, deviation_log, least, most, packet_bytes)
    spec = {"kind": "log-normal", "mean_log": mean_log, "deviation_log": deviation_log, **bounds}
    return Sizes(spec, mean_bytes, mean_packets, True, most)


@lru_cache(maxsize=4096)
def _weighted(given: tuple[tuple[float | str, float], ...], packet_bytes: int) -> Sizes:
    """Returns sizes with their probabilities; most flows of a table have one of a few."""
    pairs = [(round(size_bytes(quantity(str(size)))), share) for size, share in given if share > 0]
    return Sizes(
        {"kind": "weighted", "sizes": pairs},
        sum(size * share for size, share in pairs),
        sum(-(-size // packet_bytes) * share for size, share in pairs),
        len(pairs) > 1,
        max(size for size, _ in pairs),
    )


@lru_cache(maxsize=256)
def _means(mean_log: float, deviation_log: float, least: int, most: int, packet_bytes: int) -> tuple[float, float]:
    """Returns the mean bytes and packets of a log-normal size between two bounds."""
    normal = NormalDist(mean_log, deviation_log) if deviation_log > 0 else None
    places = [(i + 0.5) / QUANTILES for i in range(QUANTILES)]
    logs = np.array([normal.inv_cdf(place) for place in places] if normal else [mean_log])
    sizes = np.clip(np.ceil(np.exp(np.minimum(logs, 50.0))), least, most)
    return float(sizes.mean()), float(np.ceil(sizes / packet_bytes).mean())
