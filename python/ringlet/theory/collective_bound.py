"""The least time that a collective operation can take on a network."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ringlet.analysis.max_min import FloatArray
from ringlet.scenario.activities.collective import CollectivePlan
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.theory.resources import shared


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
    few[network.node_interface] = [np.inf if one is None else one for one in resolved.outstanding]
    # A port keeps requests and responses until they are accepted.
    few[network.port_interface] = 2 * switch.transmit
    of_rings = np.bincount(network.interface_ring, few, network.rings)
    if not resolved.echo_cost_symbols:
        return np.zeros(network.interfaces)
    return np.asarray(of_rings[network.interface_ring] * resolved.echo_cost_symbols)
