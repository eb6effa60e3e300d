"""Links and flows as an output-port network of Saihu (Tsai, Tabatabaee, Plassart, Le Boudec: arXiv 2303.14565), the
common interface of xTFA, panco, DNC and Linear TFA, which bound delays by network calculus."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any

from ringlet.errors import RingletError
from ringlet.exports.content import Exported
from ringlet.exports.flows import background_names, background_of, flow_table
from ringlet.exports.links import interfaces
from ringlet.exports.nodes import Nodes
from ringlet.scenario.activities.flow import Flow
from ringlet.scenario.activities.flows.plan import FlowPlan
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.scenario.scenario import Scenario

END = "-saihu.json"

OWN = "ringlet"
"""Key of what ringlet reads again: a flow by the columns of a table, and what all are cut into. Saihu ignores it."""


@dataclass(frozen=True)
class Release:
    """Bound of the releases of a flow that comes every T, up to J late: at most 1 + (t + J) / T messages in a time t
    (token bucket with a rate of a message in T and a burst of 1 + J / T messages)."""

    name: str
    flow: Flow
    message_symbols: int
    """Symbols of a message on a link, with the idle that follows each packet."""
    packet_symbols: int
    period_cycles: float
    jitter_cycles: float


def written(scenario: Scenario, stem: str) -> Exported:
    """Returns the links of a ring as servers, and the flows that have arrival curves.

    Raises:
        RingletError: a network with switches, or traffic of which nothing has an arrival curve.
    """
    resolved = scenario.resolved
    if resolved.switched:
        allowed = "one ring, for Saihu: a switch has buses that its servers do not describe"
        raise RingletError.not_allowed("network.topology", resolved.file.network.topology, allowed)
    there = interfaces(resolved)
    servers = [f"{one.name} to {there[one.following].name}" for one in there]
    found = Exported()
    table = flow_table(resolved)
    rows = {row["name"]: row for row in table.rows}
    if len(rows) < len(table.rows):
        # A flow and a message may have one name: the curve says which is meant.
        rows = {}
    made, several = [], 0
    for release in _releases(resolved, found.left_out):
        path, one = _path(release.flow, resolved.nodes)
        several += not one
        own = {OWN: rows[release.name]} if release.name in rows else {}
        made.append(_flow(release, [servers[link] for link in path], resolved) | own)
    if not made:
        allowed = "messages or flows that are periodic, which have arrival curves, for Saihu"
        raise RingletError.not_allowed("traffic", "<no such flow>", allowed)
    document = {
        "network": {
            "name": stem,
            "packetizer": False,
            "multiplexing": "ARBITRARY",
            "time_unit": "us",
            "data_unit": "B",
            "rate_unit": "Mbps",
            OWN: {"flow_transaction": resolved.flow_keys.flow_transaction} if resolved.flow_table else {},
        },
        "servers": [
            {
                "name": name,
                "service_curve": {"latencies": [one.hop_delay_ns / 1e3], "rates": [8 * one.link_rate_MBps]},
                "capacity": 8 * one.link_rate_MBps,
            }
            for name, one in zip(servers, there, strict=True)
        ],
        "flows": made,
    }
    found.files[END] = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    found.taken += [
        f"links as servers, each with its rate, and its hop delay as the latency: {len(servers)}",
        f"flows with arrival curves, in bytes on a link, with headers and the idle behind each packet: {len(made)}",
    ]
    if several:
        found.taken.append(f"flows to several nodes, as if all went to the farthest: {several}")
    found.left_out += _not_said(resolved)
    found.back.append(f"ringlet import {stem}{END} makes the ring again, its link rate, hop delays, and these flows")
    found.back.append("not in them: flows without arrival curves, and all sections but [network] and [[flows]]")
    return found


def _not_said(resolved: Resolved) -> Iterator[str]:
    """Yields what bounds of Saihu's tools leave out, so that they are lower than those of the ring."""
    protocol = resolved.file.flow_control.protocol
    yield f"flow control {protocol}: the servers send whatever waits, in any order"
    if resolved.echoes:
        yield f"echoes: {resolved.echo_symbols} symbols and an idle for each packet, on the rest of the ring"
    if any(flow.response_symbols for flow in resolved.flows):
        yield "responses: they start when a request has been served"
    if resolved.service_cycles.any():
        yield "the service of packets at their destinations (queues.service_time)"
    if resolved.least_receive_places is not None:
        yield "packets that are sent again (queues.receive is finite)"
    if len({flow.priority for flow in resolved.flows}) > 1:
        yield "priorities"


def _releases(resolved: Resolved, left_out: list[str]) -> Iterator[Release]:
    """Yields flows that have arrival curves; names the others."""
    nodes = Nodes.of(resolved)
    background = background_of(resolved)
    for flow, name in zip(background, background_names(background, nodes), strict=True):
        if "period" in flow.arrivals:
            longest = max(size for size, _ in flow.sizes) + 1
            yield Release(name, flow, longest, longest, flow.arrivals["period"], 0.0)
        else:
            left_out.append(f"{name}: arrivals {flow.arrivals['kind']!r} have no arrival curve")
    if resolved.replay is not None:
        left_out.append("traffic.trace: it has no arrival curve")
    for plan in resolved.plans:
        first = resolved.first_flow(plan)
        flows = resolved.flows[first : first + plan.flow_count]
        if not isinstance(plan, FlowPlan):
            left_out.append(f"{plan.section}: it has no arrival curve")
            continue
        for one, flow in zip(plan.every, flows, strict=True):
            if one.copies is not None:
                left_out.append(f"{one.name}: copies of packets that go on to the last receiver")
                continue
            period = one.least_period_cycles
            if period is None:
                left_out.append(f"{one.name}: arrivals {one.comes!r} have no arrival curve")
                continue
            packet = flow.sizes[0][0] + 1
            packets = ceil(one.sizes.most_bytes / plan.transaction.payload_bytes) * one.most_at_once
            jitter = one.timing["jitter_cycles"]
            yield Release(one.name, flow, packets * packet, packet, period, jitter)
    count = len(resolved.messages)
    for message, flow in zip(resolved.messages, resolved.flows[len(resolved.flows) - count :], strict=True):
        if message.copies is not None:
            left_out.append(f"{message.name}: copies of packets that go on to the last receiver")
            continue
        packet = flow.sizes[0][0] + 1
        yield Release(
            message.name, flow, message.packets * packet, packet, message.period_cycles, message.jitter_cycles
        )


def _path(flow: Flow, nodes: int) -> tuple[list[int], bool]:
    """Returns the links to the farthest destination of a flow, and whether it is the only one."""
    shares = flow.destinations.row(flow.source, nodes)
    hops = [(int(node) - flow.source - 1) % nodes + 1 for node in shares.nonzero()[0]]
    return [(flow.source + hop) % nodes for hop in range(max(hops))], len(hops) == 1


def _flow(release: Release, path: list[str], resolved: Resolved) -> dict[str, Any]:
    symbol_bytes, ns = resolved.link_format.symbol_bytes, resolved.symbol_time_ns
    message = release.message_symbols * symbol_bytes
    period_us = release.period_cycles * ns / 1e3
    packet = release.packet_symbols * symbol_bytes
    return {
        "name": release.name,
        "path": path,
        "arrival_curve": {
            "bursts": [message * (1 + release.jitter_cycles / release.period_cycles)],
            "rates": [8 * message / period_us],
        },
        "max_packet_length": packet,
        "min_packet_length": packet,
    }
