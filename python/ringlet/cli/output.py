"""Output on stdout: JSON, or tables and lines for a person."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ringlet.cli.failures import OutputError, ReaderGoneError
from ringlet.cli.tables import Table

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
"""Styles of text with their codes (ECMA-48, SGR)."""


def write(text: str) -> None:
    """Writes text to stdout at once.

    Raises:
        OutputError: stdout takes no more.
    """
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        kind = ReaderGoneError if isinstance(error, BrokenPipeError) else OutputError
        raise kind(error.strerror or str(error)) from error


def write_json(document: Mapping[str, Any], *, indent: int | None = None) -> None:
    """Writes one JSON object and a newline; nothing in it may be NaN."""
    write(json.dumps(document, allow_nan=False, indent=indent) + "\n")


def write_table(table: Table) -> None:
    """Writes a table as wide as it is; a terminal too narrow wraps its lines."""
    write("".join(f"{line}\n" for line in table.lines(styled)))


def write_line(text: str = "", *, style: str | None = None) -> None:
    """Writes a line, wrapped by the terminal only."""
    write(f"{styled(text, style)}\n")


def styled(text: str, style: str | None) -> str:
    """Returns a text in one of the `STYLES` where stdout is a terminal that has them.

    `FORCE_COLOR` has any stdout taken for one, and `NO_COLOR` leaves bold and dim text alone
    ([no-color.org](https://no-color.org)).
    """
    if style is None or os.environ.get("TERM") in ("dumb", "unknown"):
        return text
    if not (os.environ.get("FORCE_COLOR") or sys.stdout.isatty()):
        return text
    if os.environ.get("NO_COLOR") and style not in ("bold", "dim"):
        return text
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m"


def open_what_is_closed() -> None:
    """Opens standard streams that were closed at the start (`2>&-`), to nowhere.

    Else the next file that is opened would have their number, and what is meant for a stream would be written into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free is this one.
            os.open(os.devnull, os.O_RDWR)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - as long as the process


def escape_what_cannot_be_shown() -> None:
    """Makes stdout and stderr write characters that their encoding lacks as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
