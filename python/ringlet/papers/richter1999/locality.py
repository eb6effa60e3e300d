"""Section 6.8: without data locality long rings and ringlets perform alike."""

from ringlet.papers.reproduction import Table
from ringlet.papers.richter1999.choices import PRINTED
from ringlet.papers.richter1999.study import Results, Scale
from ringlet.papers.richter1999.systems import FOUR_LONG, HIGHEST_MBPS, TWO_LONG, TWO_RINGLETS, System, case
from ringlet.papers.runs import Case

LOCALITIES = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
SHOWN = (TWO_RINGLETS, TWO_LONG, FOUR_LONG)


def locality_case(system: System, locality: float, scale: Scale) -> Case:
    """Returns the case of one point: Poisson arrivals, since deterministic ones lock in phase."""
    return case(system, PRINTED, HIGHEST_MBPS, scale, "traffic.arrivals=poisson", f"traffic.locality={locality:g}")


def cases(scale: Scale) -> list[Case]:
    """Returns every case."""
    return [locality_case(system, locality, scale) for system in SHOWN for locality in LOCALITIES]


def table(results: Results, scale: Scale) -> Table:
    """Returns output by locality."""
    lines = [
        (f"{locality:g}", *(f"{results[locality_case(system, locality, scale)].output_MBps:z.0f}" for system in SHOWN))
        for locality in LOCALITIES
    ]
    return Table(
        name="locality",
        title="Data locality",
        caption="Output in MB/s, Poisson arrivals of 500 MB/s at each processor, by the share of requests to the own "
        "memory. With ringlets every packet crosses the "
        "B-Link.",
        columns=("locality", *(system.title for system in SHOWN)),
        lines=tuple(lines),
    )
