"""Libraries that read a format, imported when a file of it is read."""

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
