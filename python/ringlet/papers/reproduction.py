"""A reproduction: rows of published beside obtained, further tables, figures, the scenario files."""

import csv
import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.resources import as_file
from pathlib import Path
from typing import Any, Literal

from ringlet.files import write_text, writing
from ringlet.papers.agreement import RULE, WORST_FIRST, MissingInput, Range, Verdict, verdict
from ringlet.papers.published import PublishedFigure
from ringlet.papers.runs import scenarios_of
from ringlet.plots import Chart
from ringlet.scenario import Scenario


def software_versions() -> dict[str, str]:
    """Returns the versions of what makes the figures."""
    packages = ("ringlet", "numpy", "scipy", "pandas", "matplotlib")
    return {"python": platform.python_version()} | {package: version(package) for package in packages}


@dataclass(frozen=True, slots=True)
class OtherPreset:
    """A row's figure under a second reading of the paper."""

    name: str
    obtained: float
    """Figure under the other preset, in the unit of the row."""
    spread: float | None
    """Standard deviation over the seeds."""
    ends: Range | None = None
    """Ours of two extremes that the paper prints."""


@dataclass(frozen=True, slots=True)
class Row:
    """A published figure beside the obtained one."""

    figure: PublishedFigure
    obtained: float
    """Figure under the paper's preset, in the unit of `figure`."""
    spread: float | None
    """Standard deviation over the seeds, in the same unit; None where the figure does not come from runs."""
    seeds: int
    """Runs averaged; 0 where the figure does not come from runs."""
    preset: str
    """Name of the preset that counts."""
    other: OtherPreset | None
    """Figure under the other preset; None if the paper has no other one."""
    detail: str
    """Note on what the obtained figure stands for, where the row does not say it."""
    explanation: str
    """Our best explanation of a disagreement."""
    command: str
    """Command line of the run behind the figure, empty where there is no single one."""
    missing: MissingInput | None = None
    """The input that the paper does not give, where the figure depends on one."""
    ends: Range | None = None
    """Ours of two extremes that the paper prints; `obtained` is the one further from its own."""

    @property
    def verdict(self) -> Verdict:
        """The class of the row by `ringlet.papers.agreement.RULE`."""
        return verdict(self.figure, self.obtained, self.missing, ends=self.ends)

    @property
    def agrees(self) -> bool:
        """True if the obtained figure agrees whatever the paper does not say."""
        return self.verdict == "agrees"

    @property
    def determined(self) -> bool:
        """True if the paper gives every input on which the figure hangs, as far as we know."""
        return self.missing is None

    @property
    def agrees_other_preset(self) -> bool | None:
        """True if the obtained figure agrees under the other preset; None without one."""
        if self.other is None:
            return None
        return verdict(self.figure, self.other.obtained, ends=self.other.ends) == "agrees"

    @property
    def possible_ranges(self) -> tuple[Range, ...]:
        """The smallest and largest obtained figure over the possible inputs, in the unit of the row; of each extreme
        where the paper prints two; none where no input is missing."""
        if self.missing is None:
            return ()
        return ((self.missing.low, self.missing.high), *([self.missing.upper] if self.missing.upper else []))

    @property
    def reason(self) -> str:
        """The missing input, and where the row differs our best explanation."""
        explained = self.explanation if self.verdict == "differs" else ""
        return ". ".join(filter(None, [self.missing.reason if self.missing else "", explained]))

    @property
    def note(self) -> str:
        """The meaning of the obtained figure, the missing input and, where it differs, our best explanation."""
        return ". ".join(filter(None, [self.detail, self.reason]))

    def to_dict(self) -> dict[str, Any]:
        """Returns the row as JSON-safe values."""
        return {
            "id": self.figure.id,
            "published": self.figure.value,
            "published_hi": self.figure.value_hi,
            "obtained": self.obtained,
            "obtained_ends": None if self.ends is None else list(self.ends),
            "unit": self.figure.unit,
            "verdict": self.verdict,
            "agrees": self.agrees,
            "determined": self.determined,
            "range": list(self.possible_ranges[0]) if self.possible_ranges else None,
            "range_hi": list(self.possible_ranges[1]) if len(self.possible_ranges) > 1 else None,
            "note": self.note,
            "spread": self.spread,
            "seeds": self.seeds,
            "preset": self.preset,
            "other_preset": self.other.name if self.other else None,
            "obtained_other_preset": self.other.obtained if self.other else None,
            "spread_other_preset": self.other.spread if self.other else None,
            "agrees_other_preset": self.agrees_other_preset,
            "paper": self.figure.paper,
            "place": self.figure.place,
            "scenario": self.figure.scenario,
            "metric": self.figure.metric,
            "kind": self.figure.kind,
            "command": self.command,
        }


