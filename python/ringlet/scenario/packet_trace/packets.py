"""Tables of plain numbers, checked and numbered a piece at a time: no Python object is made for a packet."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ringlet.scenario.packet_trace.clock import Clock
from ringlet.scenario.packet_trace.layout import Layout
from ringlet.scenario.packet_trace.rows import Records, Stretch
from ringlet.scenario.packet_trace.table import MAX_WHOLE, kind_names

MOST_PACKETS = 1 << 20
"""Packets that the rows of a piece may be cut into; those of more are read row by row."""


class NotPlainError(Exception):
    """A table has to be read row by row: there is something in it that only rows may have, or something wrong."""


class Cells(Protocol):
    """The cells of a piece of a table, of which the first rows are asked for, since others need not be right."""

    def times_ns(self, clock: Clock) -> NDArray[np.float64]:
        """Returns ascending times in ns from the first record on.

        Raises:
            NotPlainError: a time is not allowed, or before the last one.
        """
        ...

    def nodes(self, column: int, rows: int) -> NDArray[np.int64]:
        """Returns numbers of nodes; below 0 or too high: none."""
        ...

    def whole(self, column: int, rows: int) -> NDArray[np.int64]:
        """Returns whole numbers, of which some may be not allowed: below 0."""
        ...

    def kinds(self, column: int, rows: int) -> tuple[NDArray[np.int64], list[str]]:
        """Returns a number for the kind of each row, and what each number stands for."""
        ...


class Packets:
    """Checks pieces of a table, each behind the ones before it."""

    def __init__(self, stretch: Stretch, layout: Layout, kinds: list[str]) -> None:
        """Takes what to read, and the names of the kinds met so far, to which new ones are added."""
        self._stretch = stretch
        self._layout = layout
        self._kinds = kinds
        self._places: dict[str, list[int]] = {}
        """Places in the list of all kinds of the packets that a cell says."""
        self._clock = Clock(layout.unit_ns, start_ns=stretch.start_ns, stop_ns=stretch.stop_ns)
        self._last_id = -1

    def of(self, cells: Cells) -> tuple[Records, bool]:
        """Returns the packets of a piece that are replayed, and whether none follow.

        Raises:
            NotPlainError: a value is not allowed.
        """
        layout, stretch = self._layout, self._stretch
        found = cells.times_ns(self._clock)
        if not np.isfinite(found).all():
            raise NotPlainError
        stop = int(np.searchsorted(found, self._clock.stop_ns))
        first = int(np.searchsorted(found[:stop], self._clock.start_ns))
        source = _below(cells.nodes(layout.source, stop), stretch.nodes)
        destination = _below(cells.nodes(layout.destination, stop), stretch.nodes)
        priority = np.zeros(stop, dtype=np.int64)
        if layout.priority is not None:
            priority = _below(cells.whole(layout.priority, stop), stretch.levels)
        if layout.id is not None:
            self._check_ids(_below(cells.whole(layout.id, stop), MAX_WHOLE))
        kind, names = cells.kinds(layout.kind, stop)
        for number in np.unique(kind[:first]).tolist():
            if kind_names(names[number], layout) is None:
                raise NotPlainError
        rows, numbered = self._cut(kind[first:], names)
        rows += first
        nothing = np.zeros(0, dtype=np.uint32)
        waiting = np.zeros(rows.size, dtype=np.uint32)
        columns = (found[rows], source[rows], destination[rows], numbered, priority[rows])
        return Records(*columns, waiting, nothing), stop < found.size

    def _check_ids(self, ids: NDArray[np.int64]) -> None:
        if ids.size:
            if not (np.diff(ids, prepend=self._last_id) > 0).all():
                raise NotPlainError
            self._last_id = int(ids[-1])

    def _cut(self, kind: NDArray[np.int64], names: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the row of each packet that rows are cut into, and the place of its kind in the list of all, to which
        new ones are added in the order in which they are met."""
        found, first = np.unique(kind, return_index=True)
        cuts: list[list[int]] = [[]] * len(names)
        for number in found[np.argsort(first)].tolist():
            cuts[number] = self._places_of(names[number])
        counts = np.array([len(cut) for cut in cuts], dtype=np.int64)[kind]
        packets = int(counts.sum())
        if packets > max(MOST_PACKETS, kind.size):
            raise NotPlainError
        rows = np.repeat(np.arange(kind.size), counts)
        parts = np.arange(packets) - np.repeat(np.cumsum(counts) - counts, counts)
        begins = np.cumsum([0, *map(len, cuts)])
        every = np.array([place for cut in cuts for place in cut], dtype=np.int64)
        return rows, every[begins[kind[rows]] + parts]

    def _places_of(self, name: str) -> list[int]:
        if name not in self._places:
            cut = kind_names(name, self._layout)
            if cut is None:
                raise NotPlainError
            for one in dict.fromkeys(cut):
                if one not in self._kinds:
                    self._kinds.append(one)
            self._places[name] = [self._kinds.index(one) for one in cut]
        return self._places[name]


def _below(values: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    if values.size and (values.min() < 0 or values.max() >= most):
        raise NotPlainError
    return values
