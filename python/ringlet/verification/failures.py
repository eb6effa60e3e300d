"""Single failures of a network: which rings a broken link or switch interrupts, and which messages then have no way.

A broken link interrupts a whole ring: a packet and its echo together cross every link, and so do go bits, tokens,
trains and slots. Routes lead round it where there is another way (docs/how-to/failures.md).
"""

from dataclasses import dataclass

import numpy as np

from ringlet.errors import RingletError
from ringlet.rings import routes_without
from ringlet.rings.network import IntArray
from ringlet.rings.trace import crossing
from ringlet.scenario import Scenario
from ringlet.scenario.values.transactions import TRANSACTIONS

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
    """Messages that have no way then, though nothing but the way has failed."""
    ends: tuple[str, ...] = ()
    """Messages from or to a node that is cut off by it: one alone on a ring that is interrupted."""


NONE = Failure("none")
"""Nothing fails."""


def single_failures(scenario: Scenario) -> list[Failure]:
    """Returns each single failure of a link, or of a switch with all links at its ports.

    All links of a ring are one failure, since each does the same: the ring carries nothing.

    Raises:
        RingletError: more failures than are looked at.
    """
    network = scenario.routed_network[0]
    if not scenario.network.switched:
        return [Failure("a link of the ring", cut=tuple(one.name for one in scenario.periodic_messages))]
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
    kept = [one.table() for one in scenario.resolved.message_table if one.name not in {*failure.cut, *failure.ends}]
    if not kept:
        return None
    network = {**scenario.network.table(), "without_rings": list(failure.rings)}
    return scenario.changed(messages=kept, messages_file=None, network=network)


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
    messages = scenario.periodic_messages
    source = np.array([one.source for one in messages])
    target = np.array([one.destination for one in messages])
    routes = routes_without(network, routes, interrupted)
    stopped = crossing(network, routes, interrupted, source, target)
    if _answers(scenario):
        stopped |= crossing(network, routes, interrupted, target, source)
    alone = interrupted & (np.bincount(network.node_ring, minlength=network.rings) == 1)
    ends = alone[network.node_ring[source]] | alone[network.node_ring[target]]
    each = list(zip((one.name for one in messages), stopped.tolist(), ends.tolist(), strict=True))
    return Failure(
        what,
        tuple(names[ring] for ring in rings.tolist()),
        cut=tuple(name for name, no_way, end in each if no_way and not end),
        ends=tuple(name for name, _, end in each if end),
    )


def _answers(scenario: Scenario) -> bool:
    """Returns whether messages are moved by requests with responses, which need a way back."""
    return TRANSACTIONS[scenario.message_transaction].response_bytes is not None
