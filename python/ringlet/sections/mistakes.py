"""Mistakes in the content of a section."""

from enum import Enum
from typing import Any, NamedTuple


class Kind(Enum):
    """Kinds of mistakes."""

    TYPE = "another type, or beyond a limit"
    NAME = "none of the names"
    REFUSED = "refused by a check of its own"
    MISSING = "not there"
    UNKNOWN = "an unknown key"
    TOLD = "an error of its own"


class Mistake(NamedTuple):
    """A mistake in the content of a section."""

    path: tuple[str, ...]
    """Keys, and places in lists as `[2]`."""
    kind: Kind
    value: Any = None
    """Value that the file has."""
    allowed: str = ""
    """Words for the values that are allowed."""
    messages: tuple[str, ...] = ()
    """Messages of an error that a check raised itself."""


class WrongError(Exception):
    """All that is wrong with a value.

    Of very many mistakes the first are kept and the rest is counted: a message names no more than those, and a mistake
    that is kept takes microseconds for each table around it.
    """

    def __init__(self, mistakes: list[Mistake], left: int = 0, *, stopped: bool = False) -> None:
        """Takes the mistakes, how many were counted besides, and whether there may be more that nobody looked for."""
        super().__init__(mistakes)
        self.mistakes = mistakes
        self.left = left
        self.stopped = stopped

    @classmethod
    def at(cls, value: object, allowed: str, kind: Kind = Kind.TYPE) -> "WrongError":
        """Returns that a value itself is none that is allowed."""
        return cls([Mistake((), kind, value, allowed)])

    @property
    def count(self) -> int:
        """Keys that are wrong in a table; a key that is missing beside a misspelt one is not counted."""
        unknown = any(one.kind is Kind.UNKNOWN and len(one.path) == 1 for one in self.mistakes)
        keys = {one.path[0] for one in self.mistakes if one.path and not (unknown and one.kind is Kind.MISSING)}
        return len(keys) + self.left

    def within(self, part: str) -> list[Mistake]:
        """Returns the mistakes as those of a key, or of a place in a list, around the value."""
        return [mistake._replace(path=(part, *mistake.path)) for mistake in self.mistakes]


class RefusedError(ValueError):
    """A check refuses a value."""

    def __init__(self, allowed: str) -> None:
        """Takes what would be accepted."""
        super().__init__(allowed)
        self.allowed = allowed


def refuse(allowed: str) -> RefusedError:
    """Returns the error of a check that refuses a value; `allowed` says what would be accepted."""
    return RefusedError(allowed)
