"""Two runs, scenarios or studies beside each other: differences with intervals, and the keys that differ."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ringlet.drawable import Drawable
from ringlet.errors import RingletError
from ringlet.figures import BY_NAME, row_of_run
from ringlet.lazy import late, library
from ringlet.scenario import Scenario, ScenarioLike
from ringlet.scenario.file.reading import read_json
from ringlet.simulation import Result, engine_version
from ringlet.statistics import Paired, paired
from ringlet.studies.differences import compared, difference_columns
from ringlet.studies.result import SweepResult
from ringlet.studies.sweep import sweep

if TYPE_CHECKING:
    import pandas as pd
else:
    pd = library("pandas")

REPLICATIONS = 5
"""Runs of each scenario, without a number."""

VERSION = "ringlet"
"""Key that stands for the version of the code."""

Compared = ScenarioLike | SweepResult | Result
"""Things that can be compared."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of two things that are compared: the runs of its points."""

    name: str
    points: "pd.DataFrame"
    """One row per run."""
    figures: Sequence[str]
    axes: Sequence[str]
    scenario: Mapping[str, Any]
    """Resolved scenario of the first point."""
    engine: str
    """Version of the code that computed it; empty: unknown."""
    varying: Sequence[str] = ()
    """Keys of the scenario that vary from point to point."""


class Comparison:
    """Two runs, scenarios or studies, `a` and `b`, beside each other; all differences are `b` less `a`.

    >>> import ringlet as rl
    >>> ring = {"network": {"nodes": 4}, "run": {"duration": "20 us"}}
    >>> found = rl.compare({**ring, "flow_control": {"protocol": "none"}}, ring, replications=2, workers=1)
    >>> found.keys.values.tolist()
    [['flow_control.protocol', 'none', 'sci']]
    """

    def __init__(self, a: Side, b: Side) -> None:
        """Pairs the runs of both; callers use `ringlet.compare`."""
        self.a, self.b = a, b
        self._pairs = list(_pairs(a, b))

    @property
    def keys(self) -> "pd.DataFrame":
        """One row per key of the scenarios that differs, but for the axes and the seed: `key`, `a` and `b`, as JSON
        where they are no text; the row `ringlet` has versions of the code."""
        return pd.DataFrame(list(_different_keys(self.a, self.b)), columns=["key", "a", "b"])

    @property
    def table(self) -> "pd.DataFrame":
        """One row per point and figure: what varies, `figure`, the means `a` and `b`, `difference` and `ratio` with the
        half widths of their 95 % intervals, `pairs`, and `ci95_from`.

        `pairs` counts the seeds that both have, whose differences give the interval. With a single one the interval is
        that of two runs, by batch means, as if they were independent: `ci95_from` is then "batches".
        """
        return pd.DataFrame([row for pair in self._pairs for row in pair.rows()])

    @property
    def shown(self) -> "pd.DataFrame":
        """The rows of `table` that a reader needs first: throughput and latency of each point; of two single points
        also each other figure whose interval does not hold 0, but for one that has the values of another."""
        table = self.table
        usual = table["figure"].isin(SHOWN)
        if not self.axes:
            usual |= (table["difference"].abs() > table["difference_ci95"]) & ~table.duplicated(["a", "b"])
        return table[usual].reset_index(drop=True)

    @property
    def differences(self) -> "pd.DataFrame":
        """One row per point, as `SweepResult.differences` has them: `throughput_difference_MBps` and so on."""
        return pd.DataFrame([pair.record() for pair in self._pairs])

    @property
    def axes(self) -> list[str]:
        """Columns that vary."""
        return list(self.a.axes)

    def plot(self) -> Drawable:
        """Returns a figure: differences over what varies; of two single points the ratio of each figure."""
        chart: Drawable = late("plots.charts.comparison", "comparison_chart")(self)
        return chart

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of `ringlet compare`."""
        return {
            "schema": 1,
            "a": {"name": self.a.name, VERSION: self.a.engine},
            "b": {"name": self.b.name, VERSION: self.b.engine},
            "axes": self.axes,
            "keys": self.keys.to_dict(orient="records"),
            "rows": [
                {key: None if isinstance(value, float) and np.isnan(value) else value for key, value in row.items()}
                for pair in self._pairs
                for row in pair.rows()
            ],
        }

    def __repr__(self) -> str:
        """One line: what is compared."""
        return f"<Comparison of {self.a.name} and {self.b.name}: points with common seeds: {len(self._pairs)}>"

    def _repr_html_(self) -> str:
        """Returns what a notebook shows: the keys that differ, and the usual figures."""
        tables = (self.keys, self.shown)
        return "".join(
            each.to_html(float_format="{:.4g}".format, border=0, index=False, max_rows=32) for each in tables
        )


SHOWN = ("throughput_MBps", "latency_mean_ns", "latency_p99_ns")
"""Figures that a comparison shows in any case."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """A point of both: the figures of pairs of runs."""

    settings: Mapping[str, Any]
    names: Sequence[str]
    own: "pd.DataFrame"
    """Runs of `b`, in the order of `base`."""
    base: "pd.DataFrame"
    """Runs of `a`."""

    def record(self) -> dict[str, Any]:
        """Returns the point as a row of `differences`."""
        both = self._paired()
        return {**self.settings, "pairs": len(self.own), **difference_columns(self.names, both)}

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yields a row for each figure that both have."""
        both = self._paired()
        means = zip(self.base[list(self.names)].mean(), self.own[list(self.names)].mean(), strict=True)
        for i, (name, (a, b)) in enumerate(zip(self.names, means, strict=True)):
            if np.isfinite(a) and np.isfinite(b):
                yield {
                    **self.settings,
                    "figure": name,
                    "a": float(a),
                    "b": float(b),
                    "difference": float(both.difference[i]),
                    "difference_ci95": float(both.difference_half_width[i]),
                    "ratio": float(both.ratio[i]),
                    "ratio_ci95": float(both.ratio_half_width[i]),
                    "pairs": len(self.own),
                    "ci95_from": "pairs" if len(self.own) > 1 else "batches",
                }

    def _paired(self) -> Paired:
        """Returns the differences; those of a single pair of runs have the intervals of both runs."""
        names = list(self.names)
        values, baseline = (side[names].to_numpy(dtype=np.float64) for side in (self.own, self.base))
        both = paired(values, baseline)
        if len(self.own) > 1:
            return both
        half, half_base = self._half_widths(self.own), self._half_widths(self.base)
        # Two independent means: their relative errors add up as squares in the ratio, to first order.
        relative = np.hypot(_divided(half, values[0]), _divided(half_base, baseline[0]))
        return replace(
            both,
            difference_half_width=np.hypot(half, half_base),
            ratio_half_width=np.abs(both.ratio) * relative,
        )

    def _half_widths(self, runs: "pd.DataFrame") -> np.ndarray[Any, Any]:
        """Half widths of the intervals of a single run; NaN where it has none."""
        known = [BY_NAME[name] for name in map(str, runs) if name in BY_NAME]
        own = {figure.half_width_of: figure.name for figure in known if figure.half_width_of}
        found = [runs[own[name]].iloc[0] if name in own else np.nan for name in self.names]
        return np.array(found, dtype=np.float64)


