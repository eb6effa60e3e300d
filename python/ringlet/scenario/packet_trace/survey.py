"""A survey of a trace: one reading of the file finds every error in it before anything is simulated."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError
from ringlet.scenario.file.reading import state_of_file
from ringlet.scenario.packet_trace.reader import read
from ringlet.scenario.packet_trace.rows import Stretch

PAIRED_NODES = 4096
"""Nodes up to which packets are counted for each pair: as many as a traffic matrix may have."""


@dataclass(frozen=True, slots=True)
class Survey:
    """A stretch of a trace in numbers."""

    packets: int
    local: int
    """Packets to their own source."""
    depend: bool
    """True if packets depend on others."""
    first_ns: float
    """Start of the first one in the trace."""
    last_ns: float
    kinds: tuple[str, ...]
    """Names of what there is, in the order of `read`."""
    senders: tuple[tuple[int, int, int], ...]
    """Source, kind (its place) and priority of all that goes to another node, ascending: a flow each."""
    sent: Mapping[tuple[int, int, int, int], int]
    """Packets of each source, kind and priority to each other destination; empty beyond `PAIRED_NODES` nodes."""


def survey(stretch: Stretch) -> Survey:
    """Reads a stretch of a trace; the same file is read once only.

    Raises:
        RingletError: the file cannot be read, is cut off or corrupt, or a record does not fit; names file and record,
            of CSV the line.
        Or nothing is replayed.
    """
    return _survey(stretch, state_of_file(stretch.file, "a trace"))


def sha256(stretch: Stretch) -> str:
    """Returns the SHA-256 of the file, in hexadecimal."""
    return _sha256(stretch, state_of_file(stretch.file, "a trace"))


@lru_cache(maxsize=64)
def _sha256(stretch: Stretch, state: tuple[int, int, int]) -> str:
    del state  # another file of this name is another one
    with stretch.file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@lru_cache(maxsize=64)
def _survey(stretch: Stretch, state: tuple[int, int, int]) -> Survey:
    del state  # another file of this name is another one
    kinds: list[str] = []
    packets = local = dependences = 0
    first, last = float("inf"), 0.0
    senders: set[tuple[int, int, int]] = set()
    sent: Counter[tuple[int, int, int, int]] = Counter()
    for piece in read(stretch, kinds):
        packets += len(piece)
        dependences += len(piece.depends_on)
        first, last = min(first, float(piece.time_ns[0])), float(piece.time_ns[-1])
        away = piece.source != piece.destination
        local += int((~away).sum())
        senders_of = (piece.source, piece.kind, piece.priority)
        sizes = (stretch.nodes, len(kinds), stretch.levels)
        if stretch.nodes > PAIRED_NODES:
            senders.update((source, kind, priority) for (source, kind, priority), _ in _counted(senders_of, sizes))
            continue
        pairs = _counted((*senders_of, piece.destination), (*sizes, stretch.nodes))
        for (source, kind, priority, destination), count in pairs:
            senders.add((source, kind, priority))
            if source != destination:
                sent[source, kind, priority, destination] += count
    if not packets:
        raise RingletError.not_allowed(str(stretch.file), "<no packet>", "a trace with packets in what is replayed")
    pairs_sent = MappingProxyType(dict(sent))
    return Survey(packets, local, dependences > 0, first, last, tuple(kinds), tuple(sorted(senders)), pairs_sent)


def _counted(columns: Sequence[NDArray[np.int64]], sizes: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yields each combination of values there is, all below the sizes of their columns, and how often."""
    codes, counts = np.unique(np.ravel_multi_index(tuple(columns), tuple(sizes)), return_counts=True)
    values = (column.tolist() for column in np.unravel_index(codes, tuple(sizes)))
    return zip(zip(*values, strict=True), counts.tolist(), strict=True)
