"""The engine's NetworkSpec of a resolved scenario: everything in cycles, symbols and node numbers."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.scenario.activities.flow import Flow
from ringlet.scenario.resolved.network_spec import engine_network
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.scenario.values.link_format import ECHO_BYTES
from ringlet.scenario.values.transactions import HEADER_BYTES

if TYPE_CHECKING:
    from ringlet.scenario.resolved.replay import Replay

HISTOGRAM_FLOWS = 4096
"""Flows up to which latency histograms have 3 digits: one takes some 20 kB."""


def network_spec(resolved: Resolved, seed: int) -> dict[str, Any]:
    """Returns the NetworkSpec of a run.

    Raises:
        RingletError: something that does not fit the network, the protocol or the engine.
    """
    stall, flows, link_format = resolved.stall_cycles, resolved.flows, resolved.link_format
    framing = link_format.framing_symbols
    file = resolved.file
    queues, retry = file.queues, file.retry
    receive_queues = [
        {"capacity": places, "service_cycles": service}
        for places, service in zip(resolved.receive_places, resolved.service_cycles.tolist(), strict=True)
    ]
    limits = resolved.host_limits
    # Nodes that are alike need no limits of their own; ports have the common ones.
    differ = any(one != limits[0] for one in limits)
    has_more = resolved.link_errors is not None or resolved.has_copies or retry.by == "responder"
    single_ring = not (resolved.switched or has_more)
    base_nodes = resolved.ring_protocols.base_nodes(resolved.routed_network[0])
    spec = {
        "seed": seed,
        "nodes": resolved.nodes,
        "hop_delay": {
            "common": resolved.equal_hop_symbols or int(resolved.hop_symbols[0]),
            "each": resolved.hop_symbols.tolist() if single_ring and resolved.equal_hop_symbols is None else None,
        },
        "format": {
            "link_width": resolved.file.network.link_width,
            "echo_symbols": resolved.echo_symbols,
            # What has echoes of 8 bytes is known by the digest that it had before there were others.
            **({"framing_symbols": framing} if resolved.echo_symbols != link_format.symbols(ECHO_BYTES) else {}),
            "echoes": resolved.echoes,
        },
        "flow_control": file.flow_control.spec(resolved.ring),
        "base_nodes": base_nodes,
        "queues": {
            "priorities": resolved.levels,
            "order": queues.order or file.flow_control.class_order,
            "receive": {
                "common": receive_queues[0],
                "each": receive_queues if any(one != receive_queues[0] for one in receive_queues) else None,
            },
            "limits": {
                "common": dict(resolved.port_limits if differ else limits[0]),
                "each": limits if differ else None,
            },
            "response_timeout": response_timeout(resolved),
            "reservation": retry.reservation,
        },
        "flows": [engine_flow(flow) for flow in flows],
        "measurement": {
            "stall_cycles": stall,
            "latency_digits": 3 if len(flows) <= HISTOGRAM_FLOWS else 2,
        },
    }
    if resolved.slow_links:
        spec["slow_links"] = [
            {"node": node, "cycles": slowness.numerator, "symbols": slowness.denominator}
            for node, slowness in resolved.slow_links.items()
        ]
    in_groups = response_groups(resolved)
    if in_groups is not None:
        spec["response_groups"] = in_groups
    planned = [plan.spec(resolved.first_flow(plan)) for plan in resolved.plans]
    if any(one is not None for one in planned):
        spec["workload"] = [one for one in planned if one is not None]
    # A single ring is a network of one ring where it has what only networks have.
    if not single_ring:
        network = engine_network(resolved)
        if resolved.interface_groups is not None:
            by_ring = np.split(resolved.interface_groups, resolved.routed_network[0].ring_start[1:-1])
            for ring, groups in zip(network["rings"], by_ring, strict=True):
                ring["groups"] = groups.tolist()
        for number, own in resolved.ring_protocols.specs(resolved.own_rings).items():
            network["rings"][number]["flow_control"] = own
        spec["network"] = {**network, "retry_by": retry.by}
    return spec


def response_groups(resolved: Resolved) -> list[dict[str, Any]] | None:
    """Returns the groups of the responses of each node of a single ring; None: all are in group 0.

    Nodes that send nothing of their own may answer. The interfaces of several rings have their own groups.
    """
    in_group_0 = {"kind": "fixed", "group": 0}
    has_others = any(groups != in_group_0 for groups in resolved.group_specs)
    return resolved.group_specs if has_others and not resolved.switched else None


def response_timeout(resolved: Resolved) -> dict[str, int] | None:
    """Returns how long requests wait for their responses, in the engine's form; None: for ever."""
    queues = resolved.file.queues
    if queues.response_timeout is None:
        return None
    return {
        "timeout_cycles": max(1, resolved.cycles(queues.response_timeout)),
        "max_repeats": queues.response_repeats,
    }


def stepping_spec(resolved: Resolved, seed: int) -> dict[str, Any]:
    """Returns the NetworkSpec of a simulation that a program steps: it may inject packets at every node.

    The flows for that are the last ones, so that the streams of random numbers of the others stay the same.

    Raises:
        RingletError: something that does not fit the network, the protocol or the engine.
    """
    spec = network_spec(resolved, seed)
    if resolved.routed_network[0].sends_copies:
        # Nothing is injected there, which `inject` says.
        return spec
    arrivals: dict[str, Any] = {"kind": "injected"}
    if "network" in spec:
        arrivals["most_symbols"] = resolved.most_injected_symbols
    shortest = max(resolved.link_format.words(HEADER_BYTES), resolved.echo_symbols + 1)
    spec["flows"] += [
        {
            "source": node,
            "priority": resolved.send_levels.count - 1,
            "arrivals": arrivals,
            "burst": 1,
            "deadline_cycles": None,
            "sizes": [(shortest, 1.0)],
            "response_symbols": None,
            "destinations": {"kind": "uniform"},
            "groups": resolved.group_specs[node],
        }
        for node in range(resolved.nodes)
    ]
    return spec


def trace_columns(replay: "Replay") -> dict[str, list[int]]:
    """Returns the packets of a trace in the engine's form, a list for each of their properties."""
    columns: dict[str, list[int]] = {name: [] for name in ("cycle", "flow", "destination", "dependences", "depends_on")}
    for packets in replay.packets():
        for name, column in columns.items():
            column += packets[name].tolist()  # type: ignore[literal-required]
    return columns


def engine_flow(flow: Flow) -> dict[str, Any]:
    """Returns the engine's form of a flow."""
    found = {
        "source": flow.source,
        "priority": flow.priority,
        "arrivals": flow.arrivals,
        "burst": flow.burst,
        "deadline_cycles": flow.deadline_cycles,
        "sizes": flow.sizes,
        "response_symbols": flow.response_symbols,
        "destinations": flow.destinations.spec(),
        "groups": flow.groups,
    }
    return found if flow.messages is None else {**found, "messages": flow.messages}
