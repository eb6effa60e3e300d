"""An activity of a run: what the engine counted of it, its figures, and its parts of the document."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ringlet.figures.figure import Figure

if TYPE_CHECKING:
    from ringlet._engine import Measured, Simulation
    from ringlet.scenario import Scenario


@dataclass(frozen=True)
class DocumentPart:
    """A part of a run's document that an activity has: a record of figures, or a list of records."""

    name: str
    """Key of the part in the document."""
    title: str
    """Heading of the part in the reference."""
    meaning: str
    """Content, in a clause that the words "left out without" follow."""
    without: str
    """Words for what a run lacks that has no such part."""
    figures: tuple[Figure, ...]
    many: bool = False
    """True if it is a list of records. Only a single record has columns in the table of a study."""
    row: str = ""
    """Heading of the names in the table of `ringlet run` that a list of records has: what one record is."""
    late: str = ""
    """Figure, a count, that makes a row of that table red; empty: none does."""
    hidden: tuple[str, ...] = ()
    """Figures that this table does not show, though they have headings for tables."""


Seen = dict[str, Any]
"""Record of how much of an activity the measured time holds."""

SeenSchema = Mapping[str, tuple[str | tuple[str, ...], str]]
"""JSON type and meaning of each entry of `Seen`; one that ends with `_ns` has that unit."""


@dataclass(frozen=True)
class Activity:
    """Something that a run does: a message set, event building, control loops, a collective operation.

    All that lists what a run does asks its activities: the document and its schema, what a run has seen, the report of
    `ringlet run` and its verdict, the columns of studies, `Result.part`, "What a run tells".
    """

    name: str
    parts: tuple[DocumentPart, ...]
    found: "Callable[[Simulation, Measured, Scenario], Any]"
    """Returns what became of it, from which its figures are computed; None or empty where a run has none of it."""
    is_in: "Callable[[Scenario], bool]"
    """Is it in a scenario?"""
    title: str
    """Words for the activity at the beginning of a sentence."""
    seen: SeenSchema
    """Entries of what `saw` returns."""
    saw: "Callable[[Any, Hyperperiod], Seen]"
    """Returns how much of it the measured time holds, of what was found."""
    sentence: Callable[[Mapping[str, Any]], str]
    """Returns the sentence on it in the report of a run, from the run's document."""
    periods: Callable[[Any], Sequence[float]] = lambda found: ()
    """Returns the periods in cycles with which it comes back."""
    is_complete: Callable[[Any], bool] = lambda found: True
    """Returns whether what takes place once is over."""


@dataclass(frozen=True, slots=True)
class Hyperperiod:
    """Time after which all that is periodic in a run comes back."""

    cycles: float
    """Infinite beyond a float; 0 where nothing is periodic."""
    symbol_time_ns: float

    @property
    def ns(self) -> float | None:
        """Hyperperiod in nanoseconds; None beyond a float."""
        return self.cycles * self.symbol_time_ns if self.cycles < float("inf") else None
