"""The part of a trace that is replayed, and its packets, whatever the format: as a file names them, and as columns."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ringlet.scenario.values.transactions import SCI_MAX_BYTES


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
    largest_bytes: int = SCI_MAX_BYTES
    """Bytes of the longest packet that may be sent."""
    symbol_bytes: int = 2
    """Bytes of a symbol, of which packets have a whole number."""
    regions: tuple[int, ...] | None = None
    """Successive regions of a netrace file."""
    start_ns: Fraction | float = 0.0
    stop_ns: Fraction | float = float("inf")
    """End of the stretch in ns of the file's own time: its packets start from `start_ns` on and before `stop_ns`."""
    node_names: tuple[str, ...] = ()
    """Names by which a table may call nodes, in the order of their numbers; empty where nodes have none."""
    time_unit: str | None = None
    """Unit of a column of times whose head has none."""
    columns: tuple[tuple[str, str], ...] = ()
    """Head of each column of a table that the scenario names: what it is, and its head."""


class Row(NamedTuple):
    """One record of a trace."""

    time_ns: float
    """Start in the trace, from the file's first record on."""
    source: int
    destination: int
    kinds: tuple[str, ...]
    """The packets that it is cut into, by names that `packet_kind` takes."""
    priority: int
    id: int
    """Number by which other records call this one."""
    depends_on: tuple[int, ...] = ()
    """Ids of earlier packets that it waits for."""
    dependants: tuple[int, ...] = ()
    """Ids of later packets that wait for it."""
    side: int = 0
    """-1: it starts before what is replayed; 1: behind it."""
    line: int | None = None
    """Line of the file at which it ends; None where the file has no lines."""


@dataclass(frozen=True, slots=True)
class Records:
    """Successive packets of a trace, as columns."""

    time_ns: NDArray[np.float64]
    """Start of each in the trace, from the file's first record on."""
    source: NDArray[np.int64]
    destination: NDArray[np.int64]
    kind: NDArray[np.int64]
    """Place in the list of kinds that `read` was given."""
    priority: NDArray[np.int64]
    dependences: NDArray[np.uint32]
    """Number of packets for which each packet waits."""
    depends_on: NDArray[np.uint32]
    """Numbers of the packets that each one waits for, from 0 for the first packet that is replayed."""

    def __len__(self) -> int:
        """Number of packets."""
        return self.time_ns.size

    def behind(self, packets: int) -> "Records":
        """Returns what follows the first packets."""
        if not packets:
            return self
        waited_for = int(self.dependences[:packets].sum())
        rest = slice(packets, None)
        return Records(
            self.time_ns[rest],
            self.source[rest],
            self.destination[rest],
            self.kind[rest],
            self.priority[rest],
            self.dependences[rest],
            self.depends_on[waited_for:],
        )
