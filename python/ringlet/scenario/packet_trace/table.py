"""Traces as tables: CSV and Parquet, a row for each packet, read in pieces."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ringlet import limits
from ringlet.errors import RingletError
from ringlet.scenario.file.reading import unreadable
from ringlet.scenario.packet_trace.clock import Clock, exact_time, is_whole
from ringlet.scenario.packet_trace.kinds import ALLOWED, packet_kind
from ringlet.scenario.packet_trace.layout import Layout
from ringlet.scenario.packet_trace.rows import Row, Stretch
from ringlet.scenario.values.node_names import number_of
from ringlet.scenario.values.transactions import MIN_BYTES

if TYPE_CHECKING:
    import pyarrow

MAX_WHOLE = 2**62

MAX_PACKETS = 65_535
"""Packets that a record may be cut into: as many as a message."""

_BYTES = re.compile(r"[0-9]{1,12}", re.ASCII)


def csv_rows(stretch: Stretch) -> Iterator[Row]:
    """Yields the rows of a CSV file with a header; blank lines do not count.

    Raises:
        RingletError: the file cannot be read, or a row is bad; names file and line.
    """
    file = stretch.file
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(_lines(stream, file))
            named = (cells for cells in reader if any(cell.strip() for cell in cells))
            header = [cell.strip() for cell in next(named, [])]
            yield from _rows(stretch, header, ((reader.line_num, cells) for cells in named))
    except csv.Error as error:
        raise RingletError(f"{file}, line {reader.line_num}: not a CSV file: {error}") from None
    except UnicodeDecodeError as error:
        raise RingletError(f"{file}, behind line {reader.line_num}: not in UTF-8: {error.reason}") from None
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from None


def _lines(stream: TextIO, file: Path) -> Iterator[str]:
    """Yields the lines of a file of which none is too long."""
    for number in count(1):
        line = stream.readline(limits.LINE_CHARACTERS + 1)
        if not line:
            return
        if len(line) > limits.LINE_CHARACTERS:
            allowed = f"at most {limits.LINE_CHARACTERS:,} characters"
            raise RingletError.not_allowed(f"{file}, line {number}", "<its length>", allowed)
        yield line


def parquet_rows(stretch: Stretch) -> Iterator[Row]:
    """Yields the rows of a Parquet file.

    Raises:
        RingletError: pyarrow is not installed, the file cannot be read, or a row is bad; names file and record.
    """
    file = stretch.file
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise RingletError(f"{file}: Parquet files need pyarrow: pip install 'ringlet[parquet]'") from None
    try:
        with file.open("rb") as stream, ParquetFile(stream, pre_buffer=False) as table:
            header = list(table.schema_arrow.names)
            depends_on = Layout(stretch, header).depends_on
            for place, column in enumerate(table.schema_arrow):
                _check_type(column, file, may_be_lists=place == depends_on)
            for number in range(table.num_row_groups):
                size = table.metadata.row_group(number).total_byte_size
                if size > limits.ROW_GROUP_BYTES:
                    allowed = f"row groups of at most {limits.ROW_GROUP_BYTES:,} bytes"
                    raise RingletError.not_allowed(str(file), f"<row group {number} of {size:,} bytes>", allowed)
            batches = (batch.to_pydict() for batch in table.iter_batches(batch_size=1 << 14))
            cells = ((None, row) for batch in batches for row in zip(*(batch[name] for name in header), strict=True))
            yield from _rows(stretch, header, cells)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise RingletError(f"{file}: not a Parquet file, or a damaged one: {error}") from None


def _check_type(column: "pyarrow.Field", file: Path, *, may_be_lists: bool) -> None:
    """Raises RingletError unless a column holds what a cell of a CSV file may, or lists of ids."""
    from pyarrow import types

    def is_plain(kind: "pyarrow.DataType") -> bool:
        checks = (types.is_integer, types.is_floating, types.is_decimal, types.is_null)
        texts = (types.is_string, types.is_large_string, types.is_string_view)
        return any(check(kind) for check in checks + texts)

    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    lists = types.is_list(kind) or types.is_large_list(kind)
    if not (is_plain(kind) or (lists and may_be_lists and is_plain(kind.value_type))):
        allowed = "numbers or text; depends_on also lists of numbers"
        raise RingletError.not_allowed(f"{file}, column {column.name!r}", f"<{column.type}>", allowed)


def _rows(stretch: Stretch, header: Sequence[str], cells: Iterable[tuple[int | None, Sequence[Any]]]) -> Iterator[Row]:
    """Yields the rows of a table, of which each has its line of the file, or None."""
    file = stretch.file
    numbers = {name: node for node, name in enumerate(stretch.node_names)}
    layout = Layout(stretch, header)
    clock = Clock(layout.unit_ns, start_ns=stretch.start_ns, stop_ns=stretch.stop_ns)
    names: dict[Any, tuple[str, ...]] = {}
    for number, (line, values) in enumerate(cells, start=1):
        place = f"{file}, record {number}" if line is None else f"{file}, line {line}"
        if len(values) != layout.columns:
            raise RingletError.not_allowed(place, f"<{len(values)} values>", f"{layout.columns}, one per column")
        kinds = names.get(values[layout.kind])
        if kinds is None:
            kinds = names[values[layout.kind]] = _kinds(values[layout.kind], layout, place)
        ns = _time(values[layout.time], clock, layout, place)
        yield Row(
            ns,
            node_of(values[layout.source], "source", place, numbers),
            node_of(values[layout.destination], "destination", place, numbers),
            kinds,
            0 if layout.priority is None else whole_of(values[layout.priority], "priority", place, empty=0),
            number if layout.id is None else whole_of(values[layout.id], "id", place),
            () if layout.depends_on is None else _ids(values[layout.depends_on], place),
            side=clock.side(ns),
            line=line,
        )


def kind_names(value: object, layout: Layout) -> tuple[str, ...] | None:
    """Returns the name of the kind of each packet that a record is cut into, from the cell that says it; None for one
    that is not allowed. Bytes fill packets up to the longest one, and the last is filled up to whole symbols."""
    text = str(value).strip()
    if layout.is_bytes:
        if not _BYTES.fullmatch(text) or not 1 <= int(text) <= MAX_PACKETS * layout.largest_bytes:
            return None
        step, most = layout.step_bytes, layout.largest_bytes
        most -= most % step
        whole, rest = divmod(int(text), most)
        last = max(MIN_BYTES, -(-rest // step) * step)
        return (f"send{most}",) * whole + ((f"send{last}",) if rest else ())
    kind = packet_kind(text)
    return None if kind is None or kind.packet_bytes > layout.largest_bytes else (text,)


def _kinds(value: object, layout: Layout, place: str) -> tuple[str, ...]:
    names = kind_names(value, layout)
    if names is None:
        if layout.is_bytes:
            allowed = (
                f"a number of bytes from 1 to {MAX_PACKETS * layout.largest_bytes:,}, "
                f"{MAX_PACKETS:,} packets of traffic.largest_packet, {layout.largest_bytes}"
            )
            raise RingletError.not_allowed(f"{place}, bytes", value, allowed)
        raise RingletError.not_allowed(f"{place}, transaction", value, ALLOWED)
    return names


def _time(value: object, clock: Clock, layout: Layout, place: str) -> float:
    place = f"{place}, {layout.time_name}"
    time, before = exact_time(value), clock.last
    whole = time is not None and (not layout.whole_time or is_whole(time))
    if time is None or time < 0 or not whole:
        allowed = "a whole number, at least 0" if layout.whole_time else "a number, at least 0"
        raise RingletError.not_allowed(place, value, allowed)
    ns = clock.ns(time)
    if ns is None:
        allowed = f"at least {before}, the time of the record before it"
        raise RingletError.not_allowed(place, value, allowed)
    return ns


def node_of(value: object, name: str, place: str, numbers: Mapping[str, int]) -> int:
    """Returns the node that a cell names, or whose number it is.

    Raises:
        RingletError: no node is called so, or it is no whole number; names the place and the column.
    """
    text = str(value).strip()
    if text in numbers or (isinstance(value, str) and text[:1].isalpha()):
        return number_of(text, numbers, f"{place}, {name}")
    return whole_of(value, name, place)


def whole_of(value: object, name: str, place: str, *, empty: int | None = None) -> int:
    """Returns the whole number that a cell has; `empty`: of an empty one, where that is allowed.

    Raises:
        RingletError: it has none, or it is below 0; names the place and the column.
    """
    if empty is not None and (value is None or value == ""):
        return empty
    try:
        number = int(value)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        number = -1
    if not 0 <= number < MAX_WHOLE or isinstance(value, float):
        raise RingletError.not_allowed(f"{place}, {name}", value, "a whole number, at least 0")
    return int(number)


def _ids(value: object, place: str) -> tuple[int, ...]:
    if not value:
        return ()
    given = value.split() if isinstance(value, str) else value
    if not isinstance(given, list | tuple):
        given = [given]
    return tuple(whole_of(one, "depends_on", place) for one in given)
