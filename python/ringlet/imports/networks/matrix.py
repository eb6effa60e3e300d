"""Matrices of demands: Matrix Market and NumPy files, and text."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import MAGIC_PREFIX
from scipy.io import mminfo, mmread

from ringlet import limits
from ringlet.errors import RingletError
from ringlet.imports.content import Answers, Imported, matrix_scenario, some
from ringlet.scenario.traffic import matrix_file
from ringlet.scenario.values.destinations import MAX_MATRIX_NODES
from ringlet.sections.wording import counted

_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|nan)", re.IGNORECASE)
"""A number as the format has it."""


def read(file: Path, answers: Answers) -> Imported:
    """Returns demands between nodes.

    Raises:
        RingletError: the file is no matrix, or not square; or its numbers have no unit, and no option says it.
    """
    names: Sequence[str] = ()
    match file.suffix.lower():
        case ".mtx":
            rows = _matrix_market(file)
        case ".npy":
            rows = _numpy(file)
        case _:
            found = matrix_file.read(file)
            rows = found.rows
            names = found.column_labels or found.row_labels
            if found.row_labels and found.column_labels:
                names = found.row_labels
                found = found.in_order(names, range(len(names)))
                rows = found.rows
            ragged = next((i for i, row in enumerate(rows) if len(row) != len(rows)), None)
            if ragged is not None:
                value = f"<{len(rows[ragged])} values>"
                raise RingletError.not_allowed(found.place(ragged, None), value, f"{len(rows)}, one for each row")
    if len(rows) < 2:
        raise RingletError.not_allowed(str(file), f"<{len(rows)} rows>", "2 at least, one for each node")
    labelled = bool(names)
    names = names or [f"n{node}" for node in range(len(rows))]
    traffic, table, said = matrix_scenario(file, names, rows, answers)
    taken = [f"{len(names)} nodes: {some(names)}", said]
    left = [] if labelled else ["names of nodes: the file has none, so they are n0, n1, ..."]
    return Imported({"network": {"node_names": list(names)}, "traffic": traffic}, table, taken, left)


def _matrix_market(file: Path) -> list[list[float]]:
    try:
        rows, columns, entries, form, kind, _ = mminfo(file)
        _check(file, rows, columns)
        if entries > rows * columns:
            raise RingletError.not_allowed(str(file), f"<{entries} entries>", f"at most {rows * columns}")
        if kind == "complex":
            raise RingletError.not_allowed(str(file), "<complex numbers>", "real ones")
        _check_entries(file, {"coordinate": 2, "array": 0}[form] + (kind != "pattern"))
        found: Any = mmread(file)
    except (ValueError, OSError, OverflowError, TypeError, LookupError) as error:
        raise RingletError(f"{file}: not a Matrix Market file: {' '.join(str(error).split())}") from None
    dense: list[list[float]] = np.asarray(found.toarray() if hasattr(found, "toarray") else found, float).tolist()
    return dense


def _check_entries(file: Path, numbers: int) -> None:
    """Checks that each entry is so many numbers: scipy ignores what stands behind one, and ends at some of it."""
    size_seen = False
    for number, line in enumerate(file.read_bytes().split(b"\n"), 1):
        if not line.strip() or line.lstrip().startswith(b"%"):
            continue
        if not size_seen:
            size_seen = True
        elif len(line.split()) != numbers or not all(map(_NUMBER.fullmatch, line.split())):
            shown = line.decode("utf-8", "replace").strip()
            raise RingletError.not_allowed(f"{file}, line {number}", shown, counted(numbers, "number"))


def _numpy(file: Path) -> list[list[float]]:
    try:
        with file.open("rb") as stream:
            is_array = stream.read(len(MAGIC_PREFIX)) == MAGIC_PREFIX
        if not is_array:
            raise RingletError(f"{file}: not a NumPy array file: it does not begin as numpy.save writes it")
        found = np.load(file, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise RingletError(f"{file}: not a NumPy array file: {' '.join(str(error).split())}") from None
    if not isinstance(found, np.ndarray) or found.ndim != 2 or found.dtype.kind not in "iufb":
        shape = getattr(found, "shape", "several arrays")
        raise RingletError.not_allowed(str(file), f"<{shape} of {getattr(found, 'dtype', '')}>", "a matrix of numbers")
    _check(file, *found.shape)
    rows: list[list[float]] = found.astype(float).tolist()
    return rows


def _check(file: Path, rows: int, columns: int) -> None:
    if rows != columns or rows > MAX_MATRIX_NODES:
        allowed = f"as many rows as columns, at most {MAX_MATRIX_NODES}"
        raise RingletError.not_allowed(str(file), f"<{rows} rows, {columns} columns>", allowed)
    if file.stat().st_size > limits.FILE_BYTES:
        raise RingletError.not_allowed(str(file), "<its size>", f"at most {limits.FILE_BYTES:,} bytes")
