"""Single failures of a network: which rings a broken link or switch interrupts, and which messages then have no way.

A broken link interrupts a whole ring: a packet and its echo together cross every link, and so do go bits, tokens,
trains and slots. Routes lead round it where there is another way (docs/how-to/failures.md). Where a copy of each packet
goes round each of two rings, the links between two stations fail, or a station, and nothing else changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from ringlet.errors import RingletError
from ringlet.rings import routes_without
from ringlet.rings.network import IntArray
from ringlet.rings.trace import crossing
from ringlet.scenario import Scenario
from ringlet.scenario.activities.flows.plan import FlowPlan
from ringlet.scenario.activities.loops.activity import LoopKeys
from ringlet.scenario.activities.loops.plan import LoopPlan
from ringlet.scenario.values.transactions import TRANSACTIONS
from ringlet.simulation.phases import released_by

MOST_FAILURES = 256
"""Failures that are looked at, each with all that it may do."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A part that fails, alone; or nothing, which is the first case of all."""

    what: str
    """The part in words, such as `a link of ring 'control'`; `none`: nothing fails."""
    rings: tuple[str, ...] = ()
    """Rings that it interrupts, by the names that a scenario takes."""
    cut: tuple[str, ...] = ()
    """Messages, loops and flows with deadlines that have no way then, though nothing but the way has failed."""
    ends: tuple[str, ...] = ()
    """Messages, loops and flows that are of a node that is cut off by it: one alone on a ring that is interrupted."""
    errors: Mapping[str, Any] = field(default_factory=dict)
    """The scenario's section of errors, with which it has happened from the start on; empty: routes lead round it."""


OF_TABLES = {"messages": ("message_transaction", "message_priorities"), "flows": ("flow_transaction",)}
"""Keys that belong to tables."""

NONE = Failure("none")
"""Absence of failures."""


def single_failures(scenario: Scenario) -> list[Failure]:
    """Returns each single failure of a link, or of a switch with all links at its ports.

    All links of a ring are one failure, since each does the same: the ring carries nothing.

    Raises:
        RingletError: more failures than are looked at.
    """
    network = scenario.routed_network[0]
    if network.second_interface is not None:
        return _of_stations(scenario)
    if not scenario.network.switched:
        return [Failure("a link of the ring", cut=tuple(name for name, _ in _ways(scenario)))]
    switches = [
        np.unique(network.port_ring[first:end])
        for first, end in zip(network.switch_start[:-1].tolist(), network.switch_start[1:].tolist(), strict=True)
    ]
    if network.rings + len(switches) > MOST_FAILURES:
        allowed = f"networks of at most {MOST_FAILURES} rings and switches, or no failures"
        raise RingletError.not_allowed("network", f"<{network.rings} rings, {len(switches)} switches>", allowed)
    names = list(scenario.resolved.rings)
    found = [
        _without(scenario, _a_link(scenario, network.node_ring, ring), np.array([ring]), names)
        for ring in range(network.rings)
    ]
    found += [_without(scenario, network.names.switch(switch), rings, names) for switch, rings in enumerate(switches)]
    return found


def degraded(scenario: Scenario, failure: Failure) -> Scenario | None:
    """Returns the scenario behind a failure: ways lead round it, and what has none is not sent; None: nothing is left.

    Raises:
        RingletError: other traffic has no way.
    """
    if failure == NONE:
        return scenario
    stopped = {*failure.cut, *failure.ends}
    kept = {
        "messages": [one.table() for one in scenario.resolved.message_table if one.name not in stopped],
        "loops": [one.table() for one in LoopKeys.in_file(scenario).loops or () if one.name not in stopped],
        "flows": [one.table() for one in scenario.resolved.flow_table if one.name not in stopped],
    }
    if not any(name not in stopped for name, _ in _ways(scenario)):
        return None
    if failure.errors:
        changed = {"errors": {**scenario.errors.table(), **failure.errors}}
    elif scenario.routed_network[0].second_interface is not None:
        # What is on the other ring meets nothing of this one.
        changed = {}
    else:
        changed = {"network": {**scenario.network.table(), "without_rings": list(failure.rings)}}
    tables = {key: those or None for key, those in kept.items()}
    fields = type(scenario).fields
    # A key that says how messages, or flows, are moved needs some.
    unused = {key: fields[key].default for of, keys in OF_TABLES.items() if not kept[of] for key in keys}
    return scenario.changed(**{**tables, **unused}, messages_file=None, flows_file=None, **changed)


