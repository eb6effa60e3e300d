"""Failures of one link or one station of HSR rings: does any packet get lost, and is any late?

Draws rings of 3 to 16 stations that send a copy of each packet round both rings, sets of flows, and 20 failures for
each, one at a time: any link of either ring, or any station, at any time, for a while or for good. Every message of a
flow whose own stations live has to arrive (IEC 62439-3; docs/how-to/failures.md). Half of the rings are quiet: their
flows are periodic, and no packet meets another. There no message may take longer than its longer way:

    python benches/hsr_failures.py --sets 1000 --seed 1
    python benches/hsr_failures.py --seconds 600 --seed 2 --log docs/logs/hsr-log.csv
"""

import argparse
import csv
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import ringlet as rl
from ringlet._engine import Simulation

MESSAGES = 20
"""Messages of each flow: all are over long before the run ends."""

FAILURES = 20
"""Failures that are drawn for each ring, one at a time."""

CYCLES = 2_000_000
"""Cycles of 2 ns that each simulation lasts."""

COUNTS = ("rings", "sets", "struck", "lost_copies", "messages", "lost", "quiet_messages", "late")
"""What is counted: rings; of sets, each a ring with a failure, all and those that lost something; messages between
stations that live, those of quiet rings, and which of these were late."""


def ring(rng: random.Random) -> tuple[dict[str, Any], bool]:
    """Draws a ring with its flows, and whether it is quiet."""
    nodes, quiet = rng.randint(3, 16), rng.random() < 0.5
    hop_delay = rng.choice((1, 5, 40))
    flows = []
    for number in range(rng.randint(1, 6)):
        source, destination = rng.sample(range(nodes), 2)
        flow = {
            "name": f"flow {number}",
            "source": source,
            "destination": destination,
            "size": rng.choice((16, 64, 160, 700, 1500)),
            "total": MESSAGES,
        }
        if quiet:
            # In 10 us 64 bytes are all the way round any of these rings.
            flow |= {"arrivals": "periodic", "period": "80 us", "offset": f"{number * 10} us", "size": 64}
        elif rng.random() < 0.5:
            flow |= {
                "arrivals": "periodic",
                "period": f"{rng.uniform(5, 20):.2f} us",
                "jitter": rng.choice((0, "4 us")),
            }
        else:
            flow |= {"arrivals": "poisson", "rate": f"{flow['size'] / rng.uniform(10, 20):.3f} MB/s"}
        flows.append(flow)
    return {
        "network": {"topology": "dual-attached-ring", "ways": "both", "nodes": nodes, "hop_delay": hop_delay},
        "flow_control": {"protocol": "none"},
        "traffic": {"arrivals": "none", "largest_packet": 1600},
        "flows": flows,
        "run": {"duration": CYCLES, "warmup": 0, "seed": rng.getrandbits(31)},
    }, quiet


def interrupted(links: list[tuple[int, int]], begins: int, ends: int | None) -> list[dict[str, Any]]:
    """Returns links, each a ring and a place on it, that carry nothing between two cycles, as the engine takes them."""
    return [
        {"ring": ring, "place": place, "bit_error_rate": None, "interruptions": [(begins, ends)]}
        for ring, place in links
    ]


def failure(rng: random.Random, nodes: int, latest: int) -> tuple[list[dict[str, Any]], set[int]]:
    """Draws a failure that begins in a cycle up to the latest; returns links without power and stations."""
    begins = rng.randint(1, latest)
    ends = begins + round(10 ** rng.uniform(0, 5.5)) if rng.random() < 0.5 else None
    place = rng.randrange(nodes)
    if rng.random() < 0.7:
        return interrupted([(rng.randrange(2), place)], begins, ends), set()
    # On the second ring the stations stand the other way round. The links from a station and to it are dead.
    second = nodes - 1 - place
    around = [(0, place), (0, (place - 1) % nodes), (1, second), (1, (second - 1) % nodes)]
    return interrupted(around, begins, ends), {place}


def tried(seed: int) -> Counter[str]:
    """Counts what failures do to the ring of this seed, and prints what should not be."""
    rng = random.Random(seed)
    content, quiet = ring(rng)
    nodes, ends = content["network"]["nodes"], [{flow["source"], flow["destination"]} for flow in content["flows"]]
    # The first failure only makes the section of the engine's specification whose links are then others.
    content["errors"] = {"links": [{"source": "0.rising", "fails_at": 1}]}
    spec = rl.Scenario.from_dict(content).network_spec(content["run"]["seed"])

    def simulated(links: list[dict[str, Any]]) -> tuple[list[int], list[int], int]:
        spec["network"]["errors"]["links"] = links
        simulation = Simulation(json.dumps(spec), seed=spec["seed"])
        simulation.advance(CYCLES)
        counted = simulation.flow_counters()
        lost = int(simulation.error_counters()["lost_sends"].sum())
        return counted["completed_messages"].tolist(), counted["message_latency_max_cycles"].tolist(), lost

    by_one_ring = [simulated(interrupted([(1 - way, place) for place in range(nodes)], 1, None)) for way in (0, 1)]
    longer = [max(both) for both in zip(*(latest for _, latest, _ in by_one_ring), strict=True)]
    found = Counter(rings=1)
    for _ in range(FAILURES):
        links, gone = failure(rng, nodes, 800_000 if quiet else 200_000)
        arrived, latency, copies = simulated(links)
        found.update(sets=1, struck=copies > 0, lost_copies=copies)
        for number, (these, cycles, most) in enumerate(zip(arrived, latency, longer, strict=True)):
            if gone.isdisjoint(ends[number]):
                late = quiet and cycles > most
                found.update(messages=MESSAGES, lost=MESSAGES - these, quiet_messages=quiet * MESSAGES, late=late)
                if late or these != MESSAGES:
                    print(f"seed {seed}: flow {number}, {links}: {these} messages, the slowest of {cycles} cycles")
    return found


def main() -> int:
    """Draws rings and failures, and prints or logs how many copies and messages were lost; 1 where a message was lost
    or late."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=1000, help="failures, or more by less than one ring's")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="after these the last ring is the last")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, help="a CSV file that gets a line")
    asked = parser.parse_args()
    found: Counter[str] = Counter(dict.fromkeys(COUNTS, 0))
    end, seed = time.monotonic() + asked.seconds, asked.seed
    while found["sets"] < asked.sets and time.monotonic() < end:
        found.update(tried(seed))
        seed += 1
    counts = {name: found[name] for name in COUNTS}
    print(", ".join(f"{name} {count}" for name, count in counts.items()))
    if asked.log is not None:
        row = {"date": time.strftime("%Y-%m-%d %H:%M"), "first_seed": asked.seed, **counts}
        new = not asked.log.exists()
        with asked.log.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, row, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow(row)
    return 1 if found["lost"] or found["late"] else 0


if __name__ == "__main__":
    sys.exit(main())
