"""The flows of a scenario: the background traffic of each node, and the periodic messages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ringlet.scenario.hardware.delays import NodeHost
from ringlet.scenario.resolved.periodic_messages import PeriodicMessage
from ringlet.scenario.traffic.arrivals import ARRIVALS, Periodic
from ringlet.scenario.traffic.section import TrafficSection
from ringlet.scenario.values.destinations import Destinations, Fixed, Pattern
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.transactions import Transaction
from ringlet.scenario.values.units import words_per_cycle

GROSS_BYTES = 4
"""Idles that a gross load counts for each packet: 84 bytes for one of 80."""


@dataclass(frozen=True, slots=True)
class Payload:
    """The part of a flow that counts as data when it has been served."""

    bytes_each: float | None = None
    """Bytes of each transaction; None: all bytes of its request, whatever its length."""
    in_response: bool = False
    """True if the response brings them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A source of packets."""

    source: int
    """The node that sends them."""
    priority: int
    arrivals: dict[str, Any]
    """The engine's arrivals, which only the engine reads."""
    burst: int = 1
    """Requests of an arrival: all are generated at once."""
    deadline_cycles: int | None = None
    """From an arrival until all its requests are served; None: they have no deadline."""
    sizes: Sequence[tuple[int, float]]
    """Symbols of a request packet, framing included, with their probabilities."""
    response_symbols: int | None
    """Symbols of the response, framing included; None: there is none."""
    destinations: Destinations
    groups: dict[str, Any]
    """The engine's transmission groups, which only the engine reads."""
    are_responses: bool = False
    """True if its packets, of a trace, are themselves responses."""
    payload: Payload
    """Part of a packet that counts as data."""
    rate: float
    """Requests per cycle; infinite where there is always one more, 0 where a trace says when they start."""
    times_drawn: bool = False
    """True if the times of its requests are drawn."""
    good: float = 1.0
    """Share of its blocks that count: the others are sent again."""
    messages: dict[str, Any] | None = None
    """The engine's messages, of sizes or times of their own, which only the engine reads."""
    planned_random: bool | None = None
    """True if anything of its packets is drawn, where a plan says when they start and where they go."""

    @property
    def is_random(self) -> bool:
        """True if times, sizes or destinations of its packets are drawn."""
        if self.planned_random is not None:
            return self.planned_random
        if self.rate == 0:
            return False
        return self.times_drawn or self.destinations.count(nodes=2) > 1 or len(self.sizes) > 1


def request_rates(traffic: TrafficSection, nodes: int, symbol_time_ns: float, link_format: LinkFormat) -> list[float]:
    """Returns each node's requests per cycle where a load says how many; 0 for a node without any."""
    loads = traffic.load if isinstance(traffic.load, list) else [traffic.load or 0] * nodes
    moves = traffic.moves
    factor = 1.0 if traffic.load_factor is None else traffic.load_factor
    counted = moves.payload_bytes if traffic.load_counts == "payload" else moves.carrier_bytes + GROSS_BYTES
    word = link_format.symbol_bytes
    return [factor * words_per_cycle(load, symbol_time_ns, word) * word / counted for load in loads]


def background_flows(
    traffic: TrafficSection,
    pattern: Pattern,
    group_specs: Sequence[dict[str, Any]],
    *,
    symbol_time_ns: float,
    link_format: LinkFormat,
    hosts: Sequence[NodeHost],
) -> Iterator[Flow]:
    """Yields a flow for each node that sends, each of its priorities and each master of its bus, in this order."""
    arrivals = ARRIVALS[traffic.arrivals]
    if not arrivals.generates:
        return
    nodes = pattern.nodes
    rates = request_rates(traffic, nodes, symbol_time_ns, link_format)
    given = traffic.priority if isinstance(traffic.priority, list) else [traffic.priority] * nodes
    moves = traffic.moves
    sizes, answer = packets_of(moves, link_format)
    in_response = moves.data_in == "response"
    payload = Payload() if moves.data_bytes is None else Payload(moves.data_bytes, in_response)
    burst = traffic.block_packets
    if arrivals.in_blocks and moves.data_bytes is not None:
        # The last packet is filled up: on average each carries this much.
        payload = Payload(traffic.block_bytes / burst, in_response)
    for node in range(nodes):
        host = hosts[node]
        destinations = pattern.destinations[node]
        if destinations is None or (arrivals.follows_load and rates[node] == 0):
            continue
        priorities = traffic.priorities or [given[node]]
        bad, masters = (0.0, 1) if host.adapter is None else (host.adapter.bad_blocks, host.adapter.masters)
        when = arrivals.spec(traffic, host, node, rates[node] / (len(priorities) * masters), symbol_time_ns)
        rate = arrivals.mean_rate(when, burst)
        for priority in (one for one in priorities for _ in range(masters)):
            yield Flow(
                source=node,
                priority=priority,
                arrivals=when,
                burst=burst,
                sizes=sizes,
                response_symbols=answer,
                destinations=destinations,
                groups=group_specs[node],
                payload=payload,
                rate=rate,
                times_drawn=arrivals.is_random or bad > 0,
                good=1 - bad,
            )


def message_flows(
    table: Sequence[PeriodicMessage],
    transaction: Transaction,
    group_specs: Sequence[dict[str, Any]],
    *,
    link_format: LinkFormat,
) -> Iterator[Flow]:
    """Yields a flow for each message, in the order of the table."""
    (sizes, answer), periodic = packets_of(transaction, link_format), Periodic()
    for message in table:
        arrivals = periodic.every(message.period_cycles, message.offset_cycles)
        if message.extra_cycles:
            arrivals = {**arrivals, "kind": "sporadic", "extra": message.extra_cycles}
        drawn = None
        if message.is_drawn:
            # The engine draws each release, and counts from when it was due.
            drawn = {
                "jitter_cycles": message.jitter_cycles,
                "size": {"kind": "weighted", "sizes": [(message.size_bytes, 1.0)]},
                "packet_bytes": int(transaction.payload_bytes),
            }
        yield Flow(
            source=message.source,
            priority=message.priority,
            arrivals=arrivals,
            burst=1 if message.is_drawn else message.packets,
            deadline_cycles=message.deadline_cycles,
            sizes=sizes,
            response_symbols=answer,
            destinations=Fixed(message.destination),
            groups=group_specs[message.source],
            # The last packet is filled up: on average each carries this much of the message.
            payload=Payload(message.size_bytes / message.packets, transaction.data_in == "response"),
            rate=message.packets / message.mean_period_cycles,
            times_drawn=message.is_drawn,
            messages=drawn,
        )


def packets_of(transaction: Transaction, link_format: LinkFormat) -> tuple[list[tuple[int, float]], int | None]:
    """Returns the symbols of requests with their probabilities, and of the response."""
    response = transaction.response_bytes
    sizes = [(link_format.symbols(size), share) for size, share in transaction.request_bytes]
    return sizes, None if response is None else link_format.symbols(response)
