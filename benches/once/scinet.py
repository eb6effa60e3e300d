"""The search for one preset of richter1999's simulator: the section of docs/reproductions/richter1999.md.

    .venv/bin/python benches/once/scinet.py [--search]

Says how many rows of Figures 6.21 to 6.27 some presets give: those of single switches, by which they were chosen, and
those of multistage networks, which they predict. With `--search` it first tries combinations of what the chapter and
the book on its simulator leave open, on single switches alone: packets on long rings never cross a B-Link, so what
gives the figures of a long ring is found first, and the B-Link's part is tried for these. It takes some two minutes of
a core, and half a minute without.
"""

import argparse
import itertools
import math
from collections.abc import Callable, Iterator, Mapping

from ringlet.papers import figures_of
from ringlet.papers.agreement import verdict
from ringlet.papers.richter1999.choices import NO_FLOW_CONTROL, PRINTED, WRITES, Reading
from ringlet.papers.richter1999.study import QUICK, SEED, Point, measure
from ringlet.papers.richter1999.systems import (
    SYSTEMS,
    TWO_LONG,
    TWO_RINGLETS,
    System,
    case,
    measurements,
    rates_MBps,
)
from ringlet.papers.runs import simulate

SINGLE = ("ringlet", "long", "long4")
"""Words in the ids of rows of single switches."""

Choice = Mapping[str, tuple[str, ...]]
"""The overrides of each value of a choice, by a word for it."""

STRIPPED = "network.hop_delay=21 ns"
"""20 ns of address decoder and 1 ns of cable: a packet is stripped in front of the bypass FIFO."""
CUT = "network.bypass=cut-through"
LONG_RING: Mapping[str, Choice] = {
    "transaction": {each: (f"traffic.transaction={each}",) for each in ("dmove64", "nwrite64")},
    "flow control": {"none": NO_FLOW_CONTROL, "sci": ()},
    "passing": {
        "69 ns": ("network.hop_delay=69 ns", CUT, "network.pass_delay=0"),
        "69 ns and the packet at 500 MB/s": ("network.bypass=store-and-forward", "network.pass_delay=0"),
        "69 ns and 88 bytes at 600 MB/s": ("network.hop_delay=69 ns", CUT, "network.pass_delay=146.67 ns"),
        "stripped after 21 ns, 48 ns more": (STRIPPED, CUT, "network.pass_delay=48 ns"),
        "stripped after 21 ns, the packet more": (
            STRIPPED,
            "network.bypass=store-and-forward",
            "network.pass_delay=0",
        ),
        "69 ns and 20 m of cable": ("network.hop_delay=168 ns", CUT, "network.pass_delay=0"),
        "20 m of cable, stripped after 120 ns, 48 ns more": (
            "network.hop_delay=120 ns",
            CUT,
            "network.pass_delay=48 ns",
        ),
    },
    "framing": {str(each): (f"network.framing={each}",) for each in (0, 1)},
    "slots": {str(each): (f"host.slots={each}",) for each in (1, 4, 8)},
    "memory": {each: (f"queues.service_time={each}",) for each in ("40 ns", "166 ns", "186.67 ns")},
    "order": {each: (f"host.order={each}",) for each in ("oldest-first", "stop-and-wait")},
}
"""The choices that decide a long ring."""

B_LINK: Mapping[str, Choice] = {
    "held besides": {
        each: (f"switch.set_up={each}",) for each in ("0 ns", "82 ns", "88 ns", "176 ns", "188 ns", "215.67 ns")
    },
    "FIFOs of a port": {
        f"{into} and {out} ns": (f"switch.to_link={into} ns", f"switch.from_link={out} ns")
        for into, out in ((58, 82), (226, 82), (226, 250), (204.67, 228.67))
    },
    "slots of a port": {str(each): (f"switch.transmit={each}",) for each in (1, 4)},
}
"""The choices that decide ringlets besides: FIFOs as printed, one that stores the packet at 500 MB/s, both of them, and
both that store 88 bytes at 600 MB/s."""

Figure = tuple[Callable[[Point], float], float, float]
"""How a figure is read from a point, and between which values it agrees."""


def _within(published: float) -> tuple[float, float]:
    return 0.95 * published, 1.05 * published


def _output(point: Point) -> float:
    return point.output_MBps


def _loss(point: Point) -> float:
    return point.loss_MBps


def _largest(point: Point) -> float:
    return point.largest_latency_ns


