"""Networks of rings: the nodes of each ring, the routes of packets, possible deadlocks, and the cost."""

from ringlet.topology.banyan import Banyan
from ringlet.topology.deadlock import DeadlockCheck, check_deadlock
from ringlet.topology.explicit import ChosenRoute, explicit_network
from ringlet.topology.hierarchy import ring_of_rings
from ringlet.topology.long_rings import long_ring_network
from ringlet.topology.network import Network, Role
from ringlet.topology.rerouted import routes_on_chain, routes_without
from ringlet.topology.ringlets import ringlet_network
from ringlet.topology.routes import Routes
from ringlet.topology.single import one_ring, one_switch
from ringlet.topology.survey import Closure, Cost, Survey, cost, survey
from ringlet.topology.torus import torus_of_long_rings, torus_of_ringlets
from ringlet.topology.trace import Lengths, check_routes, lengths, path

__all__ = [
    "Banyan",
    "ChosenRoute",
    "Closure",
    "Cost",
    "DeadlockCheck",
    "Lengths",
    "Network",
    "Role",
    "Routes",
    "Survey",
    "check_deadlock",
    "check_routes",
    "cost",
    "explicit_network",
    "lengths",
    "long_ring_network",
    "one_ring",
    "one_switch",
    "path",
    "ring_of_rings",
    "ringlet_network",
    "routes_on_chain",
    "routes_without",
    "survey",
    "torus_of_long_rings",
    "torus_of_ringlets",
]
