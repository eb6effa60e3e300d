"""Worker processes on this machine."""

import ast
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future, InvalidStateError
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringlet.errors import RingletError
from ringlet.executors.workers import LOCAL_ATTEMPTS, Workers

if TYPE_CHECKING:
    from pebble import ProcessPool

UNDER_WAY_EACH = 16
"""Tasks that wait or run for each process: enough to keep it busy with tasks of less than a millisecond."""

IDLE_S = 20.0
"""Seconds in which workers could do something and do nothing, after which what is under way has been lost: one that is
killed in the moment in which it takes a task, or ends it, may leave no process that has it."""

FIRST_S = 120.0
"""Seconds of that before a pool has begun its first task: for that a worker imports what the task needs, which takes
long where many processes share the cores."""

ORPHANED = 1
"""Exit code of a worker whose parent is gone. No process reads it."""

MAIN_GUARD = """put the call under the main guard, 'if __name__ == "__main__":', in a file, or choose workers=1; each \
worker process first imports the script that starts it, which must not begin the sweep again"""

GUARDS = {"__name__", "current_process", "parent_process"}
"""Names that a script looks at to find out whether it runs in a worker."""

NONE_COULD_START = f"workers: no worker process could start; what a script prints first, they print again: {MAIN_GUARD}"

IN_A_WORKER = 1
"""Exit code of a worker that was about to begin the sweep again."""


@contextmanager
def processes(number: int) -> Iterator[Workers]:
    """Opens a pool of worker processes for a `with` block, at the end of which they are stopped.

    A process that dies takes only its own run with it, and is replaced. If this process dies, they end at once.

    Raises:
        RingletError: the caller's script has no main guard: it does not look at its name, or none of them could start.
    """
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        # A worker that imports the script. The process that started it says what is wrong.
        sys.exit(IN_A_WORKER)
    if (script := unguarded_script()) is not None:
        raise RingletError(f"workers: {script} has no main guard: {MAIN_GUARD}")
    # Loaded on first use: a message about bad input does not need it.
    from pebble import ProcessExpired

    pools = _Pools(number)
    try:
        yield Workers(
            pools.submit,
            look=pools.look,
            # The latter: a worker died before any had begun a task, which breaks a pool of pebble.
            died=(ProcessExpired, BrokenExecutor),
            attempts=LOCAL_ATTEMPTS,
            # The pool looks through all of them ten times a second.
            under_way=UNDER_WAY_EACH * number,
            tries=LOCAL_ATTEMPTS,
            gone=(),
        )
    except RingletError as error:
        if isinstance(error.__cause__, BrokenExecutor) and not pools.ready.is_set():
            raise RingletError(NONE_COULD_START) from None
        raise
    finally:
        pools.stop()


