"""An activity of a run: what the engine counted of it, its figures, and its parts of the document."""

from collections.abc import Callable
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
    """Its key."""
    title: str
    """Its heading in the reference."""
    meaning: str
    """What it holds, in a clause that the words "left out without" follow."""
    without: str
    """What runs lack that have no such part."""
    figures: tuple[Figure, ...]
    many: bool = False
    """Whether it is a list of records. Only a single record has columns in the table of a study."""


@dataclass(frozen=True)
class Activity:
    """Something that a run does: a message set, event building, control loops, a collective operation."""

    name: str
    parts: tuple[DocumentPart, ...]
    found: "Callable[[Simulation, Measured, Scenario], Any]"
    """Returns what became of it, from which its figures are computed; None or empty where a run has none of it."""
    is_in: "Callable[[Scenario], bool]"
    """Is it in a scenario?"""
