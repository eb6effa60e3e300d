"""The one error that bad input causes."""


class RingletError(Exception):
    """Bad input: one message, on one line, that names the place, the value and what is allowed."""

    def __init__(self, message: str) -> None:
        """Takes the message; what is not printable in it (it may quote a file) is escaped."""
        super().__init__("".join(c if c.isprintable() else repr(c)[1:-1] for c in message))

    @classmethod
    def not_allowed(cls, path: str, value: object, allowed: str) -> "RingletError":
        """Returns the error for a value at a key path (or file and line) that is not what is allowed there."""
        text = value if isinstance(value, str) and value.startswith("<") else repr(value)
        if len(text) > 80:
            text = f"{text[:77]}..."
        return cls(f"{path}: {text} is not allowed; {allowed}")
