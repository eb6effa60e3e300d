"""What a worker process does: one trial after the other, and where it is."""

import os
import shutil
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from campaign import draw, limits
from campaign.case import Case
from campaign.kinds import KINDS


@dataclass(frozen=True)
class Failure:
    """A trial that failed."""

    kind: str
    seed: int
    what: str
    """What went wrong, on one line."""


@dataclass
class Tally:
    """What some trials came to."""

    ended: Counter[str] = field(default_factory=Counter)
    """How many ended in which way."""
    failures: list[Failure] = field(default_factory=list)
    processor_s: float = 0.0


def start() -> None:
    """Prepares a worker process."""
    limits.limit_memory()


def trials(kind_name: str, first: int, count: int, place: str, until: float) -> Tally:
    """Tries the seeds from `first` on, and writes the one under way into the file `place`, for when this process dies.

    Begins no trial after the time `until`, as `time.time` tells it.
    """
    tally, began = Tally(), time.process_time()
    place_at = os.open(place, os.O_WRONLY | os.O_CREAT)
    try:
        for seed in range(first, first + count):
            if time.time() >= until:
                break
            os.pwrite(place_at, seed.to_bytes(16, "little"), 0)
            ended = one_trial(kind_name, seed)
            if isinstance(ended, Failure):
                tally.failures.append(ended)
            tally.ended["failed" if isinstance(ended, Failure) else ended] += 1
    finally:
        os.close(place_at)
    tally.processor_s = time.process_time() - began
    return tally


def one_trial(kind_name: str, seed: int, case: Case | None = None) -> str | Failure:
    """Makes a trial and returns in a word how it ended, or its failure. Without a case the seed makes it."""
    kind = KINDS[kind_name]
    limits.start_clock()
    try:
        with empty_folder() as folder:
            return kind.try_case(kind.generate(seed) if case is None else case, folder, seed)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # A panic of the engine is no Exception in Python.
        return Failure(kind_name, seed, describe(error))
    finally:
        limits.stop_clock()


def describe(error: BaseException) -> str:
    """Returns an error on one line, with the innermost place in the program that it went through."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/ringlet/" in frame.filename]
    at = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return " ".join(f"{type(error).__name__}: {error}"[:400].split()) + at


_folder: Path | None = None


@contextmanager
def empty_folder() -> Iterator[Path]:
    """Yields this process's folder, emptied behind each trial that has written something."""
    global _folder
    if _folder is None or not _folder.is_dir():
        _folder = Path(tempfile.mkdtemp(prefix="campaign-", dir=draw.in_memory()))
    try:
        yield _folder
    finally:
        if any(_folder.iterdir()):
            shutil.rmtree(_folder, ignore_errors=True)
            _folder.mkdir(exist_ok=True)
