"""Failures of a command: one message on stderr and an exit code."""

import os
import signal
import sys
import traceback

import click

from ringlet.cli.interrupts import InterruptedCommand, exit_code, interrupted_in_words, was_interrupted
from ringlet.errors import RingletError, internal

BAD_INPUT = 2
ANYTHING_ELSE = 1

VERDICT_FAILS = 3
"""A verdict that the command is to give is no, or not known."""

INTERRUPTED = exit_code(signal.SIGINT)
"""Exit code that a shell reports of a process that Ctrl-C ended."""

READER_GONE = 128 + 13
"""Exit code that a shell reports of a process that SIGPIPE ended."""


class CommandError(Exception):
    """A command failed, and its input is not at fault."""


class OutputError(Exception):
    """Standard output took no more: the disk is full, say."""


class ReaderGoneError(OutputError):
    """The reader of standard output has seen enough, such as `head`: a pipe without a reader."""


def report(error: BaseException, *, debug: bool) -> int:
    """Writes one line about `error` on stderr, with `debug` after its traceback, and returns the exit code."""
    if isinstance(error, OutputError | OSError):
        _discard_output()
    if debug:
        traceback.print_exception(error, file=sys.stderr)
    code, message = describe(error)
    for each in error.args if isinstance(error, RingletError) else (message,) * bool(message):
        print(f"ringlet: {one_line(each)}", file=sys.stderr)
    return code


def describe(error: BaseException) -> tuple[int, str]:
    """Returns exit code and message of an error."""
    if isinstance(error, click.Abort) or was_interrupted(error):
        return INTERRUPTED, interrupted_in_words()
    match error:
        case InterruptedCommand():
            return INTERRUPTED, str(error)
        case RingletError():
            return BAD_INPUT, str(error)
        case click.ClickException():
            return BAD_INPUT if error.exit_code == BAD_INPUT else ANYTHING_ELSE, _usage(error)
        case CommandError():
            return ANYTHING_ELSE, str(error)
        case ReaderGoneError():
            return READER_GONE, ""
        case OutputError():
            return ANYTHING_ELSE, f"the output was cut off: {error}"
        case MemoryError():
            return ANYTHING_ELSE, f"out of memory: {error}" if str(error) else "out of memory"
        case OSError() if error.strerror:
            place = f"{error.filename}: " if error.filename is not None else ""
            return ANYTHING_ELSE, f"{place}{error.strerror}"
    return ANYTHING_ELSE, f"{internal(error)} (RINGLET_DEBUG=1 shows where)"


def one_line(message: str) -> str:
    """Returns the message on one line, with what is not printable escaped: it may quote a file's content."""
    words = " ".join(message.split())
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode() for c in words)


def _usage(error: click.ClickException) -> str:
    """Returns the message of a wrong command line, and where help is."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "ringlet"
    return f"{error.format_message().rstrip('.')}; '{command} --help' explains more"


def _discard_output() -> None:
    """Sends what is left in the buffer nowhere, so that the interpreter does not fail on it once more at its exit."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        # No standard output at all, or none with a file behind it.
        pass
