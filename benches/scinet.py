"""A search for one preset of richter1999's simulator: the section of docs/reproductions/richter1999.md.

    .venv/bin/python benches/scinet.py [--search]

Says how many rows of Figures 6.21 to 6.27 some presets give: those of single switches, by which they were chosen, and
those of multistage networks, which they predict. With `--search` it first tries every combination of `CHOICES` on
single switches. All of it takes some three minutes of a core.
"""

import argparse
import itertools

from ringlet.papers import agrees, figures_of
from ringlet.papers.richter1999.choices import PRINTED, WRITES, Reading
from ringlet.papers.richter1999.study import QUICK, SEED, measure
from ringlet.papers.richter1999.systems import (
    FOUR_LONG,
    HIGHEST_MBPS,
    SYSTEMS,
    TWO_LONG,
    TWO_RINGLETS,
    case,
    measurements,
    rates_MBps,
)
from ringlet.papers.runs import simulate

SINGLE = ("ringlet", "long", "long4")
"""Words in the ids of rows of single switches."""

LINK = ("switch.to_link=58 ns", "switch.from_link=82 ns")
"""As printed: 106 ns to the B-Link, of which 48 are in the hop delay, and 82 ns from it."""

CHOICES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("traffic.transaction=nwrite64",), ("traffic.transaction=dmove64",)),
    (
        ("flow_control.protocol=sci", "network.bypass=cut-through"),
        ("flow_control.protocol=none", "network.bypass=cut-through"),
        ("flow_control.protocol=none",),
    ),
    (("network.framing=1",), ()),
    tuple((f"host.slots={slots}",) for slots in (1, 4, 8)),
    (("queues.service_time=166 ns",), ("queues.service_time=186.67 ns",)),
    tuple((f"switch.set_up={held}", *LINK) for held in ("0", "82 ns", "188 ns")),
    ((), ("network.hop_delay=168 ns",)),
)
"""Transaction, flow control and bypass, framing, slots, memory, how long a packet holds the B-Link besides, cable."""

BOOK = ("traffic.transaction=nwrite64", "flow_control.protocol=sci", "network.bypass=cut-through", *LINK)
CABLE = "network.hop_delay=168 ns"
"""69 ns of delays, and 20 m of cable."""

PRESETS = (
    PRINTED,
    WRITES,
    Reading("cable", (*BOOK, CABLE, "switch.set_up=82 ns"), "the book's workload, 20 m of cable, nothing fitted"),
    Reading(
        "cable, framed", (*BOOK, CABLE, "switch.set_up=82 ns", "network.framing=1"), "the same with 84-byte requests"
    ),
    Reading(
        "cable, stored",
        (*BOOK, CABLE, "switch.set_up=82 ns", "switch.to_link=226 ns"),
        "cable, and a packet is stored before the B-Link moves it",
    ),
)


def agreeing(reading: Reading) -> tuple[list[str], list[str]]:
    """Returns the rows of Figures 6.21 to 6.27 that agree, and those that differ, without `richter1999.`."""
    cases = [case(system, reading, rate, QUICK) for system in SYSTEMS for rate in rates_MBps(QUICK)]
    found = measurements(simulate(cases, measure, seeds=(SEED,)), reading, QUICK)
    published = {figure.id: figure for figure in figures_of("richter1999")}
    rows: tuple[list[str], list[str]] = ([], [])
    for name, obtained in found.items():
        rows[not agrees(published[name], obtained.value)].append(name.partition(".")[2])
    return rows


def search() -> None:
    """Prints how many of seven figures of single switches each combination gives, the best ones first."""
    readings = [Reading("", sum(parts, ()), "") for parts in itertools.product(*CHOICES)]
    places = [(TWO_RINGLETS, 100), (TWO_RINGLETS, HIGHEST_MBPS), (TWO_LONG, 425), (TWO_LONG, HIGHEST_MBPS)]
    places.append((FOUR_LONG, HIGHEST_MBPS))
    cases = {(reading, place): case(place[0], reading, place[1], QUICK) for reading in readings for place in places}
    results = simulate(cases.values(), measure, seeds=(SEED,))

    def hits(reading: Reading) -> int:
        ringlet_low, ringlet, long_low, long, four = (results[cases[reading, place]] for place in places)
        pairs = [(ringlet.output_MBps, 176), (ringlet.loss_MBps, 585), (ringlet_low.largest_latency_ns, 2344)]
        pairs += [(long.output_MBps, 682), (long.loss_MBps, 80), (long_low.largest_latency_ns, 1127)]
        pairs.append((four.output_MBps, 1365))
        return sum(abs(obtained / published - 1) <= 0.05 for obtained, published in pairs)

    ranked = sorted(((hits(reading), reading.overrides) for reading in readings), key=lambda it: -it[0])
    print(f"{len(ranked)} combinations; of 7 figures of single switches the best give")
    for count, overrides in ranked[:8]:
        print(f"{count}: {' '.join(overrides)}")


def main() -> None:
    """Prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", action="store_true", help="try every combination first")
    if parser.parse_args().search:
        search()
    print("preset | single switches | multistage networks | rows that differ")
    print("---|---|---|---")
    for reading in PRESETS:
        rows = agreeing(reading)
        single, multistage = (
            [sum((name.split(".")[1] in SINGLE) is of_one for name in half) for half in rows]
            for of_one in (True, False)
        )
        counts = [f"{agree} of {agree + differ}" for agree, differ in (single, multistage)]
        print(" | ".join([reading.name, *counts, ", ".join(rows[1])]), flush=True)


if __name__ == "__main__":
    main()
