"""The least time that a collective operation can take on a network."""

from dataclasses import replace

import numpy as np

from ringlet.scenario.resolved.collective_plan import CollectivePlan
from ringlet.scenario.resolved.scenario import Resolved
from ringlet.theory.resources import shared


def bandwidth_bound_cycles(resolved: Resolved, plan: CollectivePlan) -> float:
    """Returns the cycles for which the busiest link, B-Link, receive queue or host bus is in use by the operation.

    Packets and the idle that each needs count, in the steps and on the routes that the operation has. Echoes do not,
    since those of the last packets come after the last delivery, nor do waiting and hop delays.

    Args:
        resolved: the scenario.
        plan: its collective operation.
    """
    first = resolved.first_flow(plan)
    flows = resolved.flows[first : first + plan.flow_count]
    # As if all packets were sent in one cycle.
    sent = [
        replace(flow, rate=float(parts * plan.packets))
        for place, flow in enumerate(flows)
        if (parts := plan.parts_of(place))
    ]
    found = shared(resolved, sent, echoes=False)
    if found is None:
        return 0.0
    rates = np.array([one.limit for one in found.commodities])
    used = found.uses.load(rates, found.capacity.size) / found.capacity
    return float(used.max())
