"""Two threads against one on a machine whose cores are all busy: never more than 5 % slower.

    .venv/bin/python benches/busy_threads.py [RUNS]

Other processes compute on every core. A network of 64 rings is simulated on one thread and on
two, in turns; the ratio of the times of each turn is printed, and the middle one of them is judged: what else the
machine does counts for both.
"""

import multiprocessing
import os
import sys
import time
from statistics import median

import ringlet as rl

MOST = 1.05
"""Ratio of the time of two threads to that of one, at most."""

NETWORK = {
    "network": {"topology": "torus", "shape": [32, 32]},
    "traffic": {"load": 0.05},
    "run": {"duration": 20_000, "warmup": 0},
}


def compute() -> None:
    """Keeps a core busy."""
    while True:
        sum(range(10_000))


def seconds(scenario: rl.Scenario, threads: int) -> float:
    """Returns the time that a run takes."""
    begun = time.perf_counter()
    rl.run(scenario, threads=threads)
    return time.perf_counter() - begun


def ratio(turns: int, busy: int) -> float:
    """Returns the middle ratio of the time of two threads to that of one, beside so many other processes."""
    others = [multiprocessing.Process(target=compute, daemon=True) for _ in range(busy)]
    scenario = rl.Scenario.of(NETWORK)
    for other in others:
        other.start()
    try:
        ratios = []
        for _ in range(turns):
            alone = seconds(scenario, 1)
            together = seconds(scenario, 2)
            ratios.append(together / alone)
            print(f"{busy} other processes: one thread {alone:.2f} s, two {together:.2f} s, ratio {ratios[-1]:.2f}")
        return median(ratios)
    finally:
        for other in others:
            other.terminate()


def main() -> None:
    """Measures on an idle and on a busy machine."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    idle, busy = ratio(turns, 0), ratio(turns, os.cpu_count() or 1)
    print(f"two threads to one: {idle:.2f} on this machine as it is, {busy:.2f} with a process on every core")
    if busy > MOST:
        raise SystemExit(f"{busy:.2f} is above {MOST}")


if __name__ == "__main__":
    main()
