"""The JSON document of a run, made from the engine's counters."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.run.distribution import latency_distribution
from ringlet.run.drive import Measurement
from ringlet.run.engine import Engine
from ringlet.run.flows import Flows
from ringlet.run.message_records import message_records
from ringlet.run.notices import notices
from ringlet.run.optimum_records import OptimumRecords
from ringlet.run.records import Records, number
from ringlet.run.replay import ReplayRecord
from ringlet.scenario import PeriodicMessage, Scenario

SCHEMA = 1
"""Version of the document."""

LINK_USES = ("send", "retry", "echo", "control", "idle")
"""What a symbol on a link belongs to."""

NODE_COUNTS = ("refused_packets", "preempted_packets", "deleted_tickets")
"""What nodes did to packets that could not be taken."""


@cache
def _version() -> str:
    return version("ringlet")


class Document:
    """Builds the document of a run that is over."""

    def __init__(self, engine: Engine, flows: Flows, measurement: Measurement, *, symbol_time_ns: float) -> None:
        """Reads the engine's counters."""
        self._flows = flows
        self._measurement = measurement
        self._symbol_time_ns = symbol_time_ns
        self._engine = engine
        self._node_counters = engine.node_counters()
        self._records = Records(engine, flows, measurement, symbol_time_ns=symbol_time_ns)
        self._rates = self._records.rates()
        self._real_time = self._records.real_time()

    def build(
        self,
        *,
        scenario: Scenario,
        seed: int,
        messages: Sequence[PeriodicMessage] = (),
        warnings: Sequence[str] = (),
        replay: ReplayRecord | None = None,
        node_name: Callable[[int], str] = "node {}".format,
        errors: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Returns the document.

        Args:
            scenario: what was simulated.
            seed: of the run.
            messages: the set whose flows are the last ones.
            warnings: what the scenario itself gives rise to.
            replay: how the replay of a trace went, if there is one.
            node_name: what a node is called.
            errors: what links have lost, where they can lose anything.
        """
        engine, cycles = self._engine, self._records.cycles
        words = np.array([rates["throughput_words_per_cycle"] for rates in self._rates[: self._flows.nodes]])
        optimum = OptimumRecords(scenario, words)
        found = notices(engine, self._flows, self._records, self._node_counters, is_replay=replay is not None)
        found += replay.warnings() if replay is not None else []
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "ringlet": _version(),
            "scenario": scenario.to_dict(),
            "seed": seed,
            "cycles": cycles,
            "warmup_cycles": engine.measured_from,
            "symbol_time_ns": self._symbol_time_ns,
            "simulated_s": cycles * self._symbol_time_ns * 1e-9,
            "node_cycles_per_s": engine.cycle * self._flows.nodes / engine.seconds if engine.seconds > 0 else None,
            "nodes": self._nodes(node_name, optimum),
            "total": self._total(optimum),
            "precision": self._precision(),
            "stall": engine.stall,
            "warnings": [*warnings, *self._measurement.warnings, *found],
        }
        if self._flows.reported_priorities.size:
            document["priorities"] = self._priorities()
        document["latency_distribution"] = latency_distribution(
            engine, self._flows, symbol_time_ns=self._symbol_time_ns
        )
        if replay is not None:
            document["trace"] = replay.to_dict()
        if messages:
            document["messages"] = message_records(engine, self._flows, messages, symbol_time_ns=self._symbol_time_ns)
        if errors is not None:
            document["errors"] = dict(errors)
        return document

    def _link_fractions(self) -> dict[str, NDArray[np.float64]]:
        """Share of the cycles that each node's link carries each kind of symbol."""
        cycles = max(self._records.cycles, 1)
        return {use: self._node_counters[f"link_{use}_symbols"] / cycles for use in LINK_USES}

    def _nodes(self, node_name: Callable[[int], str], optimum: OptimumRecords) -> list[dict[str, Any]]:
        counters, cycles = self._node_counters, max(self._records.cycles, 1)
        links = self._link_fractions()
        transmit = counters["transmit_queue_packet_cycles"] / cycles
        receive = counters["receive_queue_packet_cycles"] / cycles
        return [
            {
                "id": node,
                "name": node_name(node),
                **rates,
                **best,
                **{name: int(counters[name][node]) for name in NODE_COUNTS},
                "queues": {
                    "transmit_mean": float(transmit[node]),
                    "transmit_max": int(counters["transmit_queue_max"][node]),
                    "receive_mean": float(receive[node]),
                    "receive_max": int(counters["receive_queue_max"][node]),
                    "bypass_max_symbols": int(counters["bypass_max_symbols"][node]),
                },
                "link": {use: float(share[node]) for use, share in links.items()},
            }
            for node, (rates, best) in enumerate(zip(self._rates[: self._flows.nodes], optimum.nodes(), strict=True))
        ]

    def _priorities(self) -> list[dict[str, Any]]:
        first = self._flows.nodes
        return [
            {"priority": priority, **self._rates[first + i], **self._real_time[first + i]}
            for i, priority in enumerate(self._flows.reported_priorities.tolist())
        ]

    def _total(self, optimum: OptimumRecords) -> dict[str, Any]:
        retry = self._records.MBps(self._flows.total(self._flows.retry_bytes(self._records.counters)))
        return {
            **self._rates[-1],
            **optimum.total(),
            **self._real_time[-1],
            **{name: int(self._node_counters[name].sum()) for name in NODE_COUNTS},
            "retry_MBps": float(retry[0]),
            "fairness": self._fairness(),
            "link": {use: float(share.mean()) for use, share in self._link_fractions().items()},
        }

    def _fairness(self) -> float | None:
        """Jain's index of the throughputs of the nodes that send: 1 if all are equal, 1/n if one has all."""
        throughput = self._records.payload_symbols[np.unique(self._flows.source)]
        square = float((throughput**2).sum()) * throughput.size
        return float(throughput.sum() ** 2 / square) if square else None

    def _precision(self) -> dict[str, Any] | None:
        if self._measurement.precision_reached is None:
            return None
        return {
            "reached": self._measurement.precision_reached,
            "throughput_relative_half_width": number(self._records.throughput.relative_half_width[-1]),
            "latency_relative_half_width": number(self._records.latency.relative_half_width[-1]),
        }
