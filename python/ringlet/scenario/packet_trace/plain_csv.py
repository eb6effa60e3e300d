"""CSV tables of plain numbers: read by pyarrow a block at a time, with times to the last decimal."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ringlet.errors import RingletError
from ringlet.scenario.packet_trace.clock import Clock
from ringlet.scenario.packet_trace.layout import Layout
from ringlet.scenario.packet_trace.packets import NotPlainError, Packets
from ringlet.scenario.packet_trace.rows import Records, Stretch
from ringlet.scenario.packet_trace.table import node_of, whole_of

if TYPE_CHECKING:
    import pyarrow

SMALLEST = 1 << 20
"""Bytes of the smallest file that is read so: of others the rows are read before pyarrow is loaded."""

BLOCK = 1 << 18
"""Bytes read at a time."""

MOST_DECIMALS = 30
"""Decimals of a time; those with more are read row by row."""

_QUOTED = re.compile(rb'(?<![^,\n])"([^",\r\n]*)"(?=[,\r\n]|\Z)')
"""A cell in quotes, of which none stands within it, and neither a comma nor the end of a line."""

_DIGITS = 38
"""Digits of a number of 128 bits."""


def csv_records(stretch: Stretch, kinds: list[str]) -> Iterator[Records]:
    """Yields the packets of a stretch of a CSV file in pieces.

    Args:
        stretch: what to read.
        kinds: names of the kinds met so far; longer afterwards.

    Raises:
        NotPlainError: what follows has to be read row by row. What is wrong with it is said there.
        RingletError: the header is bad.
    """
    try:
        if stretch.file.stat().st_size < SMALLEST:
            raise NotPlainError
        import pyarrow
    except (ImportError, OSError, ValueError):
        raise NotPlainError from None
    try:
        with stretch.file.open("rb") as stream:
            blocks = _blocks(stream)
            header, behind = _header(next(blocks, b""))
            layout = Layout(stretch, header)
            if layout.depends_on is not None:
                raise NotPlainError
            packets, texts = Packets(stretch, layout, kinds), _Texts(stretch, layout)
            for block in chain([behind], blocks):
                if not block.strip():
                    continue
                records, is_last = packets.of(texts.of(block))
                if len(records):
                    yield records
                if is_last:
                    return
    except (pyarrow.ArrowException, OSError):
        raise NotPlainError from None


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Yields whole lines, without the quotes around cells."""
    mark = b"\xef\xbb\xbf"
    rest = stream.read(len(mark)).removeprefix(mark)
    while piece := stream.read(BLOCK):
        end = piece.rfind(b"\n") + 1
        if not end:
            raise NotPlainError
        yield _unquoted(rest + piece[:end])
        rest = piece[end:]
    if rest:
        yield _unquoted(rest)


def _unquoted(lines: bytes) -> bytes:
    if b'"' not in lines:
        return lines
    lines = _QUOTED.sub(rb"\1", lines)
    if b'"' in lines:
        raise NotPlainError
    return lines


def _header(block: bytes) -> tuple[list[str], bytes]:
    """Returns the cells of the first line that is not blank, and what is behind it."""
    while block:
        line, _, block = block.partition(b"\n")
        try:
            cells = [cell.strip() for cell in line.decode().split(",")]
        except UnicodeDecodeError:
            raise NotPlainError from None
        if any(cells):
            return cells, block
    raise NotPlainError


class _Texts:
    """Reads blocks as texts, and knows what numbers the texts of a column are that has few."""

    def __init__(self, stretch: Stretch, layout: Layout) -> None:
        import pyarrow
        from pyarrow import csv

        self.layout = layout
        self.decimals = 0
        """Decimals of all times so far: of that one that has most."""
        self._names = {name: node for node, name in enumerate(stretch.node_names)}
        self._known: dict[tuple[str, str], int] = {}
        heads = [str(column) for column in range(layout.columns)]
        few = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
        types = {head: pyarrow.string() if int(head) in (layout.time, layout.id) else few for head in heads}
        # A block of more bytes would be read in pieces.
        self._how = {
            "read_options": csv.ReadOptions(use_threads=False, column_names=heads, block_size=4 * BLOCK),
            "parse_options": csv.ParseOptions(quote_char=False),
            "convert_options": csv.ConvertOptions(column_types=types, strings_can_be_null=False, null_values=[]),
        }

    def of(self, block: bytes) -> "_Block":
        """Returns the cells of a block."""
        import pyarrow
        from pyarrow import csv

        if block.count(b"\r") != block.count(b"\r\n"):
            raise NotPlainError
        [batch] = csv.read_csv(pyarrow.py_buffer(block), **self._how).to_batches()
        return _Block(batch, self)

    def node(self, text: str) -> int:
        """Returns the node that a text says; -1 if it is none."""
        return self._number("node", text)

    def priority(self, text: str) -> int:
        """Returns the number that a text says, 0 if it is empty; -1 if it is none."""
        return self._number("priority", text)

    def _number(self, what: str, text: str) -> int:
        found = self._known.get((what, text))
        if found is None:
            try:
                found = node_of(text, what, "", self._names) if what == "node" else whole_of(text, what, "", empty=0)
            except RingletError:
                found = -1
            self._known[what, text] = found
        return found


class _Block:
    """The cells of a block."""

    def __init__(self, batch: "pyarrow.RecordBatch", texts: _Texts) -> None:
        self._batch = batch
        self._texts = texts

    def times_ns(self, clock: Clock) -> NDArray[np.float64]:
        import pyarrow
        from pyarrow import compute

        cells, texts = self._batch.column(self._texts.layout.time), self._texts
        dot = compute.find_substring(cells, ".")
        behind = compute.subtract(compute.subtract(compute.binary_length(cells), dot), 1)
        found = compute.max(compute.if_else(compute.equal(dot, -1), 0, behind)).as_py()
        texts.decimals = max(texts.decimals, found)
        if texts.decimals > (0 if texts.layout.whole_time else MOST_DECIMALS):
            raise NotPlainError
        times = compute.cast(cells, pyarrow.decimal128(_DIGITS, texts.decimals))
        words = np.frombuffer(times.buffers()[1], dtype=np.int64).reshape(-1, 2)
        ns = clock.ns_of_decimals(words[times.offset : times.offset + len(times)], texts.decimals)
        if ns is None:
            raise NotPlainError
        return ns

    def nodes(self, column: int, rows: int) -> NDArray[np.int64]:
        codes, names = self.kinds(column, rows)
        return np.array([self._texts.node(name) for name in names], dtype=np.int64)[codes]

    def whole(self, column: int, rows: int) -> NDArray[np.int64]:
        from pyarrow import compute, int64

        if column == self._texts.layout.priority:
            codes, names = self.kinds(column, rows)
            return np.array([self._texts.priority(name) for name in names], dtype=np.int64)[codes]
        cells = self._batch.column(column).slice(0, rows)
        # A cast takes hexadecimal numbers, too.
        if not compute.all(compute.ascii_is_decimal(cells), min_count=0).as_py():
            raise NotPlainError
        return np.asarray(compute.cast(cells, int64()).to_numpy(zero_copy_only=False))

    def kinds(self, column: int, rows: int) -> tuple[NDArray[np.int64], list[str]]:
        cells = self._batch.column(column).slice(0, rows)
        return cells.indices.to_numpy(zero_copy_only=False), cells.dictionary.to_pylist()
