"""Parquet tables of plain numbers, checked and numbered a batch at a time: no Python object is made for a packet."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringlet import limits
from ringlet.scenario.packet_trace.rows import Records, Stretch
from ringlet.scenario.packet_trace.table import MAX_WHOLE, Layout, kind_name

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
    if stretch.regions is not None:
        raise NotPlainError
    try:
        with stretch.file.open("rb") as stream, ParquetFile(stream, pre_buffer=False) as table:
            sizes = (table.metadata.row_group(number).total_byte_size for number in range(table.num_row_groups))
            if not all(map(_is_plain, table.schema_arrow)) or any(size > limits.ROW_GROUP_BYTES for size in sizes):
                raise NotPlainError
            packets = _Packets(stretch, Layout(stretch.file, list(table.schema_arrow.names), stretch.cycle_ns), kinds)
            for batch in table.iter_batches(batch_size=BATCH):
                records, is_last = packets.of(batch)
                if len(records):
                    yield records
                if is_last:
                    return
    except (pyarrow.ArrowException, OSError):
        raise NotPlainError from None


def _is_plain(column: "pyarrow.Field") -> bool:
    """Returns whether a column holds numbers, or the names of transactions; dependences are read row by row."""
    from pyarrow import types

    kind = column.type
    if column.name == "transaction":
        kind = kind.value_type if types.is_dictionary(kind) else kind
        return any(check(kind) for check in (types.is_string, types.is_large_string, types.is_string_view))
    is_time = column.name == "cycle" or column.name.startswith("time_")
    is_number = types.is_integer(kind) or (is_time and (types.is_float32(kind) or types.is_float64(kind)))
    return column.name != "depends_on" and bool(is_number)


class _Packets:
    """Checks batches of a table, each behind the ones before it."""

    def __init__(self, stretch: Stretch, layout: Layout, kinds: list[str]) -> None:
        self._stretch = stretch
        self._layout = layout
        self._kinds = kinds
        self._places: dict[Any, int] = {}
        self._last_ns = 0.0
        self._last_id = -1

    def of(self, batch: "pyarrow.RecordBatch") -> tuple[Records, bool]:
        """Returns the packets of a batch that are replayed, and whether none follow.

        Raises:
            NotPlainError: a value is missing or not allowed.
        """
        layout, stretch = self._layout, self._stretch
        if any(column.null_count for column in batch.columns):
            raise NotPlainError
        time = _numbers(batch, layout.time).astype(np.float64)
        if layout.whole_time and not (time == np.floor(time)).all():
            raise NotPlainError
        time_ns = time * layout.ns
        stop = int(np.searchsorted(time_ns, stretch.stop_ns)) if np.isfinite(stretch.stop_ns) else time_ns.size
        is_last = stop < time_ns.size
        time_ns = time_ns[:stop]
        if not (np.isfinite(time_ns).all() and (np.diff(time_ns, prepend=self._last_ns) >= 0).all()):
            raise NotPlainError
        source = self._whole(batch, layout.source, stop, below=stretch.nodes)
        destination = self._whole(batch, layout.destination, stop, below=stretch.nodes)
        priority = np.zeros(stop, dtype=np.int64)
        if layout.priority is not None:
            priority = self._whole(batch, layout.priority, stop, below=stretch.levels)
        if layout.id is not None:
            self._check_ids(self._whole(batch, layout.id, stop, below=MAX_WHOLE))
        kind, names = _kinds(batch, layout.kind, stop)
        self._last_ns = float(time_ns[-1]) if stop else self._last_ns
        first = int(np.searchsorted(time_ns, stretch.start_ns))
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
            name = kind_name(names[number], self._layout)
            if name is None:
                raise NotPlainError
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
