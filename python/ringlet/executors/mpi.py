"""The processes of an MPI job as the place where runs are computed."""

from collections.abc import Iterator
from contextlib import contextmanager

from ringlet.errors import RingletError
from ringlet.executors.workers import Workers

HOW = "start it as: mpiexec -n 9 python -m mpi4py.futures -m ringlet sweep STUDY --executor mpi (8 workers)"


@contextmanager
def mpi() -> Iterator[Workers]:
    """Opens the pool of an MPI job for a `with` block: this process directs, all others compute.

    If one of its processes dies, MPI ends the whole job; the next one goes on with what the store lacks.

    Raises:
        RingletError: `mpi4py` is not installed, finds no MPI library, or this is no such job.
    """
    try:
        from mpi4py.futures import MPIPoolExecutor, _core
    except (ImportError, RuntimeError) as error:
        raise RingletError(
            f"executor: mpi needs an MPI library and mpi4py: pip install 'ringlet[mpi]' ({error})"
        ) from None
    # Otherwise every process of the job would run the whole study, or MPI would start processes that it may not have.
    if getattr(_core, "SharedPool", None) is None:
        raise RingletError(f"executor: mpi: there are no other processes that would compute; {HOW}")
    with MPIPoolExecutor() as pool:
        try:
            yield Workers(pool.submit)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
