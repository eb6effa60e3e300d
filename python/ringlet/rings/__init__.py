"""Networks of rings: the nodes of each ring, the routes of packets, possible deadlocks, and the cost."""

from ringlet.rings.banyan import Banyan
from ringlet.rings.deadlock import DeadlockCheck, check_deadlock
from ringlet.rings.explicit import ChosenRoute, explicit_network
from ringlet.rings.hierarchy import ring_of_rings
from ringlet.rings.long_rings import long_ring_network
from ringlet.rings.network import Network, Role
from ringlet.rings.rerouted import routes_on_chain, routes_without
from ringlet.rings.ringlets import ringlet_network
from ringlet.rings.routes import Routes
from ringlet.rings.single import one_ring, one_switch
from ringlet.rings.survey import Closure, Cost, Survey, cost, survey
from ringlet.rings.torus import torus_of_long_rings, torus_of_ringlets
from ringlet.rings.trace import Lengths, check_routes, lengths, path

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
