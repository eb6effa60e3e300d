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
from typing import Protocol, TypeVar

from ringlet.run import Result, run
from ringlet.scenario import Scenario

Progress = Callable[[int, int], None]
"""Called with the number of finished and of all cases."""

Found = TypeVar("Found")
Found_co = TypeVar("Found_co", covariant=True)


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


class Measure(Protocol[Found_co]):
    """What a paper keeps of a case: a function of a module's top level, since other processes call it."""

    def __call__(self, scenario: Scenario, results: Sequence[Result], /) -> Found_co:
        """Returns it from the scenario and its results, one per seed."""
        ...


def simulate(
    cases: Iterable[Case],
    measure: Measure[Found],
    *,
    seeds: Sequence[int],
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[Case, Found]:
    """Simulates every case once with every seed and returns what `measure` keeps of it.

    Results do not depend on `workers`, the number of processes (default: one per available core). A case that occurs
    twice is simulated once.
    """
    unique = list(dict.fromkeys(cases))
    simulate_one = partial(_simulate_case, measure=measure, seeds=tuple(seeds))
    results: dict[Case, Found] = {}
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


def _simulate_case(case: Case, measure: Measure[Found], seeds: tuple[int, ...]) -> Found:
    scenario = case.load()
    return measure(scenario, [run(scenario, seed=seed) for seed in seeds])


def scenario_files(paper: str) -> tuple[str, ...]:
    """Returns the names of a paper's scenario files, which lie in the package `ringlet.papers.<paper>`."""
    entries = files(f"ringlet.papers.{paper}").iterdir()
    return tuple(sorted(entry.name for entry in entries if entry.name.endswith(".toml")))
