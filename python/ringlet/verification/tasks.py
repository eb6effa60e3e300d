"""The tasks of a verification, on the executors of a sweep and kept in its store."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal, NamedTuple

from ringlet.executors import Workers
from ringlet.executors.execute import execute
from ringlet.scenario import Scenario
from ringlet.simulation import engine_version
from ringlet.simulation.phases import released_by
from ringlet.simulation.verified import bounded, missed, verified
from ringlet.store import Record, Store, canonical_json, result_key, scenario_digest
from ringlet.store.store import without_seed
from ringlet.studies.worker import check_version
from ringlet.theory.response_flows import Assumed

Kind = Literal["case", "bounds", "phases"]
"""`case`: all there is; `bounds`: how many deadlines are guaranteed; `phases`: which are missed in the set's phases."""


class Task(NamedTuple):
    """A task: text and numbers only, as it travels."""

    kind: Kind
    scenario_json: str
    """The scenario without files and without its seed."""
    seed: int
    trials: int
    tolerance: float | None
    """Tolerance of load factors; None: without load factors."""
    engine: str
    """Version of the code that is to compute it."""
    assumed: Assumed = Assumed()
    """Assumptions of bounds that the scenario does not state."""

    @classmethod
    def of(
        cls,
        kind: Kind,
        scenario: Scenario,
        trials: int = 0,
        tolerance: float | None = None,
        assumed: Assumed | None = None,
    ) -> "Task":
        """Makes the task of a scenario."""
        content = canonical_json(without_seed(scenario.to_dict()))
        return cls(kind, content, scenario.seed, trials, tolerance, engine_version(), assumed or Assumed())

    @property
    def content(self) -> str:
        """The task as a document, from which its key in the store is computed."""
        verify: dict[str, Any] = {"kind": self.kind, "trials": self.trials, "tolerance": self.tolerance}
        if self.assumed != Assumed():
            verify["assumed"] = asdict(self.assumed)
        return canonical_json({**json.loads(self.scenario_json), "verify": verify})

    @property
    def key(self) -> str:
        """The key of the store."""
        return result_key(scenario_digest(self.content), self.seed, self.engine)


def computed(task: Task) -> Record:
    """Does a task, in a worker.

    Raises:
        VersionError: this worker has other code.
        RingletError: the engine cannot simulate the scenario.
    """
    check_version(task.engine)
    start = time.perf_counter()
    content = json.loads(task.scenario_json)
    scenario = Scenario.from_dict({**content, "run": {**content["run"], "seed": task.seed}})
    found: dict[str, Any]
    match task.kind:
        case "case":
            found = verified(scenario, trials=task.trials, tolerance=task.tolerance, assumed=task.assumed)
        case "bounds":
            found = bounded(scenario, task.assumed)
        case "phases":
            found = missed(scenario)
    return Record.of_figures(
        {"messages": len(released_by(scenario))}, {"verified": found}, wall_s=time.perf_counter() - start
    )


def done(
    tasks: Sequence[Task], store: Store, workers: Workers, progress: Callable[[int, int], None]
) -> Mapping[Task, dict[str, Any]]:
    """Returns what is found of each task: what the store has is not computed again, and what is finished is in it.

    Args:
        tasks: to be done.
        store: where what is finished is kept.
        workers: where to compute.
        progress: called with the number of tasks done and of all.

    Raises:
        RingletError: a task that cannot be done.
    """
    distinct = list(dict.fromkeys(tasks))
    left = [task for task in distinct if store.find(task.key) is None]
    finished = len(distinct) - len(left)
    progress(finished, len(distinct))
    waiting = iter(left)
    for outcomes in execute(computed, lambda: next(waiting, None), workers):
        with store.transaction():
            for one in outcomes:
                if one.found is not None:
                    store.put(one.task.content, one.task.seed, one.task.engine, one.found)
        finished += sum(one.value() is not None for one in outcomes)
        progress(finished, len(distinct))
    return {task: _kept(store, task) for task in distinct}


def _kept(store: Store, task: Task) -> dict[str, Any]:
    number = store.find(task.key)
    assert number is not None, "it has just been found or stored"
    return dict(store.document(number)["verified"])
