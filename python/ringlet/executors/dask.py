"""A Dask cluster as the place where runs are computed."""

from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib.metadata import version

from ringlet.errors import RingletError
from ringlet.executors.workers import Workers

CONNECT_S = 10
"""Seconds for which to try to reach the scheduler."""

TRIES = 4
"""Workers that a task may take with it before Dask gives it up (`distributed.scheduler.allowed-failures`, 3, and the
last)."""


@contextmanager
def dask(address: str, *, named: str) -> Iterator[Workers]:
    """Opens a connection to a Dask scheduler for a `with` block.

    Dask itself runs what a lost worker had again, up to its own limit.

    Args:
        address: such as `tcp://host:8786`.
        named: the address as the user gave it, for messages.

    Raises:
        RingletError: `distributed` is not installed, the scheduler cannot be reached, or a worker has another ringlet.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise RingletError(f"executor: {named} needs Dask: pip install 'ringlet[dask]'") from None
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        words = " ".join(str(error).split()) or type(error).__name__
        raise RingletError(f"executor: the Dask scheduler {named} cannot be reached: {words}") from None
    try:
        _check_versions(client)
        executor = client.get_executor(pure=False)
        # A future is cancelled by the client if the scheduler is gone.
        yield Workers(executor.submit, died=(KilledWorker,), tries=TRIES, gone=(CancelledError,))
    finally:
        client.close()


def _check_versions(client: "distributed.Client") -> None:  # type: ignore[name-defined]  # noqa: F821 - optional library
    """Refuses workers of another release; one of the same release with other sources says so itself."""
    ours = version("ringlet")
    found = client.get_versions(check=False, packages=["ringlet"])
    for worker, told in found["workers"].items():
        theirs = (told or {}).get("packages", {}).get("ringlet")
        if theirs != ours:
            what = f"runs ringlet {theirs}" if theirs else "has no ringlet"
            raise RingletError(f"executor: the worker {worker} {what}; allowed: {ours}, as here")
