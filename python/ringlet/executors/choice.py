"""The executors of runs: this process, others of this machine, a Dask cluster, MPI, or one of the caller."""

import os
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from ringlet.errors import RingletError
from ringlet.executors.workers import Workers

ALLOWED = "dask://HOST:PORT, tcp://HOST:PORT, or mpi; without it, processes on this machine"


def available_cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def open_workers(where: Executor | Workers | str | None = None, *, workers: int | None = None) -> Iterator[Workers]:
    """Opens the workers for a `with` block.

    Args:
        where: an executor or open workers, which stay open; the address of a Dask scheduler, `dask://HOST:PORT` or
            `tcp://HOST:PORT`; `mpi`; None: processes on this machine.
        workers: processes on this machine; None: one per core. A single one is this process itself.

    Raises:
        RingletError: an unknown address, an unreachable scheduler, a missing library, workers of another version.
    """
    if workers is not None:
        if where is not None:
            raise RingletError("workers: given together with an executor, which has its own; one of them is allowed")
        if workers < 1:
            raise RingletError.not_allowed("workers", workers, "at least 1")
    if where is None:
        number = workers or available_cores()
        if number == 1:
            from ringlet.executors.in_process import here

            yield here()
            return
        from ringlet.executors.processes import processes

        with processes(number) as opened:
            yield opened
    elif isinstance(where, str):
        with _at(where) as opened:
            yield opened
    else:
        yield where if isinstance(where, Workers) else Workers(where.submit)


@contextmanager
def _at(address: str) -> Iterator[Workers]:
    scheme, _, place = address.partition("://")
    if address == "mpi":
        from ringlet.executors.mpi import mpi

        with mpi() as opened:
            yield opened
    elif scheme in ("dask", "tcp") and place:
        from ringlet.executors.dask import dask

        with dask(f"tcp://{place}", named=address) as opened:
            yield opened
    else:
        raise RingletError.not_allowed("executor", address, f"allowed: {ALLOWED}")
