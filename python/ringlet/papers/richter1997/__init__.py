"""H. Richter, *Performance Optimization of SCI-Rings*, Section 4.6, 1997.

`delays` makes Figures 4.10 to 4.12 from the scenario files beside it, `lengths` shows what their gain rests on.
"""

from collections.abc import Mapping

from ringlet.papers.measurement import Measurement
from ringlet.papers.reproduction import PaperReproduction, Row
from ringlet.papers.richter1997 import delays, lengths
from ringlet.papers.richter1997.delays import ACCEPTED, LITERAL, READINGS
from ringlet.papers.richter1997.figures import paper_figures
from ringlet.papers.richter1997.notes import EXPLANATIONS
from ringlet.papers.richter1997.study import FULL, PAPER, QUICK, UNITS, Results, Scale, measure
from ringlet.papers.richter1997.tables import paper_tables
from ringlet.papers.rows import rows_of
from ringlet.papers.runs import Case, Progress, scenario_files, simulate

TITLE = "Performance Optimization of SCI-Rings"
CITATION = "H. Richter, “Performance Optimization of SCI-Rings”, Section 4.6, 1997"


def reproduce(*, quick: bool, workers: int | None = None, progress: Progress | None = None) -> PaperReproduction:
    """Reproduces the section's figures under both readings of what its throughput counts.

    Args and errors as for `ringlet.papers.reproduce`.
    """
    scale = QUICK if quick else FULL
    return report(simulate(all_cases(scale), measure, seeds=scale.seeds, workers=workers, progress=progress), scale)


def report(results: Results, scale: Scale) -> PaperReproduction:
    """Returns rows, tables and figures from the results of every case."""
    return PaperReproduction(
        paper=PAPER,
        title=TITLE,
        citation=CITATION,
        presets=presets_in_words(),
        rows=rows({reading.name: delays.measurements(results, reading, scale) for reading in READINGS}, scale),
        tables=paper_tables(results, scale),
        figures=paper_figures(results, scale),
        scenario_files=scenario_files(PAPER),
        units=UNITS,
    )


def all_cases(scale: Scale) -> list[Case]:
    """Returns every case of the study."""
    return [*lengths.cases(scale), *delays.cases(scale)]


def rows(measured: Mapping[str, Mapping[str, Measurement]], scale: Scale) -> tuple[Row, ...]:
    """Returns published beside obtained figures, from the measurements of each reading."""
    return rows_of(
        PAPER,
        measured,
        preset=LITERAL.name,
        other=ACCEPTED.name,
        seeds=lambda *_: len(scale.seeds),
        explanations=EXPLANATIONS,
    )


def presets_in_words() -> str:
    """Returns what the two readings of the throughput count."""
    each = " ".join(f"Preset {reading.name}: throughput counts {reading.words}." for reading in READINGS)
    return (
        f"{each} Both are of the same runs. Initial delays up to {delays.SMALL_US:g} us are small; curves that differ by less than "
        f"{delays.WIDTH_MBPS:g} MB/s are one line."
    )
