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

SENT = ("messages", "flows")
"""Keys of the activities that go by two rings: what a node sends waits for nothing that comes in."""


def check_two_rings(resolved: Resolved) -> None:
    """Raises RingletError for what does not go by two rings."""
    file = resolved.file
    network, traffic = file.network, file.traffic
    if not isinstance(network, DualAttachedRing):
        return
    rings, at = resolved.routed_network[0], f"with topology {network.topology!r}"
    for plan in resolved.plans:
        if plan.key not in SENT:
            allowed = f"traffic, messages and flows {at}: what a node sends there waits for nothing that comes in"
            raise RingletError.not_allowed(plan.key, f"<{plan.section}>", allowed)
    if traffic.replayed is not None:
        raise RingletError.not_allowed("traffic.trace", "<a trace>", f"no trace {at}")
    for path, places in items("queues.transmit", file.queues.transmit).items():
        if places != NO_LIMIT:
            allowed = f"'unlimited' {at}: what one interface loses, the other one would send"
            raise RingletError.not_allowed(path, places, allowed)
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
    keys = ["traffic.transaction"] * len(resolved.flows)
    for plan in resolved.plans:
        first = resolved.first_flow(plan)
        keys[first:] = [f"{plan.key.removesuffix('s')}_transaction"] * (len(resolved.flows) - first)
    for key, flow in zip(keys, resolved.flows, strict=True):
        if flow.response_symbols is not None:
            allowed = f"one without a response {at}: the response would have to choose a ring, too"
            raise RingletError.not_allowed(key, "<a response>", allowed)
        section = key.removesuffix("_transaction").removesuffix(".transaction")
        section = "flows" if section == "flow" else section
        if not WAITS.isdisjoint(flow.arrivals):
            allowed = f"arrivals that wait for nothing {at}"
            raise RingletError.not_allowed(f"{section}.arrivals", flow.arrivals["kind"], allowed)
        is_saturated = math.isinf(flow.rate)
        if rings.sends_copies and is_saturated:
            allowed = "a load where a copy takes each ring: what the slower ring has not sent would grow for ever"
            raise RingletError.not_allowed(f"{section}.arrivals", flow.arrivals["kind"], allowed)
        has_one = flow.destinations.count(resolved.nodes) == 1
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
