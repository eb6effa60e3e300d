"""The region in which the queueing model has been held against simulations, and was near them
(docs/explanation/what-a-ring-can-carry.md, "Where it holds")."""

from dataclasses import dataclass

import numpy as np

from ringlet.scenario.flow_control.go_bits import DEFAULT_EXTENSION, GoBits
from ringlet.scenario.scenario import Scenario

MOST_OF_A_LINK, MOST_WITH_GO_BITS = 0.6, 0.5
"""Share of the busiest link up to which the model is near, without and with go bits."""

MOST_TO_NEXT, TO_NEXT = 0.2, 0.5
"""Share of the busiest link under go bits where so many packets, or more, go to the next node: then what passes
are echoes."""

MOST_OF_SHORT, SHORT_SYMBOLS = 0.3, 20.0
"""Share of the busiest link under go bits where packets are shorter on average: holes are then too short for a
model without cycles."""

MOST_OF_ANSWERS, TIMES_LONGER = 0.2, 8.0
"""Share of the busiest link where responses are so many times as long as requests, or more: there the model has been
slow by up to 19 %, with and without go bits."""

MOST_ON_LONG, LONG_CYCLES = 0.35, 5.0
"""Share of the busiest link under go bits where a hop takes so many cycles on average, or more."""

EXTENSION = "passing"
"""The extension of go bits that the model has."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """Figures of a scenario's traffic, as the model has found them."""

    utilisation: float
    """Used share of the busiest link."""
    to_next: float
    """Share of the packets that go to the next node of a ring that has others, too; 0 in a network of rings."""
    symbols: float
    """Mean length of a packet."""
    longer: float
    """Length of responses over that of requests; 0: there are none."""


def outside(scenario: Scenario, traffic: Traffic) -> str | None:
    """Returns why the model's figures may be off by more than 10 %, in words; None where they have been near."""
    if traffic.longer >= TIMES_LONGER and traffic.utilisation > MOST_OF_ANSWERS:
        where = f" where responses are {TIMES_LONGER:g} times as long as requests or longer"
        return _too_loaded(traffic.utilisation, MOST_OF_ANSWERS, where)
    rings = scenario.routed_network[0].rings
    go_bits = [one for one in scenario.resolved.ring_protocols.by_ring(rings) if isinstance(one, GoBits)]
    if not go_bits:
        return _too_loaded(traffic.utilisation, MOST_OF_A_LINK, "")
    if scenario.network.switched:
        return "on networks of rings go bits have been off by up to 45 %"
    extension = go_bits[0].extension or DEFAULT_EXTENSION
    if extension != EXTENSION:
        return f"it has the go bits of flow_control.extension {EXTENSION!r}, not {extension!r}"
    if traffic.to_next >= TO_NEXT:
        return _too_loaded(traffic.utilisation, MOST_TO_NEXT, " where most packets go to the next node")
    if traffic.symbols < SHORT_SYMBOLS:
        return _too_loaded(traffic.utilisation, MOST_OF_SHORT, f" with packets below {SHORT_SYMBOLS:g} symbols")
    if float(np.mean(scenario.hop_cycles)) >= LONG_CYCLES:
        return _too_loaded(traffic.utilisation, MOST_ON_LONG, f" with hops of {LONG_CYCLES:g} cycles or more")
    return _too_loaded(traffic.utilisation, MOST_WITH_GO_BITS, " with go bits")


def _too_loaded(used: float, most: float, where: str) -> str | None:
    """Returns that a link is used more than the model has been near for."""
    if used <= most:
        return None
    return f"a link is used to {100 * used:.3g} %, and it has been near up to {100 * most:g} %{where}"
