"""The least time that a collective operation can take on a network: by what carries most, and hop by hop."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ringlet.analysis.max_min import FloatArray
from ringlet.rings.network import IntArray
from ringlet.rings.trace import legs
from ringlet.scenario.activities.collective import CollectivePlan
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.theory.resources import shared

MOST_TRIPS = 1 << 16
"""Trips from member to member of an all-to-all that are measured; beyond, those of the first members."""


def bandwidth_bound_cycles(resolved: Resolved, plans: Sequence[CollectivePlan]) -> tuple[float, str]:
    """Returns the cycles for which the busiest link, B-Link, receive queue, host bus or window is in use by the
    operation, and what that is.

    Packets and the idle that each needs count, in the steps and on the routes that the operation has, and echoes with
    theirs, but for those that may come after the last delivery: no more than nodes and ports may have sent without one.
    Of windows and slots, which a packet holds until its echo can be back, the last round trip does not count. Waiting
    and hop delays do not count.

    Args:
        resolved: the scenario.
        plans: the channels of its collective operation.
    """
    # As if all packets were sent in one cycle.
    sent = [
        replace(flow, rate=float(parts * plan.packets))
        for plan in plans
        for place, flow in enumerate(resolved.flows[resolved.first_flow(plan) :][: plan.flow_count])
        if (parts := plan.parts_of(place))
    ]
    alone, echoed = (shared(resolved, sent, echoes=echoes, tickets=False) for echoes in (False, True))
    if alone is None or echoed is None:
        return 0.0, ""
    without, including = alone.load(), echoed.load()
    late = _late_echoes(resolved)
    links = slice(echoed.places.links, echoed.places.requests)
    including[links] = np.maximum(without[links], including[links] - late / echoed.capacity[links])
    held = slice(echoed.places.windows, None)
    including[held] = np.maximum(0.0, including[held] - echoed.longest_held)
    most = int(including.argmax())
    return float(including[most]), echoed.places.name(most)


def _late_echoes(resolved: Resolved) -> FloatArray:
    """Returns what the echoes of each link's ring take of it that may come after the last delivery, in symbols; shape
    (links,): those of all that nodes and ports may have sent without an echo."""
    network, switch = resolved.routed_network[0], resolved.file.switch
    few = np.full(network.interfaces, np.inf)
    for interfaces in (network.node_interface, network.second_interface):
        if interfaces is not None:
            few[interfaces] = [np.inf if one is None else one for one in resolved.outstanding]
    # A port keeps requests and responses until they are accepted.
    few[network.port_interface] = 2 * switch.transmit
    of_rings = np.bincount(network.interface_ring, few, network.rings)
    if not resolved.echo_cost_symbols:
        return np.zeros(network.interfaces)
    return np.asarray(of_rings[network.interface_ring] * resolved.echo_cost_symbols)


def latency_bound_cycles(resolved: Resolved, plans: Sequence[CollectivePlan]) -> float:
    """Returns the cycles in which a packet goes through all steps of some channels of an operation, of the slowest
    chain of them, if it waits for nothing.

    Of each trip the links, the packet's length, the service of the node that takes it and the cycle in which it is
    sent count; between two trips the time in which it is combined, or one cycle. Switches do not count. Of an
    all-to-all, in which no packet waits for another one, it is the longest trip.

    Args:
        resolved: the scenario.
        plans: the channels.
    """
    return float(max(_chain_cycles(resolved, plan) for plan in plans))


def _chain_cycles(resolved: Resolved, plan: CollectivePlan) -> int:
    """Returns the cycles of the slowest chain of a channel."""
    members, operation = np.array(plan.members), plan.collective.operation
    count = len(members)
    symbols = next(iter(resolved.flows[resolved.first_flow(plan)].sizes))[0]
    if operation == "all-to-all":
        some = members[: max(1, MOST_TRIPS // count)]
        source, target = np.repeat(some, count), np.tile(members, len(some))
        other = source != target
        return int(_trips(resolved, source[other], target[other], symbols).max())
    trips = _trips(resolved, members, np.roll(members, -1), symbols)
    if operation == "broadcast":
        return int(np.roll(trips, -plan.root)[: count - 1].sum()) + count - 2
    combining, whole = max(plan.reduce_cycles, 1), 1
    steps = count - 1
    if operation == "all-reduce":
        waits = (count - 1) * combining + (count - 2)
        steps, whole = 2 * steps, 2
    elif operation == "reduce-scatter":
        waits = (count - 2) * combining + plan.reduce_cycles
    else:
        waits = count - 2
    # So many steps go round so often but for this many trips in a row.
    lacking = whole * count - steps
    least = min(int(np.roll(trips, -first)[:lacking].sum()) for first in range(count))
    return whole * int(trips.sum()) - least + waits


def _trips(resolved: Resolved, source: IntArray, target: IntArray, symbols: int) -> IntArray:
    """Returns the cycles from when a packet of each source is there until its target has it; shape (packets,)."""
    network, routes = resolved.routed_network
    behind = np.concatenate([[0], np.cumsum(resolved.hop_cycles)])
    around = np.add.reduceat(resolved.hop_cycles, network.ring_start[:-1])
    links, length = np.zeros_like(source), np.zeros_like(source)
    for leg in legs(network, routes, source, target):
        straight = behind[leg.end] - behind[leg.start]
        links[leg.packet] += np.where(straight > 0, straight, straight + around[network.interface_ring[leg.start]])
        # Of a packet that is passed on while it comes in, the slowest ring says how long it takes.
        on_ring = symbols * resolved.interface_symbol_cycles[leg.start]
        length[leg.packet] = np.maximum(length[leg.packet], on_ring)
    return np.asarray(1 + links + length + resolved.service_cycles[target], dtype=np.int64)
