"""The first points of a sweep, and what a reader should know of all of them, gathered piece by piece."""

from dataclasses import dataclass, field

from ringlet.studies.sweep_frames import Piece
from ringlet.studies.table import Columns

SHOWN_POINTS = 32
"""First points that are kept."""

MOST_STRETCHES = 12
"""Stretches of points that are named beside a warning."""


@dataclass(slots=True)
class Warned:
    """The runs that warn of one thing."""

    first: str
    """The first warning."""
    runs: int = 0
    points: int = 0
    stretches: list[tuple[int, int]] = field(default_factory=list)
    """First and last of points that follow each other, of the first such stretches."""
    last: int = -1
    """The last point."""

    def add(self, points: list[int], runs: int) -> None:
        """Adds points, which are ascending and above all others, and their runs."""
        self.runs += runs
        self.points += len(points)
        for point in points:
            if self.stretches and self.stretches[-1][1] == self.last == point - 1:
                self.stretches[-1] = (self.stretches[-1][0], point)
            elif len(self.stretches) < MOST_STRETCHES:
                self.stretches.append((point, point))
            self.last = point

    @property
    def where(self) -> str:
        """The points in words, such as `0-3, 7`."""
        words = ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in self.stretches)
        named = sum(last - first + 1 for first, last in self.stretches)
        return words if named == self.points else f"{words} and {self.points - named} more"


@dataclass(slots=True)
class Head:
    """The first rows of a table, and how many it has."""

    rows: int = 0
    first: Columns | None = None
    """First rows, as columns; None without any."""

    def add(self, table: Columns) -> None:
        """Adds the next rows."""
        if not len(table):
            return
        self.rows += len(table)
        if self.first is None or len(self.first) < SHOWN_POINTS:
            begins = table.head(SHOWN_POINTS)
            self.first = begins if self.first is None else Columns.joined([self.first, begins]).head(SHOWN_POINTS)


@dataclass(slots=True)
class Overview:
    """The first points, the warnings of all runs, and the points that are not precise."""

    summary: Head = field(default_factory=Head)
    """First rows of the table of points."""
    differences: Head = field(default_factory=Head)
    """First rows of the table of points beside their baseline."""
    warned: dict[str, Warned] = field(default_factory=dict)
    """Warnings, by what is warned of."""
    imprecise: Warned = field(default_factory=lambda: Warned(""))
    """Points that did not reach the required precision."""

    def add(self, piece: Piece) -> None:
        """Adds the next points."""
        self.summary.add(piece.summary_columns)
        self.differences.add(Columns.of_frame(piece.differences) if piece.has_differences else Columns({}))
        warnings = piece.warning_columns
        runs: dict[str, dict[tuple[int, int], None]] = {}
        if len(warnings):
            for kind, line, *run in zip(*map(warnings.cells, ("kind", "warning", "point", "replication")), strict=True):
                self.warned.setdefault(kind, Warned(line))
                runs.setdefault(kind, {})[tuple(run)] = None
        for kind, warning in runs.items():
            self.warned[kind].add(list(dict.fromkeys(point for point, _ in warning)), len(warning))
        imprecise = piece.imprecise
        self.imprecise.add(imprecise, len(imprecise))
