"""A line on stderr that says how far a sweep is, and is written over and over."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ringlet.studies.schedule import Counts

BETWEEN_SECONDS = 0.2
"""Least time between two texts of the line."""

Progress = Callable[[Counts], None]
"""Called with how far a sweep is."""


@contextmanager
def telling(progress: Progress | bool | None) -> Iterator[Progress]:
    """Yields what is to be called with how far a sweep is.

    Args:
        progress: called itself; or True for a line on stderr, which notebooks and terminals show.
    """
    if callable(progress):
        yield progress
    elif progress:
        line = _Line()
        try:
            yield line.tell
        finally:
            line.end()
    else:
        yield lambda counts: None


class _Line:
    """A line with the runs that are over, of how many, and the time since it was begun."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._due = self._start
        self._text = ""
        self._shown = ""

    def tell(self, counts: Counts) -> None:
        """Takes how far the sweep is, and shows it unless something was shown just before."""
        now = time.monotonic()
        failed = f", {counts.failed} failed" if counts.failed else ""
        self._text = f"sweep: {counts.done} of {counts.total} runs{failed}, {now - self._start:z.0f} s"
        if now >= self._due:
            self._due = now + BETWEEN_SECONDS
            self._show()

    def end(self) -> None:
        """Shows what was told last, and ends the line."""
        if self._text:
            self._show()
            sys.stderr.write("\n")
            sys.stderr.flush()

    def _show(self) -> None:
        sys.stderr.write(f"\r{self._text:{len(self._shown)}}")
        sys.stderr.flush()
        self._shown = self._text