def _of_stations(scenario: Scenario) -> list[Failure]:
    """Returns the failures of a dual-attached ring: of what lies between two stations, or of a link of either ring
    where each packet takes one, and of each station.

    Raises:
        RingletError: more failures than are looked at.
    """
    (network, routes), nodes = scenario.routed_network, scenario.resolved.nodes
    if 2 * nodes > MOST_FAILURES:
        allowed = f"networks of at most {MOST_FAILURES} rings and stations, or no failures"
        raise RingletError.not_allowed("network", f"<{nodes} stations, as many links between them>", allowed)
    ways = _ways(scenario)
    ends = [tuple(name for name, each in ways if any(node in way for way in each)) for node in range(nodes)]
    called = [scenario.node_name(node) for node in range(nodes)]
    if network.sends_copies:
        found = []
        for node in range(nodes):
            behind = (node + 1) % nodes
            cut = [{"source": f"{node}.rising", "fails_at": 0}, {"source": f"{behind}.falling", "fails_at": 0}]
            found.append(Failure(f"the links between {called[node]} and {called[behind]}", errors={"links": cut}))
        return found + [
            Failure(called[node], ends=ends[node], errors={"nodes": [{"node": node, "fails_at": 0}]})
            for node in range(nodes)
        ]
    names, found = list(scenario.resolved.rings), []
    for ring, name in enumerate(names):
        interrupted = np.arange(len(names)) == ring
        on_it = [crossing(network, routes, interrupted, *np.array(each).T).any() for _, each in ways]
        cut_off = tuple(name for (name, _), is_on in zip(ways, on_it, strict=True) if is_on)
        found.append(Failure(f"a link of {network.names.ring(ring)}", (name,), cut=cut_off))
    everything = [name for name, _ in ways]
    return found + [
        Failure(
            called[node],
            tuple(names),
            cut=tuple(name for name in everything if name not in ends[node]),
            ends=ends[node],
        )
        for node in range(nodes)
    ]


def _a_link(scenario: Scenario, node_ring: IntArray, ring: int) -> str:
    """Returns what a link of a ring is called: by its node, where that is alone on it."""
    nodes = np.flatnonzero(node_ring == ring).tolist()
    return (
        f"a link to {scenario.node_name(nodes[0])}"
        if len(nodes) == 1
        else f"a link of {scenario.routed_network[0].names.ring(ring)}"
    )


def _without(scenario: Scenario, what: str, rings: IntArray, names: list[str]) -> Failure:
    network, routes = scenario.routed_network
    interrupted = np.zeros(network.rings, dtype=bool)
    interrupted[rings] = True
    routes = routes_without(network, routes, interrupted)
    alone = interrupted & (np.bincount(network.node_ring, minlength=network.rings) == 1)
    each = []
    for name, ways in _ways(scenario):
        source, target = np.array(ways).T
        stopped = crossing(network, routes, interrupted, source, target)
        ends = alone[network.node_ring[source]] | alone[network.node_ring[target]]
        each.append((name, bool(stopped.any()), bool(ends.any())))
    return Failure(
        what,
        tuple(names[ring] for ring in rings.tolist()),
        cut=tuple(name for name, no_way, end in each if no_way and not end),
        ends=tuple(name for name, _, end in each if end),
    )


def _ways(scenario: Scenario) -> list[tuple[str, list[tuple[int, int]]]]:
    """Returns the name of each message, loop, and flow with a period and a deadline, and the ways of its packets: from
    node to node, and back where they have responses."""
    resolved, nodes = scenario.resolved, scenario.resolved.nodes
    found = [(one.name, [(one.source, one.destination)]) for one in scenario.periodic_messages]
    answers = [_answers(scenario.resolved.message_keys.message_transaction)] * len(found)
    for loop in resolved.plans_of(LoopPlan):
        found.append((loop.name, list(pairwise(loop.nodes))))
        answers.append(loop.transaction.response_bytes is not None)
    judged = {one.name for one in released_by(scenario) if one.part == "flows"}
    for flow in (one for plan in resolved.plans_of(FlowPlan) for one in plan.every if one.name in judged):
        targets = np.flatnonzero(flow.destinations.row(flow.source, nodes)).tolist()
        found.append((flow.name, [(flow.source, target) for target in targets]))
        answers.append(_answers(scenario.resolved.flow_keys.flow_transaction))
    return [
        (name, [*ways, *((there, here) for here, there in ways)] if back else ways)
        for (name, ways), back in zip(found, answers, strict=True)
    ]


def _answers(transaction: str) -> bool:
    """Returns whether a transaction has a response, which needs a way back."""
    return TRANSACTIONS[transaction].response_bytes is not None
