"""The JSON document of a run, made from the engine's counters."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.run.drive import Measurement
from ringlet.run.engine import Counters, Engine
from ringlet.run.flows import SYMBOL_BYTES, Flows
from ringlet.statistics import Interval

SCHEMA = 1
"""Version of the document."""

QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
"""Latency quantiles reported."""

LINK_USES = ("send", "retry", "echo", "idle")
"""What a symbol on a link belongs to."""

OVERLOAD_SHARE = 0.05
"""Share of the packets generated that may be left waiting before the load counts as more than the ring carries."""


@cache
def _version() -> str:
    return version("ringlet")


def _number(value: float) -> float | None:
    """A number for JSON: None where there is none."""
    return float(value) if np.isfinite(value) else None


class Document:
    """Builds the document of a run that is over."""

    def __init__(self, engine: Engine, flows: Flows, measurement: Measurement, *, symbol_time_ns: float) -> None:
        """Reads the engine's counters."""
        self._flows = flows
        self._measurement = measurement
        self._symbol_time_ns = symbol_time_ns
        self._cycles = engine.measured_cycles
        self._engine = engine
        self._flow_counters = engine.flow_counters()
        self._node_counters = engine.node_counters()
        self._sums = {name: flows.sums(values) for name, values in self._flow_counters.items()}
        self._throughput = measurement.batches.throughput
        self._latency = measurement.batches.latency
        self._latencies = self._latency_records()
        self._rates = self._rate_records()

    def build(self, *, scenario: Mapping[str, Any], seed: int) -> dict[str, Any]:
        """Returns the document."""
        flows, engine = self._flows, self._engine
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "ringlet": _version(),
            "scenario": dict(scenario),
            "seed": seed,
            "cycles": self._cycles,
            "warmup_cycles": engine.measured_from,
            "symbol_time_ns": self._symbol_time_ns,
            "simulated_s": self._cycles * self._symbol_time_ns * 1e-9,
            "node_cycles_per_s": engine.cycle * flows.nodes / engine.seconds if engine.seconds > 0 else None,
            "nodes": self._nodes(),
            "total": self._total(),
            "precision": self._precision(),
            "stall": engine.stall,
            "warnings": self._warnings(),
        }
        if flows.reported_priorities:
            document["priorities"] = self._priorities()
        return document

    def _MBps(self, byte_counts: NDArray[np.float64]) -> NDArray[np.float64]:  # noqa: N802 - the unit
        if not self._cycles:
            return np.zeros_like(byte_counts)
        # Bytes per ns are GB/s.
        return byte_counts * 1e3 / (self._cycles * self._symbol_time_ns)

    def _rate_records(self) -> list[dict[str, Any]]:
        """Offered load, throughput and losses of each series."""
        flows, counters = self._flows, self._flow_counters
        offered = self._MBps(flows.offered_bytes(counters["generated_packets"], self._cycles))
        throughput = self._MBps(SYMBOL_BYTES * self._sums["delivered_symbols"])
        lost = self._MBps(flows.sums(counters["lost_packets"] * flows.mean_send_bytes))
        words = self._sums["delivered_symbols"] / max(self._cycles, 1)
        half_width = self._throughput.half_width * SYMBOL_BYTES * 1e3 / self._symbol_time_ns
        return [
            {
                "offered_MBps": float(offered[k]),
                "throughput_MBps": float(throughput[k]),
                "throughput_ci95_MBps": _number(half_width[k]),
                "throughput_words_per_cycle": float(words[k]),
                "latency_ns": self._latencies[k],
                "delivered_packets": int(self._sums["delivered_packets"][k]),
                "lost_packets": int(self._sums["lost_packets"][k]),
                "lost_MBps": float(lost[k]),
                "retries": int(self._sums["retries"][k]),
            }
            for k in range(offered.size)
        ]

    def _latency_records(self) -> list[dict[str, float | None]]:
        """Latency of each series in ns, None without a delivery."""
        flows, ns = self._flows, self._symbol_time_ns
        packets = self._sums["delivered_packets"]
        quantiles = self._engine.latency_quantiles(flows.members, list(QUANTILES.values()))
        least, most = self._latency_extremes(self._flow_counters)
        records: list[dict[str, float | None]] = []
        for k, count in enumerate(packets):
            if count:
                record: dict[str, float | None] = {
                    "mean": float(self._sums["latency_sum_cycles"][k] / count * ns),
                    "min": float(least[k] * ns),
                    "max": float(most[k] * ns),
                }
                record |= {name: _number(value * ns) for name, value in zip(QUANTILES, quantiles[k], strict=True)}
                record["ci95"] = _number(self._latency.half_width[k] * ns)
            else:
                record = dict.fromkeys(("mean", "min", "max", *QUANTILES, "ci95"))
            records.append(record)
        return records

    def _latency_extremes(self, counters: Counters) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Smallest and largest latency of each series in cycles; meaningless without a delivery."""
        flows = self._flows
        series = flows.nodes + flows.reported_priorities + 1
        least, most = np.full(series, np.inf), np.zeros(series)
        seen = np.flatnonzero(counters["delivered_packets"])
        low = counters["latency_min_cycles"][seen].astype(np.float64)
        high = counters["latency_max_cycles"][seen].astype(np.float64)
        rows = [flows.source[seen], np.full(seen.size, series - 1)]
        if flows.reported_priorities:
            rows.append(flows.nodes + flows.priority[seen])
        for row in rows:
            np.minimum.at(least, row, low)
            np.maximum.at(most, row, high)
        return least, most

    def _link_fractions(self) -> dict[str, NDArray[np.float64]]:
        """Share of the cycles that each node's link carries each kind of symbol."""
        cycles = max(self._cycles, 1)
        return {use: self._node_counters[f"link_{use}_symbols"] / cycles for use in LINK_USES}

    def _nodes(self) -> list[dict[str, Any]]:
        counters, cycles = self._node_counters, max(self._cycles, 1)
        links = self._link_fractions()
        transmit = counters["transmit_queue_packet_cycles"] / cycles
        receive = counters["receive_queue_packet_cycles"] / cycles
        return [
            {
                "id": node,
                "name": f"node {node}",
                **rates,
                "queues": {
                    "transmit_mean": float(transmit[node]),
                    "transmit_max": int(counters["transmit_queue_max"][node]),
                    "receive_mean": float(receive[node]),
                    "receive_max": int(counters["receive_queue_max"][node]),
                    "bypass_max_symbols": int(counters["bypass_max_symbols"][node]),
                },
                "link": {use: float(share[node]) for use, share in links.items()},
            }
            for node, rates in enumerate(self._rates[: self._flows.nodes])
        ]

    def _priorities(self) -> list[dict[str, Any]]:
        rates = self._rates[self._flows.nodes : -1]
        return [{"priority": priority, **record} for priority, record in enumerate(rates)]

    def _total(self) -> dict[str, Any]:
        flows = self._flows
        retry = self._MBps(flows.sums(self._flow_counters["retries"] * flows.mean_send_bytes))
        return {
            **self._rates[-1],
            "retry_MBps": float(retry[-1]),
            "fairness": self._fairness(),
            "link": {use: float(share.mean()) for use, share in self._link_fractions().items()},
        }

    def _fairness(self) -> float | None:
        """Jain's index of the throughputs of the nodes that send: 1 if all are equal, 1/n if one has all."""
        throughput = self._sums["delivered_symbols"][np.unique(self._flows.source)]
        square = float((throughput**2).sum()) * throughput.size
        return float(throughput.sum() ** 2 / square) if square else None

    def _precision(self) -> dict[str, Any] | None:
        if self._measurement.precision_reached is None:
            return None
        return {
            "reached": self._measurement.precision_reached,
            "throughput_relative_half_width": _number(self._throughput.relative_half_width[-1]),
            "latency_relative_half_width": _number(self._latency.relative_half_width[-1]),
        }

    def _warnings(self) -> list[str]:
        warnings = list(self._measurement.warnings)
        if self._engine.stall is not None:
            warnings.append(f"stalled since cycle {self._engine.stall['since_cycle']}: {self._engine.stall['detail']}")
        warnings += self._starvation() + self._overload()
        for name, interval in (("throughput", self._throughput), ("latency", self._latency)):
            warnings += _correlation(name, interval)
        return warnings

    def _starvation(self) -> list[str]:
        """Nodes that sent nothing although a packet waited for most of the time."""
        waited = self._node_counters["transmit_queue_packet_cycles"] > self._cycles / 2
        sent = self._sums["sent_packets"] + self._sums["retries"]
        starved = np.flatnonzero(waited & (sent[: self._flows.nodes] == 0)).tolist()
        if not starved:
            return []
        some = ", ".join(str(node) for node in starved[:10])
        more = f" and {len(starved) - 10} more" if len(starved) > 10 else ""
        return [f"starved: packets waited at node {some}{more}, and none was sent"]

    def _overload(self) -> list[str]:
        """Loads above what the ring carries, whose latency has no steady value."""
        flows, counters = self._flows, self._flow_counters
        free = ~flows.saturated
        generated = counters["generated_packets"][free].astype(np.float64).sum()
        served = (counters["delivered_packets"][free] + counters["lost_packets"][free]).astype(np.float64).sum()
        left = generated - served
        sources = np.unique(flows.source[free]).size
        if left <= max(OVERLOAD_SHARE * generated, 10.0 * sources):
            return []
        return [
            f"overloaded: {left:.0f} of {generated:.0f} packets generated were left waiting; "
            "the latency has no steady value"
        ]


def _correlation(name: str, interval: Interval) -> list[str]:
    if not interval.correlated[-1]:
        return []
    return [
        f"batches of the total {name} correlate (lag 1: {interval.lag1[-1]:.2f}): the run is short for what it "
        "measures; the interval was widened"
    ]
