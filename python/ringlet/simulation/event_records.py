"""Results of event building."""

from typing import TYPE_CHECKING

from ringlet.figures import BuilderFound, EventsFound

if TYPE_CHECKING:
    from ringlet._engine import Simulation
    from ringlet.scenario import Scenario


def events_found(simulation: "Simulation", scenario: "Scenario") -> EventsFound | None:
    """Returns what became of the events of a run; None without event building."""
    counters = simulation.event_counters()
    if counters is None:
        return None
    columns = {name: column.tolist() for name, column in counters["builders"].items()}
    builders = [
        BuilderFound(
            node=node,
            name=scenario.node_name(node),
            built=columns["built"][place],
            lost=columns["lost"][place],
            incomplete=columns["incomplete"][place],
            latency_sum=columns["latency_sum_cycles"][place],
            latency_max=columns["latency_max_cycles"][place],
            held=columns["held_event_cycles"][place],
            held_max=columns["held_max"][place],
            busy=columns["busy_cycles"][place],
        )
        for place, node in enumerate(columns["node"])
    ]
    return EventsFound(
        triggers=counters["triggers"],
        dead=counters["dead"],
        refused=counters["refused"],
        open=counters["open"],
        latency_min=counters["latency_min"],
        latency_quantiles=counters["latency_quantiles"],
        builders=tuple(builders),
    )
