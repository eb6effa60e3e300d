"""Output on stdout: JSON, or tables and lines for a person."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ringlet.cli.failures import OutputError, ReaderGoneError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

WIDEST = 10_000
"""Columns that a table may take; a terminal too narrow wraps its lines."""


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


def write_table(table: "Table") -> None:
    """Writes a table as wide as it is, so that no figure is cut."""
    from rich.measure import Measurement

    console = _console()
    console.width = max(1, Measurement.get(console, console.options.update(max_width=WIDEST), table).maximum)
    with console.capture() as capture:
        console.print(table)
    write("".join(f"{line.rstrip()}\n" for line in capture.get().splitlines()))


def write_line(text: str = "", *, style: str | None = None) -> None:
    """Writes a line, wrapped by the terminal only."""
    console = _console()
    with console.capture() as capture:
        console.print(text, style=style, soft_wrap=True)
    write(capture.get())


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


def _console() -> "Console":
    # Loaded on first use: what is no table, JSON or an error, does not need it.
    from rich.console import Console

    return Console(file=sys.stdout, markup=False, highlight=False, emoji=False)