@dataclass(frozen=True, slots=True)
class Table:
    """A table beside the rows, such as a worked example."""

    name: str
    title: str
    caption: str
    columns: tuple[str, ...]
    lines: tuple[tuple[str | float, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns the table as JSON-safe values."""
        return {
            "name": self.name,
            "title": self.title,
            "caption": self.caption,
            "columns": list(self.columns),
            "lines": [list(line) for line in self.lines],
        }


@dataclass(frozen=True, slots=True)
class PaperReproduction:
    """One paper, reproduced."""

    paper: str
    title: str
    citation: str
    presets: str
    """Description of the presets, in words."""
    rows: tuple[Row, ...]
    tables: tuple[Table, ...]
    figures: tuple[Chart, ...]
    scenario_files: tuple[str, ...]
    """Names of the scenario files in the package `ringlet.papers.<paper>`."""
    units: str = ""
    """Meaning of the units of the rows where it is not the usual one, such as `MB = 2^20 bytes`."""
    over_seeds: Literal["mean", "median"] = "mean"
    """Average of the rows over the seeds: mean or median."""

    @property
    def other_preset(self) -> str | None:
        """Name of the other preset, if the paper has one."""
        return next((row.other.name for row in self.rows if row.other), None)

    @property
    def seeds_in_words(self) -> str:
        """Number of seeds that the rows average over, such as `2 to 5`; rows without runs are left out."""
        each = [row.seeds for row in self.rows if row.seeds] or [0]
        return f"{min(each)} to {max(each)}" if min(each) < max(each) else str(each[0])

    def scenario_source(self, name: str) -> str:
        """Returns the text of one of the scenario files."""
        return scenarios_of(self.paper).joinpath(name).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Reproduction:
    """Papers, reproduced: what `ringlet reproduce` prints."""

    papers: tuple[PaperReproduction, ...]
    quick: bool
    """Fewer seeds and patterns, for a check rather than for a result."""
    wall_s: float
    """Wall-clock time of the runs."""
    versions: dict[str, str] = field(default_factory=software_versions)

    @property
    def rows(self) -> tuple[Row, ...]:
        """Rows of all papers."""
        return tuple(row for paper in self.papers for row in paper.rows)

    def scenarios(self) -> dict[str, Scenario]:
        """Returns the scenarios of all papers by the names of their files."""
        found = {}
        for paper in self.papers:
            for name in paper.scenario_files:
                with as_file(scenarios_of(paper.paper).joinpath(name)) as path:
                    found[name] = Scenario.load(path)
        return found

    @property
    def verdicts(self) -> dict[Verdict, int]:
        """Number of rows of each class."""
        return {each: sum(row.verdict == each for row in self.rows) for each in reversed(WORST_FIRST)}

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of `ringlet reproduce`."""
        return {
            "schema": 1,
            "quick": self.quick,
            "rule": RULE,
            "verdicts": self.verdicts,
            "units": {paper.paper: paper.units for paper in self.papers if paper.units},
            "rows": [row.to_dict() for row in self.rows],
            "tables": [table.to_dict() | {"paper": paper.paper} for paper in self.papers for table in paper.tables],
            "versions": self.versions,
        }

    def write_data(self, out: Path) -> list[Path]:
        """Writes `reproduction.json`, `rows.csv` and `scenarios/*.toml` into the folder `out` and returns the paths.

        Raises:
            OSError: the folder cannot be written.
        """
        out.mkdir(parents=True, exist_ok=True)
        written = [out / "reproduction.json", out / "rows.csv"]
        write_text(written[0], json.dumps(self.to_dict(), indent=1) + "\n")
        write_csv(written[1], [row.to_dict() for row in self.rows])
        scenarios = out / "scenarios"
        scenarios.mkdir(exist_ok=True)
        for paper in self.papers:
            for name in paper.scenario_files:
                text = scenarios_of(paper.paper).joinpath(name).read_text(encoding="utf-8")
                write_text(scenarios / name, text)
                written.append(scenarios / name)
        return written


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Writes rows that have the same keys as a CSV file with a header."""
    with writing(path) as aside, aside.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
