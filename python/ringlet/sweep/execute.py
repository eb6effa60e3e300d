"""Tasks on an executor: enough of them under way, those of dead workers again, outcomes as they come."""

from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Generic, TypeVar

from ringlet.errors import RingletError
from ringlet.sweep.executors import Workers, WorkersLostError

Task = TypeVar("Task")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Task, Found]):
    """What became of a task."""

    task: Task
    found: Found | None
    """What the function returned; None after an error."""
    error: Exception | None
    """What it raised."""

    def value(self) -> Found:
        """Returns what the function returned, or raises what it raised."""
        if self.error is not None:
            raise self.error
        return self.found  # type: ignore[return-value]  # its type may include None


def execute(
    function: Callable[[Task], Found], take: Callable[[], Task | None], workers: Workers
) -> Iterator[list[Outcome[Task, Found]]]:
    """Runs a function for tasks and yields outcomes as they come, all that are there at a time.

    Args:
        function: of a module's top level, since other processes call it.
        take: returns the next task, None if there is none for now. It is asked again after every list of outcomes.
        workers: where to run.

    Raises:
        RingletError: the executor is gone, and with it what was under way.
    """
    finished: SimpleQueue[tuple[Task, int, Future[Found]]] = SimpleQueue()
    under_way: set[Future[Found]] = set()

    def submit(task: Task, attempt: int) -> None:
        try:
            future = workers.submit(function, task)
        except (BrokenExecutor, RuntimeError) as error:
            raise _gone(error) from error
        under_way.add(future)
        future.add_done_callback(lambda done: finished.put((task, attempt, done)))

    try:
        while True:
            outcomes: list[Outcome[Task, Found]] = []
            while len(under_way) < workers.under_way and finished.empty() and (task := take()) is not None:
                submit(task, 1)
            if not under_way:
                return
            for task, attempt, future in _wait(finished):
                under_way.discard(future)
                error = _error(future)
                if isinstance(error, workers.gone):
                    raise _gone(error) from error
                if isinstance(error, workers.died):
                    if attempt < workers.attempts:
                        submit(task, attempt + 1)
                        continue
                    tries = f"{workers.tries} times" if workers.tries > 1 else "once"
                    error = WorkersLostError(f"its worker died {tries}")
                if error is not None and not isinstance(error, Exception):
                    raise error
                outcomes.append(Outcome(task, None if error else future.result(), error))
            if outcomes:
                yield outcomes
    finally:
        for future in under_way:
            future.cancel()


def _wait(finished: SimpleQueue[tuple[Task, int, Future[Found]]]) -> Iterator[tuple[Task, int, Future[Found]]]:
    """Waits for a future that is done and yields it, and all others that are done by then."""
    yield finished.get()
    while True:
        try:
            yield finished.get_nowait()
        except Empty:
            return


def _error(future: Future[Found]) -> BaseException | None:
    try:
        return future.exception()
    except CancelledError as error:
        return error


def _gone(error: BaseException) -> RingletError:
    words = str(error) or type(error).__name__
    return RingletError(f"executor: it ended while runs were under way ({words}); what is finished is kept")
