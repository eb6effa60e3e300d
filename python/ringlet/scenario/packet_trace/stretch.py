"""The part of a trace file that is replayed, resolved."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a trace, and what its nodes are."""

    file: Path
    cycle_ns: float
    """Time of a cycle of the trace."""
    nodes: int
    """Nodes of the network."""
    levels: int
    """Every priority is below it."""
    regions: tuple[int, ...] | None = None
    """Successive regions of a netrace file."""
    start_ns: float = 0.0
    stop_ns: float = float("inf")
    """What starts from `start_ns` on and before `stop_ns`."""
