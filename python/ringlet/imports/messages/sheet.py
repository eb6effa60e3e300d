"""Spreadsheets (XLSX), read by openpyxl: periodic messages, a row each, or the communication matrix of a CAN bus."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ringlet.errors import RingletError
from ringlet.imports.content import TABLE, Answers, Imported, asked, csv_line, some
from ringlet.imports.libraries import library
from ringlet.imports.messages.k_matrix import is_matrix, read_matrix
from ringlet.scenario.activities.messages.keys import COLUMNS

HEADS = {
    "name": ("name", "message", "signal"),
    "source": ("source", "src", "sender", "from"),
    "destination": ("destination", "dst", "dest", "receiver", "to"),
    "size": ("size", "bytes", "length", "size_bytes"),
    "period": ("period", "cycle time", "cycle"),
    "deadline": ("deadline",),
    "offset": ("offset",),
    "priority": ("priority",),
}
"""Columns of messages, and the heads by which they are known, in letters of either case."""

TIMES = ("period", "deadline", "offset")
_UNIT = re.compile(r"(.+?)(?:_([a-zµμ]+)|\s*[\[(]\s*([a-zµμ]+)\s*[\])])")


def read(file: Path, answers: Answers) -> Imported:
    """Returns the messages of a sheet.

    Raises:
        RingletError: openpyxl is not there; the file is no workbook; a column is missing or not clear, or a time has no
            unit; names sheet and cell.
    """
    openpyxl = library("openpyxl", "openpyxl", "Spreadsheets")
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    except Exception as error:
        raise RingletError(f"{file}: not a workbook: {error}") from None
    try:
        names = book.sheetnames
        if answers.sheet is None and len(names) > 1:
            raise asked(str(file), f"it has sheets {some(names)}", "--sheet", "which one")
        # Names may end with a blank, which nobody sees.
        asked_for = [one for one in names if answers.sheet is None or one.strip() == answers.sheet.strip()]
        if not asked_for:
            raise RingletError.not_allowed("--sheet", answers.sheet, f"a sheet of {file}: {some(names)}")
        name = asked_for[0]
        rows = [
            (number, list(row))
            for number, row in enumerate(book[name].iter_rows(values_only=True), start=1)
            if any(cell is not None for cell in row)
        ]
    finally:
        book.close()
    place = f"{file}, sheet {name!r}"
    if len(rows) < 2:
        raise RingletError.not_allowed(place, f"<{len(rows)} rows>", "a row of heads, and one for each message")
    heads = [str(cell or "").strip() for cell in rows[0][1]]
    if is_matrix(heads):
        return read_matrix(place, heads, rows[1:], answers)
    return _imported(place, heads, rows[1:], answers)


def _imported(place: str, heads: Sequence[str], rows: Sequence[tuple[int, list[Any]]], answers: Answers) -> Imported:
    columns: dict[str, tuple[int, str]] = {}
    for number, head in enumerate(heads):
        found = _column(head, answers, place)
        if found is None:
            continue
        key, unit = found
        if key in columns:
            raise asked(place, f"{heads[columns[key][0]]!r} and {head!r} both say the {key}", "--column", f"{key}=HEAD")
        columns[key] = (number, unit)
    for key in ("source", "destination", "size", "period"):
        if key not in columns:
            raise asked(
                place, f"no column has the {key}: heads are {some(map(repr, heads))}", "--column", f"{key}=HEAD"
            )
    taken_columns = {number for number, _ in columns.values()}
    other = {number: head for number, head in enumerate(heads) if head and number not in taken_columns}
    once = {number: head for number, head in other.items() if list(other.values()).count(head) == 1}
    labels = {number: head for number, head in once.items() if COLUMNS.is_label(head)}
    nodes: dict[str, None] = {}
    lines = [csv_line([*columns, *labels.values()])]
    for number, row in rows:
        cells = []
        for key, (column, unit) in columns.items():
            at = f"{place}, cell {_letters(column)}{number}"
            cells.append(_cell(row[column] if column < len(row) else None, key, unit, at))
            if key in ("source", "destination"):
                nodes.setdefault(cells[-1])
        said = [row[column] if column < len(row) else None for column in labels]
        lines.append(csv_line([*cells, *("" if one is None else " ".join(str(one).split()) for one in said)]))
    scenario = {
        "messages_file": TABLE,
        "network": {"node_names": list(nodes)},
        "traffic": {"arrivals": "none"},
    }
    taken = [
        f"{len(nodes)} nodes: {some(nodes)}",
        f"{len(rows)} messages, by columns {some(heads[c] for c, _ in columns.values())}",
    ]
    if labels:
        taken.append(f"labels, which come back in results: columns {some(map(repr, labels.values()))}")
    rest = dict.fromkeys(head for number, head in other.items() if number not in labels)
    left = [f"columns {some(map(repr, rest))}: labels are of one column each, and unlike a key"] if rest else []
    return Imported(scenario, "".join(lines), taken, left)


def _column(head: str, answers: Answers, place: str) -> tuple[str, str] | None:
    """Returns the key and unit of a column; None for one that is none of a message's."""
    named = {text: key for key, text in answers.columns.items()}
    match = _UNIT.fullmatch(head)
    stem, unit = (match[1], match[2] or match[3]) if match else (head, "")
    known = {one: key for key, heads in HEADS.items() for one in heads}
    key = named.get(head) or known.get(head.lower()) or known.get(stem.lower())
    if key is None or (key in answers.columns and answers.columns[key] != head):
        return None
    if key not in TIMES:
        return key, ""
    unit = unit or answers.time_unit or ""
    if not unit:
        raise asked(place, f"column {head!r} has no unit", "--time-unit", "it, such as 'ms'; or the head: period [ms]")
    return key, unit


def _cell(value: Any, key: str, unit: str, place: str) -> str:  # noqa: ANN401 - a cell
    if value is None:
        if key in ("source", "destination", "size", "period"):
            raise RingletError.not_allowed(place, "<an empty cell>", f"the {key} of a message")
        return ""
    if key in TIMES:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise RingletError.not_allowed(place, str(value), f"a number of {unit}")
        return f"{value} {unit}"
    if key in ("size", "priority") and (isinstance(value, bool) or not isinstance(value, int | float) or value % 1):
        raise RingletError.not_allowed(place, str(value), "a whole number")
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if is_whole else str(value).strip()


def _letters(column: int) -> str:
    """Returns the letters of a column, counted from 0."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
