"""Figures of each series of a run: nodes, priorities, total."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ringlet._engine import Measured

SYMBOL_BYTES = 2
"""Bytes of a symbol, 16 bits."""

QUANTILES = ("p50", "p95", "p99")
"""Latency quantiles reported."""

INVERSIONS = ("output_inversions", "input_inversions")
"""Priority inversions as todd2001 defines them, Section 2.1: before a node's own output, and at the destination's queue."""


class Records:
    """The K series of a run as dictionaries: each node (by source), each reported priority, and the total."""

    def __init__(self, found: "Measured", *, symbol_time_ns: float) -> None:
        """Takes what the engine found."""
        self._series = found["series"]
        self._ns = symbol_time_ns
        self.cycles = found["cycle"] - found["measured_from"]
        """Cycles measured."""

    def MBps(self, byte_count: float) -> float:  # noqa: N802 - the unit
        """Returns a number of bytes of the measured time as a rate in MB/s."""
        # Bytes per ns are GB/s.
        return byte_count * 1e3 / (self.cycles * self._ns) if self.cycles else 0.0

    def rates(self) -> list[dict[str, Any]]:
        """Returns offered load, throughput, latency and losses of each series."""
        series, ns, rate = self._series, self._ns, self.MBps
        cycles = max(self.cycles, 1)
        one_way, message = self._latencies(series["latency"]), self._latencies(series["message_latency"])
        columns = zip(
            series["offered_bytes"],
            series["payload_symbols"],
            series["throughput_half_width"],
            series["packet_symbols"],
            one_way,
            series["latency_half_width"],
            message,
            series["delivered_packets"],
            series["lost_packets"],
            series["lost_bytes"],
            series["given_up_packets"],
            series["given_up_bytes"],
            series["retries"],
            strict=True,
        )
        return [
            {
                "offered_MBps": rate(offered),
                "throughput_MBps": rate(SYMBOL_BYTES * words),
                "throughput_ci95_MBps": None if width is None else width * SYMBOL_BYTES * 1e3 / ns,
                "throughput_words_per_cycle": packet_words / cycles,
                "latency_ns": {**latency, "ci95": None if latency_width is None else latency_width * ns},
                "message_latency_ns": message_latency,
                "delivered_packets": delivered,
                "lost_packets": lost,
                "lost_MBps": rate(lost_bytes),
                "given_up_packets": given_up,
                "given_up_MBps": rate(given_up_bytes),
                "retries": retries,
            }
            for (
                offered,
                words,
                width,
                packet_words,
                latency,
                latency_width,
                message_latency,
                delivered,
                lost,
                lost_bytes,
                given_up,
                given_up_bytes,
                retries,
            ) in columns
        ]

    def real_time(self, k: int) -> dict[str, Any]:
        """Returns missed deadlines and priority inversions of a series."""
        inversions = {name: self._inversions(name, k) for name in INVERSIONS}
        return {"missed_deadlines": self._series["missed_deadlines"][k], **inversions}

    def _latencies(self, cycles: Mapping[str, list[float | None]]) -> list[dict[str, float | None]]:
        """Latency of each series in ns, None without a delivery."""
        ns = self._ns
        columns = zip(*(cycles[name] for name in ("mean", "min", "max", *QUANTILES)), strict=True)
        return [
            {
                "mean": None if mean is None else mean * ns,
                "min": None if least is None else least * ns,
                "max": None if most is None else most * ns,
                "p50": None if p50 is None else p50 * ns,
                "p95": None if p95 is None else p95 * ns,
                "p99": None if p99 is None else p99 * ns,
            }
            for mean, least, most, p50, p95, p99 in columns
        ]

    def _inversions(self, name: str, k: int) -> dict[str, Any]:
        """Inversions of a series: packets, their share of those sent, duration in ns."""
        found = self._series[name]  # type: ignore[literal-required]  # one of INVERSIONS
        packets, sent = found["packets"][k], self._series["sent_packets"][k]
        return {
            "packets": packets,
            "share": packets / sent if sent else None,
            "mean_ns": found["cycles"][k] / packets * self._ns if packets else None,
            "max_ns": found["max_cycles"][k] * self._ns if packets else None,
        }
