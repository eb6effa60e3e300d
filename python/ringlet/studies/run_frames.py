"""Tables of the runs of a study, and of their warnings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from ringlet.figures import columns_of_record
from ringlet.simulation.notices import kind_of
from ringlet.store import Store
from ringlet.store.studies import Runs
from ringlet.studies.axes import Space
from ringlet.studies.columns import axis_columns
from ringlet.studies.table import Columns

Part = Literal["nodes", "priorities", "messages"]
"""Parts of a run's document that are a list of records."""

PARTS: tuple[Part, ...] = get_args(Part)

CHUNK_ROWS = 50_000
"""Rows of a piece of a large table."""


def points_table(runs: Runs, space: Space) -> Columns:
    """One row per finished run: point, replication, what varies, seed, totals, and what is needed to run it again."""
    columns: dict[str, Any] = {"point": runs.point, "replication": runs.replication}
    columns |= axis_columns(space, runs.point)
    columns["seed"] = runs.seed
    columns |= _figures(runs)
    columns |= {"wall_s": runs.wall_s, "scenario_key": runs.scenario_key, "ringlet": runs.engine}
    return Columns(columns)


def _figures(runs: Runs) -> dict[str, Any]:
    if len(runs.figures) == 1:
        layout, _, packed = runs.figures[0]
        return dict(layout.columns(packed))
    columns: dict[str, Any] = {}
    for layout, rows, packed in runs.figures:
        for name, values in layout.columns(packed).items():
            columns.setdefault(name, np.full(len(runs.point), np.nan))[rows] = values
    return columns


def part_tables(
    store: Store, runs: Runs, points: Columns, space: Space, parts: Sequence[Part]
) -> Iterator[tuple[Part, Columns]]:
    """Yields the rows of runs for parts of their documents, such as one per node, in pieces, with the part's name.

    Args:
        store: that has the documents.
        runs: whose they are.
        points: their `points_table`.
        space: the points of the study.
        parts: what to read of each document.
    """
    before = ["point", "replication", *axis_columns(space, runs.point[:1]), "seed"]
    after = ["scenario_key", "ringlet"]
    rows: dict[Part, list[Mapping[str, Any]]] = {part: [] for part in parts}
    runs_of_rows: dict[Part, list[int]] = {part: [] for part in parts}

    def piece(part: Part) -> tuple[Part, Columns]:
        first, last = (points.taken(runs_of_rows[part], names).by_name for names in (before, after))
        table = Columns(first | Columns.of_records(rows[part]).by_name | last)
        rows[part], runs_of_rows[part] = [], []
        return part, table

    for i, document in enumerate(store.studies.documents(runs.result)):
        for part in parts:
            records = document.get(part, [])
            rows[part] += [
                columns_of_record({key: value for key, value in record.items() if key != "point"}) for record in records
            ]
            runs_of_rows[part] += [i] * len(records)
            if len(rows[part]) >= CHUNK_ROWS:
                yield piece(part)
    for part in parts:
        if rows[part]:
            yield piece(part)


def warnings_table(store: Store, runs: Runs, space: Space) -> Columns:
    """One row per warning of a finished run: point, replication, what varies, seed, what it warns of, the line."""
    found = [
        (row, line)
        for row, document in enumerate(store.studies.documents(runs.result))
        for line in document["warnings"]
    ]
    rows = np.array([row for row, _ in found], dtype=np.int64)
    columns: dict[str, Any] = {"point": runs.point[rows], "replication": runs.replication[rows]}
    columns |= axis_columns(space, runs.point[rows]) if found else {}
    columns["seed"] = [runs.seed[row] for row in rows.tolist()]
    return Columns(columns | {"kind": [kind_of(line) for _, line in found], "warning": [line for _, line in found]})


def warned_of(warnings: Columns, points: Sequence[int]) -> list[str]:
    """Returns what the runs of each point warn of, in words; empty where they warn of nothing."""
    kinds: dict[int, dict[str, None]] = {}
    for point, kind in zip(warnings.cells("point"), warnings["kind"], strict=True):
        kinds.setdefault(point, {})[kind] = None
    return [", ".join(kinds.get(point, ())) for point in points]
