"""The measured time cut into batches."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ringlet._engine import Measured


@dataclass(frozen=True, slots=True)
class Batches:
    """Counts of B successive batches for K series: each node (by source), each reported priority, and the total."""

    cycles: NDArray[np.float64]
    """Length of each batch, shape (B,)."""
    payload_symbols: NDArray[np.float64]
    """16-bit words of data that were served, by the source of the requests, shape (B, K)."""
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
