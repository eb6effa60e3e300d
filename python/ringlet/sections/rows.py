"""Sections of the rows of a table, whose columns hold few different values: each value is checked once."""

from functools import lru_cache
from typing import Any, Generic, TypeVar

from ringlet.errors import RingletError
from ringlet.sections.fields import HERE, Check
from ringlet.sections.mistakes import RefusedError, WrongError
from ringlet.sections.plain import PLAIN
from ringlet.sections.section import Section

One = TypeVar("One", bound=Section)

KNOWN = 4096
"""Values of a key of which the outcome of their check is kept."""


class Rows(Generic[One]):
    """The rows of a table, each made a section of one kind."""

    def __init__(self, kind: type[One]) -> None:
        """Takes the kind of section."""
        self._kind = kind
        self._checks: dict[str, Check] = {}
        self._given: dict[frozenset[str], frozenset[str]] = {}

    def made(self, keys: dict[str, Any]) -> One:
        """Returns the section with some keys.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        try:
            return self._at_once(keys)
        except (RingletError, RefusedError, WrongError, KeyError):
            # All that is wrong with a row is found, and put in words, where sections are made one by one.
            return self._kind(**keys)

    def _at_once(self, keys: dict[str, Any]) -> One:
        kind = self._kind
        section = kind.__new__(kind)
        table = kind._completed(keys)
        values = {name: self._checked(name, value) for name, value in table.items()}
        given = frozenset(values)
        if not given >= kind._needed:
            raise KeyError(kind._needed - given)
        section._hold(values, self._given.setdefault(given, given))
        section._fits_together(HERE)
        return section

    def _checked(self, name: str, value: Any) -> Any:  # noqa: ANN401 - whatever a table holds
        key = self._kind.fields[name]
        check = key.check or Section._check(key)
        if type(value) not in PLAIN:
            return check(value)
        if name not in self._checks:
            # A number is not the same as one of another type, nor as a truth.
            self._checks[name] = lru_cache(maxsize=KNOWN, typed=True)(check)
        return self._checks[name](value)
