"""Warnings that precede a run."""

import math

import numpy as np

from ringlet.rings import DeadlockCheck, Routes, check_deadlock
from ringlet.rings.network import IntArray
from ringlet.scenario.activities.flow import Flow
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.theory.resources import Sent, pairs
from ringlet.theory.utilisation import utilisation

MOST_PAIRS = 1 << 18
"""Pairs of a sender and a destination up to which the check for deadlock follows just those."""

MOST_NAMED = 4
"""Buffers of a circle that a warning names."""


def warnings(resolved: Resolved) -> list[str]:
    """Returns a line for each: messages that need more than there is or find no room, a network that can deadlock.

    Also a matrix that was made one of probabilities, and times in a table without their unit.
    """
    found = [*resolved.pattern.notes, *_without_unit(resolved), *_without_room(resolved)]
    if resolved.switched:
        found += _deadlock(resolved)
    if resolved.message_keys.has_messages or any(plan.has_deadlines for plan in resolved.plans):
        needed = utilisation(resolved, resolved.flows)
        found += [] if needed is None else needed.warnings()
    return found


def relevant_check(resolved: Resolved, routes: Routes | None = None) -> DeadlockCheck:
    """Returns the check for deadlock of the buffers that the scenario's transactions use, with its own traffic.

    Args:
        resolved: the scenario.
        routes: of its network; default: those where nothing has failed.
    """
    network, first = resolved.routed_network
    requests, shared, separate = check_deadlock(network, routes or first, _own_pairs(resolved))
    if resolved.file.traffic.moves.response_bytes is None:
        return requests
    return shared if resolved.file.switch.pooled else separate


def _own_pairs(resolved: Resolved) -> tuple[IntArray, IntArray] | None:
    """Returns who sends to whom; None where there are too many of them, or no node sends."""
    flows = resolved.steady_flows()
    if not flows:
        return None
    sent = Sent(flows, resolved.link_format)
    if sum(to.count(resolved.nodes) for to in sent.destinations) > MOST_PAIRS:
        return None
    node = np.array(sent.node, dtype=np.int64)
    found = [(node[flow], target) for flow, target, _ in pairs(sent, resolved.nodes)]
    return np.concatenate([one[0] for one in found]), np.concatenate([one[1] for one in found])


def _deadlock(resolved: Resolved) -> list[str]:
    found = relevant_check(resolved)
    if not found.free:
        return [f"this network can deadlock: {_circle(found)}; 'ringlet topology' names them all"]
    errors = resolved.link_errors
    for reroute in errors.reroutes if errors else ():
        found = relevant_check(resolved, reroute.routes)
        if not found.free:
            return [f"this network can deadlock by the routes from cycle {reroute.from_cycle} on: {_circle(found)}"]
    return []


def _circle(found: DeadlockCheck) -> str:
    some = ", ".join(found.cycle[:MOST_NAMED]) + (", ..." if len(found.cycle) > MOST_NAMED else "")
    return f"{len(found.cycle)} buffers can wait for each other in a circle ({some})"


def _without_unit(resolved: Resolved) -> list[str]:
    keys = {key for message in resolved.message_table for key in message.without_unit}
    if not keys:
        return []
    words = ", ".join(key for key in ("period", "deadline", "offset") if key in keys)
    unit = f"cycles of {resolved.symbol_time_ns:g} ns; a column period_us holds microseconds"
    return [f"{resolved.message_keys.messages_file}: {words} without a unit: {unit}"]


def _without_room(resolved: Resolved) -> list[str]:
    """Messages that are lost as a whole, since their packets find no room even in a transmit queue that is empty."""
    sizes: dict[int, set[int]] = {}
    for flow in resolved.flows:
        if (packets := _fewest_packets(flow)) > 1:
            sizes.setdefault(flow.source, set()).add(packets)
    found, limits = [], resolved.host_limits if sizes else []
    for node, each in sorted(sizes.items()):
        host, places = resolved.hosts[node], limits[node]["transmit_capacity"]
        # What has a slot is in the queue no more.
        has_slots = host.slots is not None or host.adapter is not None
        lost = [] if has_slots or places is None else sorted(packets for packets in each if packets > places)
        if lost:
            network = resolved.routed_network[0]
            name = network.node_name(node) if resolved.switched or network.node_names else f"node {node}"
            where = f"a transmit queue of {places} (queues.transmit)"
            many = f"{lost[0]} to {lost[-1]}" if len(lost) > 1 else f"{lost[0]}"
            found.append(f"all lost: messages of {many} packets from {name} find no room in {where}")
    return found


def _fewest_packets(flow: Flow) -> int:
    """Returns the packets that come at once, at least."""
    messages = flow.messages or {}
    size = messages.get("size") or {}
    if size.get("kind") != "weighted":
        return flow.burst
    return int(min(math.ceil(each / messages["packet_bytes"]) for each, share in size["sizes"] if share > 0))
