"""The study: a base scenario, what varies, how often each point is simulated, what to draw."""

import hashlib
from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cached_property
from pathlib import Path
from typing import Any

from ringlet import scenario as scenarios
from ringlet.errors import RingletError
from ringlet.scenario import Scenario
from ringlet.scenario.file.kinds import lines_named, read_kind
from ringlet.scenario.file.overrides import set_value
from ringlet.scenario.flow_control import with_own_options
from ringlet.sections import Field, Section
from ringlet.sections.json_schema import published
from ringlet.store import canonical_json
from ringlet.store.store import without_seed
from ringlet.studies.axes import Auto, Axis, Setting, Space
from ringlet.studies.plot import Plot
from ringlet.studies.replications import Replications

SEED = "run.seed"

PROTOCOL = "flow_control.protocol"

LOAD = "traffic.load"
"""Key whose values may be left to ringlet."""

MOST_RUNS = 10**15
"""Runs of a study at most."""

CHECKED_POINTS = 1000
"""A study of at most so many points is checked as a whole before it begins; of a larger one, each value of each axis,
but of more numbers on an axis so many of them."""


MOST_KEPT_NODES = 1 << 14
"""Nodes of the scenarios, in all, that a study keeps from its check until their runs."""


class Study(Section):
    """A base scenario, the keys that vary, and how often each point is simulated.

    >>> import ringlet as rl
    >>> loads = {"traffic.load": ["50 MB/s", "100 MB/s"]}
    >>> rl.Study.from_dict({"scenario": {"network": {"nodes": 4}}, "axes": [loads]}).points
    2
    """

    title: str = Field(default="", description="A line for the tables and the report.")
    scenario: str | dict[str, Any] = Field(
        description="The base scenario: a file, relative to this one, or the scenario itself as tables "
        "`[scenario.network]` "
        "and so on."
    )
    axes: list[Axis] = Field(
        default=[],
        description="What varies: for each axis a table of keys of the scenario and their values. The points are all "
        "combinations of the axes; several keys on one axis move together and have equally many values.",
    )
    replications: Replications = Field(default=Replications(), description="How often each point is simulated.")
    plots: list[Plot] = Field(default=[], description="Figures to draw from the summary.")
    baseline: Setting | None = Field(
        default=None,
        description="What other points are compared with: for keys of axes one of their values, such as "
        '`flow_control.protocol = "none"`. Each point is compared with the one that has the same values on all other '
        "axes: differences and ratios have intervals over the seeds that both have.",
    )

    _file: Path | None = None
    _folder: Path = Path()
    _base: dict[str, Any]
    _base_folder: Path
    _texts: dict[int, tuple[str, int]]
    """Texts and seeds that `point_text` returns, of the points that `check` has built."""
    _kept: dict[int, Scenario]
    """Scenarios of points that `check` has built, until a point is taken."""
    _baseline_places: dict[int, int]

    @classmethod
    def load(cls, path: str | Path) -> "Study":
        """Reads a study from a TOML file.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        path = Path(path)
        content = read_kind(path, "a study")
        with lines_named(path):
            study = cls.from_dict(content, base_dir=path.parent)
        study._file = path
        return study

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], base_dir: str | Path | None = None) -> "Study":
        """Returns the study with the content of a file; `base_dir` is where files that it names start from.

        Raises:
            RingletError: what is wrong, where, and what is allowed.
        """
        return cls.checked(content, named="study", folder=None if base_dir is None else Path(base_dir))

    def _fits_together(self, folder: Path) -> None:
        self._folder, self._texts, self._kept = folder, {}, {}
        self._read_base()
        self._check_axes()
        if self.most_runs > MOST_RUNS:
            raise RingletError.not_allowed("axes", f"<{self.points:,} points>", f"at most {MOST_RUNS:,} runs")
        for i, plot in enumerate(self.plots):
            try:
                plot.check(self.space)
            except RingletError as error:
                raise RingletError(*(f"plots[{i}].{message}" for message in error.args)) from None
        self._check_baseline()

    def _check_baseline(self) -> None:
        places: dict[int, int] = {}
        for key, value in (self.baseline or {}).items():
            if key not in self.space.keys:
                raise RingletError.not_allowed(f"baseline.{key}", value, f"keys of axes: {self._keys_in_words()}")
            if (found := self.space.find(key, value)) is None:
                raise RingletError.not_allowed(f"baseline.{key}", value, "one of the values of its axis")
            number, place = found
            if places.setdefault(number, place) != place:
                raise RingletError.not_allowed(f"baseline.{key}", value, "values that move together on their axis")
        self._baseline_places = places

    def baseline_of(self, point: int) -> int:
        """Returns the point with which a point is compared, itself if it is a baseline."""
        return self.space.moved(point, self._baseline_places)

    @property
    def baseline_in_words(self) -> str:
        """The settings of the baseline, such as `none`; values that are no words have their keys."""
        each = (self.baseline or {}).items()
        return ", ".join(value if isinstance(value, str) else f"{key}={value}" for key, value in each)

    def _read_base(self) -> None:
        if isinstance(self.scenario, str):
            path = self._folder / self.scenario
            self._base = read_kind(path, "a scenario")
            self._base_folder = path.parent
        else:
            self._base, self._base_folder = self.scenario, self._folder

    def _check_axes(self) -> None:
        seen: dict[str, str] = {}
        for i, axis in enumerate(self.axes):
            for key, values in axis.items():
                if isinstance(values, Auto) and (key != LOAD or len(axis) > 1):
                    allowed = f"a list or a range of values; only {LOAD}, alone on its axis, is chosen"
                    raise RingletError.not_allowed(f"axes[{i}].{key}", "auto", allowed)
            sizes = {key: len(values) for key, values in axis.items()}
            if len(set(sizes.values())) > 1:
                words = ", ".join(f"{key} has {size}" for key, size in sizes.items())
                raise RingletError(f"axes[{i}]: keys that move together need equally many values; {words}")
            for key in axis:
                for other, place in seen.items():
                    if key == other or key.startswith(f"{other}.") or other.startswith(f"{key}."):
                        raise RingletError(f"axes[{i}].{key}: {place}.{other} sets it, too; each key may vary once")
                if not all(key.split(".")):
                    raise RingletError.not_allowed(f"axes[{i}]", key, "a key of the scenario, such as traffic.load")
                seen[key] = f"axes[{i}]"
        if SEED in seen and (self.replications.most > 1 or self.replications.seeds is not None):
            raise RingletError(
                f"{seen[SEED]}.{SEED}: the seeds of the replications would overlap; allowed: one of both"
            )

    def _keys_in_words(self) -> str:
        return ", ".join(self.space.keys) or "there is none"

    @cached_property
    def space(self) -> Space:
        """The points."""
        return Space(self.axes)

    @cached_property
    def _protocols(self) -> list[str]:
        """The protocols on an axis."""
        values = (axis.get(PROTOCOL, ()) for axis in self.space.axes)
        return [str(value) for listed in values if isinstance(listed, list) for value in listed]

    @property
    def auto_loads(self) -> Auto | None:
        """The axis of loads that are yet to be chosen; None without one."""
        return next((one for axis in self.axes for one in axis.values() if isinstance(one, Auto)), None)

    def with_loads(self, loads: list[str]) -> "Study":
        """Returns the study with these loads in place of those that are yet to be chosen.

        Raises:
            RingletError: another key of the study does not go with them.
        """
        content = self.to_dict()
        content["axes"] = [
            {
                key: loads if isinstance(given, Auto) else own
                for (key, given), own in zip(axis.items(), table.values(), strict=True)
            }
            for axis, table in zip(self.axes, content["axes"], strict=True)
        ]
        made = Study.from_dict(content, base_dir=self._base_folder)
        made._file = self._file
        return made

    @property
    def points(self) -> int:
        """Number of points."""
        return self.space.points

    @property
    def most_runs(self) -> int:
        """Runs that the whole study takes at most."""
        return self.points * self.replications.most

    def point_scenario(self, point: int) -> Scenario:
        """Returns the scenario of a point, with the seed of its first replication.

        Raises:
            RingletError: what is wrong with it; the message names the point.
        """
        settings = self.space.settings(point)
        content = _tables(self._base)
        try:
            for key, value in settings.items():
                if (blocking := set_value(content, key.split("."), value)) is not None:
                    raise RingletError(f"{key}: not allowed in the base scenario; {blocking}")
            if PROTOCOL in settings and isinstance(section := content["flow_control"], dict):
                # The base scenario may hold options of all protocols that the study compares.
                content["flow_control"] = with_own_options(section, self._protocols)
            return Scenario.from_dict(content, base_dir=self._base_folder)
        except RingletError as error:
            raise RingletError(*(self._placed(point, message) for message in error.args)) from None

    def point_text(self, point: int) -> tuple[str, int]:
        """Returns the resolved scenario of a point as JSON without its seed, and the seed of its first replication.

        Raises:
            RingletError: what is wrong with it; the message names the point.
        """
        if point in self._texts:
            return self._texts[point]
        scenario = self.point_scenario(point)
        return canonical_json(without_seed(scenario.to_dict())), scenario.seed

    def take_scenario(self, point: int) -> Scenario | None:
        """Returns the scenario of a point if `check` has built and kept it, and keeps it no longer; else None.

        Its runs are those of its text, `point_text`.
        """
        return self._kept.pop(point, None)

    def _placed(self, point: int, message: str) -> str:
        """Returns a message about the scenario of a point with file and line of its key, if there are any."""
        words = f"{self.place(point)}{message}"
        if (key := scenarios.key_of(message)) is None:
            return words
        places: list[tuple[Path | None, tuple[str | int, ...]]] = []
        for place, axis in enumerate(self.axes):
            for name in axis:
                if key[: name.count(".") + 1] == tuple(name.split(".")):
                    places += [(self._file, ("axes", place, *name.split("."))), (self._file, ("axes", place, name))]
        base = self._base_file
        places = places or [(self._file, ("scenario", *key)) if base is None else (base, key)]
        found = [
            (file, line)
            for file, key in places
            if file is not None and (line := scenarios.line_in(file, key)) is not None
        ]
        if not found:
            return words
        file, line = max(found, key=lambda one: one[1])
        return f"{file}, line {line}: {words if self.space.keys else message}"

    @property
    def _base_file(self) -> Path | None:
        return self._folder / self.scenario if isinstance(self.scenario, str) else None

    def place(self, point: int) -> str:
        """Returns the beginning of a message about a point: its number and settings."""
        settings = self.space.settings(point)
        if not settings:
            return "base scenario: " if not isinstance(self.scenario, str) else f"{self._folder / self.scenario}: "
        words = ", ".join(f"{key}={_short(value)}" for key, value in settings.items())
        return f"point {point} ({words}): "

    def check(self) -> str:
        """Builds the scenarios of all points, or of each value of each axis where there are more than 1,000 points.

        Of more than 1,000 numbers on an axis, 1,000 are tried, evenly spaced, with both ends; a point whose scenario is
        refused later is a failure of the study.

        Returns a digest of them: it changes with the files that they name.

        Raises:
            RingletError: what is wrong with the first bad one.
        """
        few = self.points <= CHECKED_POINTS
        digest = hashlib.sha256()
        self._texts, self._kept = {}, {}
        nodes = 0
        for point in range(self.points) if few else self.space.crossings(CHECKED_POINTS):
            scenario = self.point_scenario(point)
            content = scenario.to_dict()
            digest.update(canonical_json(content).encode())
            if few:
                self._texts[point] = canonical_json(without_seed(content)), scenario.seed
                nodes += scenario.network.nodes
                if nodes <= MOST_KEPT_NODES and scenario.names_no_file:
                    self._kept[point] = scenario
        return digest.hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Returns what a file would hold, with the base scenario inside, ready for JSON."""
        content = self.table()
        return {**content, "scenario": deepcopy(self._base)}