LONG_FIGURES: Mapping[int, tuple[Figure, ...]] = {
    425: ((_loss, 0.0, 0.0), (_largest, *_within(1127))),
    450: ((_output, *_within(682)), (_loss, 0.005 * 685.7, math.inf)),
    500: ((_loss, *_within(80)),),
}
"""By the input of a processor in MB/s; those of the switch with four long rings are the same."""
RINGLET_FIGURES: Mapping[int, tuple[Figure, ...]] = {
    100: ((_loss, 0.0, 0.0), (_largest, *_within(2344))),
    125: ((_output, *_within(176)), (_loss, 0.005 * 190.5, math.inf)),
    500: ((_loss, *_within(585)),),
}

BOOK = (
    "traffic.transaction=nwrite64",
    CUT,
    "network.hop_delay=168 ns",
    "network.pass_delay=0",
    "switch.set_up=82 ns",
    "switch.from_link=82 ns",
)
PRESETS = (
    PRINTED,
    WRITES,
    Reading(
        "fitted",
        (
            "network.bypass=store-and-forward",
            "network.pass_delay=0",
            "switch.set_up=216 ns",
            "switch.to_link=226 ns",
            "switch.from_link=250 ns",
        ),
        "what counted before: packets stored at 500 MB/s",
    ),
    Reading("cable", (*BOOK, "switch.to_link=58 ns"), "the book's workload, 20 m of cable, nothing fitted"),
    Reading("cable, stored", (*BOOK, "switch.to_link=226 ns"), "the same, and a packet stored before the B-Link"),
)


def agreeing(reading: Reading) -> tuple[list[str], list[str]]:
    """Returns the rows of Figures 6.21 to 6.27 that agree, and those that differ, without `richter1999.`."""
    cases = [case(system, reading, rate, QUICK) for system in SYSTEMS for rate in rates_MBps(QUICK)]
    found = measurements(simulate(cases, measure, seeds=(SEED,)), reading, QUICK)
    published = {figure.id: figure for figure in figures_of("richter1999")}
    rows: tuple[list[str], list[str]] = ([], [])
    for name, obtained in found.items():
        agrees = verdict(published[name], obtained.value, ends=obtained.ends) == "agrees"
        rows[not agrees].append(name.partition(".")[2])
    return rows


def _combinations(choices: Mapping[str, Choice]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Every combination: its words, and its overrides."""
    for picked in itertools.product(*(choice.items() for choice in choices.values())):
        yield tuple(word for word, _ in picked), sum((overrides for _, overrides in picked), ())


def _hits(
    combinations: Mapping[tuple[str, ...], tuple[str, ...]], system: System, figures: Mapping[int, tuple[Figure, ...]]
) -> dict[tuple[str, ...], int]:
    """Returns how many figures each combination gives."""
    cases = {
        (words, rate): case(system, Reading("", overrides, ""), rate, QUICK)
        for words, overrides in combinations.items()
        for rate in figures
    }
    results = simulate(cases.values(), measure, seeds=(SEED,))
    return {
        words: sum(
            low <= read(results[cases[words, rate]]) <= high
            for rate, each in figures.items()
            for read, low, high in each
        )
        for words in combinations
    }


def search() -> None:
    """Prints which combinations give all figures of a long ring, and which of these those of ringlets."""
    rings = dict(_combinations(LONG_RING))
    hits = _hits(rings, TWO_LONG, LONG_FIGURES)
    best = {words: overrides for words, overrides in rings.items() if hits[words] == max(hits.values())}
    print(f"Long rings: {len(rings)} combinations; {len(best)} give {max(hits.values())} of 5 figures.")
    for place, name in enumerate(LONG_RING):
        print(f"    {name}: {', '.join(dict.fromkeys(words[place] for words in best))}")
    switches = dict(_combinations(B_LINK))
    both = {
        (*ring, *switch): (*overrides, *more) for ring, overrides in best.items() for switch, more in switches.items()
    }
    hits = _hits(both, TWO_RINGLETS, RINGLET_FIGURES)
    most = max(hits.values())
    found = [words for words in both if hits[words] == most]
    print(f"Ringlets: {len(both)} combinations of these with a B-Link; {len(found)} give {most} of 5 figures.")
    for place, name in enumerate([*LONG_RING, *B_LINK]):
        counts = {word: sum(words[place] == word for words in found) for word in dict.fromkeys(w[place] for w in found)}
        print(f"    {name}: {', '.join(f'{word} ({count})' for word, count in counts.items())}")


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
