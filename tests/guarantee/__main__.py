"""`python -m guarantee`: random message sets until a time is up; exit code 1 if a response was above its bound.

With `--log FILE` a line with the counts is added to a CSV file; with `--pessimism` one kind of set is searched
harder, to say how far the bounds are above the worst that was found.
"""

import argparse
import csv
import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from guarantee.chased import chased_trial
from guarantee.exact import ExactTrial, exact_trial
from guarantee.families import FamilyTrial, family_trial
from guarantee.jittered import JitteredTrial, jittered_trial
from guarantee.known import KNOWN, known_trial
from guarantee.looped import LoopedTrial, looped_trial
from guarantee.lossy import LOSSY, LossyTrial, lossy_trial
from guarantee.search import Trial, look_for, trial
from guarantee.sets import PACKET_CYCLES, PROTOCOLS, draw
from guarantee.several import SEVERAL, several_trial
from guarantee.varied import varied_trial

COLUMNS = ("date", "protocol", "first_seed", "sets", "bounded", "simulations", "exceeded", "pessimism_median")


HARD: dict[str, tuple[int, dict[str, Any]]] = {
    "dfc": (1, {"stop_thru": False}),
    "token-ring": (1, {"packets": 5}),
    "timed-token": (1, {"synchronous": 0, "target_rotation": 4000}),
    "slotted-ring": (5, {"release": "source"}),
    "metaring": (1, {"most_packets": 128, "least_packets": 1}),
}
"""Hop delay and options of the rings whose pessimism is measured, where they are not the defaults."""

SHARED = {"token-ring": PACKET_CYCLES, "timed-token": PACKET_CYCLES, "slotted-ring": 8 * (5 + 1)}
"""Cycles that a packet takes of what all nodes share: of the token's time, or of the one slot that there is."""


def hard_trial(seed: int, *, protocol: str, climbs: int, utilisation: float) -> Trial:
    """A set of 16 messages of one packet at a load of 8 nodes, searched by many simulations: that of the busiest link,
    or of the token or slot that all share."""
    random = np.random.default_rng(seed)
    made = draw(random, nodes=8, messages=16, utilisation=utilisation)
    if protocol in SHARED:
        used = float((SHARED[protocol] / made.period).sum())
        made = replace(made, period=np.ceil(made.period * used / utilisation))
    hop_delay, options = HARD.get(protocol, (1, {}))
    sections = {"network": {"hop_delay": hop_delay}, "flow_control": {"protocol": protocol, **options}}
    return look_for(made, sections, seed=seed, random=random, simulations=12, climbs=climbs)


AnyTrial = Trial | ExactTrial | FamilyTrial | JitteredTrial | LoopedTrial | LossyTrial


def trials(options: argparse.Namespace, protocol: str) -> Iterator[AnyTrial]:
    """Trials of one protocol until its share of the time is up."""
    end = time.monotonic() + options.seconds / len(options.protocol)
    one: Callable[[int], AnyTrial]
    if options.known or options.known_phases:
        one = partial(
            known_trial,
            protocol=protocol,
            offsets=not options.known_phases,
            loops=options.loops,
            late=options.jittered,
        )
    elif options.jittered and not (options.networks or options.mixed):
        one = partial(jittered_trial, protocol=protocol)
    elif options.varied:
        one = partial(varied_trial, protocol=protocol, loops=options.loops)
    elif options.several:
        one = partial(several_trial, protocol=protocol)
    elif options.families:
        one = partial(family_trial, protocol=protocol)
    elif options.chased:
        one = partial(chased_trial, protocol=protocol)
    elif options.exact:
        one = partial(exact_trial, protocol=protocol)
    elif options.loops:
        one = partial(
            looped_trial,
            protocol=protocol,
            climbs=options.climbs,
            network=options.networks or options.mixed,
            mixed=options.mixed,
        )
    elif options.losses:
        one = partial(lossy_trial, protocol=protocol, climbs=4 * options.climbs, network=options.networks)
    elif options.pessimism:
        one = partial(hard_trial, protocol=protocol, climbs=options.climbs, utilisation=options.utilisation)
    else:
        one = partial(
            trial,
            protocol=protocol,
            climbs=options.climbs,
            small=options.small,
            network=options.networks or options.mixed,
            mixed=options.mixed,
            responses=options.responses,
            late=options.jittered,
            long=options.long,
        )
    seed = options.seed
    with ProcessPoolExecutor(options.workers) as pool:
        while time.monotonic() < end:
            step = 32 * options.workers
            yield from pool.map(one, range(seed, seed + step), chunksize=8)
            seed += step


