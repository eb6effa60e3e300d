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
    """All that is wrong with a value."""

    def __init__(self, mistakes: list[Mistake]) -> None:
        """Takes the mistakes."""
        super().__init__(mistakes)
        self.mistakes = mistakes

    @classmethod
    def at(cls, value: object, allowed: str, kind: Kind = Kind.TYPE) -> "WrongError":
        """Returns that a value itself is none that is allowed."""
        return cls([Mistake((), kind, value, allowed)])

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
