"""A recorded stretch of a ring's links, for claims about single symbols."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.claims.rings import Ring
from ringlet.trace.record import record
from ringlet.trace.recording import DRAIN, IDLE, RETRY, SEND, SENDING, Recording

_CYCLES = 4_000


@dataclass(frozen=True, slots=True)
class Link:
    """The runs of symbols that one node has emitted, in order of time; all arrays have the shape (runs,)."""

    cycle: NDArray[np.int64]
    """Cycle of the first symbol."""
    symbols: NDArray[np.int64]
    kind: NDArray[np.int64]
    """Place in `ringlet.trace.recording.KINDS`."""
    activity: NDArray[np.int64]
    """Place in `ringlet.trace.recording.ACTIVITIES`."""
    word: NDArray[np.int64]
    """Go bits of idles."""
    packet_symbols: NDArray[np.int64]
    """Length of the packet of which this is; 0 for idles."""

    @property
    def is_idle(self) -> NDArray[np.bool_]:
        """True where a run is of idles."""
        return np.equal(self.kind, IDLE)

    @property
    def is_packet(self) -> NDArray[np.bool_]:
        """True where a run is a send packet."""
        return np.isin(self.kind, (SEND, RETRY))

    @property
    def is_own(self) -> NDArray[np.bool_]:
        """True where a run is a packet of the node itself."""
        return np.logical_and(self.is_packet, np.equal(self.activity, SENDING))

    @property
    def drains(self) -> NDArray[np.bool_]:
        """True where the node empties its bypass FIFO during a run."""
        return np.equal(self.activity, DRAIN)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded stretch of a run of a ring."""

    recording: Recording

    @classmethod
    def of(cls, ring: Ring, *, start: int = 2_000, cycles: int = _CYCLES) -> "Recorded":
        """Simulates a ring and records so many cycles."""
        return cls(record(ring.scenario(), start=start, stop=start + cycles))

    def links(self) -> Iterator[Link]:
        """Returns what each node has emitted."""
        runs = self.recording.runs
        lengths = np.append(self.recording.packets["symbols"], 0)
        for node in range(self.recording.nodes):
            here = runs["node"] == node
            columns = {
                name: runs[name][here].astype(np.int64) for name in ("cycle", "symbols", "kind", "activity", "word")
            }
            yield Link(**columns, packet_symbols=lengths[runs["packet"][here]].astype(np.int64))

    def bypass_symbols(self, node: int, cycles: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the fill of a node's bypass FIFO in these cycles, in symbols."""
        fill = self.recording.bypass_fill
        here = fill["node"] == node
        place = np.searchsorted(fill["cycle"][here], cycles, side="right") - 1
        return np.asarray(fill["value"][here][np.maximum(place, 0)], dtype=np.int64)
