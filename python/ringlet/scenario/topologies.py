"""From the network section to a network of rings with its routes."""

from typing import cast

from ringlet.scenario.network import Network
from ringlet.scenario.network_checks import BANYANS
from ringlet.topology import (
    Banyan,
    ChosenRoute,
    Routes,
    check_routes,
    explicit_network,
    long_ring_network,
    one_ring,
    one_switch,
    ring_of_rings,
    ringlet_network,
    torus_of_long_rings,
    torus_of_ringlets,
)
from ringlet.topology import Network as Rings
from ringlet.topology.banyan import BanyanKind

KEPT_NODES = 1024
"""Nodes up to which a network is kept: some 100 kB."""

MOST_KEPT = 16
"""Networks that are kept at a time."""

_kept: dict[str, tuple[Rings, Routes]] = {}


def banyan(section: Network) -> Banyan | None:
    """Returns the lines and stages of a multistage network; None for any other."""
    if section.topology not in BANYANS:
        return None
    assert section.size is not None
    assert section.radix is not None
    stages, lines = 1, section.radix
    while lines < section.size:
        stages, lines = stages + 1, lines * section.radix
    return Banyan(cast(BanyanKind, section.topology), section.radix, stages)


def routed(section: Network) -> tuple[Rings, Routes]:
    """Returns rings, nodes and switches, and how packets are routed.

    The points of a study often have the same network: the last small ones are kept.

    Raises:
        RingletError: lists of rings that are no network.
    """
    if section.nodes > KEPT_NODES:
        return build(section)
    key = section.model_dump_json()
    found = _kept.get(key)
    if found is None:
        found = build(section)
        # Of several threads, each may find the oldest one gone already.
        while len(_kept) >= MOST_KEPT and (oldest := next(iter(list(_kept)), None)) is not None:
            _kept.pop(oldest, None)
        _kept[key] = found
    return found


def build(section: Network) -> tuple[Rings, Routes]:
    """Builds rings, nodes and switches, and how packets are routed.

    Raises:
        RingletError: lists of rings that are no network.
    """
    ringlets = section.connection == "ringlet"
    shape = section.shape or []
    match section.topology:
        case "ring":
            return one_ring(section.nodes)
        case "switch":
            return one_switch(section.nodes, section.ports or 0, long_rings=not ringlets, uma=section.memory == "uma")
        case "torus":
            torus = torus_of_ringlets if ringlets else torus_of_long_rings
            return torus(shape, section.concentration or 1)
        case "ring-of-rings":
            return ring_of_rings(shape)
        case "rings":
            return _explicit(section)
    stages = banyan(section)
    assert stages is not None
    if ringlets:
        return ringlet_network(stages)
    return long_ring_network(stages, one_to_one=section.closing == "one-to-one")


def _explicit(section: Network) -> tuple[Rings, Routes]:
    rings = {name: ring.members for name, ring in zip(section.ring_names, section.rings or [], strict=True)}
    network, routes = explicit_network(
        rings,
        {switch.name: switch.ports for switch in section.switches or []},
        section.nodes,
        memories=section.memories or [],
        search=section.routing or "shortest",
        chosen=[ChosenRoute(route.at, route.to, route.port) for route in section.routes or []],
    )
    check_routes(network, routes)
    return network, routes
