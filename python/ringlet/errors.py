"""The one error that bad input causes."""

import math

_SHOWN = 77
"""Characters of a value that a message quotes."""


class RingletError(Exception):
    """Bad input: one message, on one line, that names the place, the value and what is allowed."""

    def __init__(self, message: str) -> None:
        """Takes the message; what is not printable in it, such as a line break in a file's name, is escaped."""
        super().__init__("".join(c if c.isprintable() else repr(c)[1:-1] for c in message))

    @classmethod
    def not_allowed(cls, path: str, value: object, allowed: str) -> "RingletError":
        """Returns the error for a value at a key path (or file and line) that is not what is allowed there.

        A string in angle brackets, such as `"<3 rows>"`, describes a value; any other value is quoted, its beginning only if
        it is long.
        """
        return cls(f"{path}: {_shown(value)} is not allowed; {allowed}")


def _shown(value: object) -> str:
    if isinstance(value, str):
        described = value.startswith("<") and value.endswith(">") and value.isprintable()
        text = value if described else repr(value[: _SHOWN + 1])
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
