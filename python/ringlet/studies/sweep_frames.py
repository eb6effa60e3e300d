"""Some points of a sweep, as data frames: so many that they fit in memory, or all."""

import json
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

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
    def points(self) -> "pd.DataFrame":
        """One row per run."""
        return points_table(self.runs, self._study.space)

    @cached_property
    def summary(self) -> "pd.DataFrame":
        """One row per point."""
        summary = summarise(self.points, self.figures, self._study.replications)
        if summary.empty:
            return summary
        words = warned_of(self.warnings, summary["point"].tolist())
        summary.insert(summary.columns.tolist().index("warnings") + 1, "warned_of", words)
        return summary

    @cached_property
    def warnings(self) -> "pd.DataFrame":
        """One row per warning of a run."""
        if self.points.empty or not self.points["warnings"].any():
            return pd.DataFrame({"point": [], "kind": [], "warning": []})
        return warnings_table(self._store, self.runs, self._study.space)

    @cached_property
    def differences(self) -> "pd.DataFrame":
        """One row per point beside its baseline, which may be in another piece."""
        if self._study.baseline is None or self.points.empty:
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
        if self._study.replications.precision is None or self.summary.empty:
            return []
        points: list[int] = self.summary.loc[~self.summary["precision_reached"], "point"].tolist()
        return points

    def part_tables(self, *parts: Part) -> Iterator[tuple[Part, "pd.DataFrame"]]:
        """Yields parts of the documents, such as a row per node, in pieces: they may be large."""
        return part_tables(self._store, self.runs, self.points, self._study.space, parts)

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

    def tables(self) -> "Iterator[tuple[str, pd.DataFrame]]":
        """Yields all tables by name, as files have them."""
        points = self.points.assign(scenario=list(self.scenarios_json()))
        # The rows of a point follow each other: the first one has the seed of its first replication.
        first = points.drop_duplicates("point")[["point", "scenario"]]
        yield "summary", self.summary.merge(first, on="point") if len(self.summary) else self.summary
        yield "points", points
        yield "differences", self.differences
        yield from self.part_tables(*PARTS)
        yield "warnings", self.warnings
