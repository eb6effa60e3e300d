"""Lines of a text file, each with its number."""

from collections.abc import Iterator
from pathlib import Path

from ringlet import limits
from ringlet.errors import RingletError


def read_lines(file: Path, what: str) -> Iterator[tuple[int, str]]:
    """Yields lines with their numbers, from 1.

    Args:
        file: where they are.
        what: words for a file of its format.

    Raises:
        RingletError: a line is no text, or too long.
    """
    number = 0
    try:
        with file.open(encoding="utf-8-sig") as stream:
            while line := stream.readline(limits.LINE_CHARACTERS + 1):
                number += 1
                if len(line) > limits.LINE_CHARACTERS:
                    allowed = f"at most {limits.LINE_CHARACTERS:,} characters"
                    raise RingletError.not_allowed(f"{file}, line {number}", "<its length>", allowed)
                if "\0" in line:
                    raise RingletError(f"{file}, line {number}: not {what}: it holds a zero byte")
                yield number, line.rstrip("\n")
    except UnicodeDecodeError as error:
        raise RingletError(f"{file}, behind line {number}: not {what}: not in UTF-8: {error.reason}") from None
