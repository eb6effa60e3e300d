"""The counts of protocols, with the names and meanings that the engine gives them."""

from collections.abc import Sequence

from ringlet._engine import PROTOCOL_COUNTS
from ringlet.document.figure import UNITS, Figure, Values
from ringlet.figures.by_part import by_node
from ringlet.figures.measurements import Found


def _count(name: str, meaning: str) -> Figure:
    # A count is named after what it counts, which stands last.
    unit = name.rpartition("_")[2]
    return Figure(
        name,
        name.replace("_", " "),
        meaning,
        unit=unit if unit in UNITS else "",
        values=by_node(_counter(name), total=sum),
        kind="integer",
    )


def _counter(name: str) -> Values:
    def values(found: Found) -> Sequence[int]:
        return found.counter(name)

    return values


PROTOCOL_FIGURES = tuple(_count(name, meaning) for name, meaning in PROTOCOL_COUNTS)