def unguarded_script() -> Path | None:
    """Returns the script that this process runs, if worker processes would run all of it: it never looks at its name,
    nor for its process. None too if that cannot be said, or where there is no script, as in a notebook."""
    file = getattr(sys.modules["__main__"], "__file__", None)
    try:
        tree = ast.parse(Path(file or "").read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return None if names & GUARDS else Path(file or "")


class _Task(Future[Any]):
    """A task, whichever pool has it: what becomes of it while that one is stopped is no error of its own."""

    def __init__(self, given: Future[Any], is_stopped: Callable[[], bool]) -> None:
        super().__init__()
        self._given = given
        self._is_stopped = is_stopped
        given.add_done_callback(self._end)

    def cancel(self) -> bool:
        self._given.cancel()
        return super().cancel()

    def _end(self, given: Future[Any]) -> None:
        with suppress(InvalidStateError):
            if given.cancelled():
                super().cancel()
            elif (error := given.exception()) is None:
                self.set_result(given.result())
            elif self._is_stopped():
                # A pipe that is closed under pebble's thread, which sends tasks, becomes the error of one.
                self.set_exception(BrokenExecutor("its worker died"))
            else:
                self.set_exception(error)


class _Pools:
    """A pool of processes, and another one if it breaks."""

    def __init__(self, number: int) -> None:
        # Not fork: the parent may hold threads and locks of libraries that a forked child would inherit.
        self._context = multiprocessing.get_context("spawn")
        self._number = number
        self.ready = self._context.Event()
        """Set as soon as one process was able to start."""
        self._pool = self._new()
        self._stopped: list[ProcessPool] = []
        self._started = self._renewed = False
        self._under_way: set[Future[Any]] = set()
        self._idle_since: float | None = None
        self._has_worked = False
        """Has a process of this pool been seen at work, or ended a task?"""

    def _new(self) -> "ProcessPool":
        from pebble import ProcessPool

        self._begun = self._context.Event()
        return ProcessPool(self._number, context=self._context, initializer=_begin, initargs=(self.ready, self._begun))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:  # noqa: ANN401 - any function's
        """Gives a task to the processes; the first one starts them."""
        try:
            return self._schedule(function, arguments)
        except RuntimeError:
            if self._renewed and not self.ready.is_set():
                # None can start, it seems.
                raise BrokenExecutor("no worker process could start") from None
        self._renew()
        return self._schedule(function, arguments)

    def _schedule(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Future[Any]:
        pool = self._pool
        if self._started:
            given = pool.schedule(function, args=arguments)
        else:
            self._started = True
            with _postponing_interrupts():
                given = pool.schedule(function, args=arguments)
        future = _Task(given, lambda: pool in self._stopped)
        self._under_way.add(future)
        future.add_done_callback(self._note_end)
        return future

    def _note_end(self, future: Future[Any]) -> None:
        self._under_way.discard(future)
        if not future.cancelled() and future.exception() is None:
            self._has_worked = True

    def look(self) -> None:
        """Makes the futures of lost tasks fail, and takes another pool; one that is broken or idle has lost them."""
        if not self._under_way:
            return
        now, is_whole = time.monotonic(), self._pool.active
        is_working = self._is_working()
        self._has_worked |= is_working
        if self._idle_since is None or is_working or not self._begun.is_set():
            self._idle_since = now
        if not is_whole or now - self._idle_since >= (IDLE_S if self._has_worked else FIRST_S):
            self._renew()

    def _is_working(self) -> bool:
        """Returns whether a process that lives has begun a task."""
        manager = self._pool._pool_manager
        living = set(manager.worker_manager.workers)
        return any(task.worker_id in living for task in list(manager.task_manager.tasks.values()))

    def _renew(self) -> None:
        """Takes another pool; what the old one leaves under way fails."""
        self.stop()
        self._pool, self._started, self._renewed, self._idle_since = self._new(), False, True, None
        self._has_worked = False
        for future in list(self._under_way):
            with suppress(InvalidStateError):
                future.set_exception(BrokenExecutor("its worker died"))

    def stop(self) -> None:
        """Ends the processes. What is under way is not waited for."""
        self._stopped.append(self._pool)
        self._pool.stop()
        if (replacing := self._pool._pool_manager_loop) is not None:
            replacing.join()
        # Before join removes the locks that a process which is still starting opens: it would print a traceback.
        self._pool._pool_manager.worker_manager.force_stop_workers()
        self._pool.join()


def _begin(*ready: Event) -> None:
    """Makes a worker end at once at a signal, and when its parent has ended in any way."""
    for event in ready:
        event.set()
    # Not after the piece of a run that it simulates: it holds nothing that it would have to put away.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    parent = multiprocessing.parent_process()
    assert parent is not None
    threading.Thread(target=_end_with, args=(parent.sentinel,), name="end with parent", daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(ORPHANED)


@contextmanager
def _postponing_interrupts() -> Iterator[None]:
    """Starts processes that never get Ctrl-C: the parent gets it and ends them, so that one message appears. It gets it
    afterwards: an interrupt between the start of a process and what it is to read leaves it with a traceback."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The tracker's own start would let the signal through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # A thread of a library may take the signal, which Python gives to the main thread all the same.
    is_main = threading.current_thread() is threading.main_thread()
    came: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _frame: came.append(number)) if is_main else None
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if is_main:
            signal.signal(signal.SIGINT, handler)
        for number in came[:1]:
            signal.raise_signal(number)
