"""Data frames of results, and the batches into which the measured time is cut."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringlet.figures import columns_of_record
from ringlet.lazy import library

if TYPE_CHECKING:
    import pandas as pd

    from ringlet._engine import Measured
else:
    pd = library("pandas")


@dataclass(frozen=True, slots=True)
class Batches:
    """Counts of B successive batches for K series: each node (by source), each reported priority, and the total."""

    cycles: NDArray[np.float64]
    """Length of each batch, shape (B,)."""
    payload_symbols: NDArray[np.float64]
    """Words of data that were served, by the source of the requests, shape (B, K)."""
    delivered_packets: NDArray[np.float64]
    """Send packets delivered, requests and responses, shape (B, K)."""
    latency_cycles: NDArray[np.float64]
    """Sum of their latencies, shape (B, K)."""

    @classmethod
    def of(cls, found: "Measured") -> "Batches":
        """Returns the batches of a run."""
        table = found["batches"]
        counts = (table[name].T for name in ("payload_symbols", "delivered_packets", "latency_cycles"))
        return cls(table["cycles"], *counts)

    def __len__(self) -> int:
        """Number of batches, B."""
        return self.cycles.size


def record_table(records: Iterable[Mapping[str, Any]]) -> "pd.DataFrame":
    """One row per record, such as a node; nested figures become columns like `latency_p95_ns`."""
    return pd.DataFrame([columns_of_record(record) for record in records])


def batch_table(series: Batches, which: int, symbol_time_ns: float, symbol_bytes: int) -> "pd.DataFrame":
    """One row per batch of one series: when, how long, packets, throughput and mean latency (NaN without a delivery).

    `start_ns` counts from the start of the measurement.
    """
    cycles = series.cycles
    duration_ns = cycles * symbol_time_ns
    packets = series.delivered_packets[:, which]
    latency = np.full(packets.shape, np.nan)
    np.divide(series.latency_cycles[:, which] * symbol_time_ns, packets, out=latency, where=packets > 0)
    return pd.DataFrame(
        {
            "start_ns": np.cumsum(duration_ns) - duration_ns,
            "duration_ns": duration_ns,
            "delivered_packets": packets.astype(np.int64),
            # Bytes per ns are GB/s.
            "throughput_MBps": 1e3 * symbol_bytes * series.payload_symbols[:, which] / duration_ns,
            "latency_mean_ns": latency,
        }
    )


def distribution_table(record: Mapping[str, Any]) -> "pd.DataFrame":
    """One row per bin of a latency distribution: upper end, packets, share of all packets that took longer."""
    packets = np.array(record["packets"], dtype=np.int64)
    return pd.DataFrame({"upper_ns": record["upper_ns"], "packets": packets, "longer": _beyond(packets)})


def retry_table(record: Mapping[str, Any]) -> "pd.DataFrame":
    """One row per bin of a distribution of retries: how many, packets, share of all packets that had more."""
    packets = np.array(record["packets"], dtype=np.int64)
    return pd.DataFrame({"retries": record["retries"], "packets": packets, "more": _beyond(packets)})


def _beyond(packets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Returns the share of the packets that lie in later bins than each."""
    total = max(packets.sum(), 1)
    beyond: NDArray[np.float64] = (total - np.cumsum(packets)) / total
    return beyond
