"""Results of each control loop."""

from typing import TYPE_CHECKING

from ringlet.figures import LoopFound
from ringlet.scenario import Scenario
from ringlet.scenario.resolved.loop_plan import LoopPlan

if TYPE_CHECKING:
    from ringlet._engine import ChainCounters, Measured, Simulation


def loops_found(simulation: "Simulation", found: "Measured", scenario: Scenario) -> list[LoopFound]:
    """Returns what became of each control loop in the measured time, in the order of the scenario.

    A deadline is missed in the moment in which it passes and the instance is not complete, so one that is still under
    way counts; if it is overdue, it counts in the worst response with its time so far.
    """
    counters = simulation.chain_counters()
    if not counters:
        return []
    last = found["cycle"] - 1
    pairs = zip(scenario.resolved.loops, counters, strict=True)
    return [_found(loop, counted, last, scenario) for loop, counted in pairs]


def _found(loop: LoopPlan, counted: "ChainCounters", last: int, scenario: Scenario) -> LoopFound:
    completed, oldest = counted["completed"], counted["oldest"]
    worst = counted["max_cycles"]
    if oldest is not None and oldest + loop.deadline_cycles <= last:
        worst = max(worst, last - oldest)
    known = completed > 0
    return LoopFound(
        loop=loop,
        node_names=tuple(scenario.node_name(node).removeprefix("node ") for node in loop.nodes),
        released=counted["released"],
        completed=completed,
        missed=counted["missed"],
        due=counted["due"],
        unfinished=counted["open"],
        least_cycles=counted["min_cycles"] if known else None,
        mean_cycles=counted["sum_cycles"] / completed if known else None,
        p99_cycles=counted["p99_cycles"] if known else None,
        worst_cycles=worst if known or worst else None,
    )
