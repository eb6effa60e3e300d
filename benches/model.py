"""The queueing model on random rings: how far it is from a simulation, inside and outside of where it is said to hold.

    python benches/model.py --sets 500 --seed 1

docs/explanation/what-a-ring-can-carry.md, "Where it holds", has the figures.
"""

import argparse
import random
from collections import Counter
from typing import Any

import numpy as np

import ringlet as rl
from ringlet.theory.latency_model import latency_model

NEAR = 0.1
"""Relative error up to which the model counts as near."""

SYMBOL_NS = 2


def drawn(rng: random.Random) -> rl.Scenario:
    """Draws a ring whose busiest link is used to 10 to 90 %; half of those with go bits have the model's extension."""
    nodes = rng.choice((2, 3, 4, 6, 8, 12, 16, 24))
    kinds = ("send16", "send80", "send80", "mixed", "dmove64", "dmove256", "read64", "nread256")
    traffic: dict[str, Any] = {"transaction": rng.choice(kinds)}
    match rng.choice(("uniform", "uniform", "neighbour", "hot", "matrix")):
        case "hot":
            nodes = max(nodes, 3)
            traffic |= {"hot_node": rng.randrange(nodes), "hot_fraction": round(rng.uniform(0.2, 0.7), 2)}
        case "matrix":
            traffic |= {"random_matrix": {"family": "exponential", "seed": rng.randrange(1000)}}
        case pattern:
            traffic |= {"pattern": pattern}
    network = {"nodes": nodes, "hop_delay": rng.choice((1, 1, 2, 3, 5, 10, 20))}
    extension = rng.choice(("received", "passing"))
    control = rng.choice(({"protocol": "none"}, {"protocol": "sci", "extension": extension}))
    full = rl.Scenario.from_dict({"network": network, "traffic": traffic}).optimum()
    share = rng.uniform(0.1, 0.9)
    load = [f"{share * each * 1e3 / SYMBOL_NS} MB/s" for each in full.payload_bytes_per_cycle]
    return rl.Scenario.from_dict(
        {
            "network": network,
            "flow_control": control,
            "traffic": {**traffic, "arrivals": "poisson", "load": load},
            "run": {"duration": "1 ms", "warmup": "100 us", "seed": rng.getrandbits(31)},
        }
    )


def error(scenario: rl.Scenario) -> tuple[float, float, str | None]:
    """Returns the model's relative error, the relative half width of the simulation's 95 % interval (infinite without
    one), and why the model says that it may be off."""
    found, simulated = latency_model(scenario), rl.run(scenario).document["total"]["latency_ns"]
    off = found.mean_latency_cycles * scenario.symbol_time_ns / simulated["mean"] - 1
    interval = simulated["ci95"]
    return off, np.inf if interval is None else interval / simulated["mean"], found.outside or found.overloaded


def main() -> None:
    """Draws the rings, and prints how many are near where the model is said to hold, and where not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    counts: Counter[tuple[str, str, str]] = Counter()
    for number in range(asked.sets):
        scenario = drawn(random.Random(f"{asked.seed} {number}"))
        off, interval, why = error(scenario)
        is_near = "near" if abs(off) <= NEAR else "off within its interval" if abs(off) <= NEAR + interval else "off"
        counts[scenario.flow_control.protocol, "outside" if why else "inside", is_near] += 1
    for key, count in sorted(counts.items()):
        print(", ".join(key), count)


if __name__ == "__main__":
    main()
