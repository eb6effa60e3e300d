"""Ways of packets where all lead round some rings."""

import numpy as np

from ringlet.errors import RingletError
from ringlet.rings.trace import crossing
from ringlet.scenario.network import SwitchedNetwork
from ringlet.scenario.resolved.scenario import Resolved


def check_ways(resolved: Resolved) -> None:
    """Rings round which all ways lead carry nothing, so every packet needs a way without them."""
    section = resolved.file.network
    if not (isinstance(section, SwitchedNetwork) and section.without_rings):
        return
    network, routes = resolved.routed_network
    without = np.zeros(network.rings, dtype=bool)
    without[[resolved.rings[name] for name in section.without_rings]] = True
    for flow in resolved.flows:
        target = np.flatnonzero(flow.destinations.row(flow.source, network.nodes))
        target = target[target != flow.source]
        there, back = np.full(len(target), flow.source), target
        if flow.response_symbols is not None:
            there, back = np.concatenate([there, target]), np.concatenate([back, there])
        stopped = np.flatnonzero(crossing(network, routes, without, there, back))
        if len(stopped):
            pair = (network.node_name(int(at[stopped[0]])) for at in (there, back))
            allowed = "rings without which every packet has a way; there is none from {} to {}".format(*pair)
            raise RingletError.not_allowed("network.without_rings", section.without_rings, allowed)
