"""What is too large for an analysis."""

from ringlet.errors import RingletError
from ringlet.scenario import Scenario

MAX_MATRIX_NODES = 1024
"""Nodes up to which a command works on the traffic matrix: time grows with their number to the third power, and takes
some seconds at this one."""


def check_matrix_size(scenario: Scenario, command: str) -> None:
    """Raises RingletError if the scenario's ring is too large for a command that needs its traffic matrix."""
    nodes = scenario.network.nodes
    if nodes > MAX_MATRIX_NODES:
        allowed = f"at most {MAX_MATRIX_NODES} for 'ringlet {command}', which needs the whole traffic matrix"
        raise RingletError.not_allowed("network.nodes", nodes, allowed)


def check_single_ring(scenario: Scenario, command: str) -> None:
    """Raises RingletError if the scenario has switches."""
    if scenario.network.switched:
        allowed = f"'ring' for 'ringlet {command}', whose theory knows one ring"
        raise RingletError.not_allowed("network.topology", scenario.network.topology, allowed)


def check_one_way(scenario: Scenario, command: str) -> None:
    """Raises RingletError if the scenario's traffic is not what theory knows: packets that go one way."""
    if scenario.traffic.arrivals == "none":
        raise RingletError.not_allowed("traffic.arrivals", "none", f"background traffic for 'ringlet {command}'")
    if scenario.traffic.moves.response_bytes is not None:
        allowed = f"a transaction without response for 'ringlet {command}', whose theory knows none"
        raise RingletError.not_allowed("traffic.transaction", scenario.traffic.transaction, allowed)
