"""Results of an export: the files, and an account of what became of the scenario."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass
class Exported:
    """A scenario in a format of another tool."""

    files: dict[str, str] = field(default_factory=dict)
    """Text of each file by the end of its name, such as `-flows.csv`."""
    taken: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    back: list[str] = field(default_factory=list)
    """Sentences on what reads these files again, and what that loses."""


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Returns rows as the text of a CSV file; a float has as many digits as it takes to read the same one again."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def number(value: float) -> str:
    """Returns a number in as few digits as it takes to read the same one again."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 2**53 else repr(float(value))
