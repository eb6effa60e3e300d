"""A paper that can be reproduced: what is simulated, what is kept of it, and what is made of that."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Literal, TypeVar

from ringlet.papers.agreement import Explanations, MissingInput, certain, explanation, inside
from ringlet.papers.measurement import Measurement
from ringlet.papers.published import figures_of
from ringlet.papers.reproduction import OtherPreset, PaperReproduction, Row, Table
from ringlet.papers.runs import Case, Measure, Progress, scenario_files, simulate
from ringlet.plots import Chart

Scale = TypeVar("Scale")
Kept = TypeVar("Kept")

Measured = Mapping[str, Measurement]
"""Obtained figures by row id."""

SEEDS_IN_WORDS = (
    "Cases behind a row have the first half of the seeds, and the other half where they leave open whether the "
    "obtained figure agrees; cases behind none, and those of other possible inputs, have the first quarter"
)
"""The rule of `Paper.reproduce`, for the sentence on presets."""


@dataclass(frozen=True, kw_only=True)
class Paper(Generic[Scale, Kept]):
    """A paper. `Scale` says how much is simulated, `Kept` is what is kept of a case under all seeds."""

    name: str
    """Short name in `published.csv`; the package with the scenario files has it, too."""
    title: str
    citation: str
    full: Scale
    quick: Scale
    """Scale of a check, which gives no result."""
    full_s: float
    quick_s: float
    """Processor time of either, in seconds (docs/explanation/performance.md, "Sweeps")."""
    seeds: Callable[[Scale], Sequence[int]]
    """Every case is simulated once with each of the first quarter, with the rest of the first half if a row reads it,
    and with the others while the row's verdict is open."""
    cases: Callable[[Scale], Iterable[Case]]
    """Every case of the study; one that occurs twice is simulated once."""
    long: Callable[[Scale], Iterable[Case]] = lambda scale: ()
    """Cases that keep the first half of the seeds whatever the verdict, since they run much longer than others."""
    measure: Measure[Kept]
    join: Callable[[Kept, Kept], Kept] | None = None
    """Makes one of what is kept of a case under the first seeds and under the others; None with a single seed."""
    measurements: Mapping[str, Callable[[Mapping[Case, Kept], Scale], Measured]]
    """Functions that obtain figures, by the names of presets: first the one that counts, then the other one."""
    has_runs: Callable[[str, Measurement], bool] = lambda row, obtained: True
    """Returns whether there are runs behind a row."""
    explanations: Explanations
    """Our best explanations of disagreements."""
    missing_inputs: Callable[[Mapping[Case, Kept], Scale], Mapping[str, MissingInput]] = lambda results, scale: {}
    """Inputs that the paper does not give, by row id."""
    presets: str
    """Description of the presets, in words."""
    tables: Callable[[Mapping[Case, Kept], Scale], tuple[Table, ...]]
    figures: Callable[[Mapping[Case, Kept], Scale], tuple[Chart, ...]]
    units: str = ""
    over_seeds: Literal["mean", "median"] = "mean"

    def reproduce(
        self, *, quick: bool, workers: int | None = None, progress: Progress | None = None
    ) -> PaperReproduction:
        """Simulates every case and reports; arguments and errors as for `ringlet.papers.reproduce`."""
        scale = self.quick if quick else self.full
        seeds = self.seeds(scale)
        quarter, half = max(1, len(seeds) // 4), max(1, len(seeds) // 2)
        simulated = partial(simulate, measure=self.measure, workers=workers, progress=progress)
        results = simulated(self.cases(scale), seeds=seeds[:quarter])
        done = len(results)
        for choose, further in ((self.read_cases, seeds[quarter:half]), (self.open_cases, seeds[half:])):
            if self.join is not None and further:
                more = simulated(choose(results, scale), seeds=further, before=done)
                results |= {case: self.join(results[case], found) for case, found in more.items()}
                done += len(more)
        return self.report(results, scale)

    def read_cases(self, results: Mapping[Case, Kept], scale: Scale) -> list[Case]:
        """Returns the cases that rows rest on, under any preset; others are of ranges, pictures and tables alone."""
        each = (obtain(results, scale) for obtain in self.measurements.values())
        intervals = (interval for measured in each for found in measured.values() for interval in found.intervals)
        return list(dict.fromkeys(case for interval in intervals for case in interval.cases))

    def open_cases(self, results: Mapping[Case, Kept], scale: Scale) -> list[Case]:
        """Returns the cases of which further seeds could decide a row's verdict, under the preset that counts.

        A verdict is certain as soon as the row's interval is wholly inside or wholly outside what agrees, so that no
        verdict is favoured.
        """
        obtain = next(iter(self.measurements.values()))
        measured, long = obtain(results, scale), frozenset(self.long(scale))
        found = [
            case
            for figure in figures_of(self.name)
            if not certain(figure, measured[figure.id].intervals)
            for interval in measured[figure.id].intervals
            if not inside(figure, interval)
            for case in interval.cases
        ]
        return [case for case in dict.fromkeys(found) if case not in long]

    def report(self, results: Mapping[Case, Kept], scale: Scale) -> PaperReproduction:
        """Returns rows, tables and figures from the results of every case."""
        measured = {preset: obtain(results, scale) for preset, obtain in self.measurements.items()}
        return PaperReproduction(
            paper=self.name,
            title=self.title,
            citation=self.citation,
            presets=self.presets,
            rows=self.rows(measured, scale, missing_inputs=self.missing_inputs(results, scale)),
            tables=self.tables(results, scale),
            figures=self.figures(results, scale),
            scenario_files=scenario_files(self.name),
            units=self.units,
            over_seeds=self.over_seeds,
        )

    def rows(
        self, measured: Mapping[str, Measured], scale: Scale, *, missing_inputs: Mapping[str, MissingInput]
    ) -> tuple[Row, ...]:
        """Returns published beside obtained figures, one row for each published figure.

        Args:
            measured: by preset.
            scale: how much was simulated.
            missing_inputs: by row id, the inputs that the paper does not give.
        """
        counts, *others = self.measurements
        seeds = len(self.seeds(scale))
        found = []
        for figure in figures_of(self.name):
            obtained = measured[counts][figure.id]
            beside = [(other, measured[other][figure.id]) for other in others]
            found.append(
                Row(
                    figure=figure,
                    obtained=obtained.value,
                    ends=obtained.ends,
                    spread=obtained.spread,
                    seeds=(obtained.seeds or seeds) if self.has_runs(figure.id, obtained) else 0,
                    preset=counts,
                    other=next((OtherPreset(name, each.value, each.spread, each.ends) for name, each in beside), None),
                    detail=obtained.detail,
                    explanation=explanation(figure.id, self.explanations),
                    command=obtained.case.command() if obtained.case else "",
                    missing=missing_inputs.get(figure.id),
                )
            )
        return tuple(found)


AnyPaper = Paper[Any, Any]
