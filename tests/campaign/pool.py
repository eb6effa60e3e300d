"""Worker processes that make trials until the time is up; one that dies costs its trial, not the campaign.

A trial at which a process ran out of memory is made once more, alone in a new one, and that counts.
"""

import math
import multiprocessing
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from pathlib import Path

from pebble import ProcessExpired, ProcessPool

from campaign import limits, worker
from campaign.case import Case
from campaign.worker import Failure, Tally

CHUNK_SECONDS = 2.0
"""Time that the trials handed to a worker at once should take."""


class Pool:
    """Workers for trials of all kinds."""

    def __init__(self, workers: int) -> None:
        """Starts no process yet."""
        self._workers = workers

    def run(self, seeds: Mapping[str, int], seconds: float) -> Iterator[tuple[str, int, Tally]]:
        """Yields kind, number of trials and tally of one piece of work after the other, until the time is up.

        Args:
            seeds: the first seed of each kind; the kinds take turns, each for as much time as any other.
            seconds: elapsed time after which no trial begins.
        """
        until = time.time() + seconds
        following, chunk = dict(seeds), dict.fromkeys(seeds, 8)
        spent = dict.fromkeys(seeds, 0.0)
        under_way: dict[Future[Tally], tuple[str, int, int, Path]] = {}
        again: list[tuple[str, int, int]] = []
        alone: list[tuple[str, int]] = []
        fresh: dict[Future[Tally], ProcessPool] = {}
        pool = ProcessPool(self._workers, context=multiprocessing.get_context("spawn"), initializer=worker.start)
        with tempfile.TemporaryDirectory(prefix="campaign-") as places:

            def submit(kind: str, first: int, count: int) -> None:
                place = Path(places) / f"{kind}-{first}"
                future = pool.schedule(worker.trials, args=(kind, first, count, str(place), until))
                under_way[future] = (kind, first, count, place)

            def submit_alone(kind: str, seed: int) -> None:
                own, place = _one_worker(), Path(places) / f"{kind}-{seed}-alone"
                future = own.schedule(worker.trials, args=(kind, seed, 1, str(place), math.inf))
                fresh[future], under_way[future] = own, (kind, seed, 1, place)

            try:
                while under_way or again or alone or time.time() < until:
                    while len(under_way) < self._workers and (again or alone or time.time() < until):
                        if alone:
                            submit_alone(*alone.pop())
                            continue
                        if again:
                            submit(*again.pop())
                            continue
                        kind = min(spent, key=lambda name: spent[name])
                        submit(kind, following[kind], chunk[kind])
                        following[kind] += chunk[kind]
                        # Until it is known what they take: the next worker is to take another kind.
                        spent[kind] += CHUNK_SECONDS / 2
                    done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                    for future in done:
                        kind, first, count, place = under_way.pop(future)
                        own = fresh.pop(future, None)
                        try:
                            tally = future.result()
                        except ProcessExpired as death:
                            died_at = int.from_bytes(place.read_bytes(), "little") if place.exists() else first
                            tally = _death(kind, died_at, death)
                            if own is None and death.exitcode in limits.MEMORY_DEATHS:
                                # What trials before it have left in the process may be why.
                                tally = Tally()
                                alone.append((kind, died_at))
                            # How those before it in the chunk ended was lost with the process.
                            tally.ended["ran"] += died_at - first
                            if left := first + count - died_at - 1:
                                again.append((kind, died_at + 1, left))
                        if own is not None:
                            _end(own)
                        made = sum(tally.ended.values())
                        place.unlink(missing_ok=True)
                        spent[kind] += tally.processor_s - CHUNK_SECONDS / 2
                        if made == count and tally.processor_s > 0:
                            aim = count * CHUNK_SECONDS / tally.processor_s
                            chunk[kind] = max(1, min(1000, round(min(aim, 4 * count))))
                        yield kind, made, tally
            finally:
                for each in (pool, *fresh.values()):
                    _end(each)


def _one_worker() -> ProcessPool:
    """Returns a pool of one process that has made no trial yet."""
    return ProcessPool(1, context=multiprocessing.get_context("spawn"), initializer=worker.start)


def _end(pool: ProcessPool) -> None:
    """Ends the processes of a pool."""
    pool.stop()
    pool.join()


def _death(kind: str, seed: int, death: ProcessExpired) -> Tally:
    why = limits.DEATHS.get(death.exitcode, f"its process ended with {death.exitcode}")
    return Tally(worker.Counter({"failed": 1}), [Failure(kind, seed, f"died: {why}")], 0.0)


class Bench:
    """One worker process for single trials, so that one that dies can be looked at."""

    def __enter__(self) -> "Bench":
        """Starts no process yet."""
        self._pool = _one_worker()
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the process."""
        _end(self._pool)

    def trial(self, kind: str, seed: int, case: Case | None = None) -> str | Failure:
        """Makes one trial; without a case the seed makes it."""
        try:
            return self._pool.schedule(worker.one_trial, args=(kind, seed, case)).result()
        except ProcessExpired as death:
            return _death(kind, seed, death).failures[0]
