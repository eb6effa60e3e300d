"""Reading files that a person names."""

import tomllib
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError

MAX_BYTES = 256 * 1024 * 1024
"""Largest file that is read."""


def read_text(file: Path, what: str) -> str:
    """Returns a UTF-8 file's text; `what` is what it should be, such as "a TOML file".

    Raises:
        RingletError: missing, a directory, unreadable, too large, or not UTF-8.
    """
    try:
        if file.is_dir():
            raise RingletError.not_allowed(str(file), "<a directory>", what)
        # Some files, such as pipes and devices, do not say their size.
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise RingletError.not_allowed(str(file), "<its size>", f"at most {MAX_BYTES} bytes")
        return content.decode("utf-8-sig")
    except FileNotFoundError:
        raise RingletError(f"{file}: no such file") from None
    except UnicodeDecodeError as error:
        raise RingletError.not_allowed(str(file), f"<byte {error.start} is not UTF-8>", f"{what} in UTF-8") from None
    except (OSError, ValueError) as error:
        raise RingletError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def read_toml(file: Path, allowed: str) -> dict[str, Any]:
    """Returns the content of a TOML file; `allowed` says what it may hold, should it be empty.

    Raises:
        RingletError: unreadable, empty, or not TOML.
    """
    text = read_text(file, "a TOML file")
    if not text.strip():
        raise RingletError.not_allowed(str(file), "<an empty file>", allowed)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Not only TOMLDecodeError: a number may have more digits than Python takes.
        raise RingletError(f"{file}: not a TOML file: {error}") from None
