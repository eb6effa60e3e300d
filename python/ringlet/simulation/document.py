"""The JSON document of a run, made from what the engine found."""

from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet._engine import PROTOCOL_COUNTS
from ringlet.scenario import Scenario
from ringlet.simulation.distribution import latency_distribution
from ringlet.simulation.error_records import error_records
from ringlet.simulation.message_records import message_records
from ringlet.simulation.notices import notices
from ringlet.simulation.optimum_records import OptimumRecords
from ringlet.simulation.records import Records
from ringlet.simulation.replay import ReplayRecord
from ringlet.simulation.stalls import describe

if TYPE_CHECKING:
    from ringlet._engine import Measured, Simulation

SCHEMA = 1
"""Version of the document."""

LINK_USES = ("send", "retry", "echo", "control", "idle")
"""What a symbol on a link belongs to."""

NODE_COUNTS = ("refused_packets", *PROTOCOL_COUNTS)
"""What nodes did to packets that could not be taken, and what protocols have them count besides."""


@cache
def _version() -> str:
    return version("ringlet")


class Document:
    """The document of a run that is over, made when it is asked for: that takes about as long as a run of a few microseconds."""

    def __init__(self, scenario: Scenario, seed: int, simulation: "Simulation", found: "Measured") -> None:
        """Reads from the simulation what only it knows; it is not kept.

        Args:
            scenario: that was simulated.
            seed: of the run.
            simulation: after the run.
            found: what the run returned.
        """
        ns = float(scenario.symbol_time_ns)
        self._scenario, self._seed, self._found, self._symbol_time_ns = scenario, seed, found, ns
        # A trace file may change later.
        self._content = scenario.to_dict()
        replay, messages = scenario.replay, scenario.periodic_messages
        self._replay = None if replay is None else ReplayRecord.of(replay, simulation, symbol_time_ns=ns)
        self._messages = message_records(simulation, found, messages, symbol_time_ns=ns) if messages else None
        self._errors = error_records(simulation, scenario, cycles=found["cycle"])

    def build(self) -> dict[str, Any]:
        """Returns the document."""
        scenario, found, replay, ns = self._scenario, self._found, self._replay, self._symbol_time_ns
        records = Records(found, symbol_time_ns=ns)
        rates = records.rates()
        links = _link_fractions(found, records.cycles)
        words = [rate["throughput_words_per_cycle"] for rate in rates[: found["nodes"]]]
        optimum = OptimumRecords(scenario, words)
        switched = scenario.network.switched
        stall = found["stall"]
        described = None if stall is None else describe(stall, scenario.routed_network[0] if switched else None)
        lines = notices(found, described, scenario.precision, is_replay=replay is not None)
        document: dict[str, Any] = {
            "schema": SCHEMA,
            "ringlet": _version(),
            "scenario": self._content,
            "seed": self._seed,
            "cycles": records.cycles,
            "warmup_cycles": found["measured_from"],
            "symbol_time_ns": ns,
            "simulated_s": records.cycles * ns * 1e-9,
            "node_cycles_per_s": found["cycle"] * found["nodes"] / found["seconds"] if found["seconds"] > 0 else None,
            "nodes": _nodes(
                found,
                [{**rate, **best} for rate, best in zip(rates, optimum.nodes(), strict=False)],
                links,
                records.cycles,
                scenario.routed_network[0].node_name if switched else "node {}".format,
            ),
            "total": _total(found, records, {**rates[-1], **optimum.total()}, links),
            "precision": _precision(found),
            "stall": described,
            "warnings": [*scenario.warnings(), *lines, *(replay.warnings() if replay is not None else [])],
        }
        if found["priorities"]:
            document["priorities"] = [
                {"priority": priority, **rates[k], **records.real_time(k)}
                for k, priority in enumerate(found["priorities"], found["nodes"])
            ]
        document["latency_distribution"] = latency_distribution(found, symbol_time_ns=ns)
        if replay is not None:
            document["trace"] = replay.to_dict()
        if self._messages is not None:
            document["messages"] = self._messages
        if self._errors is not None:
            document["errors"] = self._errors
        return document


def _link_fractions(found: "Measured", cycles: int) -> dict[str, list[float]]:
    """Share of the cycles that each node's link carries each kind of symbol."""
    counters, cycles = found["node_counters"], max(cycles, 1)
    return {use: [count / cycles for count in counters[f"link_{use}_symbols"]] for use in LINK_USES}


def _nodes(
    found: "Measured",
    rates: list[dict[str, Any]],
    links: dict[str, list[float]],
    cycles: int,
    node_name: Callable[[int], str],
) -> list[dict[str, Any]]:
    counters, cycles = found["node_counters"], max(cycles, 1)
    columns = zip(
        rates,
        zip(*(counters[name] for name in NODE_COUNTS), strict=True),
        counters["transmit_queue_packet_cycles"],
        counters["transmit_queue_max"],
        counters["receive_queue_packet_cycles"],
        counters["receive_queue_max"],
        counters["bypass_max_symbols"],
        *links.values(),
        strict=True,
    )
    return [
        {
            "id": node,
            "name": node_name(node),
            **rate,
            **dict(zip(NODE_COUNTS, counts, strict=True)),
            "queues": {
                "transmit_mean": transmit / cycles,
                "transmit_max": transmit_max,
                "receive_mean": receive / cycles,
                "receive_max": receive_max,
                "bypass_max_symbols": bypass_max,
            },
            "link": dict(zip(LINK_USES, shares, strict=True)),
        }
        for node, (
            rate,
            counts,
            transmit,
            transmit_max,
            receive,
            receive_max,
            bypass_max,
            *shares,
        ) in enumerate(columns)
    ]


def _total(found: "Measured", records: Records, rates: dict[str, Any], links: dict[str, list[float]]) -> dict[str, Any]:
    counters = found["node_counters"]
    shares = np.array(list(links.values())).mean(axis=1).tolist()
    return {
        **rates,
        **records.real_time(-1),
        **{name: sum(counters[name]) for name in NODE_COUNTS},
        "retry_MBps": records.MBps(found["retry_bytes"]),
        "fairness": found["fairness"],
        "link": dict(zip(links, shares, strict=True)),
    }


def _precision(found: "Measured") -> dict[str, Any] | None:
    if found["precision_reached"] is None:
        return None
    certainty = found["certainty"]
    return {
        "reached": found["precision_reached"],
        "throughput_relative_half_width": certainty["throughput"]["relative_half_width"],
        "latency_relative_half_width": certainty["latency"]["relative_half_width"],
    }
