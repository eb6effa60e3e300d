"""The flows of a scenario: the background traffic of each node, and the periodic messages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ringlet.lazy import library
from ringlet.scenario.activities.flow import COPIES, Flow, Payload, packets_of
from ringlet.scenario.activities.messages.periodic import PeriodicMessage
from ringlet.scenario.hardware.delays import NodeHost
from ringlet.scenario.traffic.arrivals import ARRIVALS, Periodic
from ringlet.scenario.traffic.section import TrafficSection
from ringlet.scenario.values.destinations import Fixed, Pattern
from ringlet.scenario.values.link_format import LinkFormat
from ringlet.scenario.values.transactions import Transaction
from ringlet.scenario.values.units import words_per_cycle

if TYPE_CHECKING:
    import numpy as np
else:
    np = library("numpy")

GROSS_BYTES = 4
"""Idles that a gross load counts for each packet: 84 bytes for one of 80."""


def request_rates(
    traffic: TrafficSection, pattern: Pattern, symbol_time_ns: float, link_format: LinkFormat
) -> list[float]:
    """Returns each node's requests per cycle where a load says how many; 0 for a node without any."""
    moves = traffic.moves
    factor = 1.0 if traffic.load_factor is None else traffic.load_factor
    counted = moves.payload_bytes if traffic.load_counts == "payload" else moves.carrier_bytes + GROSS_BYTES
    word = link_format.symbol_bytes
    given = traffic.load_by(pattern)
    loads = given if isinstance(given, list) else [given or 0]
    rates = [factor * words_per_cycle(load, symbol_time_ns, word) * word / counted for load in loads]
    return rates if isinstance(given, list) else rates * pattern.nodes


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
    rates = request_rates(traffic, pattern, symbol_time_ns, link_format)
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
    first: int,
) -> Iterator[Flow]:
    """Yields a flow for each message, in the order of the table; `first` is the number of the first of them."""
    (sizes, answer), periodic = packets_of(transaction, link_format), Periodic()
    for message in table:
        is_sent = message.copies is None
        arrivals = periodic.every(message.period_cycles, message.offset_cycles)
        if message.copies is not None:
            arrivals = {"kind": COPIES, "flow": first + message.copies}
        elif message.extra_cycles:
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
            # The last packet is filled up: on average each carries this much of the message. Of one to several nodes
            # data count once, where the last receiver takes it.
            payload=Payload(
                message.size_bytes / message.packets if is_sent else 0.0, transaction.data_in == "response"
            ),
            rate=message.packets / message.mean_period_cycles if is_sent else 0.0,
            times_drawn=message.is_drawn,
            messages=drawn,
        )


@dataclass(frozen=True, slots=True)
class WorkToEnd:
    """Cycles that packets of flows take which come to an end."""

    busiest: float
    """Cycles of the busiest node, or of the busiest link of the only ring."""
    largest: float
    """Cycles of the largest message."""
    packets: float
    """Packets of the flow that has most."""


def work_to_end(
    flows: Sequence[Flow], to_end: Sequence[tuple[float, float]], nodes: int, *, one_ring: bool
) -> WorkToEnd:
    """Returns how long flows that end take.

    Args:
        flows: of the engine.
        to_end: messages of each of them, and packets of one.
        nodes: that there are.
        one_ring: are they on one ring, in their order?
    """
    sent, taken, begins = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes)
    largest = most = 0.0
    for flow, (messages, packets) in zip(flows, to_end, strict=True):
        # An idle follows each packet.
        each = packets * (sum(symbols * share for symbols, share in flow.sizes) + 1 + (flow.response_symbols or 0))
        if messages:
            largest, most = max(largest, each), max(most, messages * packets)
        work = messages * each
        sent[flow.source] += work
        if isinstance(flow.destinations, Fixed):
            node = flow.destinations.node
            taken[node] += work
            begins[flow.source] += work
            begins[node] -= work
            begins[0] += work if node < flow.source else 0.0
        else:
            # Half way round, in the mean.
            begins[0] += work / 2
    links = begins.cumsum().max() if one_ring else 0.0
    return WorkToEnd(float(max(sent.max(), taken.max(), links)), largest, most)
