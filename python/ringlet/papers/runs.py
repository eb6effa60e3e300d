"""Runs behind a paper's rows: scenario files with overrides, each simulated with several seeds by processes of this
machine."""

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import Protocol, TypeVar

from ringlet.executors import available_cores, open_workers
from ringlet.executors.execute import execute
from ringlet.scenario import Scenario
from ringlet.simulation import Result, run


@dataclass(frozen=True, slots=True)
class Advance:
    """The progress of the cases of a paper."""

    done: int
    """Cases that are finished."""
    total: int
    paper: str
    finished: str
    """The scenario file, without its suffix, of which this was the last case; empty if others are left."""


Progress = Callable[[Advance], None]
"""Called when a case is finished."""

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
        with as_file(scenarios_of(self.paper).joinpath(self.file)) as path:
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
    """Measures what a paper keeps of a case: a function of a module's top level, since other processes call it."""

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
    before: int = 0,
) -> dict[Case, Found]:
    """Simulates every case once with every seed and returns what `measure` keeps of it.

    Results do not depend on `workers`, the number of processes (default: one per available core). A case that occurs
    twice is simulated once. Progress counts `before` cases that were simulated earlier.
    """
    # Cases of a scenario file stand together, so that each file is over as soon as may be.
    unique = sorted(dict.fromkeys(cases), key=lambda case: case.file)
    tasks = ((case, tuple(seeds)) for case in unique)
    simulate_one = partial(_simulate_case, measure=measure)
    results: dict[Case, Found] = {}
    left = Counter(case.file for case in unique)

    def keep(case: Case, found: Found) -> None:
        results[case] = found
        left[case.file] -= 1
        if progress:
            finished = "" if left[case.file] else case.file.removesuffix(".toml")
            progress(Advance(before + len(results), before + len(unique), case.paper, finished))

    workers = min(workers or available_cores(), max(len(unique), 1))
    if workers == 1:
        for task in tasks:
            keep(task[0], simulate_one(task))
        return results
    with open_workers(workers=workers) as at:
        for outcomes in execute(simulate_one, partial(next, tasks, None), at):
            for outcome in outcomes:
                keep(outcome.task[0], outcome.value())
    # In the order of the cases, not of what was done first.
    return {case: results[case] for case in unique}


def _simulate_case(task: tuple[Case, tuple[int, ...]], measure: Measure[Found]) -> Found:
    case, seeds = task
    scenario = case.load()
    return measure(scenario, [run(scenario, seed=seed) for seed in seeds])


def scenarios_of(paper: str) -> Traversable:
    """Returns the folder with a paper's scenario files."""
    return files(f"ringlet.papers.{paper}").joinpath("scenarios")


def scenario_files(paper: str) -> tuple[str, ...]:
    """Returns the names of a paper's scenario files, which lie in its folder `scenarios`."""
    return tuple(sorted(entry.name for entry in scenarios_of(paper).iterdir()))
