"""Which kind of deadlock a scenario could run into."""

from typing import TYPE_CHECKING

from ringlet.topology import DeadlockCheck, check_deadlock

if TYPE_CHECKING:
    from ringlet.scenario.scenario import Scenario


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
    return [
        f"this network can deadlock: {' waits for '.join(found.cycle)} waits for the first; 'ringlet topology' says more"
    ]
