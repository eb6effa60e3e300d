"""Distributions of the one-way latency and of retries: of all packets, and of each priority."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from ringlet._engine import Measured

BINS_PER_OCTAVE = 16
"""Bins between a latency and its double: 4.4 % each. Their ends are the same in every run, so that bins of several runs
add up."""


def latency_distribution(found: "Measured", *, symbol_time_ns: float) -> dict[str, Any]:
    """Returns the distribution for the JSON document: of `total`, and with several priorities of each in
    `priorities`."""
    return _with_priorities(found, [binned(*bins, symbol_time_ns=symbol_time_ns) for bins in found["distributions"]])


def retry_distribution(found: "Measured") -> dict[str, Any]:
    """Returns the distribution of retries for the JSON document: of `total`, and with several priorities of each in
    `priorities`."""
    return _with_priorities(
        found,
        [
            {"retries": [retries for retries, _ in bins], "packets": [packets for _, packets in bins]}
            for bins in found["retry_distributions"]
        ],
    )


def _with_priorities(found: "Measured", records: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns an object with the record of the total and, in `priorities`, those of each send priority."""
    total, *others = records
    priorities = [{"priority": level, **of} for level, of in zip(found["priorities"], others, strict=True)]
    return {"total": total, **({"priorities": priorities} if priorities else {})}


def binned(upper_cycles: ArrayLike, packets: ArrayLike, *, symbol_time_ns: float) -> dict[str, list[Any]]:
    """Returns the bins that hold packets: `upper_ns`, the largest latency in each as far as it is known, and `packets`.

    Args:
        upper_cycles: upper edges of the engine's bins, ascending.
        packets: in each of them.
        symbol_time_ns: time of a cycle, in ns.
    """
    edges, counts = np.asarray(upper_cycles, dtype=np.float64), np.asarray(packets, dtype=np.int64)
    starts = np.flatnonzero(np.diff(_bins(edges), prepend=-1))
    if not starts.size:
        return {"upper_ns": [], "packets": []}
    last = np.append(starts[1:], edges.size) - 1
    return {
        "upper_ns": (edges[last] * symbol_time_ns).tolist(),
        "packets": np.add.reduceat(counts, starts).tolist(),
    }


def _bins(cycles: NDArray[np.float64]) -> NDArray[np.int64]:
    """Number of the bin of each latency: that above cycle 2^((k-1)/16), up to 2^(k/16)."""
    # Rounded first: a power of two belongs to the bin that it ends, whatever the logarithm's last bit says.
    exact = np.round(BINS_PER_OCTAVE * np.log2(np.maximum(cycles, 1.0)), 9)
    return np.ceil(exact).astype(np.int64)
