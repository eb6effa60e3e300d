"""A chart of runs as the registry has it, and what charts take of the document of a run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from ringlet.errors import RingletError
from ringlet.plots.chart import Chart
from ringlet.plots.documents import Document, Documents, Runs, documents_of
from ringlet.sections import After, Field, Section, refuse

MOST = 1e30
"""Largest figure that is drawn."""

Figure = Annotated[float, Field(ge=0, le=MOST)]
Packets = Annotated[int, Field(ge=0, lt=2**63)]


class Part(Section):
    """A part of a document. Other keys are there, too, and are not drawn."""

    others_allowed: ClassVar[bool] = True


def _printable(name: str) -> str:
    if not name.isprintable():
        raise refuse("a name without control characters")
    return name


Name = Annotated[str, After(_printable)]


@dataclass(frozen=True)
class RunChart:
    """A chart of one or more runs."""

    name: str
    """Name of its file, and of the method of `result.plot` that returns it."""
    shows: str
    """Subject of the chart, in a clause."""
    drawn: Callable[[Runs], Chart]
    """Makes it."""
    takes: type[Part]
    """Part of each run's document that the chart takes. A file is checked for that before anything is drawn."""
    applies: Callable[[Documents], bool] = lambda documents: True
    """Is there something to draw?"""


def some(has: Callable[[Document], Any]) -> Callable[[Documents], bool]:
    """Returns `applies` of a chart that one run suffices for."""
    return lambda documents: any(has(document) for document in documents.values())


def given(runs: Runs, has: Callable[[Document], Any], wanted: str) -> Documents:
    """Returns the documents of those runs that have what a chart draws.

    Raises:
        RingletError: none has it; the message says what is wanted.
    """
    found = {name: document for name, document in documents_of(runs).items() if has(document)}
    if not found:
        raise RingletError(f"runs: none with {wanted}; allowed: one or more with {wanted}")
    return found


def check_bins(ends: Sequence[Any], packets: Sequence[int], name: str) -> None:
    """Refuses a histogram without a packet, or with another number of counts than of bins."""
    if len(ends) != len(packets):
        raise refuse(f"as many {name} as packets")
    if packets and not any(packets):
        raise refuse("a packet in one of the bins")
