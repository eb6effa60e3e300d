"""Writes files as a whole: into a temporary file, which is then renamed."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

_unfinished: set[Path] = set()
"""Files that are being written, by their temporary names."""

_written: dict[Path, None] = {}
"""Files that are written, in their order, since `forget_written`."""


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Yields the path of a new file beside `path`, with the same suffix, to be written inside the `with` block.

    At its end the file gets the name `path`, in one step: a reader finds the file of before or the new one, and no
    error, full disk or kill leaves a part of it. A link of that name is replaced, what it leads to is not written. A
    device or pipe is written itself.

    Raises:
        OSError: it cannot be written; the error names `path`.
    """
    if _is_no_file(path):
        yield path
        return
    aside = path.with_name(f".{token_hex(8)}{path.suffix}")
    _unfinished.add(aside)
    try:
        try:
            os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
            yield aside
            _to_disk(aside)
            aside.replace(path)
            _written[path] = None
        except OSError as error:
            raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        aside.unlink(missing_ok=True)
        _unfinished.discard(aside)


def discard_unfinished() -> None:
    """Removes the temporary files of this process, which is about to end in the middle of its work."""
    for aside in list(_unfinished):
        with suppress(OSError):
            aside.unlink(missing_ok=True)


def written() -> list[Path]:
    """Returns the files that this process has written as a whole since `forget_written`, if they are still there."""
    return [path for path in _written if path.exists()]


def forget_written() -> None:
    """Lets `written` begin anew: with a command."""
    _written.clear()


def write_text(path: Path, text: str) -> None:
    """Writes a text file, whole or not at all.

    Raises:
        OSError: it cannot be written; the error names `path`.
    """
    with writing(path) as aside:
        aside.write_text(text, encoding="utf-8", newline="")


def _is_no_file(path: Path) -> bool:
    """Returns whether a path leads to something that is neither a file nor a folder."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _to_disk(path: Path) -> None:
    """Puts the content on the disk before the name: a power failure must not leave an empty file."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
