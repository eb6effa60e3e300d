"""The one error that bad input causes."""

import math
from collections.abc import Iterable
from contextlib import AbstractContextManager

NO_NODE_NAMES = "network.node_names gives nodes names"
"""End of a message about a node's name in a file without any names."""

MOST_MESSAGES = 50
"""Messages of one error."""

MOST_COUNTED = 1_000
"""Wrong values of one list or table behind which no further one is looked at: a message counts those before."""

_SHOWN = 57
"""Characters of a value that a message quotes, before an ellipsis."""

INTERNAL = "internal error: "
"""Beginning of the reason where something failed by a defect of ringlet, and not by its input."""


_added: dict[str, None] = {}
"""Names that installed packages have added in this process."""


def note_added(added_by: str) -> None:
    """Notes what an installed package adds: an internal error may be its own."""
    _added[added_by] = None


def internal(error: BaseException | None) -> str:
    """Returns an error that no input should cause in words: its kind, what it says, and which packages may be the
    cause."""
    packages = "".join(f"; {added_by}, which may be the cause" for added_by in _added)
    return f"{INTERNAL}{type(error).__name__}: {error}{packages}"


class RingletError(Exception):
    """Bad input: a message, on one line, that names the place, the value and what is allowed; or several, in `args`.

    >>> import ringlet as rl
    >>> rl.run({"network": {"nodes": 0}})
    Traceback (most recent call last):
    ringlet.errors.RingletError: network.nodes: 0 is not allowed; at least 1
    """

    args: tuple[str, ...]

    def __init__(self, *messages: str) -> None:
        """Takes a message for each thing that is wrong; what is not printable, such as a line break, is escaped."""
        super().__init__(*("".join(c if c.isprintable() else repr(c)[1:-1] for c in text) for text in messages))

    def __str__(self) -> str:
        """Returns all messages on one line."""
        # The last one may be how many more there are: "and 3 more".
        return "; and ".join(message.removeprefix("and ") for message in self.args)

    def _render_traceback_(self) -> list[str]:
        """Returns what a notebook shows of the error: the message, without the calls that led to it."""
        return [f"{type(self).__name__}: {self}"]

    def behind(self, place: str) -> "RingletError":
        """Returns the error with a place before each message."""
        return RingletError(*(f"{place}{message}" for message in self.args))

    @classmethod
    def not_allowed(cls, path: str, value: object, allowed: str) -> "RingletError":
        """Returns the error for a value at a key path (or file and line) that is not what is allowed there.

        A string in angle brackets, such as `"<3 rows>"`, describes a value; any other value is quoted, its beginning
        only if it is long.
        """
        return cls(f"{path}: {_shown(value)} is not allowed; {allowed}")


class Problems:
    """Collects what is wrong with several things that do not depend on each other."""

    def __init__(self) -> None:
        """With nothing wrong."""
        self.messages: list[str] = []

    def collected(self) -> "Collected":
        """Keeps the messages of an error inside, and goes on behind it."""
        return Collected(self.messages)

    def check(self) -> None:
        """Raises RingletError with all that was wrong, each thing once, if anything was."""
        messages = each_cause_once(self.messages)
        left = len(messages) - MOST_MESSAGES
        if messages:
            raise RingletError(*messages[:MOST_MESSAGES], *([f"and {left} more"] if left > 0 else []))


def each_cause_once(messages: Iterable[str]) -> list[str]:
    """Returns each message once; of those about nodes' names in a file without any the first."""
    each = list(dict.fromkeys(messages))
    unnamed = [one for one in each if one.endswith(NO_NODE_NAMES)]
    return [one for one in each if one not in unnamed[1:]]


class Collected(AbstractContextManager[None]):
    """A stretch of code whose messages are kept: a class, since tables enter one for each of their rows."""

    def __init__(self, messages: list[str]) -> None:
        """Takes the list that messages go to."""
        self._messages = messages

    def __enter__(self) -> None:
        """Begins."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
        """Takes the messages of bad input, and lets go on; any other error goes up."""
        if isinstance(error, RingletError):
            self._messages += error.args
            return True
        return False


def _shown(value: object) -> str:
    if isinstance(value, str):
        described = value.startswith("<") and value.endswith(">") and value.isprintable()
        text = value if described else repr(value[: _SHOWN + 4])
    elif isinstance(value, int) and value.bit_length() > 1024:
        # Python does not write out integers of thousands of digits.
        text = f"a number of about {math.floor(value.bit_length() * math.log10(2))} digits"
    else:
        try:
            text = repr(value)
        except (ValueError, RecursionError):
            # Numbers of thousands of digits, or lists thousands deep, inside.
            text = f"a {type(value).__name__}"
    return text if len(text) <= _SHOWN + 3 else f"{text[:_SHOWN]}..."
