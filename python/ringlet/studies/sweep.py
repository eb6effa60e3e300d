"""Runs a study."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringlet.errors import RingletError
from ringlet.executors import Workers, open_workers
from ringlet.executors.execute import execute
from ringlet.scenario import Scenario, ScenarioLike
from ringlet.scenario.activities.registry import ACTIVITIES
from ringlet.simulation import engine_version
from ringlet.store import Store
from ringlet.studies.loads import TRIAL, with_chosen_loads
from ringlet.studies.progress_line import Progress, telling
from ringlet.studies.replications import Replications
from ringlet.studies.result import SweepResult
from ringlet.studies.schedule import Schedule
from ringlet.studies.study import LOAD, Study, with_axes
from ringlet.studies.summary import summarised_figures
from ringlet.studies.worker import checked_scenario, simulate

if TYPE_CHECKING:
    import pandas as pd

MOST_UNASKED = 100_000
"""Runs above which a study has to be confirmed."""


def sweep(
    study: Study | ScenarioLike,
    axes: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    *,
    replications: Replications | Mapping[str, Any] | int | None = None,
    executor: Executor | Workers | str | None = None,
    workers: int | None = None,
    store: Store | str | Path | None = None,
    shard: tuple[int, int] | None = None,
    yes: bool = False,
    progress: Progress | bool | None = None,
) -> SweepResult:
    """Simulates every point of a study, and each point several times with other seeds.

    What the store already holds is not computed again. Every finished run is stored at once, so that a sweep that is
    interrupted, in whatever way, goes on when it is called again. The same study gives the same result, bit for bit,
    wherever it runs.

    >>> import ringlet as rl
    >>> ring = rl.Scenario.from_dict({"network": {"nodes": 4}, "run": {"duration": "20 us"}})
    >>> result = rl.sweep(ring, {"flow_control.protocol": ["none", "sci"]}, replications=2, workers=1)
    >>> result.summary[["flow_control.protocol", "replications"]].values.tolist()
    [['none', 2], ['sci', 2]]

    A script that uses several workers, or leaves their number open, calls this under `if __name__ == "__main__":`,
    the main guard: a worker process starts by importing the script, which must not begin the sweep once more. With
    `workers=1` the runs are done in this process.

    Args:
        study: a study, or with `axes` a scenario: itself, what its file holds, or the path of its file.
        axes: with a scenario, values by key, such as `{"traffic.load": ["10 MB/s", "20 MB/s"]}`: every combination is a
            point. A list of such mappings makes the keys of each one move together.
        replications: with a scenario, how often each point is simulated, or a `Replications`.
        executor: where to run: any `concurrent.futures.Executor`, or `Workers`, which stay open; the address of a Dask
            scheduler (`dask://HOST:PORT`); `mpi`; default: processes on this machine.
        workers: processes on this machine; default: one per core. A single one is this process itself.
        store: a `Store`, or a file, made if it is missing; default: in memory.
        shard: `(i, n)`: only each n-th point, from the i-th on, counted from 1.
        yes: run even more than 100,000 runs.
        progress: True for a line on stderr that says how far it is, such as in a notebook; or called with that.

    Raises:
        RingletError: what is wrong with the study, the store or the executor; what is finished is kept.
        OSError: the store's disk is full or fails; what is finished is kept.
    """
    study = _study(study, axes, replications)
    if shard is not None and study.auto_loads is not None:
        raise RingletError.not_allowed(
            f"axes.{LOAD}", "auto", "loads or a range, in a study of shards: results of all points choose the loads"
        )
    points = _points(study, shard)
    if not yes and len(points) * study.replications.most > MOST_UNASKED:
        raise RingletError(f"{size_in_words(study, shard)}; more than {MOST_UNASKED:,} need yes=True (--yes)")
    check_figures(study if study.auto_loads is None else study.with_loads([TRIAL]))
    opened = store if isinstance(store, Store) else Store.open(store)
    try:
        with open_workers(executor, workers=workers) as at, telling(progress) as tell:
            schedule = _all_done(study, opened, at, shard, tell)
    except BaseException:
        if opened is not store:
            opened.close()
        raise
    return SweepResult(opened, schedule.id, schedule.study, engine_version(), schedule.counts)


def _all_done(
    study: Study,
    store: Store,
    workers: Workers,
    shard: tuple[int, int] | None,
    progress: Progress,
) -> Schedule:
    """Runs a study, after those in which its loads are chosen, if they are to be; returns what was scheduled."""
    computed = 0

    def done(some: Study) -> Schedule:
        nonlocal computed
        schedule = Schedule(some, store, engine_version(), _points(some, shard))
        _run(schedule, workers, progress)
        # Loads are added only: all that was computed before is found again.
        schedule.counts.found -= computed
        schedule.counts.computed += computed
        computed = schedule.counts.computed
        return schedule

    def summary_of(some: Study) -> "pd.DataFrame":
        return SweepResult(store, done(some).id, some, engine_version()).summary

    return done(with_chosen_loads(study, summary_of))


def _run(schedule: Schedule, workers: Workers, progress: Progress) -> None:
    try:
        simulates = schedule.simulate_here if workers.are_here else simulate
        for outcomes in execute(simulates, schedule.take, workers):
            schedule.finish(outcomes)
            progress(schedule.counts)
    finally:
        schedule.flush()
        # Where runs are done in this process.
        checked_scenario.cache_clear()
    progress(schedule.counts)


def size_in_words(study: Study, shard: tuple[int, int] | None = None) -> str:
    """Returns how many runs a study takes at most."""
    points, each = len(_points(study, shard)), study.replications.most
    return (
        f"study: {points * each:,} runs, {points:,} points with "
        f"{'up to ' if study.replications.precision else ''}{each:,} each"
    )


def needs_confirmation(study: Study, shard: tuple[int, int] | None = None) -> bool:
    """Returns whether a study is so large that it has to be confirmed."""
    return len(_points(study, shard)) * study.replications.most > MOST_UNASKED


def check_figures(study: Study) -> None:
    """Raises RingletError if the study watches or draws a figure that runs do not have."""
    named = [(f"replications.watch[{i}]", name) for i, name in enumerate(study.replications.watch or [])]
    named += [(f"plots[{i}].y[{j}]", name) for i, plot in enumerate(study.plots) for j, name in enumerate(plot.y)]
    named += [(f"plots[{i}].x", plot.x) for i, plot in enumerate(study.plots) if plot.x not in study.space.keys]
    for place, name in named:
        if name in summarised_figures():
            continue
        known = summarised_figures(*_parts(study.point_scenario(0)))
        if name not in known:
            raise RingletError.not_allowed(place, name, f"known figures are {', '.join(known)}")


def _parts(scenario: Scenario) -> list[str]:
    """Returns the parts of a run's document that depend on the scenario, as `COLUMNS` has them."""
    activities = [part.name for one in ACTIVITIES if one.is_in(scenario) for part in one.parts]
    return [*(["trace"] if scenario.traffic.replayed is not None else []), *activities]


def _study(study: object, axes: object, replications: object) -> Study:
    of_scenario = axes is not None or replications is not None
    match study:
        case Scenario():
            return with_axes(study, axes, replications)
        case Study() if of_scenario:
            raise RingletError("axes, replications: a study has its own; they belong to a scenario")
        case Study():
            return study
        case str() | Path() | Mapping() if of_scenario:
            return with_axes(Scenario.of(study), axes, replications)
        case str() | Path():
            return Study.load(study)
        case Mapping():
            return Study.from_dict(study)
    allowed = "a Study, a Scenario, what a file of one holds, or its name"
    raise RingletError.not_allowed("study", f"<a {type(study).__name__}>", allowed)


def _points(study: Study, shard: tuple[int, int] | None) -> range:
    if shard is None:
        return range(study.points)
    i, n = shard
    if not 1 <= i <= n:
        raise RingletError.not_allowed("shard", f"{i}/{n}", "I/N with I from 1 to N")
    return range(i - 1, study.points, n)
