"""A packet as a file names it, whatever its format."""

from typing import NamedTuple


class Row(NamedTuple):
    """One record of a trace."""

    time_ns: float
    """When it starts in the trace."""
    source: int
    destination: int
    kind: str
    """A name that `packet_kind` knows."""
    priority: int
    id: int
    """What others call it."""
    depends_on: tuple[int, ...] = ()
    """Ids of earlier packets that it waits for."""
    dependants: tuple[int, ...] = ()
    """Ids of later packets that wait for it."""
