"""Tables of messages and flows: files with a header and a line for each, CSV or Parquet, and data frames."""

import csv
import difflib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Self, TypeVar

from ringlet.errors import Problems, RingletError
from ringlet.scenario.file.reading import read_text
from ringlet.scenario.values.node_names import is_own
from ringlet.scenario.values.sizes import Spread, quantity
from ringlet.sections import Rows, Section
from ringlet.sections.plain import PLAIN

One = TypeVar("One", bound="Row")

PARQUET = ".parquet"

LABELS = "labels"
"""Key of the labels of a row: of columns that are none of its keys."""

OTHER_HEADS = frozenset(
    {
        *("src", "dst", "dest", "sender", "receiver", "from", "to", "bytes", "length", "payload", "prio", "speed"),
        *("bandwidth", "throughput", "load", "interval", "cycle", "frequency", "timestamp", "delay", "latency"),
    }
)
"""Heads that other tools have for what a key says: a column of this name is more likely to be meant as that key."""

DELIMITERS = (",", "\t", ";")
"""Characters between cells: the first of these that the header has."""

NEAR = 0.8
"""Likeness to a key, of 1, from which on a head is taken for a slip."""

KNOWN = 4096
"""Cells of a column of which what they hold is kept: most columns have few different ones."""

Cell = Any
"""Value of a cell: a text, or of Parquet and data frames also a number."""


class Row(Section):
    """A section that may be a row of a table."""

    _place: str = ""

    @property
    def place(self) -> str:
        """The beginning of an error message about one of its keys, where it is from a table; else empty."""
        return self._place

    @property
    def called(self) -> str:
        """The value of its key `name`."""
        name: str = self.__dict__["name"]
        return name

    def renamed(self, name: str) -> Self:
        """Returns the row with another default name: that key is given no more than before."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, name=name)
        return other


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    key: str
    """Key that its cells are values of, or `LABELS`."""
    unit: str
    """Unit of its cells, or the name of the label; may be empty."""
    read: Callable[[Cell], Any]
    """Returns the value of the key that a cell holds."""
    kept: Callable[[Cell], Any]
    """Returns the same; keeps it for the next cell that is equal."""

    def value(self, cell: Cell) -> Any:  # noqa: ANN401 - what is no value is refused as the key's
        """Returns the value of the key that a cell holds."""
        return self.kept(cell) if type(cell) in PLAIN else self.read(cell)


@dataclass(frozen=True)
class Columns:
    """The columns that a table may have: they are named after keys."""

    required: Sequence[str]
    optional: Sequence[str]
    quantities: Sequence[str]
    """Keys whose columns may have a unit in their names, such as `period_us`."""
    whole: Sequence[str] = ()
    """Keys of whole numbers."""
    texts: Sequence[str] = ("name",)
    """Keys whose cells are not read as numbers."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Keys of columns with other names, such as that of `drift_ppm`."""
    read: Mapping[str, Callable[[str], Any]] = field(default_factory=dict)
    """Functions that read the cells of some keys; the second argument is the unit of the column."""

    elsewhere: Sequence[str] = ()
    """Keys of other tables, which are no labels here."""

    @property
    def known(self) -> tuple[str, ...]:
        """All keys."""
        return (*self.required, *self.optional)

    def of(self, names: Sequence[str], place: str) -> list[Column]:
        """Returns the columns, from a header.

        Raises:
            RingletError: a column that has no name, is there twice or missing, or is likely to be meant as a key.
        """
        with_unit = re.compile(rf"({'|'.join(self.quantities)})_([A-Za-zµμ]+)")
        columns = []
        for name in names:
            found = None if name in self.known else with_unit.fullmatch(name)
            key, unit = found.groups() if found else (self.renamed.get(name, name), "")
            if key not in self.known or (key == name and key in self.renamed.values()):
                self._check_label(name, place)
                key, unit = LABELS, name
            columns.append((key, unit))
        for column in columns:
            if sum(other == column or (other[0] == column[0] != LABELS) for other in columns) > 1:
                raise RingletError.not_allowed(
                    place, column[1] if column[0] == LABELS else column[0], "one column of each"
                )
        for key in self.required:
            if key not in (of for of, _ in columns):
                raise RingletError(f"{place}: column {key!r} is missing; columns are {', '.join(self.known)}")
        # A number is not the same as one of another type.
        kept = lru_cache(maxsize=KNOWN, typed=True)
        readers = [partial(self._read, key, unit) for key, unit in columns]
        return [Column(*column, read, kept(read)) for column, read in zip(columns, readers, strict=True)]

    def is_label(self, name: str) -> bool:
        """Returns whether a head is that of a label: unlike all keys, and printable."""
        stem = name.lower().rpartition("_")[0]
        is_key = {name.lower(), stem} & {*self.known, *self.elsewhere, *OTHER_HEADS}
        return not self._near(name) and not is_key and bool(name.strip()) and name.isprintable() and ";" not in name

    def _near(self, name: str) -> list[str]:
        return difflib.get_close_matches(name.lower(), [*self.known, *self.renamed], n=1, cutoff=NEAR)

    def _check_label(self, name: str, place: str) -> None:
        """Raises RingletError for a head that is no label."""
        if self.is_label(name):
            return
        said = [next((one for one, of in self.renamed.items() if of == key), key) for key in self.known]
        near = self._near(name)
        hint = f"; did you mean {near[0]!r}?" if near and near[0] in said and name not in OTHER_HEADS else ""
        units = f"those with units also as {self.quantities[-1]}_us"
        label = "; a label has a name that is unlike these"
        raise RingletError.not_allowed(place, name, f"columns are {', '.join(said)}; {units}{label}{hint}")

    def _read(self, key: str, unit: str, cell: Cell) -> Any:  # noqa: ANN401 - what is no value is refused as the key's
        if key == LABELS:
            return str(number(cell, whole=True))
        if isinstance(cell, str) and key in self.read:
            return self.read[key](f"{cell} {unit}" if unit else cell)
        if unit:
            return f"{cell} {unit}"
        if isinstance(cell, str) and (key in self.texts or (key in ("source", "destination") and is_own(cell))):
            return cell
        return number(cell, whole=key in self.whole)