def main() -> int:
    """Runs the trials and tells what they have shown."""
    parser = argparse.ArgumentParser(prog="python -m guarantee", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--climbs", type=int, default=3)
    parser.add_argument("--protocol", action="append", choices=(*PROTOCOLS, "ppq"))
    parser.add_argument("--small", action="store_true", help="up to 10 messages: many more sets in the same time")
    parser.add_argument("--networks", action="store_true", help="networks of rings instead; not under TRAIN")
    parser.add_argument("--mixed", action="store_true", help="networks of two link rates, and of several protocols")
    parser.add_argument("--long", action="store_true", help="with --networks or --mixed: messages of 16 to 32 packets")
    parser.add_argument("--responses", action="store_true", help="transactions with responses")
    parser.add_argument("--jittered", action="store_true", help="releases up to three periods late, in any order")
    parser.add_argument("--exact", action="store_true", help="few messages, and all relations of their phases")
    parser.add_argument("--varied", action="store_true", help="the same of sets that differ in all else, too")
    parser.add_argument("--loops", action="store_true", help="control loops beside messages")
    parser.add_argument("--losses", action="store_true", help="packets and echoes that are lost")
    parser.add_argument("--chased", action="store_true", help="losses of a message's last packet, time and again")
    parser.add_argument("--families", action="store_true", help="many sets within each bound: offsets, jitter, drift")
    parser.add_argument("--several", action="store_true", help="packets that several receivers copy")
    parser.add_argument("--known", action="store_true", help="bounds for given offsets")
    parser.add_argument("--known-phases", action="store_true", help="the same sets, and bounds for all phases")
    parser.add_argument("--pessimism", action="store_true")
    parser.add_argument("--utilisation", type=float, default=0.5, help="with --pessimism: of the busiest link")
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    known = KNOWN if options.known or options.known_phases else PROTOCOLS
    able = LOSSY if options.losses or options.chased else SEVERAL if options.several else known
    options.protocol = options.protocol or [
        one for one in able if not ((options.networks or options.mixed) and one == "train")
    ]
    hard = f" 8 nodes, {100 * options.utilisation:g} %"
    kind = (
        hard if options.pessimism else " networks" if options.networks else " mixed networks" if options.mixed else ""
    )
    kinds = ("responses", "jittered", "loops", "losses", "exact", "varied", "chased", "families")
    kinds += ("known", "known_phases", "several", "long")
    kind += "".join(f" {'jitter' if name == 'jittered' else name}" for name in kinds if getattr(options, name))
    failures = 0
    for protocol in options.protocol:
        done = list(trials(options, protocol))
        exceeded = [one for one in done if one.exceeded]
        failures += len(exceeded)
        for one in exceeded:
            print(f"seed {one.seed}: {protocol}: messages {one.exceeded}: {json.dumps(one.scenario)}")
        medians = [float(np.median(one.pessimism)) for one in done if one.pessimism.size]
        row = {
            "date": time.strftime("%Y-%m-%d %H:%M"),
            "protocol": protocol + kind,
            "first_seed": options.seed,
            "sets": len(done),
            "bounded": sum(
                one.sets if isinstance(one, FamilyTrial) else bool(np.isfinite(one.bound).any()) for one in done
            ),
            "simulations": sum(one.simulations for one in done),
            "exceeded": len(exceeded),
            "pessimism_median": f"{np.median(medians):.2f}" if medians else "",
        }
        each = np.concatenate([one.pessimism for one in done]) if done else np.empty(0)
        tail = f", of messages: median {np.median(each):.2f}, 95 % {np.quantile(each, 0.95):.2f}" if each.size else ""
        print(", ".join(f"{key} {value}" for key, value in row.items()) + tail)
        if options.log is not None:
            new = not options.log.exists()
            with options.log.open("a", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                if new:
                    writer.writeheader()
                writer.writerow(row)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
