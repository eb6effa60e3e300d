"""One case of the table: it is run, and its figure is judged."""

import math
import tomllib
from copy import deepcopy
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import ringlet as rl
from ringlet.scenario.file.overrides import apply_override
from validation import figures, theory

TABLE = Path(__file__).parent / "cases.toml"
DIGITS = 4
"""Significant digits of what is expected and obtained."""


def rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """The keys of the table, which says what they mean."""

    id: str
    about: str
    title: str
    source: str
    scenario: dict[str, Any]
    figure: str
    unit: str
    expected: float = math.nan
    obtained: float = math.nan
    verdict: str = ""
    runs: tuple[str, ...] = ()
    theory: dict[str, Any] | None = None
    tolerance: float | None = None
    bound: str | None = None
    note: str = ""

    def run(self) -> float:
        """Returns the figure, from one run or several."""
        contents = [deepcopy(self.scenario) for _ in self.runs or [None]]
        for content, override in zip(contents, self.runs, strict=False):
            apply_override(content, override)
        return rounded(
            getattr(figures, self.figure)(*(rl.run(rl.Scenario.from_dict(content)).document for content in contents))
        )

    def by_theory(self) -> float:
        """Returns what the formula gives, or what is expected if there is none."""
        if self.theory is None:
            return self.expected
        arguments = dict(self.theory)
        formula = getattr(theory, arguments.pop("name"))
        factor = 100 if arguments.pop("percent", False) else 1
        return rounded(factor * formula(**arguments))

    def judge(self, expected: float, obtained: float) -> str:
        if self.bound is not None:
            agrees = obtained >= expected if self.bound == "least" else obtained <= expected
        else:
            agrees = abs(obtained - expected) <= self.tolerance / 100 * abs(expected)
        return "agrees" if agrees else "differs"


def cases(path: Path = TABLE) -> list[Case]:
    """Returns the table."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["case"]
    known = {field.name for field in fields(Case)}
    assert not [(entry["id"], key) for entry in entries for key in entry if key not in known]
    return [Case(**{"runs": (), **entry}) for entry in entries]
