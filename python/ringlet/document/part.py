"""Parts of the document of a run: records of figures."""

from dataclasses import dataclass

from ringlet.document.figure import Figure


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
    fewest: int = 1
    """Records from which on there is such a table."""
    late: str = ""
    """Figure, a count, that makes a row of that table red; empty: none does."""
    hidden: tuple[str, ...] = ()
    """Figures that this table does not show, though they have headings for tables."""