def keys_of(columns: Sequence[Column], cells: Sequence[Cell]) -> dict[str, Any]:
    """Returns the keys of a row; an empty cell leaves the default, or no label."""
    keys: dict[str, Any] = {}
    for column, cell in zip(columns, cells, strict=True):
        if cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell)):
            continue
        if column.key == LABELS:
            keys.setdefault(LABELS, {})[column.unit] = column.value(cell)
        else:
            keys[column.key] = column.value(cell)
    return keys


def number(cell: Cell, *, whole: bool) -> Any:  # noqa: ANN401 - a text that is no number is refused as the key's value
    """Returns the number that a cell holds, or the cell where it holds none."""
    if isinstance(cell, float) and whole and cell.is_integer():
        return int(cell)
    if not isinstance(cell, str):
        return cell
    for kind in (int,) if whole else (int, float):
        try:
            return kind(cell)
        except ValueError:
            pass
    return cell


def read_table(file: Path, columns: Columns, kind: type[One], what: str) -> list[One]:
    """Reads a CSV or Parquet file; of CSV blank lines, and those that begin with `#`, do not count.

    Args:
        file: the file.
        columns: that it may have.
        kind: of section that a row is.
        what: a row is, such as `message`.

    Raises:
        RingletError: the file cannot be read, or a row in it is bad; names file and line.
    """
    found = rows_made(file_rows(file), columns, kind)
    if not found:
        raise RingletError.not_allowed(str(file), f"<no {what}>", "a header and at least one line below it")
    return found


