"""Tasks on an executor: enough of them under way, those of dead workers again, outcomes as they come."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Generic, NamedTuple, TypeVar

from ringlet.errors import RingletError
from ringlet.executors.workers import Workers, WorkersLostError

Task = TypeVar("Task")
Found = TypeVar("Found")

CHUNK_S = 0.1
"""Tasks that take less are handed out several at a time, about as many as a worker does in this time."""

CHUNK_MOST = 64
"""Tasks that are handed out at a time, at most."""

LOOK_S = 1.0
"""Seconds without anything finished after which the workers are looked at."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Task, Found]):
    """The outcome of a task."""

    task: Task
    found: Found | None
    """Value that the function returned; None after an error."""
    error: Exception | None
    """Exception that it raised; None without one."""

    def value(self) -> Found:
        """Returns what the function returned, or raises what it raised."""
        if self.error is not None:
            raise self.error
        return self.found  # type: ignore[return-value]  # its type may include None


class _Handed(NamedTuple, Generic[Task, Found]):
    """Tasks that were handed out together."""

    tasks: list[Task]
    attempt: int
    future: "Future[tuple[float, list[tuple[Found | None, Exception | None]]]]"


def execute(
    function: Callable[[Task], Found], take: Callable[[], Task | None], workers: Workers
) -> Iterator[list[Outcome[Task, Found]]]:
    """Runs a function for tasks and yields outcomes as they come, all that are there at a time.

    Args:
        function: of a module's top level, since other processes call it.
        take: returns the next task, None if there is none for now. It is called again after every list of outcomes.
        workers: where to run.

    Raises:
        RingletError: the executor is gone, and with it what was under way.
    """
    finished: SimpleQueue[_Handed[Task, Found]] = SimpleQueue()
    under_way: set[Future[Any]] = set()
    chunk = 1

    def submit(tasks: list[Task], attempt: int) -> None:
        try:
            future = workers.submit(_each, function, tasks)
        except (BrokenExecutor, RuntimeError) as error:
            raise _gone(error) from error
        under_way.add(future)
        future.add_done_callback(lambda done: finished.put(_Handed(tasks, attempt, done)))

    try:
        while True:
            outcomes: list[Outcome[Task, Found]] = []
            while len(under_way) < workers.under_way and finished.empty() and (tasks := _taken(take, chunk)):
                submit(tasks, 1)
            if not under_way:
                return
            for tasks, attempt, future in _wait(finished, workers):
                under_way.discard(future)
                error = _error(future)
                if error is None:
                    seconds, results = future.result()
                    chunk = max(1, min(CHUNK_MOST, int(CHUNK_S * len(tasks) / max(seconds, 1e-9))))
                    outcomes += (Outcome(task, *result) for task, result in zip(tasks, results, strict=True))
                    continue
                if isinstance(error, workers.gone):
                    raise _gone(error) from error
                if isinstance(error, workers.died):
                    if len(tasks) > 1:
                        # One of them ended the worker: each is tried alone, and none has had an attempt.
                        for task in tasks:
                            submit([task], 1)
                        continue
                    if attempt < workers.attempts:
                        submit(tasks, attempt + 1)
                        continue
                    tries = f"{workers.tries} times" if workers.tries > 1 else "once"
                    error = WorkersLostError(f"its worker died {tries}")
                if not isinstance(error, Exception):
                    raise error
                outcomes += (Outcome(task, None, error) for task in tasks)
            if outcomes:
                yield outcomes
    finally:
        for future in under_way:
            future.cancel()


def _each(
    function: Callable[[Task], Found], tasks: Sequence[Task]
) -> tuple[float, list[tuple[Found | None, Exception | None]]]:
    """Runs tasks one after the other, in a worker; returns how many seconds it took, and what each returned or
    raised."""
    start = time.perf_counter()
    results: list[tuple[Found | None, Exception | None]] = []
    for task in tasks:
        try:
            results.append((function(task), None))
        except Exception as error:
            results.append((None, error))
    return time.perf_counter() - start, results


def _taken(take: Callable[[], Task | None], at_most: int) -> list[Task]:
    """Takes the next tasks, as many as there are."""
    tasks: list[Task] = []
    while len(tasks) < at_most and (task := take()) is not None:
        tasks.append(task)
    return tasks


def _wait(finished: "SimpleQueue[_Handed[Task, Found]]", workers: Workers) -> "Iterator[_Handed[Task, Found]]":
    """Waits for a future that is done and yields it, and all others that are done by then."""
    while True:
        try:
            first = finished.get(timeout=LOOK_S)
            break
        except Empty:
            workers.look()
    yield first
    while True:
        try:
            yield finished.get_nowait()
        except Empty:
            return


def _error(future: Future[Any]) -> BaseException | None:
    try:
        return future.exception()
    except CancelledError as error:
        return error


def _gone(error: BaseException) -> RingletError:
    words = str(error) or type(error).__name__
    return RingletError(f"executor: it ended while runs were under way ({words}); what is finished is kept")
