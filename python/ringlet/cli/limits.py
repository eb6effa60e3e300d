"""The largest scenarios that an analysis takes."""

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
