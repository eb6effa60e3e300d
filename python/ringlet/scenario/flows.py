"""The engine's flows: the background traffic of each node, and the periodic messages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ringlet.scenario.adapter import Adapter
from ringlet.scenario.message_set import PeriodicMessage
from ringlet.scenario.patterns import Pattern
from ringlet.scenario.traffic import Traffic
from ringlet.scenario.transactions import Transaction
from ringlet.scenario.units import cycles, words_per_cycle

SYMBOL_BYTES = 2
"""Bytes of a symbol, 16 bits."""

GROSS_BYTES = 4
"""Idles that a gross load counts for each packet: 84 bytes for one of 80."""


@dataclass(frozen=True, slots=True)
class Payload:
    """What of a flow counts as data when it has been served."""

    bytes_each: float | None = None
    """Bytes of each transaction; None: all bytes of its request, whatever its length."""
    in_response: bool = False
    """Whether the response brings them."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A source of packets."""

    spec: dict[str, Any]
    """What the engine takes."""
    payload: Payload
    """What of it counts as data."""


def request_rates(traffic: Traffic, nodes: int, symbol_time_ns: float) -> list[float]:
    """Returns each node's requests per cycle where a load says how many; 0 for a node without any."""
    loads = traffic.load if isinstance(traffic.load, list) else [traffic.load or 0] * nodes
    moves = traffic.moves
    factor = 1.0 if traffic.load_factor is None else traffic.load_factor
    counted = moves.payload_bytes if traffic.load_counts == "payload" else moves.carrier_bytes + GROSS_BYTES
    return [factor * words_per_cycle(load, symbol_time_ns) * SYMBOL_BYTES / counted for load in loads]


def background(
    traffic: Traffic,
    pattern: Pattern,
    group_specs: Sequence[dict[str, Any]],
    *,
    symbol_time_ns: float,
    framing_symbols: int,
    adapter: Adapter | None = None,
) -> Iterator[Flow]:
    """Yields a flow for each node that sends and each of its priorities, in this order."""
    if traffic.arrivals == "none":
        return
    nodes = pattern.nodes
    rates = request_rates(traffic, nodes, symbol_time_ns)
    given = traffic.priority if isinstance(traffic.priority, list) else [traffic.priority] * nodes
    phases = traffic.phase if isinstance(traffic.phase, list) else [traffic.phase] * nodes
    moves = traffic.moves
    packets = _packets(moves, framing_symbols)
    in_response = moves.data_in == "response"
    payload = Payload() if moves.data_bytes is None else Payload(moves.data_bytes, in_response)
    burst = traffic.block_packets
    if traffic.arrivals == "closed" and moves.data_bytes is not None:
        # The last packet is filled up, and a bad block is sent again: on average each carries this much.
        good = 1.0 if adapter is None else 1 - adapter.bad_blocks
        payload = Payload(good * traffic.block_bytes / burst, in_response)
    for node in range(nodes):
        destinations = pattern.destinations[node]
        if destinations is None or (traffic.arrivals not in ("saturated", "closed") and rates[node] == 0):
            continue
        priorities = traffic.priorities or [given[node]]
        if traffic.arrivals == "closed":
            arrivals = _closed(traffic, adapter, symbol_time_ns)
        else:
            arrivals = _arrivals(traffic, rates[node] / len(priorities), phases[node], symbol_time_ns)
        for priority in priorities:
            spec = {
                "source": node,
                "priority": priority,
                "arrivals": arrivals,
                "burst": burst,
                "deadline_cycles": None,
                **packets,
                "destinations": destinations,
                "groups": group_specs[node],
            }
            yield Flow(spec, payload)


def messages(
    table: Sequence[PeriodicMessage],
    transaction: Transaction,
    group_specs: Sequence[dict[str, Any]],
    *,
    framing_symbols: int,
) -> Iterator[Flow]:
    """Yields a flow for each message, in the order of the table."""
    packets = _packets(transaction, framing_symbols)
    for message in table:
        spec = {
            "source": message.source,
            "priority": message.priority,
            "arrivals": {"kind": "periodic", "period": message.period_cycles, "phase": message.offset_cycles},
            "burst": message.packets,
            "deadline_cycles": message.deadline_cycles,
            **packets,
            "destinations": {"kind": "fixed", "node": message.destination},
            "groups": group_specs[message.source],
        }
        # The last packet is filled up: on average each carries this much of the message.
        yield Flow(spec, Payload(message.size_bytes / message.packets, transaction.data_in == "response"))


def _packets(transaction: Transaction, framing_symbols: int) -> dict[str, Any]:
    response = transaction.response_bytes
    return {
        "sizes": [(symbols(size, framing_symbols), share) for size, share in transaction.request_bytes],
        "response_symbols": None if response is None else symbols(response, framing_symbols),
    }


def symbols(packet_bytes: int, framing_symbols: int) -> int:
    """Returns the length of a packet on a link, in symbols, without its idle."""
    return packet_bytes // SYMBOL_BYTES + framing_symbols


def _closed(traffic: Traffic, adapter: Adapter | None, symbol_time_ns: float) -> dict[str, Any]:
    """Blocks one after the other: a bridge is done with what stands in its buffers, unless software checks it or asks for a response."""
    pause = cycles(traffic.pause, symbol_time_ns)
    checked = 0 if adapter is None else cycles(adapter.check, symbol_time_ns)
    posted = adapter is not None and checked == 0 and traffic.moves.response_bytes is None
    return {"kind": "closed", "pause_cycles": max(1, pause + checked), "posted": posted}


def _arrivals(traffic: Traffic, rate: float, phase: float | str, symbol_time_ns: float) -> dict[str, Any]:
    match traffic.arrivals:
        case "saturated":
            return {"kind": "saturated"}
        case "periodic":
            return {"kind": "periodic", "period": 1 / rate, "phase": float(cycles(phase, symbol_time_ns))}
        case kind:
            return {"kind": kind, "rate": rate}
