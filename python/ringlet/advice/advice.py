"""Simulates the candidates, the unclear ones more often, and ranks them."""

import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringlet.advice.advised import Advised, advised
from ringlet.advice.candidates import candidates
from ringlet.advice.failures import worst_link
from ringlet.advice.physics import check_physics
from ringlet.advice.records import record, row
from ringlet.advice.requirements import Requirements
from ringlet.advice.runs import SPENT, Runs
from ringlet.advice.verdict import STATES
from ringlet.errors import RingletError
from ringlet.executors import open_workers
from ringlet.lazy import library
from ringlet.scenario import Scenario
from ringlet.scenario.values.units import magnitude
from ringlet.simulation import engine_version
from ringlet.store import Store
from ringlet.studies.schedule import Counts

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")

SCHEMA = 1
"""Version of the JSON."""


@dataclass(frozen=True)
class Advice:
    """All candidates: those that fit first, the cheapest of them first."""

    requirements: Requirements
    ranked: tuple[Advised, ...]
    counts: Counts
    """Numbers of runs that were computed, and that were found in the store."""
    budget_s: float | None = None
    """Seconds after which no run began any more; None: there was no such limit."""
    defects: tuple[str, ...] = ()
    """Runs that failed by a defect of ringlet: the candidate, and the error. They say nothing about a network."""

    @property
    def best(self) -> Advised | None:
        """The cheapest network that fits; None if none does."""
        first = self.ranked[0] if self.ranked else None
        return first if first is not None and first.state == "fits" else None

    @property
    def unfinished(self) -> int:
        """Number of candidates that the budget left open."""
        return sum(one.verdict is not None and SPENT in one.verdict.reasons for one in self.ranked)

    @property
    def table(self) -> "pd.DataFrame":
        """One row per candidate, units in the column names; `low` and `high` are the ends of 95 % intervals."""
        return pd.DataFrame([row(one, self.requirements) for one in self.ranked]).set_index("candidate")

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of `ringlet advise`."""
        return {
            "schema": SCHEMA,
            "ringlet": engine_version(),
            "requirements": self.requirements.to_dict(),
            "senders": self.requirements.final_senders,
            "receivers": self.requirements.final_receivers,
            "best": None if self.best is None else self.best.candidate.name,
            "runs": {"computed": self.counts.computed, "found": self.counts.found, "failed": self.counts.failed},
            "candidates": [record(one, self.requirements) for one in self.ranked],
        }

    def scenario(self, name: str) -> Scenario:
        """Returns the scenario of a candidate.

        Raises:
            RingletError: there is none of that name.
        """
        for one in self.ranked:
            if one.candidate.name == name:
                return one.scenario
        raise RingletError.not_allowed("candidate", name, ", ".join(one.candidate.name for one in self.ranked))


def advise(
    requirements: Requirements | Mapping[str, Any] | str | Path,
    *,
    executor: Executor | str | None = None,
    workers: int | None = None,
    store: Store | str | Path | None = None,
    progress: Callable[[Counts], None] | None = None,
    budget: str | None = None,
) -> "pd.DataFrame":
    """Simulates networks that may do for a data-acquisition system and returns a row for each, the cheapest that fits
    first.

    Each candidate is simulated a few times with different seeds, and one for which the 95 % interval of a figure holds
    its limit twice as often, up to `at_most`. What the store holds is not computed again.

    >>> import ringlet as rl
    >>> needs = {"senders": 2, "receivers": 2, "rate": "20 MB/s", "duration": "40 us", "topologies": ["ring"]}
    >>> table = rl.advise(needs | {"loss": 0.01}, workers=1)
    >>> table.loc["ring", ["verdict", "ports", "adapters"]].map(str).tolist()
    ['fits', '0', '4']

    Args:
        requirements: a `Requirements`, its content, or its file.
        executor: where to run, as for `ringlet.sweep`.
        workers: processes on this machine; default: one per core.
        store: a `Store`, or a file, made if it is missing; default: in memory.
        progress: called with how far it is.
        budget: time after which no run begins any more, such as "60 s": candidates are simulated one by one, the
            cheapest first, and those that were not reached stay unclear.

    Raises:
        RingletError: what is wrong with the requirements, the store or the executor.
    """
    found = advice(requirements, executor=executor, workers=workers, store=store, progress=progress, budget=budget)
    if found.defects:
        warnings.warn(f"{len(found.defects)} runs failed by a defect of ringlet: {found.defects[0]}", stacklevel=2)
    return found.table


def advice(
    requirements: Requirements | Mapping[str, Any] | str | Path,
    *,
    executor: Executor | str | None = None,
    workers: int | None = None,
    store: Store | str | Path | None = None,
    progress: Callable[[Counts], None] | None = None,
    budget: str | None = None,
) -> Advice:
    """Returns what `advise` tabulates, with scenarios and JSON; arguments and errors are the same."""
    wanted, budget_s = _read(requirements), _seconds(budget)
    check_physics(wanted)
    found = candidates(wanted)
    if not found:
        families = ", ".join(wanted.topologies)
        raise RingletError(
            f"topologies: none of {families} fits {wanted.switch_ports} ports and so few nodes; allow others"
        )
    opened = store if isinstance(store, Store) else Store.open(store)
    try:
        with open_workers(executor, workers=workers) as at:
            runs = Runs(wanted, found, opened, at, progress or (lambda counts: None), budget_s)
            failing = [worst_link(wanted, *one) for one in zip(found, runs.scenarios, strict=True)]
            verdicts = runs.with_failures(runs.verdicts(), failing)
            most, overloaded = runs.beyond(verdicts)
    finally:
        if opened is not store:
            opened.close()
    every = zip(runs.found, runs.scenarios, verdicts, most, overloaded, failing, strict=True)
    ranked = [advised(wanted, *one) for one in every]
    order = [*STATES, "failed"]
    ranked.sort(key=lambda one: (order.index(one.state), one.price, one.parts.ports, one.parts.cables))
    return Advice(wanted, tuple(ranked), runs.counts, budget_s, tuple(runs.defects))


def _seconds(budget: str | None) -> float | None:
    if budget is None:
        return None
    try:
        return magnitude(budget, "s")
    except ValueError:
        raise RingletError.not_allowed("budget", budget, "a time with its unit, such as '60 s'") from None


def _read(requirements: object) -> Requirements:
    if isinstance(requirements, Requirements):
        return requirements
    if isinstance(requirements, Mapping):
        return Requirements.from_dict(requirements)
    if isinstance(requirements, str | Path):
        return Requirements.load(requirements)
    kind = f"<a {type(requirements).__name__}>"
    raise RingletError.not_allowed("requirements", kind, "Requirements, a mapping, or a file's name")
