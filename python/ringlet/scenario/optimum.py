"""The optimum of a scenario's background traffic."""

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis import optimal_throughput, optimal_throughput_with_echo
from ringlet.errors import RingletError
from ringlet.scenario.scenario import Scenario


def check_single_ring(scenario: Scenario, purpose: str) -> None:
    """Raises RingletError if the scenario has switches.

    Args:
        scenario: whose network is checked.
        purpose: what theory is wanted for, such as `'ringlet bound'`.
    """
    if scenario.network.switched:
        allowed = f"'ring' for {purpose}, whose theory knows one ring"
        raise RingletError.not_allowed("network.topology", scenario.network.topology, allowed)


def check_one_way(scenario: Scenario, purpose: str) -> None:
    """Raises RingletError if the scenario's traffic is not what theory knows: packets that go one way.

    Args:
        scenario: whose traffic is checked.
        purpose: what theory is wanted for, such as `'ringlet bound'`.
    """
    if scenario.traffic.arrivals == "none":
        raise RingletError.not_allowed("traffic.arrivals", "none", f"background traffic for {purpose}")
    if scenario.traffic.moves.response_bytes is not None:
        allowed = f"a transaction without response for {purpose}, whose theory knows none"
        raise RingletError.not_allowed("traffic.transaction", scenario.traffic.transaction, allowed)


def optimum(scenario: Scenario, *, with_echo: bool = True) -> NDArray[np.float64]:
    """Returns the optimal throughput of each node under relaxed fairness, in words per cycle, shape (nodes,).

    picker1994, Section 4.2; with echoes its approximation. Framing takes its share of the link, but is no part of the
    packets.

    Raises:
        RingletError: several rings; the traffic has responses, or there is none.
    """
    check_single_ring(scenario, "the optimum")
    check_one_way(scenario, "the optimum")
    theory = optimal_throughput_with_echo if with_echo else optimal_throughput
    sends = scenario.mean_send_symbols
    share = 1 - scenario.network.framing / sends
    return np.asarray(
        share * theory(scenario.traffic_matrix(), mean_send_symbols=sends, attempted=scenario.attempted_throughput())
    )
