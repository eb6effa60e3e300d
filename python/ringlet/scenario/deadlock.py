"""Which kind of deadlock a scenario could run into."""

from typing import TYPE_CHECKING

from ringlet.topology import DeadlockCheck, check_deadlock

if TYPE_CHECKING:
    from ringlet.scenario.scenario import Scenario

MOST_NAMED = 4
"""Buffers of a circle that a warning names."""


def relevant_check(scenario: "Scenario") -> DeadlockCheck:
    """Returns the check of the buffers that the scenario's transactions use."""
    requests, shared, separate = check_deadlock(*scenario.routed_network)
    if scenario.traffic.moves.response_bytes is None:
        return requests
    return shared if scenario.switch.pooled else separate


def deadlock_warnings(scenario: "Scenario") -> list[str]:
    """Returns a warning if packets of the scenario could wait for each other in a circle."""
    found = relevant_check(scenario)
    if found.free:
        return []
    some = ", ".join(found.cycle[:MOST_NAMED]) + (", ..." if len(found.cycle) > MOST_NAMED else "")
    return [
        f"this network can deadlock: {len(found.cycle)} buffers can wait for each other in a circle ({some}); "
        "'ringlet topology' names them all"
    ]
