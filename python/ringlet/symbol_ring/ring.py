"""One ring, advanced cycle by cycle."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ringlet.symbol_ring.hosts import Records, own
from ringlet.symbol_ring.node import Node
from ringlet.symbol_ring.packets import FlowCounts, Symbol
from ringlet.symbol_ring.station import Station

Counts = dict[str, NDArray[np.uint64]]


@dataclass(frozen=True, slots=True)
class Stall:
    """Packets wait, but none was accepted or served for the spec's `stall_cycles`, and no retry delay runs."""

    since_cycle: int
    waiting_nodes: tuple[int, ...]


class SymbolRing:
    """A ring with a station at each node: the engine's `NetworkSpec` of a single ring, but for its flow control."""

    def __init__(
        self,
        spec: Mapping[str, Any],
        station: Callable[[int], Station],
        most_carried: int = 0,
        named: str = "the protocol",
    ) -> None:
        """Idles on every link, every queue and FIFO empty.

        Args:
            spec: of the ring.
            station: returns the part of the protocol of each node.
            most_carried: the largest number that an idle may carry.
            named: what a message calls the protocol.
        """
        self.cycle = 0
        """Cycles simulated so far."""
        self.records = Records(spec)
        """Counts of the ring as a whole."""
        made = [station(node) for node in range(spec["nodes"])]
        self.nodes = [Node(spec, node, one, self.records, most_carried, named) for node, one in enumerate(made)]
        """Nodes in the order of the ring."""
        self._stall_cycles: int = spec["measurement"]["stall_cycles"]
        first = self.nodes[0].checked(made[0].first_idle, "first_idle")
        hops = [own(spec["hop_delay"], node) for node in range(spec["nodes"])]
        self.links: list[deque[Symbol]] = [deque([first] * hop) for hop in hops]
        """Symbols on the link from each node, the oldest first."""

    def advance(self, cycles: int) -> Stall | None:
        """Simulates so many more cycles; ends early at a stall, and says where."""
        nodes, links = self.nodes, self.links
        for _ in range(cycles):
            cycle = self.cycle
            inputs = [link.popleft() for link in links]
            for index, node in enumerate(nodes):
                links[index].append(node.step(cycle, inputs[index - 1]))
            self.cycle += 1
            if self.cycle >= self.records.progress + self._stall_cycles and (stall := self._stall()) is not None:
                return stall
        return None

    def _stall(self) -> Stall | None:
        waiting = tuple(index for index, node in enumerate(self.nodes) if node.waits)
        delayed = any(one.ready > self.cycle for node in self.nodes for one in node.host.queue.refused)
        held = any(node.host.held for node in self.nodes)
        if not waiting or delayed or held:
            self.records.progress = self.cycle
            return None
        return Stall(self.records.progress, waiting)

    @property
    def is_at_rest(self) -> bool:
        """True if nothing waits anywhere, and idles only are on the links."""
        busy = any(node.waits or node.host.held or node.bypass.entries for node in self.nodes)
        return not busy and not any(type(symbol) is tuple for link in self.links for symbol in link)

    # --- What has been counted ----------------------------------------------------------------------------------------

    def reset_measurement(self) -> None:
        """Starts all counts again from this cycle."""
        self.records.counts = [FlowCounts() for _ in self.records.counts]
        for node in self.nodes:
            node.reset()

    def flow_counters(self) -> Counts:
        """Returns the counts of each flow since the last reset, by the engine's names."""
        return _columns([_flow_record(counts) for counts in self.records.counts])

    def node_counters(self) -> Counts:
        """Returns the counts of each node since the last reset, by the engine's names."""
        return _columns([_node_record(node) for node in self.nodes])


_NEVER = (
    "repeated_packets",
    "bad_packets",
    "bad_symbols",
    "bad_responses",
    "timed_out_requests",
    "unanswered_requests",
    "late_responses",
)
"""Counts of the engine of what does not happen on such a ring."""


def _columns(rows: list[dict[str, int]]) -> Counts:
    names = rows[0] if rows else {}
    return {name: np.array([row[name] for row in rows], dtype=np.uint64) for name in names}


def _node_record(node: Node) -> dict[str, int]:
    links = {f"link_{kind}_symbols": symbols for kind, symbols in node.links.items()}
    return {
        **links,
        "link_control_symbols": 0,
        "transmit_queue_packet_cycles": node.transmit_cycles,
        "transmit_queue_max": node.host.queue.most,
        "receive_queue_packet_cycles": node.receive_cycles,
        "receive_queue_max": node.host.most,
        "bypass_max_symbols": node.most_bypassed,
        "slow_link_max_symbols": 0,
        "refused_packets": node.refused,
    }


def _flow_record(counts: FlowCounts) -> dict[str, int]:
    record = {
        "generated_packets": counts.generated,
        "lost_packets": counts.lost,
        "sent_packets": counts.sent,
        "first_try_packets": counts.first_try,
        "retries": counts.retries,
        "retry_symbols": counts.retry_symbols,
        "delivered_packets": len(counts.latencies),
        "delivered_symbols": counts.symbols,
        "latency_sum_cycles": sum(counts.latencies),
        "latency_min_cycles": min(counts.latencies, default=0),
        "latency_max_cycles": max(counts.latencies, default=0),
        "delivered_responses": len(counts.response_latencies),
        "response_latency_sum_cycles": sum(counts.response_latencies),
        "completed_messages": len(counts.message_latencies),
        "message_latency_sum_cycles": sum(counts.message_latencies),
        "message_latency_min_cycles": min(counts.message_latencies, default=0),
        "message_latency_max_cycles": max(counts.message_latencies, default=0),
        "missed_deadlines": counts.missed,
        "given_up_packets": counts.dropped,
    }
    record |= dict.fromkeys(_NEVER, 0)
    for name, inversions in (("output", counts.output_inversions), ("input", counts.input_inversions)):
        record[f"{name}_inversions"] = inversions.packets
        record[f"{name}_inversion_cycles"] = inversions.cycles
        record[f"{name}_inversion_max_cycles"] = inversions.max_cycles
    return record
