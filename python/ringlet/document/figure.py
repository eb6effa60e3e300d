"""The type `Figure`: one entry of the results, with all that tables, files and drawings show of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal

Kind = Literal["number", "integer", "boolean", "string", "object"]

Part = str
"""A part of a run's document that has records of figures: the run itself, nodes, total, priorities, and those of
activities."""

Values = Callable[[Any], Sequence[Any]]
"""Computes a figure from `Found` for each record of a part: nodes in their order, priorities in theirs, or the one of
all."""

UNITS: Mapping[str, str] = {
    "MB/s": "MBps",
    "MB": "MB",
    "words/cycle": "words_per_cycle",
    "ns": "ns",
    "s": "s",
    "cycles": "cycles",
    "packets": "packets",
    "symbols": "symbols",
    "tickets": "tickets",
    "kHz": "kHz",
    "ppm": "ppm",
    "bits": "bits",
    "%": "percent",
    "share of time": "fraction",
}
"""Units in words, and how the names of figures and columns end that have them."""


class OverSeeds(Enum):
    """The combination of a figure over the runs of a point, one for each seed; the value is its description."""

    MEAN = "mean, with its 95 % interval"
    LARGEST = "largest"
    LEAST = "least"
    GIVEN = "the same in all runs"
    RUNS = "number of runs"
    SUM = "sum"
    HALF_WIDTH = "interval of a single run"
    NONE = "none"


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """One figure of a run."""

    name: str
    """Column of data frames; it ends with the unit, as `UNITS` has it."""
    words: str
    """Name for labels and legends, without the unit."""
    meaning: str
    """Meaning, in sentences."""
    unit: str = ""
    """One of `UNITS`; empty for counts without a unit, ratios and words."""
    values: Mapping[Part, Values] = field(default_factory=dict)
    """Computation for each part of the document that has the figure."""
    at: tuple[str, ...] = ()
    """Keys that lead to it in a record of the JSON; default: its name."""
    formerly: tuple[str, ...] = ()
    """Other keys that lead to it in the JSON, too, until release 1.0."""
    kind: Kind = "number"
    may_lack: bool = False
    """True if there may be none: null in JSON, NaN in tables."""
    over_seeds: OverSeeds = OverSeeds.MEAN
    half_width_of: str = ""
    """Name of the figure of which this is the half width of the 95 % interval of a single run; empty: it is none."""
    heading: str = ""
    """Heading of a column on the command line, the unit in its last line; empty where no table shows it."""
    read: Callable[[Any], Any] | None = None
    """Makes a number for a table of what stands in the JSON, if that is none."""
    scale: float = 1.0
    """Factor by which such a table multiplies it, so that it has the unit of the heading."""
    log: bool = False
    """True if a logarithmic axis shows it best."""

    @property
    def path(self) -> tuple[str, ...]:
        """Keys that lead to it in a record of the JSON."""
        return self.at or (self.name,)

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """All keys that lead to it in a record of the JSON."""
        return (self.path, self.formerly) if self.formerly else (self.path,)

    @property
    def label(self) -> str:
        """Label of an axis: words, and the unit in parentheses."""
        return f"{self.words} ({self.unit})" if self.unit else self.words

    @property
    def interval_name(self) -> str:
        """Column with the half width of its 95 % interval, with the same unit: `latency_p99_ci95_ns`."""
        return self._with("ci95")

    @property
    def difference_name(self) -> str:
        """Column with its difference from a baseline, with the same unit: `latency_p99_difference_ns`."""
        return self._with("difference")

    @property
    def difference_interval_name(self) -> str:
        """Column with the half width of that difference's 95 % interval."""
        return self._with("difference_ci95")

    @property
    def ratio_name(self) -> str:
        """Column with its ratio to a baseline: `latency_p99_ratio`."""
        return f"{self.name.removesuffix(f'_{UNITS[self.unit]}')}_ratio" if self.unit else f"{self.name}_ratio"

    def _with(self, word: str) -> str:
        """The name with a word before the unit."""
        if self.unit:
            return f"{self.name.removesuffix(UNITS[self.unit])}{word}_{UNITS[self.unit]}"
        return f"{self.name}_{word}"
