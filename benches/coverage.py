"""How often 95 % intervals hold the true value: the tables of docs/explanation/statistics.md.

    .venv/bin/python benches/coverage.py [--runs 1000] [--only NAME] [--load 0.9] [--controls | --differences]

Each case is run with so many seeds. What is true comes from theory, or from one run 500 times as long or longer. It is
part of `make nightly`; all of it takes about half an hour of a core.
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ringlet as rl
from ringlet.statistics import paired, replication_means

Scenario = dict[str, Any]


def queue(load: float, **run: object) -> Scenario:
    """One sender and one receiver: M/D/1 with services of 41 cycles."""
    traffic = {"destinations": [1, 0], "arrivals": "poisson", "load": [load * 40 / 41, 0]}
    return {"network": {"nodes": 2}, "flow_control": {"protocol": "none"}, "traffic": traffic, "run": run}


def ring(load: float, **run: object) -> Scenario:
    """Eight nodes with SCI's go bits, which carry 1.42 words per cycle at most."""
    traffic = {"arrivals": "poisson", "load": load * 1.42 / 8}
    return {"network": {"nodes": 8}, "traffic": traffic, "run": run}


def trains(load: float, **run: object) -> Scenario:
    """The same nodes under TRAIN, which carry 1.134 words per cycle at most."""
    found = ring(load, **run)
    return {
        **found,
        "flow_control": {"protocol": "train"},
        "traffic": {**found["traffic"], "load": load * 1.134 / 8},
    }


def hot_spot(load: float, **run: object) -> Scenario:
    """The same nodes, of whose packets half go to one that has two places and takes 50 cycles for each: a tenth is sent
    again where they carry most, 1.18 words per cycle."""
    traffic = {
        "arrivals": "poisson",
        "load": load * 1.18 / 8,
        "pattern": "hot-spot",
        "hot_node": 0,
        "hot_fraction": 0.5,
    }
    return {**ring(load, **run), "traffic": traffic, "queues": {"receive": 2, "service_time": "100 ns"}}


def few(load: float, **run: object) -> Scenario:
    """Four nodes that seldom send: 5 MB/s each are 1.25 packets in 20 us."""
    return {"network": {"nodes": 4}, "traffic": {"arrivals": "poisson", "load": load / 4}, "run": {**run, "warmup": 0}}


CARRIED = {queue: 40 / 41, ring: 1.42, trains: 1.134, hot_spot: 1.18, few: 1.0}
"""Words per cycle of each at a load of 1."""


@dataclass(frozen=True, slots=True)
class Case:
    """Runs that differ in their seed."""

    name: str
    scenario: Callable[..., Scenario]
    load: float
    run: dict[str, Any]
    long: str
    """Length of the run that says what is true."""

    def truth(self) -> dict[str, float]:
        """Throughput in MB/s, mean latency and its 99th percentile in ns."""
        document = _total(self.scenario(self.load, duration=self.long, seed=1_000_000))
        latency = document["latency_ns"]
        # Poisson sources below saturation get what they offer.
        words = self.load * CARRIED[self.scenario]
        mean = 2 * (42 + self.load * 41 / (2 * (1 - self.load))) if self.scenario is queue else latency["mean"]
        return {"throughput": words * 1000, "mean latency": mean, "p99": latency["p99"]}


CASES = [
    *(Case("queue", queue, load, {"duration": "1 ms"}, "1000 ms") for load in (0.3, 0.6, 0.9)),
    Case("queue", queue, 0.9, {"duration": "10 ms"}, "4000 ms"),
    *(Case("ring", ring, load, {"duration": "1 ms"}, "500 ms") for load in (0.3, 0.6, 0.9)),
    Case("queue", queue, 0.97, {"duration": "1 ms"}, "4000 ms"),
    Case("queue", queue, 0.97, {"duration": "10 ms"}, "4000 ms"),
    Case("ring", ring, 0.97, {"duration": "1 ms"}, "1000 ms"),
    Case("ring", ring, 0.97, {"duration": "10 ms"}, "1000 ms"),
    Case("TRAIN", trains, 0.9, {"duration": "1 ms"}, "500 ms"),
    Case("TRAIN", trains, 0.97, {"duration": "1 ms"}, "1000 ms"),
    Case("hot spot", hot_spot, 0.9, {"duration": "1 ms"}, "500 ms"),
    Case("hot spot", hot_spot, 0.97, {"duration": "1 ms"}, "1000 ms"),
    *(
        Case("few packets", few, 0.02, {"duration": length}, "500 ms")
        for length in ("20 us", "100 us", "400 us", "2 ms")
    ),
    *(Case("few packets", few, 0.24, {"duration": length}, "500 ms") for length in ("20 us", "100 us", "400 us")),
    *(Case("stops at 5 %", queue, load, {"precision": 0.05}, "1000 ms") for load in (0.3, 0.6, 0.9)),
]


def _total(scenario: Scenario) -> dict[str, Any]:
    return rl.run(rl.Scenario.from_dict(scenario)).document["total"]