def _divided(values: np.ndarray[Any, Any], by: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    found = np.full(values.shape, np.nan)
    np.divide(values, np.abs(by), out=found, where=by != 0)
    return found


def compare(a: Compared, b: Compared, *, replications: int = REPLICATIONS, workers: int | None = None) -> Comparison:
    """Compares two runs, two scenarios, or two studies with the same axes.

    Scenarios are simulated with common seeds, so that much of what chance does to both drops out of their difference.
    Of runs and studies those with the same seed are paired.

    >>> import ringlet as rl
    >>> traffic = {"arrivals": "poisson", "load": "50 MB/s"}
    >>> ring = {"network": {"nodes": 4}, "traffic": traffic, "run": {"duration": "50 us"}}
    >>> found = rl.compare(ring, ring | {"network": {"nodes": 4, "hop_delay": 10}}, replications=2, workers=1)
    >>> found.keys
                     key  a   b
    0  network.hop_delay  1  10

    Args:
        a: what `b` is compared with: a scenario (itself, what its file holds, or the file), a `Result`, the JSON of a
            run (`.json`), a `SweepResult`, or the output folder or the store of a sweep.
        b: the other one. A scenario beside a run takes its seed.
        replications: runs of each scenario.
        workers: processes on this machine; default: one per core.

    Raises:
        RingletError: something else is compared, the axes differ, or no runs have a common seed.
    """
    # Both are read before either is simulated.
    read = [_read(one, name) for one, name in ((a, "a"), (b, "b"))]
    first, second = (one if isinstance(one, Side) else _simulated(*one, replications, workers) for one in read)
    if first.name == second.name:
        first, second = replace(first, name=_path(a, "a")), replace(second, name=_path(b, "b"))
    return Comparison(first, second)


def _path(one: Compared, name: str) -> str:
    """Returns the whole path of a file, where its name is not enough; else the name."""
    return str(one) if isinstance(one, str | Path) else name


def _read(one: Compared, name: str) -> Side | tuple[Scenario, str]:
    """Returns what there is of one side: its runs, or the scenario that is to be simulated, with its name."""
    match one:
        case SweepResult():
            return _of_sweep(one, name)
        case Result():
            return _of_run(one.document, name, engine_version())
        case str() | Path():
            path = Path(one)
            if path.is_dir() or path.suffix == ".sqlite":
                result = SweepResult.load(path)
                try:
                    return _of_sweep(result, str(path))
                finally:
                    result.close()
            if path.suffix == ".json":
                return _of_file(path)
            name = path.stem
    return Scenario.of(one), name


def _simulated(scenario: Scenario, name: str, replications: int, workers: int | None) -> Side:
    result = sweep(scenario, replications=replications, workers=workers)
    try:
        return _of_sweep(result, name)
    finally:
        result.close()


def _of_file(path: Path) -> Side:
    document = read_json(path, "the JSON of a run")
    try:
        return _of_run(document, path.stem, "")
    except (KeyError, TypeError, AttributeError):
        raise RingletError(
            f"{path}: not the JSON of a run; allowed: what 'ringlet run SCENARIO --json' prints"
        ) from None


def _of_run(document: Mapping[str, Any], name: str, engine: str) -> Side:
    row = row_of_run(document)
    points = pd.DataFrame([{"seed": document["seed"], **row}])
    return Side(name, points, list(row), (), document["scenario"], engine)


def _of_sweep(result: SweepResult, name: str) -> Side:
    points = result.points
    if points.empty:
        failures = result.first_failures(1)
        why = f": {failures['reason'].iloc[0]}" if len(failures) else ""
        raise RingletError(f"{name}: no finished run{why}")
    scenario = result.document(int(points["point"].iloc[0]), int(points["replication"].iloc[0]))["scenario"]
    return Side(name, points, result.figures, result.axes, scenario, result.engine, result.study.space.keys)


def _pairs(a: Side, b: Side) -> Iterator[_Pair]:
    """Yields the points of both with their pairs of runs.

    Raises:
        RingletError: the axes differ, or there is no pair.
    """
    if list(a.axes) != list(b.axes):
        words = [", ".join(side.axes) or "none" for side in (a, b)]
        raise RingletError(f"{b.name}: its axes are {words[1]}; allowed: those of {a.name}, {words[0]}")
    names = compared([name for name in b.figures if name in set(a.figures)])
    keys = [*a.axes, "seed"]
    count = 0
    bases = dict(_by_point(a))
    for values, own in _by_point(b):
        base = bases.get(values)
        if base is None:
            continue
        single = len(own) == len(base) == 1
        seeds = [seed for seed in own["seed"] if seed in set(base["seed"])]
        if not seeds and not single:
            continue
        count += 1
        if not single:
            own, base = (
                side.drop_duplicates("seed").set_index("seed").loc[seeds].reset_index() for side in (own, base)
            )
        yield _Pair(dict(zip(a.axes, values, strict=True)), names, own, base)
    if not count:
        raise RingletError(
            f"{b.name}: no point and seed in common with {a.name}; allowed: the same values of {', '.join(keys)}"
        )


def _by_point(side: Side) -> "list[tuple[Any, pd.DataFrame]]":
    """Returns the runs of each point, with its settings in the order of the axes."""
    return list(side.points.groupby(list(side.axes), sort=False)) if side.axes else [((), side.points)]


def _different_keys(a: Side, b: Side) -> Iterator[tuple[str, str, str]]:
    flat = [dict(_flat("", side.scenario)) for side in (a, b)]
    varying = ("run.seed", *a.varying)
    for key in dict.fromkeys((*flat[0], *flat[1])):
        values = [_in_words(side[key]) if key in side else "-" for side in flat]
        if values[0] != values[1] and not any(key == each or key.startswith(f"{each}.") for each in varying):
            yield key, values[0], values[1]
    if a.engine and b.engine and a.engine != b.engine:
        yield VERSION, a.engine, b.engine


def _flat(before: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        name = f"{before}{key}"
        if isinstance(value, Mapping):
            yield from _flat(f"{name}.", value)
        else:
            yield name, value


def _in_words(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
