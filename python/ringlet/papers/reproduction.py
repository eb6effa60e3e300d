"""A reproduction: rows of published beside obtained, further tables, figures, the scenario files."""

import csv
import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Literal

from ringlet.files import write_text, writing
from ringlet.papers.agreement import RULE, Undetermined, Verdict, agrees, verdict
from ringlet.papers.published import PublishedFigure
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
    """In the unit of the row."""
    spread: float | None
    """Standard deviation over the seeds."""


@dataclass(frozen=True, slots=True)
class Row:
    """A published figure beside the obtained one."""

    figure: PublishedFigure
    obtained: float
    """Under the paper's preset, in the unit of `figure`."""
    spread: float | None
    """Standard deviation over the seeds, in the same unit; None where the figure does not come from runs."""
    seeds: int
    """Runs averaged; 0 where the figure does not come from runs."""
    preset: str
    """Name of the preset that counts."""
    other: OtherPreset | None
    """The same under the other preset, if the paper has one."""
    detail: str
    """What the obtained figure stands for, where the row does not say it."""
    explanation: str
    """Our best explanation of a disagreement."""
    command: str
    """Command line of the run behind the figure, empty where there is no single one."""
    undetermined: Undetermined | None = None
    """The input that the paper does not give, where the figure depends on one."""

    @property
    def verdict(self) -> Verdict:
        """The verdict of `ringlet.papers.agreement.RULE` on the obtained figure."""
        return verdict(self.figure, self.obtained, self.undetermined)

    @property
    def agrees(self) -> bool:
        """Whether the obtained figure agrees."""
        return self.verdict == "agrees"

    @property
    def determined(self) -> bool:
        """Whether the paper gives every input on which the figure hangs, or the figure agrees all the same."""
        return self.verdict != "not determined"

    @property
    def agrees_other_preset(self) -> bool | None:
        """The same for the other preset, None without one."""
        return agrees(self.figure, self.other.obtained) if self.other else None

    @property
    def possible_range(self) -> tuple[float, float] | None:
        """Smallest and largest obtained figure over the possible inputs, in the unit of the row; None if determined."""
        if self.determined or self.undetermined is None:
            return None
        return self.undetermined.low, self.undetermined.high

    @property
    def reason(self) -> str:
        """The reason why the row does not agree: the missing input, or our best explanation; empty where it agrees."""
        if self.agrees:
            return ""
        return self.undetermined.reason if self.undetermined else self.explanation

    @property
    def note(self) -> str:
        """The meaning of the obtained figure and, where it does not agree, the reason."""
        return ". ".join(filter(None, [self.detail, self.reason]))

    def to_dict(self) -> dict[str, Any]:
        """Returns the row as JSON-safe values."""
        return {
            "id": self.figure.id,
            "published": self.figure.value,
            "published_hi": self.figure.value_hi,
            "obtained": self.obtained,
            "unit": self.figure.unit,
            "agrees": self.agrees,
            "determined": self.determined,
            "range": None if self.possible_range is None else list(self.possible_range),
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
    """What the presets are, in words."""
    rows: tuple[Row, ...]
    tables: tuple[Table, ...]
    figures: tuple[Chart, ...]
    scenario_files: tuple[str, ...]
    """Names of the scenario files in the package `ringlet.papers.<paper>`."""
    units: str = ""
    """What the units of the rows mean where it is not the usual, such as `MB = 2^20 bytes`."""
    over_seeds: Literal["mean", "median"] = "mean"
    """How the rows average over the seeds."""

    @property
    def other_preset(self) -> str | None:
        """Name of the other preset, if the paper has one."""
        return next((row.other.name for row in self.rows if row.other), None)

    @property
    def seeds_in_words(self) -> str:
        """How many seeds the rows average over, such as `2 to 5`; rows without runs are left out."""
        each = [row.seeds for row in self.rows if row.seeds] or [0]
        return f"{min(each)} to {max(each)}" if min(each) < max(each) else str(each[0])

    def scenario_source(self, name: str) -> str:
        """Returns the text of one of the scenario files."""
        return files(f"ringlet.papers.{self.paper}").joinpath(name).read_text(encoding="utf-8")


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
                with as_file(files(f"ringlet.papers.{paper.paper}").joinpath(name)) as path:
                    found[name] = Scenario.load(path)
        return found

    @property
    def agreeing(self) -> int:
        """Rows that agree."""
        return sum(row.agrees for row in self.rows)

    @property
    def determined(self) -> int:
        """Rows that agree or differ: those that their papers determine."""
        return sum(row.determined for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of `ringlet reproduce`."""
        return {
            "schema": 1,
            "quick": self.quick,
            "rule": RULE,
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
                text = files(f"ringlet.papers.{paper.paper}").joinpath(name).read_text(encoding="utf-8")
                write_text(scenarios / name, text)
                written.append(scenarios / name)
        return written


def write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    """Writes rows that have the same keys as a CSV file with a header."""
    with writing(path) as aside, aside.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
