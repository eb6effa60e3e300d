"""Failures of a command: one message on stderr and an exit code."""

import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import click

from ringlet.errors import RingletError, internal

BAD_INPUT = 2
ANYTHING_ELSE = 1

TERMINATED = 128 + 15
"""What a shell reports of a process that SIGTERM ended."""

READER_GONE = 128 + 13
"""What a shell reports of a process that SIGPIPE ended."""


class CommandError(Exception):
    """A command failed, and its input is not at fault."""


class OutputError(Exception):
    """Standard output took no more: the disk is full, say."""


class ReaderGoneError(OutputError):
    """The reader of standard output has seen enough, such as `head`: a pipe without a reader."""


@contextmanager
def terminable() -> Iterator[list[int]]:
    """Lets SIGTERM end what runs inside as Ctrl-C does, so that nothing is left behind.

    Yields a list that holds the signal then. A second one ends the process as it is.
    """
    terminated: list[int] = []

    def terminate(number: int, _: object) -> None:
        terminated.append(number)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield terminated
        return
    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield terminated
    finally:
        signal.signal(signal.SIGTERM, before)


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
    if _was_interrupted(error):
        return ANYTHING_ELSE, "interrupted"
    match error:
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
        case click.Abort():
            return ANYTHING_ELSE, "interrupted"
        case MemoryError():
            return ANYTHING_ELSE, f"out of memory: {error}" if str(error) else "out of memory"
        case OSError() if error.strerror:
            place = f"{error.filename}: " if error.filename is not None else ""
            return ANYTHING_ELSE, f"{place}{error.strerror}"
    return ANYTHING_ELSE, f"{internal(error)} (RINGLET_DEBUG=1 shows where)"


def _was_interrupted(error: BaseException) -> bool:
    """Returns whether Ctrl-C caused an error: in the middle of an import another one may take its place."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    return any(isinstance(one, KeyboardInterrupt) for one in chain)


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
