"""The interface of executors: how tasks are submitted, and how the death of a worker is reported."""

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Future
from dataclasses import dataclass
from typing import Any

LOCAL_ATTEMPTS = 3
"""Times that a run is tried whose worker process dies."""


class WorkersLostError(Exception):
    """A run that cannot be done: its worker died each time."""


@dataclass(frozen=True, slots=True)
class Workers:
    """An executor, and how it says that a worker died."""

    submit: Callable[..., Future[Any]]
    """Submits a function with its arguments, as `submit` of `concurrent.futures.Executor` does."""
    look: Callable[[], None] = lambda: None
    """Makes the futures of tasks that were lost with their workers say so; for an executor that may lose them."""
    died: tuple[type[BaseException], ...] = ()
    """Errors that mean: the worker of this task died; others go on."""
    attempts: int = 1
    """Times to submit a task whose worker dies."""
    under_way: int = 2048
    """Tasks to submit before one is finished: enough for a large cluster, and little memory for 10^9 points."""
    tries: int = 1
    """Times that such a task is tried in all: some executors try again themselves."""
    gone: tuple[type[BaseException], ...] = (BrokenExecutor, CancelledError)
    """Errors that mean: there are no workers any more."""
    are_here: bool = False
    """True if tasks are done in this process, so that a task may take what this process has made."""
