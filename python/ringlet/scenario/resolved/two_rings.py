"""Checks of stations with an interface on each of two rings (docs/explanation/network-model.md, "Stations on two
rings")."""

import math

from ringlet.errors import RingletError
from ringlet.scenario.activities.flows.resolved import PROMPTED
from ringlet.scenario.network.dual_attached_ring import DualAttachedRing
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.scenario.values.per_node import NO_LIMIT, items

WAITS = PROMPTED | {"pause_cycles"}
"""Keys of the engine's arrivals that wait for what becomes of earlier messages."""


def check_two_rings(resolved: Resolved) -> None:
    """Raises RingletError for what does not go by two rings."""
    file = resolved.file
    network = file.network
    if not isinstance(network, DualAttachedRing):
        return
    rings, at = resolved.routed_network[0], f"with topology {network.topology!r}"
    for path, places in items("queues.transmit", file.queues.transmit).items():
        if places != NO_LIMIT:
            allowed = f"'unlimited' {at}: what one interface loses, the other one would send"
            raise RingletError.not_allowed(path, places, allowed)
    for path, places in items("queues.responses", file.queues.responses).items():
        if places != NO_LIMIT:
            allowed = f"'unlimited' {at}: a response may leave by the other interface"
            raise RingletError.not_allowed(path, places, allowed)
    if file.queues.response_timeout is not None:
        allowed = f"none {at}: a response may come in by the other interface"
        raise RingletError.not_allowed("queues.response_timeout", file.queues.response_timeout, allowed)
    for section in ("switch", "host"):
        if getattr(file, section) != type(getattr(file, section)).by_default():
            raise RingletError.not_allowed(section, f"<[{section}]>", f"none {at}, which has no switches")
    if file.rings is not None:
        raise RingletError.not_allowed("rings", "<[rings]>", f"none {at}: both rings have the protocol of a station")
    if not resolved.has_one_rate:
        raise RingletError.not_allowed("network.link_rate", "<a table>", f"one rate {at}, for both rings")
    if file.errors.steers_after is not None:
        allowed = f"none {at}: a packet keeps its way"
        raise RingletError.not_allowed("errors.steers_after", file.errors.steers_after, allowed)
    for plan in (plan for plan in resolved.plans if rings.sends_copies and plan.one_way):
        raise RingletError.not_allowed(plan.key, f"<{plan.section}>", f"none {at} and ways 'both': {plan.one_way}")
    sections = ["traffic"] * len(resolved.flows)
    for plan in resolved.plans:
        first = resolved.first_flow(plan)
        sections[first:] = [plan.key] * (len(resolved.flows) - first)
    for number, (section, flow) in enumerate(zip(sections, resolved.flows, strict=True)):
        if "dependence_driven" in flow.arrivals:
            # A plan or a trace hands it in, each packet at the interface of its ring.
            continue
        has_one = flow.destinations.count(resolved.nodes) == 1
        takes_both = resolved.takes_both_rings(number)
        if not WAITS.isdisjoint(flow.arrivals) and (takes_both or not has_one):
            allowed = f"arrivals that wait for nothing, or one ring and one destination for each node, {at}"
            raise RingletError.not_allowed(f"{section}.arrivals", flow.arrivals["kind"], allowed)
        is_saturated = math.isinf(flow.rate) and WAITS.isdisjoint(flow.arrivals)
        if takes_both and is_saturated:
            allowed = "a load where a copy takes each ring: what the slower ring has not sent would grow for ever"
            raise RingletError.not_allowed(f"{section}.arrivals", flow.arrivals["kind"], allowed)
        sorts = is_saturated or flow.times_drawn or flow.messages is not None or has_one
        if not rings.sends_copies and not sorts:
            allowed = f"arrivals at random, or one destination for each node, {at}"
            raise RingletError.not_allowed(f"{section}.arrivals", flow.arrivals["kind"], allowed)


def check_one_interface(resolved: Resolved, what: str) -> None:
    """Raises RingletError where nodes have two interfaces, which what is asked for does not take; `what` in words."""
    network = resolved.file.network
    if isinstance(network, DualAttachedRing):
        allowed = f"one in which each node has one interface, for {what}"
        raise RingletError.not_allowed("network.topology", network.topology, allowed)


def sends_copies(resolved: Resolved) -> bool:
    """Returns whether a copy of each packet takes each of two rings."""
    network = resolved.file.network
    return isinstance(network, DualAttachedRing) and network.ways == "both"


def check_no_copies(resolved: Resolved, what: str) -> None:
    """Raises RingletError where a copy of each packet takes each ring, which what is asked for does not take; `what` in
    words."""
    if sends_copies(resolved):
        raise RingletError.not_allowed("network.ways", "both", f"one ring for each packet, for {what}")


def check_no_crossing(resolved: Resolved, what: str) -> None:
    """Raises RingletError where nodes have two interfaces and what comes in at one makes the other send, which what is
    asked for does not take; `what` in words."""
    network = resolved.file.network
    if not isinstance(network, DualAttachedRing):
        return
    allowed = f"nothing that waits for what comes in by either ring, for {what} with topology {network.topology!r}"
    for plan in resolved.plans:
        if plan.key not in ("messages", "flows"):
            raise RingletError.not_allowed(plan.key, f"<{plan.section}>", allowed)
    check_no_responses(resolved, what)
    for flow in resolved.flows:
        if not WAITS.isdisjoint(flow.arrivals):
            raise RingletError.not_allowed("flows.arrivals", flow.arrivals["kind"], allowed)


def check_no_responses(resolved: Resolved, what: str) -> None:
    """Raises RingletError where nodes have two interfaces and send responses, which what is asked for does not take;
    `what` in words."""
    network = resolved.file.network
    responds = any(flow.response_symbols is not None for flow in resolved.flows)
    if responds and isinstance(network, DualAttachedRing):
        allowed = f"nothing that waits for what comes in by either ring, for {what} with topology {network.topology!r}"
        raise RingletError.not_allowed("traffic.transaction", "<a response>", allowed)


def fails_at_one_place(resolved: Resolved) -> bool:
    """Returns whether all that fails on a dual-attached ring are links between two stations, or one station, which
    nothing bypasses."""
    errors, stations, nodes = resolved.link_errors, resolved.file.errors.nodes, resolved.nodes
    if errors is None or not isinstance(resolved.file.network, DualAttachedRing):
        return False
    if stations:
        return len(errors.failures) == 1 and not stations[0].bypass
    # The links between a station and the one of the next number leave the former, and the latter the other way.
    between = {link if link < nodes else (2 * nodes - 2 - link) % nodes for link in errors.interruptions}
    return len(between) == 1
