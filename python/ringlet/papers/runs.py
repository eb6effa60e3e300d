"""Runs behind a paper's rows: scenario files with overrides, each simulated with several seeds in a process pool."""

import multiprocessing
import os
import shlex
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from ringlet.analysis import (
    adjusted_deviation,
    average_ring_deviation,
    maximum_node_deviation,
    optimal_throughput_with_echo,
)
from ringlet.run import run
from ringlet.scenario import Scenario

Progress = Callable[[int, int], None]
"""Called with the number of finished and of all cases."""


@dataclass(frozen=True, slots=True)
class Case:
    """A scenario file of a paper, with overrides."""

    paper: str
    """Package below `ringlet.papers` that holds the file."""
    file: str
    """File name, such as `table3-n4.toml`."""
    overrides: tuple[str, ...] = ()
    """`KEY=VALUE` as `ringlet run --set` takes them."""

    def load(self) -> Scenario:
        """Returns the scenario."""
        with as_file(files(f"ringlet.papers.{self.paper}").joinpath(self.file)) as path:
            return Scenario.load(path, self.overrides)

    def command(self, *, seed: int | None = None) -> str:
        """Returns the command line that runs this case, from the folder that holds `scenarios/`."""
        words = ["ringlet", "run", f"scenarios/{self.file}"]
        for override in self.overrides:
            words += ["--set", override]
        if seed is not None:
            words += ["--seed", str(seed)]
        return shlex.join(words)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """Throughput of every node under each seed, beside the optimum."""

    throughput_words_per_cycle: NDArray[np.float64]
    """Shape (seeds, nodes)."""
    optimal_words_per_cycle: NDArray[np.float64]
    """Optimum with echoes, picker1994 equation (7); shape (nodes,)."""

    @property
    def deviation_percent(self) -> NDArray[np.float64]:
        """Adjusted deviation of every node under each seed, in %; shape (seeds, nodes)."""
        return adjusted_deviation(self.throughput_words_per_cycle, self.optimal_words_per_cycle)

    @property
    def average_percent(self) -> NDArray[np.float64]:
        """Average ring deviation of each seed's run, in %; shape (seeds,)."""
        return average_ring_deviation(self.deviation_percent)

    @property
    def maximum_percent(self) -> NDArray[np.float64]:
        """Maximum node deviation of each seed's run, in %; shape (seeds,)."""
        return maximum_node_deviation(self.deviation_percent)


def simulate(
    cases: Iterable[Case],
    *,
    seeds: Sequence[int],
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[Case, CaseResult]:
    """Simulates every case once with every seed.

    Results do not depend on `workers`, the number of processes (default: one per available core). A case that occurs
    twice is simulated once.
    """
    unique = list(dict.fromkeys(cases))
    simulate_one = partial(_simulate_case, seeds=tuple(seeds))
    results: dict[Case, CaseResult] = {}
    workers = min(workers or len(os.sched_getaffinity(0)), max(len(unique), 1))
    if workers == 1:
        for case, result in zip(unique, map(simulate_one, unique), strict=True):
            results[case] = result
            if progress:
                progress(len(results), len(unique))
        return results
    # Not fork: the parent may hold threads and locks of libraries that a forked child would inherit.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        with _ignoring_interrupts():
            outcomes = pool.map(simulate_one, unique, chunksize=4)
        for case, result in zip(unique, outcomes, strict=True):
            results[case] = result
            if progress:
                progress(len(results), len(unique))
    return results


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Lets processes that start meanwhile ignore Ctrl-C for good: the parent ends them, they need not complain, too."""
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread may say what a signal does.
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _simulate_case(case: Case, seeds: tuple[int, ...]) -> CaseResult:
    scenario = case.load()
    results = [run(scenario, seed=seed) for seed in seeds]
    return CaseResult(
        throughput_words_per_cycle=np.array(
            [[node["throughput_words_per_cycle"] for node in result.document["nodes"]] for result in results]
        ),
        optimal_words_per_cycle=optimal_throughput_with_echo(
            scenario.traffic_matrix(),
            mean_send_symbols=scenario.mean_send_symbols,
            attempted=scenario.attempted_throughput(),
        ),
    )
