"""Parquet tables of plain numbers, checked and numbered a batch at a time: no Python object is made for a packet."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringlet import limits
from ringlet.scenario.packet_trace.clock import Clock
from ringlet.scenario.packet_trace.layout import Layout
from ringlet.scenario.packet_trace.rows import Records, Stretch
from ringlet.scenario.packet_trace.table import MAX_WHOLE, kind_names

if TYPE_CHECKING:
    import pyarrow

BATCH = 1 << 14
"""Rows read at a time: few enough that those of the engine's nodes stay in the cache."""


class NotPlainError(Exception):
    """A table has to be read row by row: there is something in it that only rows may have, or something wrong."""


def plain_records(stretch: Stretch, kinds: list[str]) -> Iterator[Records]:
    """Yields the packets of a stretch of a Parquet file in pieces.

    Args:
        stretch: what to read.
        kinds: names of the kinds met so far; longer afterwards.

    Raises:
        NotPlainError: what follows has to be read row by row. What is wrong with it is said there.
        RingletError: the header is bad.
    """
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise NotPlainError from None
    if stretch.regions is not None or any(name.isdecimal() for name in stretch.node_names):
        raise NotPlainError
    try:
        with stretch.file.open("rb") as stream, ParquetFile(stream, pre_buffer=False) as table:
            layout = Layout(stretch, list(table.schema_arrow.names))
            if not all(_is_plain(field, place, layout) for place, field in enumerate(table.schema_arrow)):
                raise NotPlainError
            groups = map(table.metadata.row_group, range(table.num_row_groups))
            if any(group.total_byte_size > limits.ROW_GROUP_BYTES for group in groups):
                raise NotPlainError
            packets = _Packets(stretch, layout, kinds)
            for batch in table.iter_batches(batch_size=BATCH):
                records, is_last = packets.of(batch)
                if len(records):
                    yield records
                if is_last:
                    return
    except (pyarrow.ArrowException, OSError):
        raise NotPlainError from None


def _is_plain(column: "pyarrow.Field", place: int, layout: Layout) -> bool:
    """Returns whether a column holds numbers, or the names of transactions; dependences are read row by row."""
    from pyarrow import types

    kind = column.type
    if place == layout.kind and not layout.is_bytes:
        kind = kind.value_type if types.is_dictionary(kind) else kind
        return any(check(kind) for check in (types.is_string, types.is_large_string, types.is_string_view))
    is_time = place == layout.time
    is_number = types.is_integer(kind) or (is_time and (types.is_float32(kind) or types.is_float64(kind)))
    return place != layout.depends_on and bool(is_number)


class _Packets:
    """Checks batches of a table, each behind the ones before it."""

    def __init__(self, stretch: Stretch, layout: Layout, kinds: list[str]) -> None:
        self._stretch = stretch
        self._layout = layout
        self._kinds = kinds
        self._places: dict[Any, int] = {}
        self._clock = Clock(layout.unit_ns, start_ns=stretch.start_ns, stop_ns=stretch.stop_ns)
        self._last_id = -1

    def of(self, batch: "pyarrow.RecordBatch") -> tuple[Records, bool]:
        """Returns the packets of a batch that are replayed, and whether none follow.

        Raises:
            NotPlainError: a value is missing or not allowed.
        """
        layout, stretch = self._layout, self._stretch
        if any(column.null_count for column in batch.columns):
            raise NotPlainError
        time = _numbers(batch, layout.time)
        if not np.isfinite(time).all() or (time.size and time[0] < 0):
            raise NotPlainError
        if layout.whole_time and not (time == np.floor(time)).all():
            raise NotPlainError
        found = self._clock.ns_of_all(time)
        if found is None or not np.isfinite(found).all():
            raise NotPlainError
        stop = int(np.searchsorted(found, self._clock.stop_ns))
        is_last = stop < found.size
        time_ns = found[:stop]
        source = self._whole(batch, layout.source, stop, below=stretch.nodes)
        destination = self._whole(batch, layout.destination, stop, below=stretch.nodes)
        priority = np.zeros(stop, dtype=np.int64)
        if layout.priority is not None:
            priority = self._whole(batch, layout.priority, stop, below=stretch.levels)
        if layout.id is not None:
            self._check_ids(self._whole(batch, layout.id, stop, below=MAX_WHOLE))
        kind, names = _kinds(batch, layout.kind, stop)
        first = int(np.searchsorted(time_ns, self._clock.start_ns))
        kept = slice(first, None)
        nothing = np.zeros(0, dtype=np.uint32)
        waiting = np.zeros(stop - first, dtype=np.uint32)
        numbered = self._numbered(kind[kept], names)
        records = Records(time_ns[kept], source[kept], destination[kept], numbered, priority[kept], waiting, nothing)
        return records, is_last

    def _whole(self, batch: "pyarrow.RecordBatch", column: int, rows: int, *, below: int) -> NDArray[np.int64]:
        values = _numbers(batch, column)[:rows]
        if values.size and (values.min() < 0 or values.max() >= below):
            raise NotPlainError
        return values.astype(np.int64)

    def _check_ids(self, ids: NDArray[np.int64]) -> None:
        if ids.size:
            if not (np.diff(ids, prepend=self._last_id) > 0).all():
                raise NotPlainError
            self._last_id = int(ids[-1])

    def _numbered(self, kind: NDArray[np.int64], names: list[str]) -> NDArray[np.int64]:
        """Returns the place of each kind in the list of all, to which new ones are added in the order in which they are
        met."""
        found, first = np.unique(kind, return_index=True)
        place = np.zeros(len(names), dtype=np.int64)
        for number in found[np.argsort(first)].tolist():
            cut = kind_names(names[number], self._layout)
            if cut is None or len(cut) > 1:
                raise NotPlainError
            [name] = cut
            if name not in self._places:
                if name not in self._kinds:
                    self._kinds.append(name)
                self._places[name] = self._kinds.index(name)
            place[number] = self._places[name]
        return place[kind]


def _kinds(batch: "pyarrow.RecordBatch", column: int, rows: int) -> tuple[NDArray[np.int64], list[str]]:
    """Returns a number for the kind of each row, and what each number stands for."""
    cells = batch.column(column).slice(0, rows)
    encoded = cells if hasattr(cells, "dictionary") else cells.dictionary_encode()
    numbers = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    return numbers, [str(value) for value in encoded.dictionary.to_pylist()]


def _numbers(batch: "pyarrow.RecordBatch", column: int) -> NDArray[Any]:
    return np.asarray(batch.column(column).to_numpy(zero_copy_only=False))
