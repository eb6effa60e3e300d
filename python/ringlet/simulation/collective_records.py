"""Results of a collective operation."""

from typing import TYPE_CHECKING

from ringlet.figures import CollectiveFound
from ringlet.scenario.values.units import size_bytes
from ringlet.theory.collective_bound import bandwidth_bound_cycles

if TYPE_CHECKING:
    from ringlet._engine import Simulation
    from ringlet.scenario import Scenario


def collective_found(simulation: "Simulation", scenario: "Scenario") -> CollectiveFound | None:
    """Returns what became of the collective operation of a run; None without one."""
    counters, plan = simulation.collective_counters(), scenario.resolved.collective
    if counters is None or plan is None:
        return None
    packets, delivered, last_cycle = counters
    return CollectiveFound(
        data_bytes=round(size_bytes(plan.collective.size)),
        packets=packets,
        delivered=delivered,
        taken=last_cycle - plan.start_cycle if delivered == packets else None,
        bound=bandwidth_bound_cycles(scenario.resolved, plan),
    )
