"""The work of a worker process: one task at a time."""

import json
import platform
import time
from functools import lru_cache
from typing import NamedTuple

from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.simulation import engine_version, run
from ringlet.store import Record


class VersionError(RingletError):
    """A worker whose code would find other figures."""


class Run(NamedTuple):
    """One run to be done: text and numbers only, as it travels."""

    point: int
    replication: int
    scenario_json: str
    """The resolved scenario, without files and without its seed."""
    seed: int
    engine: str
    """Version of the code that is to compute it."""


class CheckedScenario(Scenario):
    """A scenario whose sections were found to fit together in the process that directs the study, by the same code."""

    def _check_together(self, differs: frozenset[str] | None) -> None:
        pass


@lru_cache(maxsize=1)
def checked_scenario(scenario_json: str) -> Scenario:
    """Returns the scenario of a point; the runs of a point follow one another, so that it is made once for them."""
    return CheckedScenario.from_dict(json.loads(scenario_json))


def simulate(task: Run) -> Record:
    """Simulates a run.

    Raises:
        VersionError: this worker has other code.
        RingletError: the engine cannot simulate the scenario.
    """
    check_version(task.engine)
    return simulated(checked_scenario(task.scenario_json), task.seed)


def simulated(scenario: Scenario, seed: int) -> Record:
    """Simulates a scenario, which may be that of a point before it has become text.

    Raises:
        RingletError: the engine cannot simulate it.
    """
    start = time.perf_counter()
    document = run(scenario, seed=seed).document_to_store()
    return Record.of(document, wall_s=time.perf_counter() - start)


def check_version(engine: str) -> None:
    """Raises VersionError if this worker has other code than the process that submitted the task."""
    if engine_version() != engine:
        raise VersionError(
            f"executor: the worker on {platform.node()} runs ringlet {engine_version()}; allowed: {engine}, as here"
        )