def study_schema() -> dict[str, Any]:
    """Returns the JSON Schema of study files, for editors."""
    return published("study", Study.json_schema())


def with_axes(scenario: Scenario, axes: object, replications: object) -> Study:
    """Returns the study of a scenario written in Python; arguments as `ringlet.sweep` takes them.

    Raises:
        RingletError: what is wrong, where, and what is allowed.
    """
    content: dict[str, Any] = {"scenario": scenario.table(with_none=True, only_given=True)}
    if isinstance(axes, Mapping):
        content["axes"] = [{key: _as_list(values)} for key, values in axes.items()]
    elif axes is not None:
        content["axes"] = [
            {key: _as_list(values) for key, values in axis.items()} if isinstance(axis, Mapping) else axis
            for axis in _iterated(axes)
        ]
    if isinstance(replications, int):
        content["replications"] = {"count": replications}
    elif replications is not None:
        content["replications"] = replications
    return Study.from_dict(content, base_dir=scenario.folder)


def _iterated(axes: Any) -> Iterator[Any]:  # noqa: ANN401 - whatever a caller gave
    try:
        yield from axes
    except TypeError:
        raise RingletError.not_allowed("axes", axes, "keys with their values, or a list of such") from None


def _as_list(values: Any) -> Any:  # noqa: ANN401 - whatever a caller gave
    """Arrays, ranges and tuples as lists of Python's own numbers."""
    if isinstance(values, str | Mapping | Section):
        return values
    return values.tolist() if hasattr(values, "tolist") else list(values) if hasattr(values, "__iter__") else values


def _tables(content: dict[str, Any]) -> dict[str, Any]:
    """A copy of tables, and lists of them, in which keys may be set; their values, which are never changed, are
    shared."""
    return {key: _copy(value) for key, value in content.items()}


def _copy(value: object) -> object:
    if isinstance(value, dict):
        return _tables(value)
    return [_copy(one) for one in value] if isinstance(value, list) and value and isinstance(value[0], dict) else value


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
