"""The runs that a study needs: read from the store where they are there, else computed."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ringlet.errors import RingletError, internal
from ringlet.executors import Outcome
from ringlet.executors.workers import WorkersLostError
from ringlet.scenario import Scenario
from ringlet.store import Failure, Record, Store, result_key, scenario_digest
from ringlet.studies.study import Study
from ringlet.studies.worker import Run, VersionError, simulate, simulated

LOOK_AHEAD = 1000
"""Points that are looked up in the store at a time."""

UNTOLD = 1000
"""Runs found in the store that are not yet noted as parts of the study, at most."""


@dataclass(slots=True)
class Point:
    """A point that is not finished."""

    scenario_json: str
    digest: str
    base_seed: int
    wanted: int
    """Replications requested so far."""
    done: int = 0
    failed: bool = False
    watched: dict[int, list[float]] = field(default_factory=dict)
    """Watched figures of each replication done."""
    scenario: Scenario | None = None
    """Scenario of the text, where this process has it."""


@dataclass(slots=True)
class Counts:
    """The progress of a sweep."""

    total: int
    """Runs in all; with a precision it grows."""
    found: int = 0
    """Runs that were in the store."""
    computed: int = 0
    failed: int = 0

    @property
    def done(self) -> int:
        """Runs that are over."""
        return self.found + self.computed + self.failed


class Schedule:
    """Hands out the runs of a study that the store lacks, and stores what became of them.

    Points are made one after the other when they are needed. What is decided depends on the results only, not on the
    order in which they arrive.
    """

    def __init__(self, study: Study, store: Store, engine: str, points: range) -> None:
        """Prepares to run some points of a study with a version of the code.

        Raises:
            RingletError: what is wrong with the first bad point, as far as it is checked before the first run.
        """
        resolved = study.check()
        self.study = study
        """Study whose runs these are."""
        self._store = store
        self._engine = engine
        self._open: dict[int, Point] = {}
        self._ready: deque[Run] = deque()
        self._found: list[tuple[int, int, int]] = []
        self._failures: list[Failure] = []
        with store.transaction():
            self.id = store.studies.begin(study.to_dict(), engine, resolved)
        self.counts = Counts(len(points) * study.replications.first)
        """Numbers of runs that are computed, found and to come."""
        self._points = self._unfinished(points)

    def take(self) -> Run | None:
        """Returns a run to be computed, None if there is none before others are done."""
        while True:
            if self._ready:
                run = self._ready.popleft()
                result = self._store.find(result_key(self._open[run.point].digest, run.seed, self._engine))
                if result is None:
                    return run
                self.counts.found += 1
                self._done(run, result)
                if len(self._found) >= UNTOLD:
                    self.flush()
            elif (point := next(self._points, None)) is None:
                return None
            else:
                self._begin(point)

    def simulate_here(self, run: Run) -> Record:
        """Simulates a run in this process, of the scenario of its point where it is there.

        Raises:
            RingletError: the engine cannot simulate the scenario.
        """
        scenario = self._open[run.point].scenario
        return simulate(run) if scenario is None else simulated(scenario, run.seed)

    def finish(self, outcomes: Iterable[Outcome[Run, Record]]) -> None:
        """Stores what became of runs, all at once.

        Raises:
            VersionError: a worker has other code; what others found is stored.
        """
        wrong_version = None
        with self._store.transaction():
            for outcome in outcomes:
                run = outcome.task
                if isinstance(outcome.error, VersionError):
                    wrong_version = outcome.error
                elif outcome.found is None:
                    self.counts.failed += 1
                    self._fail(run, _in_words(outcome.error))
                else:
                    scenario = self._open[run.point].scenario_json
                    result = self._store.put(scenario, run.seed, self._engine, outcome.found)
                    self.counts.computed += 1
                    self._done(run, result)
            self._tell()
        if wrong_version is not None:
            raise wrong_version

    def flush(self) -> None:
        """Stores which runs belong to the study, as far as they are known."""
        if self._found or self._failures:
            with self._store.transaction():
                self._tell()

    def _tell(self) -> None:
        self._store.studies.add(self.id, self._found)
        self._store.studies.fail(self.id, self._failures)
        self._found, self._failures = [], []

    def _unfinished(self, points: range) -> Iterator[int]:
        """Yields the points that an earlier sweep of the study has left; the others are not even made.

        With a precision all are: what is found decides how many replications there are.
        """
        replications = self.study.replications
        for start in range(0, len(points), LOOK_AHEAD):
            some = points[start : start + LOOK_AHEAD]
            done = set() if replications.precision else self._store.studies.finished(self.id, some, replications.first)
            self.counts.found += len(done.intersection(some)) * replications.first
            yield from (point for point in some if point not in done)

    def _begin(self, number: int) -> None:
        replications = self.study.replications
        try:
            text, seed = self.study.point_text(number)
        except RingletError as error:
            self.counts.failed += replications.first
            self._failures += [Failure(number, i, str(error)) for i in range(replications.first)]
            return
        point = Point(text, scenario_digest(text), seed, wanted=0)
        point.scenario = self.study.take_scenario(number)
        self._open[number] = point
        self._want(number, point, replications.first)

    def _want(self, number: int, point: Point, wanted: int) -> None:
        for i in range(point.wanted, wanted):
            seed = self.study.replications.seed(point.base_seed, i)
            self._ready.append(Run(number, i, point.scenario_json, seed, self._engine))
        point.wanted = wanted

    def _done(self, run: Run, result: int) -> None:
        self._found.append((run.point, run.replication, result))
        point = self._open[run.point]
        if watched := self.study.replications.watched:
            figures = self._store.figures(result)
            point.watched[run.replication] = [figures[name] for name in watched]
        self._over(run, point)

    def _fail(self, run: Run, reason: str) -> None:
        self._failures.append(Failure(run.point, run.replication, reason))
        point = self._open[run.point]
        point.failed = True
        self._over(run, point)

    def _over(self, run: Run, point: Point) -> None:
        """Requests more replications once those requested before are over."""
        point.done += 1
        if point.done < point.wanted:
            return
        replications = self.study.replications
        wanted = point.wanted
        if replications.precision is not None and not point.failed:
            wanted = replications.wanted([point.watched[i] for i in range(point.done)])
        if wanted == point.wanted:
            del self._open[run.point]
            return
        self.counts.total += wanted - point.wanted
        self._want(run.point, point, wanted)


def _in_words(error: Exception | None) -> str:
    if isinstance(error, RingletError | WorkersLostError):
        return str(error)
    if isinstance(error, OSError | MemoryError):
        # A failure of the machine is worded as in the messages of the commands.
        return f"{type(error).__name__}: {error}"
    return internal(error)
