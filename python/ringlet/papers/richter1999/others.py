"""Systems that the chapter draws and does not simulate: Figures 6.17 (b) and 6.18, beside those that they extend."""

from ringlet.papers.reproduction import Table
from ringlet.papers.richter1999.choices import PRINTED
from ringlet.papers.richter1999.study import Results, Scale
from ringlet.papers.richter1999.systems import (
    BASELINE_LONG,
    BASELINE_RINGLETS,
    EIGHT_LONG,
    FOUR_LONG,
    HIGHEST_MBPS,
    System,
    case,
)
from ringlet.papers.runs import Case

SHOWN = (FOUR_LONG, EIGHT_LONG, BASELINE_RINGLETS, BASELINE_LONG)
LOW_MBPS = 50
"""Input of a processor at which nothing waits."""


def cases(scale: Scale) -> list[Case]:
    """Returns every case."""
    return [case(system, PRINTED, rate, scale) for system in SHOWN for rate in (LOW_MBPS, HIGHEST_MBPS)]


def table(results: Results, scale: Scale) -> Table:
    """Returns output and latency."""

    def line(system: System) -> tuple[str | float, ...]:
        low, high = (results[case(system, PRINTED, rate, scale)] for rate in (LOW_MBPS, HIGHEST_MBPS))
        each = high.output_MBps / system.processors
        return (system.title, f"{high.output_MBps:z.0f}", f"{each:z.0f}", f"{low.largest_latency_ns:z.0f}")

    return Table(
        name="others",
        title="Figures 6.17 (b) and 6.18",
        caption="Drawn in the chapter, but not simulated there: two processors on a ring share what one has; a "
        "Baseline network gains as the others do, once a permutation closes its "
        f"rings. Output at {HIGHEST_MBPS} MB/s of each processor, in all and for each, in MB/s; largest latency at "
        f"{LOW_MBPS} MB/s, in ns.",
        columns=("system", "output", "each processor", "latency"),
        lines=tuple(line(system) for system in SHOWN),
    )
