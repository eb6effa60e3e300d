"""The result of a sweep: tables over all points."""

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from html import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.drawable import SweepPlots
from ringlet.errors import RingletError
from ringlet.figures import interval_name, with_half_width
from ringlet.lazy import library
from ringlet.scenario import Scenario
from ringlet.store import Store
from ringlet.store.studies import Failure
from ringlet.studies.columns import axis_columns
from ringlet.studies.export import Format, write_tables
from ringlet.studies.overview import Overview
from ringlet.studies.run_frames import CHUNK_ROWS, PARTS, Part
from ringlet.studies.saturation import saturation
from ringlet.studies.schedule import Counts
from ringlet.studies.study import Study
from ringlet.studies.sweep_frames import ROWS, Piece
from ringlet.studies.table import Columns

if TYPE_CHECKING:
    import pandas as pd

    from ringlet.simulation import short_tables
else:
    pd = library("pandas")
    short_tables = library("ringlet.simulation.short_tables")

SCHEMA = 1
"""Version of the JSON."""

TABLES = ("summary", "points", "differences", *PARTS, "warnings", "failures")
"""The tables that `export` writes."""

STORE_FILE = "store.sqlite"
"""Name of the store in the output folder of a sweep."""


SHOWN_ROWS = 32
"""Points that a notebook shows."""


