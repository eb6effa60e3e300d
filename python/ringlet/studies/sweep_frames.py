"""Some points of a sweep, as tables: so many that they fit in memory, or all."""

import json
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.lazy import library
from ringlet.scenario import Scenario
from ringlet.store import Store
from ringlet.store.store import with_seed
from ringlet.store.studies import Runs
from ringlet.studies.columns import axis_columns
from ringlet.studies.differences import differences
from ringlet.studies.run_frames import PARTS, Part, part_tables, points_table, warned_of, warnings_table
from ringlet.studies.study import Study
from ringlet.studies.summary import summarise
from ringlet.studies.table import Columns

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")

ROWS = 2000
"""Runs of a piece, about: one takes some 20 kB while its document is read."""


class Piece:
    """The finished runs of some points. A table is made at its first use; `SweepResult` says what is in each."""

    def __init__(self, store: Store, study_id: int, study: Study, runs: Runs) -> None:
        """Takes runs of a study in a store: all those of their points."""
        self._store, self._id, self._study = store, study_id, study
        self.runs = runs
        """The runs."""

    @property
    def figures(self) -> list[str]:
        """Columns of `points` that are figures."""
        return list(dict.fromkeys(name for layout, _, _ in self.runs.figures for name in layout.names))

    @cached_property
    def point_columns(self) -> Columns:
        """Columns of `points`."""
        return points_table(self.runs, self._study.space)

    @cached_property
    def points(self) -> "pd.DataFrame":
        """One row per run."""
        return self.point_columns.frame()

    @cached_property
    def summary_columns(self) -> Columns:
        """Columns of `summary`."""
        columns: dict[str, Any] = {}
        summary = summarise(self.point_columns, self.figures, self._study.replications)
        for name, column in summary.by_name.items():
            columns[name] = column
            if name == "warnings":
                columns["warned_of"] = warned_of(self.warning_columns, summary.cells("point"))
        return Columns(columns)

    @cached_property
    def summary(self) -> "pd.DataFrame":
        """One row per point."""
        return self.summary_columns.frame()

    @cached_property
    def warning_columns(self) -> Columns:
        """Columns of `warnings`."""
        if not len(self.point_columns) or not np.any(self.point_columns["warnings"]):
            return Columns({"point": [], "kind": [], "warning": []})
        return warnings_table(self._store, self.runs, self._study.space)

    @cached_property
    def warnings(self) -> "pd.DataFrame":
        """One row per warning of a run."""
        return self.warning_columns.frame()

    @property
    def has_differences(self) -> bool:
        """True if points may stand beside a baseline."""
        return self._study.baseline is not None and len(self.point_columns) > 0

    @cached_property
    def differences(self) -> "pd.DataFrame":
        """One row per point beside its baseline, which may be in another piece."""
        if not self.has_differences:
            return pd.DataFrame()
        own = self.points["point"].unique().tolist()
        others = sorted({self._study.baseline_of(point) for point in own}.difference(own))
        runs = [self.points]
        if others:
            beside = self._store.studies.runs(self._id, points=others)
            runs.append(Piece(self._store, self._id, self._study, beside).points)
        axes = list(axis_columns(self._study.space, self.runs.point[:1]))
        return differences(pd.concat(runs, ignore_index=True), self.figures, axes, self._study)

    @property
    def imprecise(self) -> list[int]:
        """Points that did not reach the required precision."""
        summary = self.summary_columns
        if self._study.replications.precision is None or not len(summary):
            return []
        reached = zip(summary.cells("point"), summary.cells("precision_reached"), strict=True)
        return [point for point, precise in reached if not precise]

    def part_tables(self, *parts: Part) -> Iterator[tuple[Part, Columns]]:
        """Yields parts of the documents, such as a row per node, in pieces: they may be large."""
        return part_tables(self._store, self.runs, self.point_columns, self._study.space, parts)

    def scenarios(self) -> Iterator[Scenario]:
        """Yields the resolved scenario of each point, with the seed of its first run."""
        _, starts = np.unique(self.runs.point, return_index=True)
        contents = self._store.studies.scenarios([self.runs.result[start] for start in starts.tolist()])
        for start, content in zip(starts.tolist(), contents, strict=True):
            yield Scenario.from_dict(with_seed(json.loads(content), int(self.runs.seed[start])))

    def scenarios_json(self) -> Iterator[str]:
        """Yields the resolved scenario, with its seed, of each run."""
        for seed, content in zip(self.runs.seed.tolist(), self._store.studies.scenarios(self.runs.result), strict=True):
            yield json.dumps(with_seed(json.loads(content), seed), separators=(",", ":"))

    def tables(self) -> Iterator[tuple[str, Columns]]:
        """Yields all tables by name, as files have them."""
        scenarios = list(self.scenarios_json())
        # The rows of a point follow each other: the first one has the seed of its first replication.
        _, starts = np.unique(self.runs.point, return_index=True)
        first = {"scenario": [scenarios[start] for start in starts.tolist()]}
        yield "summary", Columns(self.summary_columns.by_name | first)
        yield "points", Columns(self.point_columns.by_name | {"scenario": scenarios})
        if self.has_differences:
            yield "differences", Columns.of_frame(self.differences)
        yield from self.part_tables(*PARTS)
        yield "warnings", self.warning_columns
