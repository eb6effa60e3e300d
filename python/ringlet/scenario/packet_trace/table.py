"""Traces as tables: CSV and Parquet, a row for each packet, read in pieces."""

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ringlet import limits
from ringlet.errors import RingletError
from ringlet.scenario.file.reading import unreadable
from ringlet.scenario.packet_trace.kinds import ALLOWED, packet_kind
from ringlet.scenario.packet_trace.rows import Row, Stretch
from ringlet.scenario.values.node_names import number_of
from ringlet.scenario.values.transactions import MAX_BYTES, MIN_BYTES, is_size
from ringlet.scenario.values.units import magnitude

COLUMNS = (
    "cycle or time_ns (or _us, ...), source, destination, transaction or bytes; optional: priority, id, depends_on"
)
if TYPE_CHECKING:
    import pyarrow

MAX_WHOLE = 2**62
_TIME = re.compile("time_([A-Za-zµμ]+)")


def csv_rows(stretch: Stretch) -> Iterator[Row]:
    """Yields the rows of a CSV file with a header; blank lines do not count.

    Raises:
        RingletError: the file cannot be read, or a row is bad; names file and record.
    """
    file = stretch.file
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(_lines(stream, file))
            named = (cells for cells in reader if any(cell.strip() for cell in cells))
            header = [cell.strip() for cell in next(named, [])]
            yield from _rows(stretch, header, named)
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
            for column in table.schema_arrow:
                _check_type(column, file)
            for number in range(table.num_row_groups):
                size = table.metadata.row_group(number).total_byte_size
                if size > limits.ROW_GROUP_BYTES:
                    allowed = f"row groups of at most {limits.ROW_GROUP_BYTES:,} bytes"
                    raise RingletError.not_allowed(str(file), f"<row group {number} of {size:,} bytes>", allowed)
            batches = (batch.to_pydict() for batch in table.iter_batches(batch_size=1 << 14))
            cells = (row for batch in batches for row in zip(*(batch[name] for name in header), strict=True))
            yield from _rows(stretch, header, cells)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise RingletError(f"{file}: not a Parquet file, or a damaged one: {error}") from None


def _check_type(column: "pyarrow.Field", file: Path) -> None:
    """Raises RingletError unless a column holds what a cell of a CSV file may, or lists of ids."""
    from pyarrow import types

    def is_plain(kind: "pyarrow.DataType") -> bool:
        checks = (types.is_integer, types.is_floating, types.is_decimal, types.is_null)
        texts = (types.is_string, types.is_large_string, types.is_string_view)
        return any(check(kind) for check in checks + texts)

    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    lists = types.is_list(kind) or types.is_large_list(kind)
    if not (is_plain(kind) or (lists and column.name == "depends_on" and is_plain(kind.value_type))):
        allowed = "numbers or text; depends_on also lists of numbers"
        raise RingletError.not_allowed(f"{file}, column {column.name!r}", f"<{column.type}>", allowed)


class Layout:
    """The meaning of each column."""

    def __init__(self, file: Path, header: Sequence[str], cycle_ns: float) -> None:
        """Reads a header; `cycle_ns` is a cycle of the trace.

        Raises:
            RingletError: a column is missing, unknown or there twice.
        """
        place = f"{file}, header"
        known = {"cycle", "source", "destination", "transaction", "bytes", "priority", "id", "depends_on"}
        times = [name for name in header if name == "cycle" or _TIME.fullmatch(name)]
        for name in header:
            if name not in known and name not in times:
                raise RingletError.not_allowed(place, name, f"columns are {COLUMNS}")
            if header.count(name) > 1:
                raise RingletError.not_allowed(place, name, "each column once")
        what = [name for name in ("transaction", "bytes") if name in header]
        for names, one_of in ((times, "cycle or time_ns"), (what, "transaction or bytes")):
            if len(names) != 1:
                raise RingletError(f"{place}: has {' and '.join(names) or 'neither'}; it needs one of {one_of}")
        for name in ("source", "destination"):
            if name not in header:
                raise RingletError(f"{place}: column {name!r} is missing; columns are {COLUMNS}")
        at = {name: place for place, name in enumerate(header)}
        self.columns = len(header)
        self.time, self.time_name = at[times[0]], times[0]
        self.whole_time = times[0] == "cycle"
        self.ns = cycle_ns if self.whole_time else _unit_ns(times[0], place)
        self.source, self.destination = at["source"], at["destination"]
        self.kind, self.is_bytes = at[what[0]], what[0] == "bytes"
        self.priority, self.id, self.depends_on = (at.get(name) for name in ("priority", "id", "depends_on"))