class SweepResult:
    """The runs of a study that are finished, as data frames with units in the column names.

    A view of the store: tables are made at their first use. MB is 10^6 bytes; what a figure means is
    said at `ringlet.Result`. A notebook shows a few columns of those with many; `all_columns` has all.

    >>> import ringlet as rl
    >>> loads = {"traffic.load": ["50 MB/s", "100 MB/s"]}
    >>> rl.sweep({"network": {"nodes": 4}, "run": {"duration": "20 us"}}, loads, replications=2, workers=1)
    <SweepResult: 2 points, 4 runs finished>
    """

    def __init__(self, store: Store, study_id: int, study: Study, engine: str, counts: Counts | None = None) -> None:
        """Wraps the runs of a study in a store; callers use `sweep` and `load`."""
        self.store = store
        """Store of the runs, open."""
        self.study = study
        """Study that was run."""
        self.engine = engine
        """Version of the code that ran it."""
        self.counts = counts
        """Numbers of runs that `sweep` computed and found; None after `load`."""
        self._id = study_id
        self._overview: Overview | None = None

    @classmethod
    def load(cls, path: str | Path) -> "SweepResult":
        """Opens the results of the latest study in a sweep's output folder, or in a store.

        Raises:
            RingletError: there is none, or the store cannot be read.
        """
        file = Path(path)
        if file.is_dir():
            file /= STORE_FILE
        if not file.is_file():
            raise RingletError(f"{file}: no such store; 'ringlet sweep STUDY --out DIR' makes one")
        store = Store.open(file)
        stored = store.studies.latest()
        if stored is None:
            raise RingletError(f"{file}: holds no study; 'ringlet sweep STUDY --out DIR' adds one")
        return cls(store, stored.id, Study.from_dict(stored.content), stored.engine)

    @property
    def plot(self) -> SweepPlots:
        """The figures of this sweep: `swept.plot.curves()` and, with a baseline, `differences()`.

        Each is a `ringlet.plots.Chart`, which a notebook shows; `draw()` makes a matplotlib figure of it.
        """
        return SweepPlots(self)

    @cached_property
    def _whole(self) -> Piece:
        """All points at once."""
        return Piece(self.store, self._id, self.study, self.store.studies.runs(self._id))

    def pieces(self, rows: int = ROWS) -> Iterator[Piece]:
        """Yields the finished runs in the order of their points, about `rows` at a time: a study may be larger than
        memory.

        Raises:
            RingletError: the store is damaged.
        """
        for runs in self.store.studies.pieces(self._id, rows):
            yield Piece(self.store, self._id, self.study, runs)

    def of_points(self, points: Sequence[int]) -> Piece:
        """Returns the finished runs of some points, which are given in ascending order.

        Raises:
            RingletError: the store is damaged.
        """
        return Piece(self.store, self._id, self.study, self.store.studies.runs(self._id, points=points))

    def thinned(self, most: int) -> Piece:
        """Returns the finished runs of all points, or of about `most` of them, evenly spaced along each axis.

        Raises:
            RingletError: the store is damaged.
        """
        return self._whole if self.study.points <= most else self.of_points(self.study.space.thinned(most))

    @property
    def points(self) -> "short_tables.ShortTable":
        """One row per finished run: point, replication, what varies, seed, totals.

        `scenario_key` is the digest of the scenario without its seed; with it, the seed and the version in `ringlet` a
        row can be run again: `ringlet.run(result.scenario(point), seed=seed)`.
        """
        return self._short(self._whole.points)

    @cached_property
    def nodes(self) -> "short_tables.ShortTable":
        """One row per run and node."""
        return self._short(self._part("nodes"))

    @cached_property
    def priorities(self) -> "short_tables.ShortTable":
        """One row per run and send priority in use; empty where there is one only."""
        return self._short(self._part("priorities"))

    @cached_property
    def messages(self) -> "pd.DataFrame":
        """One row per run and periodic message; empty without a message set."""
        return self._part("messages")

    def _short(self, table: "pd.DataFrame") -> "short_tables.ShortTable":
        """A table that shows what varies and a few of its figures."""
        return short_tables.ShortTable.of(table, self.axes)

    def _part(self, part: Part) -> "pd.DataFrame":
        tables = [table.frame() for _, table in self._whole.part_tables(part)]
        return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()

    @property
    def summary(self) -> "short_tables.ShortTable":
        """One row per point: means over the replications with the half widths of their 95 % intervals.

        `throughput_MBps` is a mean, `throughput_ci95_MBps` its half width, and so for every figure. `ci95_from` says
        whether it is over the replications or, with a single one, of the run itself, by batch means. `warned_of` says
        what the runs warn of, empty without a warning.
        """
        return self._short(self._whole.summary)

    @property
    def warnings(self) -> "pd.DataFrame":
        """One row per warning of a run: point, replication, what varies, seed, `kind`, and the whole `warning`.

        `ringlet explain KIND` says what it means.
        """
        return self._whole.warnings

    @property
    def differences(self) -> "short_tables.ShortTable":
        """One row per point beside its baseline: differences and ratios, with 95 % intervals over common seeds.

        Empty without a `baseline` in the study. `throughput_difference_MBps` is the mean of the differences,
        `throughput_difference_ci95_MBps` the half width of its interval, `throughput_ratio` the ratio of the means,
        and so on for every figure that is a mean. `pairs` says how many seeds both points have.
        """
        return self._short(self._whole.differences)

    @property
    def saturation(self) -> "pd.DataFrame":
        """One row per combination of the values of other axes than the load: where it is first overloaded.

        Empty where no load varies. `first_overloaded_MBps` is the least load at which a run warns that it is
        overloaded, and `not_yet_at_MBps` the load before; NaN where there is none.
        """
        return saturation(self.summary, self.axes)

    @property
    def figures(self) -> list[str]:
        """Columns of `points` that are figures."""
        return self._whole.figures

    @property
    def axes(self) -> list[str]:
        """Columns of `points` and `summary` that vary, with their units."""
        return list(self._axes)

    @cached_property
    def _axes(self) -> tuple[str, ...]:
        return tuple(axis_columns(self.study.space, np.zeros(1, dtype=np.int64)))

    @property
    def finished(self) -> int:
        """Number of finished runs."""
        return self.store.studies.count(self._id)

    @property
    def failed(self) -> int:
        """Number of runs that could not be done."""
        return self.store.studies.count(self._id, "failures")

    @property
    def overview(self) -> Overview:
        """The first points, and the warnings of all runs, gathered without holding all of them.

        Raises:
            RingletError: the store is damaged.
        """
        if self._overview is None:
            overview = Overview()
            for piece in self.pieces():
                overview.add(piece)
            self._overview = overview
        return self._overview

    @cached_property
    def failures(self) -> "pd.DataFrame":
        """One row per run that could not be done: point, replication, what varies, reason."""
        return self._failed(list(self.store.studies.failures(self._id)))

    def first_failures(self, at_most: int) -> "pd.DataFrame":
        """Returns the first rows of `failures`."""
        return self._failed(list(islice(self.store.studies.failures(self._id), at_most)))

    def _failed(self, failures: list[Failure]) -> "pd.DataFrame":
        points = np.array([failure.point for failure in failures], dtype=np.int64)
        columns: dict[str, Any] = {"point": points, "replication": [failure.replication for failure in failures]}
        columns |= axis_columns(self.study.space, points) if failures else {}
        return pd.DataFrame(columns | {"reason": [failure.reason for failure in failures]})

    @property
    def imprecise(self) -> Sequence[int]:
        """Points that did not reach the required precision."""
        return self._whole.imprecise

    def scenarios_json(self) -> Iterator[str]:
        """Yields the resolved scenario, with its seed, of each row of `points`, as JSON."""
        return self._whole.scenarios_json()

    def export(self, folder: str | Path, file_format: Format = "csv") -> list[Path]:
        """Writes the tables into a folder, as CSV or Parquet, and returns the files.

        They are `summary`, `points`, `nodes` and, where there are any, `differences`, `priorities`, `messages`,
        `warnings` and `failures`. Every row has its point, replication, seed, version of the code and the digest
        of its scenario; the rows of `points` and `summary` have the whole resolved scenario as JSON, too. Parquet files
        hold study and versions as metadata.

        Raises:
            RingletError: Parquet without pyarrow.
            OSError: the folder cannot be written.
        """
        about = {"study": json.dumps(self.study.to_dict()), "ringlet": self.engine}
        return write_tables(self._tables(), TABLES, about, Path(folder), file_format)

    def _tables(self) -> Iterator[tuple[str, Columns]]:
        """Yields the rows of every table by its name, piece by piece."""
        overview = Overview()
        for piece in self.pieces():
            overview.add(piece)
            yield from piece.tables()
        self._overview = overview
        failures = self.store.studies.failures(self._id)
        while some := list(islice(failures, CHUNK_ROWS)):
            yield "failures", Columns.of_frame(self._failed(some))

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of `ringlet sweep`: the study, how many runs there are, and a record for each point."""
        counts = self.counts or Counts(self.finished)
        return {
            "schema": SCHEMA,
            "ringlet": self.engine,
            "study": self.study.to_dict(),
            "store": None if self.store.path is None else str(self.store.path),
            "points": self.study.points,
            "runs": {
                "finished": self.finished,
                "computed": counts.computed,
                "found": counts.found,
                "failed": self.failed,
            },
            "imprecise_points": list(self.imprecise),
            "damaged": [str(damage) for damage in self.store.damage],
            "failures": _records(self.failures),
            "summary": _records(self.summary),
            **({"differences": _records(self.differences)} if self.study.baseline is not None else {}),
        }

    def document(self, point: int, replication: int = 0) -> dict[str, Any]:
        """Returns the whole JSON document of a run, as `ringlet run --json` prints it but for its timing.

        Raises:
            KeyError: it is not finished.
        """
        number = self.store.studies.result(self._id, point, replication)
        if number is None:
            raise KeyError((point, replication))
        return self.store.document(number)

    def scenario(self, point: int) -> Scenario:
        """Returns the resolved scenario of a finished point, with the seed of its first replication.

        Raises:
            KeyError: it is not finished.
        """
        return Scenario.from_dict(self.document(point)["scenario"])

    def close(self) -> None:
        """Closes the store."""
        self.store.close()

    def __repr__(self) -> str:
        """One line: points and runs."""
        return f"<SweepResult: {self.study.points} points, {self.finished} runs finished>"

    def _repr_html_(self) -> str:
        """Returns what a notebook shows: the line of `repr`, and the summary's axes, throughput and latency."""
        table = _rounded(self.summary.short).to_html(
            max_rows=SHOWN_ROWS, float_format="{:.4g}".format, border=0, index=False
        )
        return f"<p>{escape(repr(self).strip('<>'))}</p>{table}"


def _rounded(table: "pd.DataFrame") -> "pd.DataFrame":
    """The table with text in columns of figures and their half widths: with the precision of the latter."""
    made = table.astype(object)
    for name in table.columns:
        if (half_width := interval_name(name)) in table:
            pairs = zip(table[name], table[half_width], strict=True)
            texts = [with_half_width(value, half, alone="{:.4g}".format) for value, half in pairs]
            made[name], made[half_width] = zip(*texts, strict=True) if texts else ((), ())
    return made


def _records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Rows as JSON takes them: None where there is no number."""
    # Python's own numbers, without NaN.
    columns = {name: table[name].astype(object).where(table[name].notna(), None).tolist() for name in table.columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