def rows_made(rows: Iterable[tuple[str, Sequence[Cell]]], columns: Columns, kind: type[One]) -> list[One]:
    """Returns the section of each row below the first one, which is the header."""
    found: list[One] = []
    header: list[Column] = []
    sections = Rows(kind)
    problems = Problems()
    for place, cells in rows:
        if not header:
            header = columns.of([str(cell) for cell in cells], place)
            continue
        if len(cells) != len(header):
            problems.messages += RingletError.not_allowed(
                place, f"<{len(cells)} values>", f"{len(header)}, one per column"
            ).args
            continue
        with problems.collected():
            try:
                one = sections.made(keys_of(header, cells))
            except RingletError as error:
                raise error.behind(f"{place}, ") from None
            one._place = f"{place}, "
            found.append(one)
    problems.check()
    return found


def file_rows(file: Path) -> Iterator[tuple[str, Sequence[Cell]]]:
    """Returns the header and the rows of a CSV or Parquet file, with the place of each."""
    return _parquet_rows(file) if file.suffix.lower() == PARQUET else _csv_rows(file)


def shares(text: str) -> Any:  # noqa: ANN401 - what is none of these is refused as the key's value
    """Returns what a cell holds: `3`, `1; 2; 5` or `1: 0.75; 2: 0.25`, with the unit that its column may have."""
    parts = [part.strip() for part in text.split(";")]
    if ":" not in text:
        return parts if len(parts) > 1 else text
    pairs = [part.rpartition(":") for part in parts]
    try:
        return {key.strip(): float(share) for key, _, share in pairs}
    except ValueError:
        return text


def read_size(text: str) -> Any:  # noqa: ANN401 - what is no size is refused as the key's value
    """Returns the size, sizes or distribution that a cell holds, with the unit that its column may have."""
    # A column without a unit ends in a share or an amount.
    amount, _, unit = text.rpartition(" ") if ":" in text and text[-1:].isalpha() else (text, "", "")
    found = shares(amount)
    if isinstance(found, dict) and unit:
        if any(key in Spread.fields for key in found):
            return {key: f"{value!r} {unit}" for key, value in found.items()}
        return {f"{key} {unit}": share for key, share in found.items()}
    if not isinstance(found, str):
        return found
    pairs = [part.partition(":") for part in text.split(";")]
    if all(key.strip() in Spread.fields for key, _, _ in pairs):
        return {key.strip(): quantity(value.strip()) for key, _, value in pairs}
    return quantity(text)


def _csv_rows(file: Path) -> Iterator[tuple[str, list[str]]]:
    # A comment becomes a blank line, so that lines keep their numbers.
    lines = ["" if line.startswith("#") else line for line in read_text(file, "a CSV file").splitlines()]
    header = next(filter(str.strip, lines), "")
    delimiter = next((one for one in DELIMITERS if one in header), DELIMITERS[0])
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for cells in reader:
            texts = [cell.strip() for cell in cells]
            if any(texts):
                yield f"{file}, line {reader.line_num}", texts
    except csv.Error as error:
        raise RingletError(f"{file}, line {reader.line_num}: not a CSV file: {error}") from None


def _parquet_rows(file: Path) -> Iterator[tuple[str, Sequence[Cell]]]:
    try:
        import pyarrow
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise RingletError(f"{file}: Parquet files need pyarrow: pip install 'ringlet[parquet]'") from None
    try:
        # Not as a data set, of which no name may stand for two columns: what is wrong then is told as of a CSV file.
        with file.open("rb") as stream, ParquetFile(stream) as parquet:
            table = parquet.read()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise RingletError(f"{file}: not a Parquet file, or a damaged one: {error}") from None
    yield f"{file}, header", table.column_names
    for place, row in enumerate(zip(*(column.to_pylist() for column in table.columns), strict=True), start=1):
        yield f"{file}, row {place}", row


def frame_rows(frame: Any, named: str) -> Iterator[tuple[str, Sequence[Cell]]]:  # noqa: ANN401 - of any library
    """Yields the header and the rows of a data frame, with the place of each."""
    yield f"{named}, columns", [str(name) for name in frame.columns]
    for place, row in enumerate(frame.itertuples(index=False, name=None)):
        yield f"{named}, row {place}", [cell.item() if hasattr(cell, "item") else cell for cell in row]
