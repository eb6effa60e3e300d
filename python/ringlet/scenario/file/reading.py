"""Reading files that a person names, none of them further than `ringlet.limits` says."""

import json
import os
import re
import stat
from pathlib import Path
from typing import Any, BinaryIO

import rtoml

from ringlet import limits
from ringlet.errors import RingletError

_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_TOML_PLACE = re.compile(r" at line (\d+) column (\d+)$")
_TOO_DEEP = re.compile(rf"(?<![A-Za-z0-9_.-])(?:{_PART}\.[ \t]*+){{{limits.KEY_PARTS}}}")
"""A key of too many parts. Words are matched whole: given back, the time would grow with the square of their length."""

_LONGEST_NAME = 300
"""Characters of a file's name that an error shows: a key may hold megabytes where a name should be."""


_PIECE_BYTES = 1 << 20


def _read(stream: BinaryIO, most_bytes: int) -> bytes:
    """Returns a file's content, or more than so many bytes of it.

    In pieces: a single call would reserve the memory of the largest file for the smallest one.
    """
    content = bytearray()
    while len(content) <= most_bytes and (piece := stream.read(_PIECE_BYTES)):
        content += piece
    return bytes(content)


def read_text(file: Path, what: str, *, most_bytes: int = limits.FILE_BYTES) -> str:
    """Returns a UTF-8 file's text; `what` is what it should be, such as "a TOML file".

    Raises:
        RingletError: missing, a directory, unreadable, too large, or not UTF-8.
    """
    content = read_bytes(file, what, most_bytes=most_bytes)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RingletError.not_allowed(
            f"{file}, line {line}", f"<byte {error.start} is not UTF-8>", f"{what} in UTF-8"
        ) from None


def read_bytes(file: Path, what: str, *, most_bytes: int) -> bytes:
    """Returns a file's content; `what` is what it should be.

    Raises:
        RingletError: missing, a directory, unreadable, or too large.
    """
    try:
        if file.is_dir():
            raise RingletError.not_allowed(str(file), "<a directory>", what)
        # Pipes and devices do not say their size.
        with file.open("rb") as stream:
            is_too_large = os.fstat(stream.fileno()).st_size > most_bytes
            content = b"" if is_too_large else _read(stream, most_bytes)
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from None
    if is_too_large or len(content) > most_bytes:
        raise RingletError.not_allowed(str(file), "<its size>", f"{what} of at most {most_bytes:,} bytes")
    return content


def state_of_file(file: Path, what: str) -> tuple[int, int, int]:
    """Returns size, time of the last change and number of a file that is read several times: its state.

    Raises:
        RingletError: missing, unreadable, or a device or pipe, which may have no end.
    """
    try:
        state = file.stat()
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from None
    if not (stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)):
        raise RingletError.not_allowed(str(file), "<a device or pipe>", f"{what} in a file, which is read twice")
    return state.st_size, state.st_mtime_ns, state.st_ino


def unreadable(file: Path, error: OSError | ValueError) -> RingletError:
    """Returns what to say of a file that cannot be read; a ValueError is one about its name."""
    name = str(file)
    if len(name) > _LONGEST_NAME:
        name = f"{name[:_LONGEST_NAME]}..."
    if isinstance(error, FileNotFoundError):
        return RingletError(f"{name}: no such file")
    return RingletError(f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}")


def read_json(file: Path, what: str) -> Any:  # noqa: ANN401 - whatever the file holds
    """Returns the content of a JSON file; `what` is what it should be.

    Raises:
        RingletError: unreadable, or not JSON.
    """
    text = read_text(file, what)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RingletError(f"{file}: not JSON: {error}") from None


def read_toml(file: Path, allowed: str) -> dict[str, Any]:
    """Returns the content of a TOML file; `allowed` says what it may hold, should it be empty.

    Raises:
        RingletError: unreadable, empty, or not TOML.
    """
    text = read_toml_text(file)
    if (deep := _TOO_DEEP.search(text)) is not None:
        place = f"{file}, line {text.count(chr(10), 0, deep.start()) + 1}"
        raise RingletError.not_allowed(place, deep[0], f"a key of at most {limits.KEY_PARTS} parts")
    if not text.strip():
        raise RingletError.not_allowed(str(file), "<an empty file>", allowed)
    try:
        return rtoml.loads(text)
    except rtoml.TomlParsingError as error:
        found = _TOML_PLACE.search(str(error))
        where = f"{file}, line {found[1]}, column {found[2]}" if found else f"{file}"
        raise RingletError(f"{where}: not a TOML file: {_TOML_PLACE.sub('', str(error))}") from None


def read_toml_text(file: Path) -> str:
    """Returns the text of a TOML file.

    Raises:
        RingletError: unreadable, too large, or not UTF-8.
    """
    return read_text(file, "a TOML file", most_bytes=limits.TOML_BYTES)
