"""Latencies beyond saturation: how far they reach under each order in which transmit slots are sent, over the rates.

Traffic is periodic and in phase, so the largest latency of a rate says nothing of the next rate: its range is what can
be compared.
"""

from ringlet.papers.reproduction import Table
from ringlet.papers.richter1999.choices import PRINTED
from ringlet.papers.richter1999.study import Results, Scale
from ringlet.papers.richter1999.systems import (
    FIRST_GRADE,
    HIGHEST_MBPS,
    OMEGA_RINGLETS,
    SECOND_GRADE,
    TWO_LONG,
    TWO_RINGLETS,
    System,
    case,
)
from ringlet.papers.runs import Case

SETTINGS: dict[str, tuple[str, ...]] = {
    **{order: (f"host.order={order}",) for order in ("oldest-first", "requeue", "new-first", "lowest-slot")},
    "lowest-slot, memory a cycle faster": ("host.order=lowest-slot", "queues.service_time=184 ns"),
}
"""Orders of the transmit slots; and how much a change of 2 % does: cycles are 4 ns, and 186.67 ns are 188."""
PUBLISHED = {
    TWO_RINGLETS: "7.4 to 12.8",
    TWO_LONG: "75 to 301",
    OMEGA_RINGLETS: "up to 20.1",
    FIRST_GRADE: "up to 5.1",
    SECOND_GRADE: "up to 134",
}
"""In us; Figures 6.22 to 6.27."""
LOWEST_MBPS = {TWO_RINGLETS: 125, OMEGA_RINGLETS: 125, FIRST_GRADE: 450, TWO_LONG: 450, SECOND_GRADE: 450}
"""Saturation, in MB/s of each processor."""


def rates_MBps(system: System, scale: Scale) -> list[int]:  # noqa: N802 - the unit
    """Returns the rates from saturation on: fine steps on long rings, where the published figures reach far."""
    step = (
        scale.fine_MBps
        if LOWEST_MBPS[system] > LOWEST_MBPS[TWO_RINGLETS]
        else max(scale.step_MBps, 10 * scale.fine_MBps)
    )
    return list(range(LOWEST_MBPS[system], HIGHEST_MBPS + 1, step))


def overload_case(system: System, setting: str, rate: int, scale: Scale) -> Case:
    """Returns the case of one rate."""
    return case(system, PRINTED, rate, scale, *scale.long, *SETTINGS[setting])


def cases(scale: Scale) -> list[Case]:
    """Returns every case."""
    return [
        overload_case(system, setting, rate, scale)
        for system in PUBLISHED
        for setting in SETTINGS
        for rate in rates_MBps(system, scale)
    ]


def table(results: Results, scale: Scale) -> Table:
    """Returns the range of the largest latency."""
    lines: list[tuple[str | float, ...]] = []
    for system, published in PUBLISHED.items():
        ranges = []
        for setting in SETTINGS:
            largest = sorted(
                results[overload_case(system, setting, rate, scale)].largest_latency_ns / 1e3
                for rate in rates_MBps(system, scale)
            )
            ranges.append(f"{largest[0]:.1f} to {largest[-1]:.1f} ({largest[len(largest) // 2]:.1f})")
        rates = rates_MBps(system, scale)
        lines.append((system.title, f"{rates[0]} to {rates[-1]}, {len(rates)}", published, *ranges))
    return Table(
        name="overload",
        title="Latency beyond saturation",
        caption="The largest latency of any packet at each rate, in us: least to most over the rates, and the median. "
        "One packet that starves decides it. "
        "Rates in MB/s of each processor, and how many.",
        columns=("system", "rates", "published", *SETTINGS),
        lines=tuple(lines),
    )