def held(total: dict[str, Any], truth: dict[str, float]) -> dict[str, bool | None]:
    """Whether each interval of a run holds what is true; None where the run gives none."""
    latency = total["latency_ns"]

    def around(value: float, half_width: float | None, true: float) -> bool | None:
        return None if half_width is None else abs(value - true) <= half_width

    return {
        "throughput": around(total["throughput_MBps"], total["throughput_ci95_MBps"], truth["throughput"]),
        "mean latency": around(latency["mean"], latency["ci95"], truth["mean latency"]),
        "p99": latency["p99_low"] and latency["p99_low"] <= truth["p99"] <= (latency["p99_high"] or math.inf),
    }


def gains(runs: list[dict[str, Any]]) -> str:
    """How much the load offered by chance says of each figure: correlation, and how much shorter a run could be."""
    offered = [total["offered_MBps"] for total in runs]
    cells = []
    for name in ("mean", "p99"):
        correlation = np.corrcoef(offered, [total["latency_ns"][name] for total in runs])[0, 1]
        cells.append(f"{correlation:.2f} | {1 / (1 - correlation**2):.2f}")
    return " | ".join(cells)


PAIRS = 5
"""Common seeds of two systems that are compared, as in docs/how-to/sweeps.md."""


def shares_held(
    values: list[NDArray[np.float64]], half_widths: list[NDArray[np.float64]], true: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Returns the share of intervals that hold the true value, of each figure."""
    widths = np.array(half_widths)
    return np.sum(np.abs(np.array(values) - true) <= widths, axis=0) / np.isfinite(widths).sum(axis=0)


def differences(load: float, comparisons: int) -> str:
    """How often the intervals of a difference and of a ratio, where there are any, hold the true one, and what common
    seeds save.

    SCI is compared with no flow control on the same ring. What is true is the mean over all comparisons.
    """

    def figures(scenario: Scenario) -> list[float]:
        total = _total(scenario)
        return [total["throughput_MBps"], total["latency_ns"]["mean"], total["latency_ns"]["p99"]]

    seeds = range(1, comparisons * PAIRS + 1)
    runs = [ring(load, duration="1 ms", seed=seed) for seed in seeds]
    sci = np.array([figures(run) for run in runs]).reshape(comparisons, PAIRS, -1)
    none = np.array([figures(run | {"flow_control": {"protocol": "none"}}) for run in runs]).reshape(sci.shape)
    difference, ratio = (sci - none).mean(axis=(0, 1)), sci.mean(axis=(0, 1)) / none.mean(axis=(0, 1))
    found = [paired(a, b) for a, b in zip(sci, none, strict=True)]
    held_differences = shares_held(
        [it.difference for it in found], [it.difference_half_width for it in found], difference
    )
    held_ratios = shares_held([it.ratio for it in found], [it.ratio_half_width for it in found], ratio)
    widths = [np.hypot(replication_means(a)[1][0], replication_means(b)[1][0]) for a, b in zip(sci, none, strict=True)]
    narrower = np.mean(widths, axis=0) / np.nanmean([it.difference_half_width for it in found], axis=0)
    cells = [
        f"{100 * d:.1f} % | {100 * r:.1f} % | {n:.1f}"
        for d, r, n in zip(held_differences, held_ratios, narrower, strict=True)
    ]
    return " | ".join(cells)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000, help="seeds of each case (default: 1000)")
    parser.add_argument("--only", help="cases of this name")
    parser.add_argument("--load", type=float, help="cases at this load, as a share of what saturates it")
    parser.add_argument("--controls", action="store_true", help="instead, what control variates would gain in each")
    parser.add_argument("--differences", action="store_true", help="instead, paired differences of two protocols")
    options = parser.parse_args()
    if options.differences:
        columns = (f"{name}: difference | ratio | narrower" for name in ("throughput", "mean latency", "p99"))
        print("load | " + " | ".join(columns))
        print("---|" + "---|" * 9)
        for load in (0.3, 0.6, 0.9, 1.2):
            if options.load in (None, load):
                print(f"{100 * load:g} % | {differences(load, options.runs)}", flush=True)
        return
    if options.controls:
        print("runs | load | length | mean latency | factor | p99 | factor")
    else:
        shares = ("throughput", "mean latency", "no interval", "p99", "no interval", "p99 without an upper end")
        print("runs | load | length | " + " | ".join(shares))
    print("---|---|---" + "|---" * (4 if options.controls else 6))
    for case in CASES:
        if options.only not in (None, case.name) or options.load not in (None, case.load):
            continue
        runs = [_total(case.scenario(case.load, seed=seed, **case.run)) for seed in range(1, options.runs + 1)]
        length = case.run.get("duration", "")
        if options.controls:
            print(f"{case.name} | {100 * case.load:g} % | {length} | {gains(runs)}", flush=True)
            continue
        truth = case.truth()
        cells = []
        for name in truth:
            known = [it for it in (held(total, truth)[name] for total in runs) if it is not None]
            cells.append(f"{100 * sum(known) / len(known):.1f} %" if known else "")
            if name != "throughput":
                cells.append(f"{100 * (1 - len(known) / len(runs)):.0f} %")
        ends = [total["latency_ns"] for total in runs if total["latency_ns"]["p99_low"] is not None]
        cells.append(f"{100 * sum(it['p99_high'] is None for it in ends) / len(ends):.0f} %" if ends else "")
        print(f"{case.name} | {100 * case.load:g} % | {length} | " + " | ".join(cells), flush=True)


if __name__ == "__main__":
    main()
