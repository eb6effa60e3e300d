"""D. Picker, R. D. Fellman, P. M. Chau, *Enhancing SCI's Fairness Protocol for Increased Throughput*, 1994.

`table3`, `table4`, `figure3`, `figure5` and `examples` each make what they are named after, from the scenario files
beside them.
"""

from collections.abc import Mapping

from ringlet.papers.agreement import Undetermined
from ringlet.papers.measurement import Measurement
from ringlet.papers.picker1994 import examples, figure3, figure5, population, table3, table4
from ringlet.papers.picker1994.deviations import measure
from ringlet.papers.picker1994.figures import paper_figures
from ringlet.papers.picker1994.notes import EXPLANATIONS
from ringlet.papers.picker1994.presets import DEFAULT_PRESET, PRESETS, Preset
from ringlet.papers.picker1994.study import FULL, PAPER, QUICK, Results, Scale
from ringlet.papers.picker1994.tables import paper_tables
from ringlet.papers.picker1994.undetermined import undetermined
from ringlet.papers.reproduction import PaperReproduction, Row
from ringlet.papers.rows import rows_of
from ringlet.papers.runs import Case, Progress, scenario_files, simulate

TITLE = "Enhancing SCI's Fairness Protocol for Increased Throughput"
CITATION = (
    "D. Picker, R. D. Fellman, P. M. Chau, “Enhancing SCI's Fairness Protocol for Increased Throughput”, "
    "University of California, San Diego, 1994"
)


def reproduce(*, quick: bool, workers: int | None = None, progress: Progress | None = None) -> PaperReproduction:
    """Reproduces the paper's tables, figures and worked examples, under both presets.

    Args and errors as for `ringlet.papers.reproduce`.
    """
    scale = QUICK if quick else FULL
    results = simulate(all_cases(scale), measure, seeds=scale.seeds, workers=workers, progress=progress)
    measured = {preset.name: measurements(results, preset, scale) for preset in PRESETS}
    return PaperReproduction(
        paper=PAPER,
        title=TITLE,
        citation=CITATION,
        presets=presets_in_words(),
        rows=rows(measured, undetermined(results, DEFAULT_PRESET, scale), scale),
        tables=paper_tables(results, scale),
        figures=paper_figures(results, scale),
        scenario_files=scenario_files(PAPER),
        over_seeds="median",
    )


def all_cases(scale: Scale) -> list[Case]:
    """Returns every case of the study, under both presets; some occur more than once."""
    return [
        case
        for preset in PRESETS
        for case in (
            *table3.cases(preset),
            *figure3.cases(preset),
            *population.cases(preset, scale),
            *figure5.cases(preset),
            *examples.cases(preset),
        )
    ]


def measurements(results: Results, preset: Preset, scale: Scale) -> dict[str, Measurement]:
    """Returns the obtained figures under one preset by row id."""
    return {
        **table3.measurements(results, preset),
        **table4.measurements(results, preset, scale),
        **figure3.measurements(results, preset),
        **figure5.measurements(results, preset),
    }


def rows(
    measured: Mapping[str, Mapping[str, Measurement]], undetermined: Mapping[str, Undetermined], scale: Scale
) -> tuple[Row, ...]:
    """Returns published beside obtained figures, from the measurements of each preset."""
    (other,) = (preset for preset in PRESETS if preset != DEFAULT_PRESET)
    return rows_of(
        PAPER,
        measured,
        preset=DEFAULT_PRESET.name,
        other=other.name,
        seeds=lambda row, _: len(scale.seeds) if row != "picker1994.f3.classes" else 0,
        explanations=EXPLANATIONS,
        undetermined=undetermined,
    )


def presets_in_words() -> str:
    """Returns what the presets set, in one sentence each."""
    return " ".join(
        f"Preset {preset.name}: packets of one size have {preset.one_size_bytes} bytes, hop delay "
        f"{preset.hop_delay_cycles} cycles, release {preset.release}, extension {preset.extension}"
        f"{' (default)' if preset == DEFAULT_PRESET else ''}."
        for preset in PRESETS
    )