def _unit_ns(column: str, place: str) -> float:
    match = _TIME.fullmatch(column)
    try:
        # Units are powers of ten but for rounding errors.
        return float(f"{magnitude(f'1 {match[1]}' if match else column, 'ns'):.12g}")
    except ValueError:
        raise RingletError.not_allowed(
            place, column, "a unit of time behind 'time_', such as time_ns or time_us"
        ) from None


def _rows(stretch: Stretch, header: Sequence[str], cells: Iterable[Sequence[Any]]) -> Iterator[Row]:
    file = stretch.file
    numbers = {name: node for node, name in enumerate(stretch.node_names)}
    layout = Layout(file, header, stretch.cycle_ns)
    names: dict[Any, str] = {}
    for number, values in enumerate(cells, start=1):
        place = f"{file}, record {number}"
        if len(values) != layout.columns:
            raise RingletError.not_allowed(place, f"<{len(values)} values>", f"{layout.columns}, one per column")
        kind = names.get(values[layout.kind])
        if kind is None:
            kind = names[values[layout.kind]] = _kind(values[layout.kind], layout, place)
        yield Row(
            _time(values[layout.time], layout, place) * layout.ns,
            _node(values[layout.source], "source", place, numbers),
            _node(values[layout.destination], "destination", place, numbers),
            kind,
            0 if layout.priority is None else _whole(values[layout.priority], "priority", place, empty=0),
            number if layout.id is None else _whole(values[layout.id], "id", place),
            () if layout.depends_on is None else _ids(values[layout.depends_on], place),
        )


def kind_name(value: object, layout: Layout) -> str | None:
    """Returns the name of a packet's kind from the cell that says it; None for one that is not allowed."""
    text = str(value).strip()
    if layout.is_bytes:
        return f"send{text}" if is_size(text) else None
    return None if packet_kind(text) is None else text


def _kind(value: object, layout: Layout, place: str) -> str:
    name = kind_name(value, layout)
    if name is None:
        if layout.is_bytes:
            allowed = f"an even number of bytes from {MIN_BYTES} to {MAX_BYTES}"
            raise RingletError.not_allowed(f"{place}, bytes", value, allowed)
        raise RingletError.not_allowed(f"{place}, transaction", value, ALLOWED)
    return name


def _time(value: object, layout: Layout, place: str) -> float:
    allowed = "a whole number, at least 0" if layout.whole_time else "a number, at least 0"
    try:
        time = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise RingletError.not_allowed(f"{place}, {layout.time_name}", value, allowed) from None
    if not (math.isfinite(time) and time >= 0) or (layout.whole_time and time != int(time)):
        raise RingletError.not_allowed(f"{place}, {layout.time_name}", value, allowed)
    return time


def _node(value: object, name: str, place: str, numbers: Mapping[str, int]) -> int:
    if isinstance(value, str) and (text := value.strip())[:1].isalpha():
        return number_of(text, numbers, f"{place}, {name}")
    return _whole(value, name, place)


def _whole(value: object, name: str, place: str, *, empty: int | None = None) -> int:
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
    return tuple(_whole(one, "depends_on", place) for one in given)
