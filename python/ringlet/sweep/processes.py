"""Worker processes on this machine."""

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from contextlib import contextmanager
from typing import Any

from ringlet.sweep.executors import LOCAL_ATTEMPTS, Workers

UNDER_WAY_EACH = 16
"""Tasks that wait or run for each process: enough to keep it busy with tasks of less than a millisecond."""


@contextmanager
def processes(number: int) -> Iterator[Workers]:
    """Opens a pool of worker processes for a `with` block, at the end of which they are stopped.

    A process that dies takes only its own run with it, and is replaced.
    """
    # Loaded on first use: a message about bad input does not need it.
    from pebble import ProcessExpired, ProcessPool

    # Not fork: the parent may hold threads and locks of libraries that a forked child would inherit.
    pool = ProcessPool(number, context=multiprocessing.get_context("spawn"))
    started = False

    def submit(function: Callable[..., Any], *arguments: Any) -> Future[Any]:  # noqa: ANN401 - any function's
        nonlocal started
        if started:
            return pool.schedule(function, args=arguments)
        started = True
        with _ignoring_interrupts():
            return pool.schedule(function, args=arguments)

    try:
        yield Workers(
            submit,
            died=(ProcessExpired,),
            attempts=LOCAL_ATTEMPTS,
            # The pool looks through all of them ten times a second.
            under_way=UNDER_WAY_EACH * number,
            tries=LOCAL_ATTEMPTS,
            gone=(BrokenExecutor,),
        )
    finally:
        # Not close: what is under way is not waited for.
        pool.stop()
        pool.join()


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Lets processes that start meanwhile ignore Ctrl-C for good: the parent ends them, they need not complain, too."""
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread may say what a signal does.
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
