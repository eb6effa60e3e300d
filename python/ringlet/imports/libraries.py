"""Libraries that read a format, imported when a file of it is read."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from ringlet.errors import RingletError


def library(module: str, package: str, what: str, *, extra: str = "import") -> Any:  # noqa: ANN401 - a module
    """Returns a module.

    Args:
        module: its name.
        package: how it is installed.
        what: what it reads, such as "DBC files".
        extra: dependencies with which ringlet is installed for it.

    Raises:
        RingletError: it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise RingletError(f"{what} need {package}: pip install 'ringlet[{extra}]'") from None


@contextmanager
def remarks_of(package: str) -> Iterator[list[str]]:
    """Yields the list of what a library writes into its log meanwhile, each remark once and on one line. It would stand
    among our own messages otherwise."""
    remarks: list[str] = []

    class Keeper(logging.Handler):
        """A handler that keeps remarks."""

        def emit(self, record: logging.LogRecord) -> None:
            remark = " ".join(record.getMessage().split())
            if remark not in remarks:
                remarks.append(remark)

    logger, keeper = logging.getLogger(package), Keeper(logging.WARNING)
    propagated, logger.propagate = logger.propagate, False
    logger.addHandler(keeper)
    try:
        yield remarks
    finally:
        logger.removeHandler(keeper)
        logger.propagate = propagated
