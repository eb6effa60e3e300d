"""Workers that compute runs in this process, one after the other."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from ringlet.executors.workers import Workers


def here() -> Workers:
    """Returns workers that do a task when it is submitted. No process is started, so a script needs no main guard."""
    return Workers(_do, under_way=1, are_here=True)


def _do(function: Callable[..., Any], *arguments: Any) -> Future[Any]:  # noqa: ANN401 - any function's
    future: Future[Any] = Future()
    try:
        future.set_result(function(*arguments))
    except Exception as error:
        future.set_exception(error)
    return future
