"""What `ringlet.run` costs beside the engine, and what two threads gain.

    .venv/bin/python benches/run.py

For a ring of 8 nodes at a tenth of its load, over several durations with automatic warm-up: the time of `ringlet.run`,
of the document that `to_dict` makes of its result, and of the engine alone, which is built from a spec and advanced
over the same cycles in one step. The least of many turns, which the three take one after the other; a machine with
other work shows it in the least time last. Then so many runs one after the other, and the same on two threads of this
process.
"""

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import ringlet as rl
from ringlet._engine import Simulation

DURATIONS = ("2 us", "20 us", "100 us", "1 ms", "10 ms")

RUN_LIMIT_MS = 0.5
"""Aim for a run of 2 us."""

RATIO_LIMIT = 1.5
"""Aim for a run of 100 us, against the engine alone."""


def ring(duration: str) -> rl.Scenario:
    """Returns a ring of 8 nodes."""
    traffic = {"arrivals": "poisson", "load": "100 MB/s"}
    return rl.Scenario.from_dict({"network": {"nodes": 8}, "traffic": traffic, "run": {"duration": duration}})


def least_ms(*works: Callable[[], object], turns: int) -> list[float]:
    """Returns the least time of each work, in ms."""
    least = [float("inf")] * len(works)
    for _ in range(turns):
        for i, work in enumerate(works):
            start = time.perf_counter()
            work()
            least[i] = min(least[i], time.perf_counter() - start)
    return [1e3 * seconds for seconds in least]


def overhead(turns: int) -> None:
    """Prints what a run costs."""
    print(f"{'duration':>8} {'engine ms':>10} {'run ms':>8} {'ratio':>6} {'with document ms':>17}")
    for duration in DURATIONS:
        scenario = ring(duration)
        found = rl.run(scenario).to_dict()
        cycles = found["cycles"] + found["warmup_cycles"]

        def engine(scenario: rl.Scenario = scenario, cycles: int = cycles) -> None:
            Simulation(scenario.engine_spec, seed=1).advance(cycles)

        def run(scenario: rl.Scenario = scenario) -> rl.Result:
            return rl.run(scenario)

        alone, whole, documented = least_ms(engine, run, lambda: run().to_dict(), turns=turns)
        print(f"{duration:>8} {alone:10.3f} {whole:8.3f} {whole / alone:6.2f} {documented:17.3f}")
    print(f"aims: {RUN_LIMIT_MS} ms for 2 us, a ratio of {RATIO_LIMIT} for 100 us")


def threads(runs: int) -> None:
    """Prints what two threads gain."""
    scenario = ring("20 ms")
    start = time.perf_counter()
    alone = [rl.run(scenario, seed=seed) for seed in range(runs)]
    between = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda seed: rl.run(scenario, seed=seed), range(runs)))
    end = time.perf_counter()
    assert [one.to_dict(timing=False) for one in alone] == [one.to_dict(timing=False) for one in both]
    print(
        f"{runs} runs of 20 ms: {between - start:.2f} s on one thread, {end - between:.2f} s on two, "
        f"{(between - start) / (end - between):.2f} times as fast, the same results"
    )


def main() -> None:
    """Measures both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--runs", type=int, default=20)
    arguments = parser.parse_args()
    overhead(arguments.turns)
    threads(arguments.runs)


if __name__ == "__main__":
    main()
