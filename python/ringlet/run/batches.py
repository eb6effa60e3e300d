"""The measured time cut into batches."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringlet.run.engine import Engine
from ringlet.run.flows import Flows
from ringlet.statistics import Interval, batch_means, collapse


@dataclass(frozen=True, slots=True)
class Batches:
    """Counts of B successive batches for the K series of `Flows`."""

    cycles: NDArray[np.float64]
    """Length of each batch, shape (B,)."""
    payload_symbols: NDArray[np.float64]
    """16-bit words of data that were served, by the source of the requests, shape (B, K)."""
    delivered_packets: NDArray[np.float64]
    """Send packets delivered, requests and responses, shape (B, K)."""
    latency_cycles: NDArray[np.float64]
    """Sum of their latencies, shape (B, K)."""

    def __len__(self) -> int:
        """Number of batches, B."""
        return self.cycles.size

    @property
    def throughput(self) -> Interval:
        """16-bit words of data per cycle of each series."""
        return batch_means(self.payload_symbols, self.cycles)

    @property
    def latency(self) -> Interval:
        """Mean latency of each series, in cycles."""
        return batch_means(self.latency_cycles, self.delivered_packets)


class Recorder:
    """Cuts the engine's counters into batches, from their last reset on."""

    def __init__(self, engine: Engine, flows: Flows, sums: Callable[[ArrayLike], NDArray[np.float64]]) -> None:
        """Records `engine`; `sums` makes the K series of one value per flow: `flows.sums` or `flows.total`."""
        self._engine = engine
        self._flows = flows
        self._sums = sums
        self._cycle = engine.measured_from
        self._seen: NDArray[np.float64] | float = 0.0
        self._cycles: list[float] = []
        self._counts: list[NDArray[np.float64]] = []

    def __len__(self) -> int:
        """Batches recorded."""
        return len(self._cycles)

    def record(self, cycles: int) -> bool:
        """Advances the engine by a batch of `cycles` cycles; returns whether it ran through, without a stall."""
        completed = self._engine.advance(cycles)
        self.close()
        return completed

    def close(self) -> None:
        """Makes a batch of what passed since the last one."""
        passed = self._engine.cycle - self._cycle
        if not passed:
            return
        counters = self._engine.flow_counters()
        words = self._flows.payload_symbols(counters)
        values = (words, counters["delivered_packets"], counters["latency_sum_cycles"])
        now = np.stack([self._sums(value) for value in values])
        self._cycles.append(float(passed))
        self._counts.append(now - self._seen)
        self._seen = now
        self._cycle = self._engine.cycle

    @property
    def batches(self) -> Batches:
        """What was recorded, all series."""
        return self._gather(np.array(self._counts) if self._counts else np.zeros((0, 3, 1)))

    @property
    def total(self) -> Batches:
        """What was recorded, the total only: K = 1."""
        return self._gather(np.array([count[:, -1:] for count in self._counts]).reshape(-1, 3, 1))

    def _gather(self, counts: NDArray[np.float64]) -> Batches:
        return Batches(np.array(self._cycles), counts[:, 0], counts[:, 1], counts[:, 2])

    def collapse(self, at_most: int) -> None:
        """Merges neighbouring batches until at most `at_most` are left."""
        self._cycles = collapse(self._cycles, at_most=at_most).tolist()
        counts = np.array(self._counts)
        merged = collapse(counts.reshape(len(counts), -1), at_most=at_most)
        self._counts = list(merged.reshape(len(merged), *counts.shape[1:]))
