"""The figures that the founding papers state, one row each, from `published.csv`."""

import csv
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Literal, cast

Kind = Literal["exact", "approx", "shape"]
End = Literal["", "low", "high"]
"""The smaller or the larger of two extremes that a paper prints; empty: no matter which."""


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """One figure as a paper states it."""

    id: str
    """Stable name, `paper.place.case`."""
    paper: str
    """Short name of the paper, such as `picker1994`."""
    place: str
    """Table, figure or section."""
    scenario: str
    """The case, in words."""
    metric: str
    """Quantity that is measured."""
    unit: str
    """Unit of `value`: `%`, `MB/s`, `ns`, `count`, or `bool` for a relation."""
    value: float
    """The published figure; 1 for a relation that must hold."""
    value_hi: float | None
    """Upper end, where the paper gives a range; `value` is then its lower end."""
    kind: Kind
    """`exact` (printed), `approx` ("about", "over"), or `shape` (a relation that must hold)."""

    def at(self, end: End) -> "PublishedFigure":
        """Returns one of the two extremes as a figure of its own; for no end the figure as it is."""
        if not end or self.value_hi is None:
            return self
        return replace(self, value=self.value if end == "low" else self.value_hi, value_hi=None)


@cache
def published_figures() -> tuple[PublishedFigure, ...]:
    """Returns every row of `published.csv`, in its order."""
    text = files(__package__).joinpath("published.csv").read_text(encoding="utf-8")
    return tuple(
        PublishedFigure(
            id=row["id"],
            paper=row["paper"],
            place=row["place"],
            scenario=row["scenario"],
            metric=row["metric"],
            unit=row["unit"],
            value=float(row["value"]),
            value_hi=float(row["value_hi"]) if row["value_hi"] else None,
            kind=cast(Kind, row["kind"]),
        )
        for row in csv.DictReader(text.splitlines())
    )


def figures_of(paper: str) -> tuple[PublishedFigure, ...]:
    """Returns the rows of one paper, in the order of `published.csv`."""
    return tuple(figure for figure in published_figures() if figure.paper == paper)
