"""Tables of plain numbers, CSV and Parquet: read by pyarrow a piece at a time."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ringlet import limits
from ringlet.scenario.packet_trace.clock import Clock
from ringlet.scenario.packet_trace.layout import Layout
from ringlet.scenario.packet_trace.packets import NotPlainError, Packets
from ringlet.scenario.packet_trace.plain_csv import csv_records
from ringlet.scenario.packet_trace.rows import Records, Stretch

if TYPE_CHECKING:
    import pyarrow

BATCH = 1 << 14
"""Rows read at a time: few enough that those of the engine's nodes stay in the cache."""


def plain_records(stretch: Stretch, kinds: list[str]) -> Iterator[Records]:
    """Yields the packets of a stretch of a table in pieces.

    Args:
        stretch: what to read.
        kinds: names of the kinds met so far; longer afterwards.

    Raises:
        NotPlainError: what follows has to be read row by row. What is wrong with it is said there.
        RingletError: the header is bad.
    """
    if stretch.regions is not None:
        raise NotPlainError
    match stretch.file.suffix.lower():
        case ".parquet":
            yield from _parquet_records(stretch, kinds)
        case ".csv":
            yield from csv_records(stretch, kinds)
        case _:
            raise NotPlainError


def _parquet_records(stretch: Stretch, kinds: list[str]) -> Iterator[Records]:
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise NotPlainError from None
    if any(name.isdecimal() for name in stretch.node_names):
        raise NotPlainError
    try:
        with stretch.file.open("rb") as stream, ParquetFile(stream, pre_buffer=False) as table:
            layout = Layout(stretch, list(table.schema_arrow.names))
            if not all(_is_plain(field, place, layout) for place, field in enumerate(table.schema_arrow)):
                raise NotPlainError
            groups = map(table.metadata.row_group, range(table.num_row_groups))
            if any(group.total_byte_size > limits.ROW_GROUP_BYTES for group in groups):
                raise NotPlainError
            packets = Packets(stretch, layout, kinds)
            for batch in table.iter_batches(batch_size=BATCH):
                records, is_last = packets.of(_Batch(batch, layout))
                if len(records):
                    yield records
                if is_last:
                    return
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError):
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


class _Batch:
    """The cells of a batch."""

    def __init__(self, batch: "pyarrow.RecordBatch", layout: Layout) -> None:
        if any(column.null_count for column in batch.columns):
            raise NotPlainError
        self._batch = batch
        self._layout = layout

    def times_ns(self, clock: Clock) -> NDArray[np.float64]:
        time = self._numbers(self._layout.time)
        if not np.isfinite(time).all() or (time.size and time[0] < 0):
            raise NotPlainError
        if self._layout.whole_time and not (time == np.floor(time)).all():
            raise NotPlainError
        found = clock.ns_of_all(time)
        if found is None:
            raise NotPlainError
        return found

    def nodes(self, column: int, rows: int) -> NDArray[np.int64]:
        return self.whole(column, rows)

    def whole(self, column: int, rows: int) -> NDArray[np.int64]:
        values = self._numbers(column)[:rows]
        # Those beyond all that is allowed would be below 0 as integers with a sign, or wrap.
        return values.astype(np.int64)

    def kinds(self, column: int, rows: int) -> tuple[NDArray[np.int64], list[str]]:
        cells = self._batch.column(column).slice(0, rows)
        encoded = cells if hasattr(cells, "dictionary") else cells.dictionary_encode()
        numbers = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
        return numbers, [str(value) for value in encoded.dictionary.to_pylist()]

    def _numbers(self, column: int) -> NDArray[Any]:
        return np.asarray(self._batch.column(column).to_numpy(zero_copy_only=False))
