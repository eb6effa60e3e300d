"""Matrices of numbers in text files, as spreadsheets and programs write them.

Values stand between commas, semicolons, tabs or blanks; a semicolon or tab lets a comma be a decimal's. A line that
begins with `#` or `%` is a comment, as is what follows a blank and `#`. The first line and the first column may be
labels: none of them a number, or all, with an empty cell in the corner. The file may be compressed with gzip.
"""

import csv
import gzip
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ringlet import limits
from ringlet.errors import RingletError
from ringlet.scenario.file.reading import read_bytes

_GZIP = b"\x1f\x8b"
_COMMENT = re.compile(r"\s#")


@dataclass(frozen=True)
class MatrixFile:
    """A matrix as a file has it."""

    file: Path
    rows: list[list[float]]
    lines: list[int]
    """Line of each row."""
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    first_column: int = 1
    """Number in its line of each row's first value."""

    def place(self, i: int, j: int | None) -> str:
        """Returns the file and line of row `i`, or of its value `j` with its column."""
        line = f"{self.file}, line {self.lines[i]}"
        return line if j is None else f"{line}, column {j + self.first_column}"

    def in_order(self, names: Sequence[str], senders: Sequence[int]) -> "MatrixFile":
        """Returns the matrix with rows and columns in the order of the nodes, where its labels are their names.

        Args:
            names: of all nodes; empty where they have none: then the labels are those of the nodes in their order.
            senders: the nodes that the rows are of.

        Raises:
            RingletError: a label that no node has; or labels of rows in another order than those of columns.
        """
        if not names:
            both = self.row_labels and self.column_labels and len(self.row_labels) == len(self.column_labels)
            if both and self.row_labels != self.column_labels:
                allowed = f"the order of the columns: {', '.join(map(repr, self.column_labels[:4]))}, ..."
                raise RingletError.not_allowed(self.place(0, None), f"<rows {', '.join(self.row_labels[:4])}>", allowed)
            return self
        rows, lines = self.rows, self.lines
        if self.row_labels:
            order = self._order(self.row_labels, [names[node] for node in senders], "rows")
            rows, lines = [rows[i] for i in order], [lines[i] for i in order]
        if self.column_labels:
            order = self._order(self.column_labels, names, "columns")
            rows = [[row[j] for j in order] for row in rows]
        return MatrixFile(self.file, rows, lines, first_column=self.first_column)

    def _order(self, labels: Sequence[str], names: Sequence[str], what: str) -> list[int]:
        """Returns the place of each name among the labels."""
        places = {label: place for place, label in enumerate(labels)}
        if len(places) < len(labels):
            twice = next(label for place, label in enumerate(labels) if places[label] != place)
            raise RingletError.not_allowed(f"{self.file}, labels of {what}", twice, "each label once")
        for label in labels:
            if label not in names:
                allowed = f"a name of network.node_names: {', '.join(map(repr, names[:4]))}, ..."
                raise RingletError.not_allowed(f"{self.file}, labels of {what}", label, allowed)
        for name in names:
            if name not in places:
                raise RingletError(f"{self.file}: {what} have no label {name!r}, a name of network.node_names")
        return [places[name] for name in names]


def read(file: Path, what: str = "a row of numbers per node") -> MatrixFile:
    """Reads a matrix.

    Raises:
        RingletError: the file cannot be read, or has rows of different lengths, or a value that is no number; names
        file, line and column.
    """
    lines = list(_lines(_text(file)))
    if not lines:
        raise RingletError.not_allowed(str(file), "<an empty file>", what)
    separator = _separator([text for _, text in lines])
    cells = [(number, _split(text, separator, f"{file}, line {number}")) for number, text in lines]
    column_labels: tuple[str, ...] = ()
    head = cells[0][1]
    corner = head[0] == "" and len(head) > 1
    if len(cells) > 1 and (corner or not any(map(_is_number, head))):
        column_labels = tuple(cells.pop(0)[1])
    labelled = corner or all(values and not _is_number(values[0]) for _, values in cells)
    row_labels = tuple(values[0] for _, values in cells) if labelled else ()
    width = max(len(values) for _, values in cells) - labelled
    if column_labels and len(column_labels) > width:
        column_labels = column_labels[len(column_labels) - width :]
    comma = separator in (";", "\t")
    rows = [
        [_number(cell, f"{file}, line {number}, column {j + 1 + labelled}", comma=comma) for j, cell in enumerate(rest)]
        for number, values in cells
        for rest in (values[labelled:],)
    ]
    return MatrixFile(file, rows, [number for number, _ in cells], row_labels, column_labels, 1 + labelled)


def _text(file: Path) -> str:
    content = read_bytes(file, "a matrix as text", most_bytes=limits.FILE_BYTES)
    if content.startswith(_GZIP):
        try:
            with gzip.open(file) as stream:
                content = stream.read(limits.FILE_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise RingletError(f"{file}: a damaged gzip file: {error}") from None
        if len(content) > limits.FILE_BYTES:
            allowed = f"at most {limits.FILE_BYTES:,} bytes when it is unpacked"
            raise RingletError.not_allowed(str(file), "<its size>", allowed)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise RingletError.not_allowed(
            f"{file}, line {line}", f"<byte {error.start} is not UTF-8>", "a matrix in UTF-8"
        ) from None


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines that hold something, with their numbers."""
    for number, line in enumerate(text.splitlines(), start=1):
        held = "" if line.lstrip().startswith(("#", "%")) else _COMMENT.split(line, maxsplit=1)[0]
        if held.strip(" \t,;"):
            yield number, held


def _separator(lines: Sequence[str]) -> str:
    """Returns what stands between values; blank: any white space."""
    counts: Mapping[str, int] = {one: sum(line.count(one) for line in lines) for one in ";\t,"}
    if counts[";"]:
        return ";"
    # A tab beside commas may be a blank; and a comma beside tabs a decimal's.
    if counts["\t"] and all("\t" in line.strip() for line in lines):
        return "\t"
    return "," if counts[","] else " "


def _split(line: str, separator: str, place: str) -> list[str]:
    if separator == " ":
        return line.split()
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator))]
    except csv.Error as error:
        raise RingletError(f"{place}: not a line of values: {error}") from None


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True


def _number(cell: str, place: str, *, comma: bool) -> float:
    try:
        return float(cell.replace(",", ".") if comma and cell.count(",") == 1 and "." not in cell else cell)
    except ValueError:
        raise RingletError.not_allowed(place, cell, "a number") from None
