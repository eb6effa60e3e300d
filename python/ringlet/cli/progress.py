"""Progress, on stderr and only on a terminal, but for what takes minutes."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from ringlet.lazy import library

if TYPE_CHECKING:
    from rich import console
    from rich import progress as bars

    from ringlet.papers import Advance
else:
    bars, console = library("rich.progress"), library("rich.console")


LINE_SECONDS = 10.0
"""Least time between two lines where there is no terminal, and before the first."""


@contextmanager
def working(text: str) -> Iterator[None]:
    """Shows that something goes on, and for how long."""
    if not sys.stderr.isatty():
        yield
        return
    with _progress(bars.SpinnerColumn(), bars.TextColumn("{task.description}"), bars.TimeElapsedColumn()) as progress:
        progress.add_task(text, total=None)
        yield


@contextmanager
def counting(text: str, *, lines: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Shows how much is done and how long the rest will take; call what it yields with the number of what is done and
    of all. Without a terminal nothing, or with `lines` a line every LINE_SECONDS, so that what is short writes none."""
    if not sys.stderr.isatty():
        yield _lines(text) if lines else lambda done, total: None
        return
    columns = (
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        bars.TextColumn("left:"),
        bars.TimeRemainingColumn(),
    )
    with _progress(*columns) as progress:
        task = progress.add_task(text, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def reproducing() -> "Iterator[Callable[[Advance], None]]":
    """Shows how far the papers are; without a terminal in a line for each scenario file whose cases are all done."""
    start = time.monotonic()

    def write_line(advance: "Advance") -> None:
        if advance.finished:
            seconds = time.monotonic() - start
            left = seconds * (advance.total - advance.done) / advance.done
            done = f"{advance.done} of {advance.total} cases, {seconds:z.0f} s, about {left:z.0f} s to go"
            click.echo(f"{advance.paper}: {advance.finished} done ({done})", err=True)

    if not sys.stderr.isatty():
        yield write_line
        return
    with counting("simulating") as progress:
        yield lambda advance: progress(advance.done, advance.total)


def _lines(text: str) -> Callable[[int, int], None]:
    start = time.monotonic()
    due = start + LINE_SECONDS

    def write(done: int, total: int) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due:
            due = now + LINE_SECONDS
            click.echo(f"{text}: {done} of {total}, {now - start:z.0f} s", err=True)

    return write


def _progress(*columns: "bars.ProgressColumn") -> "bars.Progress":
    return bars.Progress(*columns, console=console.Console(file=sys.stderr), transient=True)
