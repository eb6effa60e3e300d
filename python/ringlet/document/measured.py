"""The input of a figure, as its computation sees it."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class Found(Protocol):
    """The measurements of a run; `ringlet.figures.Found` has them."""

    symbol_time_ns: float
    """Duration of a symbol, in nanoseconds."""
    cycles: int
    """Cycles measured."""
    nodes: int
    """Number of nodes."""

    @property
    def recorded(self) -> "Found":
        """The measured time alone, where a run has come back to a state."""

    def activity(self, name: str) -> Any:  # noqa: ANN401 - each activity has a type of its own
        """Returns what became of an activity of the run."""

    def once(self, function: Callable[[Any], Sequence[Any]]) -> Sequence[Any]:
        """Returns what a function makes of this, computed at the first call only."""

    def per_cycle(self, counts: Sequence[float]) -> list[float]:
        """Returns counts of the measured time, divided by its cycles."""

    def ns(self, cycles: Sequence[float | None]) -> list[float | None]:
        """Returns cycles as times, None where there is none."""

    def MBps(self, byte_counts: Sequence[float]) -> list[float]:  # noqa: N802 - the unit
        """Returns numbers of bytes of the measured time as rates in MB/s."""
