"""Figures of each series of a run: nodes, priorities, total."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.run.drive import Measurement
from ringlet.run.engine import Engine
from ringlet.run.flows import SYMBOL_BYTES, Flows

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
"""Latency quantiles reported."""

INVERSIONS = ("output_inversions", "input_inversions")
"""Priority inversions as todd2001 defines them, Section 2.1: before a node's own output, and at the destination's queue."""


def number(value: float) -> float | None:
    """A number for JSON: None where there is none."""
    return float(value) if np.isfinite(value) else None


class Records:
    """The K series of `Flows` as dictionaries, from the engine's counters at the end of a run."""

    def __init__(self, engine: Engine, flows: Flows, measurement: Measurement, *, symbol_time_ns: float) -> None:
        """Reads the engine's counters."""
        self._flows = flows
        self._engine = engine
        self._ns = symbol_time_ns
        self.cycles = engine.measured_cycles
        """Cycles measured."""
        self.counters = engine.flow_counters()
        """The engine's flow counters."""
        self.sums = {name: flows.sums(values) for name, values in self.counters.items()}
        """Their sums per series."""
        self.payload_symbols = flows.sums(flows.payload_symbols(self.counters))
        """16-bit words of data served, per series."""
        self.throughput = measurement.batches.throughput
        """16-bit words of data per cycle of each series, with its interval."""
        self.latency = measurement.batches.latency
        """Mean one-way latency of each series in cycles, with its interval."""

    def MBps(self, byte_counts: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: N802 - the unit
        """Returns byte counts of the measured time as rates in MB/s."""
        if not self.cycles:
            return np.zeros_like(byte_counts)
        # Bytes per ns are GB/s.
        return byte_counts * 1e3 / (self.cycles * self._ns)

    def rates(self) -> list[dict[str, Any]]:
        """Returns offered load, throughput, latency and losses of each series."""
        flows, counters = self._flows, self.counters
        offered = self.MBps(flows.offered_bytes(counters["generated_packets"], self.cycles))
        throughput = self.MBps(SYMBOL_BYTES * self.payload_symbols)
        lost = self.MBps(flows.sums(counters["lost_packets"] * flows.mean_payload_bytes))
        given_up = self.MBps(flows.sums(counters["given_up_packets"] * flows.mean_payload_bytes))
        words = flows.sums(flows.packet_symbols(counters)) / max(self.cycles, 1)
        half_width = self.throughput.half_width * SYMBOL_BYTES * 1e3 / self._ns
        one_way, message = self._one_way(), self._message()
        return [
            {
                "offered_MBps": float(offered[k]),
                "throughput_MBps": float(throughput[k]),
                "throughput_ci95_MBps": number(half_width[k]),
                "throughput_words_per_cycle": float(words[k]),
                "latency_ns": {**one_way[k], "ci95": number(self.latency.half_width[k] * self._ns)},
                "message_latency_ns": message[k],
                "delivered_packets": int(self.sums["delivered_packets"][k]),
                "lost_packets": int(self.sums["lost_packets"][k]),
                "lost_MBps": float(lost[k]),
                "given_up_packets": int(self.sums["given_up_packets"][k]),
                "given_up_MBps": float(given_up[k]),
                "retries": int(self.sums["retries"][k]),
            }
            for k in range(flows.series)
        ]

    def real_time(self) -> list[dict[str, Any]]:
        """Returns missed deadlines and priority inversions of each series."""
        inversions = {name: self._inversions(name) for name in INVERSIONS}
        return [
            {
                "missed_deadlines": int(self.sums["missed_deadlines"][k]),
                **{name: records[k] for name, records in inversions.items()},
            }
            for k in range(self._flows.series)
        ]

    def _one_way(self) -> list[dict[str, float | None]]:
        quantiles = self._engine.latency_quantiles(self._flows.members, list(QUANTILES.values()))
        return self._latencies("delivered_packets", "latency", quantiles)

    def _message(self) -> list[dict[str, float | None]]:
        quantiles = self._engine.message_latency_quantiles(self._flows.members, list(QUANTILES.values()))
        return self._latencies("completed_messages", "message_latency", quantiles)

    def _latencies(self, count: str, name: str, quantiles: NDArray[np.float64]) -> list[dict[str, float | None]]:
        """Latency of each series in ns, None without a delivery."""
        counts, sums = self.sums[count], self.sums[f"{name}_sum_cycles"]
        least, most = self._flows.extremes(
            self.counters[f"{name}_min_cycles"], self.counters[f"{name}_max_cycles"], self.counters[count]
        )
        empty = dict.fromkeys(("mean", "min", "max", *QUANTILES))
        records: list[dict[str, float | None]] = []
        for k in range(self._flows.series):
            if not counts[k]:
                records.append(dict(empty))
                continue
            records.append(
                {
                    "mean": float(sums[k] / counts[k] * self._ns),
                    "min": float(least[k] * self._ns),
                    "max": float(most[k] * self._ns),
                    **{key: number(value * self._ns) for key, value in zip(QUANTILES, quantiles[k], strict=True)},
                }
            )
        return records

    def _inversions(self, name: str) -> list[dict[str, Any]]:
        """Inversions of each series: packets, their share of those sent, duration in ns."""
        stem = name.removesuffix("s")
        packets, sent = self.sums[name], self.sums["sent_packets"]
        cycles = self.sums[f"{stem}_cycles"]
        worst = self.counters[f"{stem}_max_cycles"]
        _, most = self._flows.extremes(worst, worst, self.counters[name])
        return [
            {
                "packets": int(packets[k]),
                "share": float(packets[k] / sent[k]) if sent[k] else None,
                "mean_ns": float(cycles[k] / packets[k] * self._ns) if packets[k] else None,
                "max_ns": float(most[k] * self._ns) if packets[k] else None,
            }
            for k in range(self._flows.series)
        ]
