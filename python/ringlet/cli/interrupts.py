"""SIGINT and SIGTERM: they end a command within a second, whatever it is doing."""

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ringlet import files

PATIENCE_S = 0.7
"""Seconds in which a command may end by itself after a signal, put away what it has begun and say what is kept."""

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_kept: list[str] = []
"""Sentences on the results that are kept if the command ends now; the last one holds."""


class InterruptedCommand(Exception):  # noqa: N818 - an interrupt is no error
    """A command that was interrupted; the message says what is kept."""


@dataclass
class Signals:
    """The signals that came to a command while its outcome was open."""

    came: list[int] = field(default_factory=list)
    """Numbers of them, in order."""
    begun: bool = False
    """State of the command: begun; an interrupt is raised inside of it from then on."""
    told: bool = False
    """State of the outcome: told, or being told; a signal changes neither message nor exit code from then on."""

    def begin(self) -> None:
        """Begins the command, where an interrupt can be caught.

        Raises:
            KeyboardInterrupt: a signal has come already.
        """
        self.begun = True
        if self.came:
            raise KeyboardInterrupt


@contextmanager
def ending_in_time(*, of_process: bool = False) -> Iterator[Signals]:
    """Lets SIGINT and SIGTERM end what begins inside as `KeyboardInterrupt` does, within a second.

    Compiled code does not see an interrupt before it returns, so a thread of its own watches: if the command has not
    ended `PATIENCE_S` after the signal, the thread says what is kept and ends the process. Stores survive that, as they
    do kill -9. Signals behind the first one change nothing.

    Args:
        of_process: whether the process ends behind what runs inside. Its outcome stands then, up to the last
            instruction of the interpreter: a signal on the way out would leave another exit code behind the message.
    """
    signals = Signals()
    files.forget_written()
    if threading.current_thread() is not threading.main_thread():
        yield signals
        return

    def interrupt(number: int, _: object) -> None:
        if signals.told:
            return
        signals.came.append(number)
        if signals.begun and len(signals.came) == 1:
            raise KeyboardInterrupt

    # A shell makes what it runs in the background ignore Ctrl-C.
    numbers = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    ended = threading.Event()
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    arguments = (reader, ended, signals)
    watching = threading.Thread(target=_watch, args=arguments, name="end at a signal", daemon=True)
    watching.start()
    before_writer = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield signals
    finally:
        signals.begun = False
        if signals.came:
            # Python notes an interrupt inside of `exec`, as of dataclasses that are made while a library is loaded, and
            # would end the process by SIGINT in place of the exit code; the next text that is executed clears the note.
            exec("")
        if of_process:
            signals.told = True
            atexit.register(_ignore, numbers)
        else:
            ended.set()
            for number, handler in before.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(before_writer)
            os.close(writer)
            watching.join()
            os.close(reader)


def _ignore(numbers: Iterable[signal.Signals]) -> None:
    """Ignores signals from where the interpreter takes its own handlers away."""
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


def _watch(reader: int, ended: threading.Event, signals: Signals) -> None:
    """Ends the process if the command does not, some time after a signal: `reader` gives the number of each."""
    while numbers := os.read(reader, 1):
        if numbers[0] in SIGNALS and not ended.wait(PATIENCE_S):
            if not signals.told:
                files.discard_unfinished()
                text = f"ringlet: {interrupted_in_words()}\n"
                os.write(sys.__stderr__.fileno() if sys.__stderr__ is not None else 2, text.encode(errors="replace"))
            os._exit(exit_code(numbers[0]))


def exit_code(number: int) -> int:
    """Returns what a shell reports of a process that a signal ended."""
    return 128 + number


@contextmanager
def keeping(path: Path | None, count: Callable[[], int] | None = None) -> Iterator[None]:
    """Says at an interrupt that the store at `path` keeps what is finished inside.

    Args:
        path: the store; None: nothing is kept.
        count: returns how many runs are finished.

    Raises:
        InterruptedCommand: it was interrupted.
    """
    if path is None:
        yield
        return

    def said(what: str) -> str:
        return f"{path} keeps {what}, and the same command goes on"

    _kept.append(said("what is finished"))
    try:
        yield
    except BaseException as error:
        if not was_interrupted(error):
            raise
        words = _kept[-1] if count is None else said(f"{count()} finished runs")
        raise InterruptedCommand(f"interrupted; {words}") from None
    finally:
        _kept.pop()


def interrupted_in_words() -> str:
    """Returns the message of a command that is interrupted now: the store that it keeps, or else the files."""
    return "; ".join(["interrupted", *(_kept[-1:] or _files_in_words())])


def _files_in_words() -> list[str]:
    match files.written():
        case []:
            return []
        case [path]:
            return [f"{path} is written"]
        case paths:
            return [f"{len(paths)} files are written, the last one {paths[-1]}"]


def was_interrupted(error: BaseException) -> bool:
    """Returns whether an interrupt caused an error: in the middle of an import another one may take its place."""
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    return any(isinstance(one, KeyboardInterrupt) for one in chain)
