"""Guards around what an installed package adds: what fails inside names the package, the entry point and the cause."""

import inspect
from collections.abc import Callable, Iterator
from functools import cached_property, wraps
from typing import Any

from ringlet.errors import RingletError
from ringlet.sections.mistakes import RefusedError, WrongError

FAILURES = (Exception, SystemExit)
"""Exceptions that code of a package may raise; an interrupt is not its own."""

LONGEST = 500
"""Characters that a message quotes of what an error of a package says."""

MEANT = (RingletError, WrongError, RefusedError, NotImplementedError)
"""Errors that say what is wrong with the input."""


def guard(found: type, added_by: str) -> None:
    """Makes all that a package defines in a class raise RingletError where it fails.

    Args:
        found: the class; what it inherits from ringlet stays as it is.
        added_by: which entry point of which package it is, as a message begins.
    """
    for each in found.__mro__:
        if each.__module__.partition(".")[0] in ("ringlet", "builtins", "abc", "typing") or "_guarded" in vars(each):
            continue
        type.__setattr__(each, "_guarded", True)
        for name, attribute in list(vars(each).items()):
            if not name.startswith("__") and (guarded := _guarded(attribute, f"{added_by}, whose {name}")) is not None:
                if isinstance(guarded, cached_property):
                    guarded.__set_name__(each, name)
                type.__setattr__(each, name, guarded)


def failed(where: str, error: BaseException) -> RingletError:
    """Returns the error of code of a package that has failed."""
    says = str(error)
    more = "..." if len(says) > LONGEST else ""
    cause = f": {says[:LONGEST]}{more}" if says else ""
    return RingletError(f"{where} fails: {type(error).__name__}{cause}")


def _guarded(attribute: object, where: str) -> Any:  # noqa: ANN401 - whatever stands in a class
    """Returns a method or a property that names its package; None for what is neither."""
    match attribute:
        case staticmethod() | classmethod():
            return type(attribute)(_call(attribute.__func__, where))
        case property():
            getter = attribute.fget
            return None if getter is None else property(_call(getter, where), attribute.fset, attribute.fdel)
        case cached_property():
            return cached_property(_call(attribute.func, where))
    return _call(attribute, where) if inspect.isfunction(attribute) else None


def _call(function: Callable[..., Any], where: str) -> Callable[..., Any]:
    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - those of the function
        try:
            result = function(*arguments, **named)
        except MEANT:
            raise
        except FAILURES as error:
            raise failed(where, error) from error
        return _each(result, where) if inspect.isgenerator(result) else result

    return call


def _each(results: Iterator[Any], where: str) -> Iterator[Any]:
    try:
        yield from results
    except MEANT:
        raise
    except FAILURES as error:
        raise failed(where, error) from error
