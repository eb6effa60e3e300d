"""Latencies beyond saturation: how far they reach under each order in which transmit slots are sent, over the rates.

Traffic is periodic and in phase, so the largest latency of a rate says nothing of the next rate: its range is what can
be compared.
"""

from collections.abc import Sequence

from ringlet.papers.agreement import MissingInput, Range
from ringlet.papers.published import figures_of
from ringlet.papers.reproduction import Table
from ringlet.papers.richter1999.choices import PRINTED
from ringlet.papers.richter1999.study import PAPER, Point, Results, Scale
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
"""Published latencies in us, of Figures 6.22 to 6.27."""
LOWEST_MBPS = {TWO_RINGLETS: 125, OMEGA_RINGLETS: 125, FIRST_GRADE: 450, TWO_LONG: 450, SECOND_GRADE: 450}
"""Saturation, in MB/s of each processor."""


LARGEST_ROWS = {
    OMEGA_RINGLETS: "f25.omega.latency.over",
    FIRST_GRADE: "f26.first.latency.over",
    SECOND_GRADE: "f27.second.latency.over",
}
"""The rows that are a largest latency, without the paper's name."""
ORDER = (
    "The chapter does not say which of several transmit slots is sent first, and traffic is periodic and in phase: the "
    "order decides whether one packet starves, anew at each rate. The range is over the orders of the table of "
    "latencies beyond saturation, and over the two whole cycles beside the memory's 186.67 ns"
)


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


def missing_inputs(results: Results, scale: Scale) -> dict[str, MissingInput]:
    """Returns the ranges over the orders of the slots, by row id: of the largest latency at any rate; of long rings
    from the rate with the least to that with the most; of ringlets from the shortest latency to the longest."""
    found = {}
    for system, row in LARGEST_ROWS.items():
        factor = 1.0 if _unit(row) == "us" else 1e3
        found[f"{PAPER}.{row}"] = MissingInput(
            ORDER, *_range([factor * most for _, most in _ends_us(results, system, scale)])
        )
    least, most = zip(*_ends_us(results, TWO_LONG, scale), strict=True)
    found[f"{PAPER}.f23.long.latency.over"] = MissingInput(ORDER, *_range(least), upper=_range(most))
    shortest = [1e3 * min(_least_us(results, TWO_RINGLETS, setting, scale)) for setting in SETTINGS]
    longest = [1e3 * most for _, most in _ends_us(results, TWO_RINGLETS, scale)]
    found[f"{PAPER}.f22.ringlet.latency.over"] = MissingInput(ORDER, *_range(shortest), upper=_range(longest))
    return found


def _unit(row: str) -> str:
    return next(figure.unit for figure in figures_of(PAPER) if figure.id == f"{PAPER}.{row}")


def _range(values: Sequence[float]) -> Range:
    return min(values), max(values)


def _ends_us(results: Results, system: System, scale: Scale) -> list[Range]:
    """The largest latency at the rate at which it is least, and at that at which it is most, under each order."""
    return [_range(_largest_us(results, system, setting, scale)) for setting in SETTINGS]


def _points(results: Results, system: System, setting: str, scale: Scale) -> list[Point]:
    return [results[overload_case(system, setting, rate, scale)] for rate in rates_MBps(system, scale)]


def _largest_us(results: Results, system: System, setting: str, scale: Scale) -> list[float]:
    """The largest latency at each rate, the least first."""
    return sorted(point.largest_latency_ns / 1e3 for point in _points(results, system, setting, scale))


def _least_us(results: Results, system: System, setting: str, scale: Scale) -> list[float]:
    return [point.least_latency_ns / 1e3 for point in _points(results, system, setting, scale)]


def table(results: Results, scale: Scale) -> Table:
    """Returns the range of the largest latency."""
    lines: list[tuple[str | float, ...]] = []
    for system, published in PUBLISHED.items():
        ranges = []
        for setting in SETTINGS:
            largest = _largest_us(results, system, setting, scale)
            ranges.append(f"{largest[0]:z.1f} to {largest[-1]:z.1f} ({largest[len(largest) // 2]:z.1f})")
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
