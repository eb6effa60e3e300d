"""D. Picker, R. D. Fellman, P. M. Chau, *Enhancing SCI's Fairness Protocol for Increased Throughput*, 1994.

`table3`, `table4`, `figure3`, `figure5` and `examples` each make what they are named after, from the scenario files
beside them.
"""

from collections.abc import Callable

from ringlet.papers.measurement import Measurement
from ringlet.papers.paper import SEEDS_IN_WORDS, Paper
from ringlet.papers.picker1994 import examples, figure3, figure5, population, table3, table4
from ringlet.papers.picker1994.figures import paper_figures
from ringlet.papers.picker1994.missing import missing_inputs
from ringlet.papers.picker1994.notes import EXPLANATIONS
from ringlet.papers.picker1994.presets import DEFAULT_PRESET, PRESETS, Preset
from ringlet.papers.picker1994.study import FULL, PAPER, QUICK, Results, Scale, join, measure
from ringlet.papers.picker1994.tables import paper_tables
from ringlet.papers.runs import Case

TITLE = "Enhancing SCI's Fairness Protocol for Increased Throughput"
CITATION = (
    "D. Picker, R. D. Fellman, P. M. Chau, “Enhancing SCI's Fairness Protocol for Increased Throughput”, "
    "University of California, San Diego, 1994"
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


def presets_in_words() -> str:
    """Returns what the presets set, in one sentence each, and which cases have more seeds."""
    each = " ".join(
        f"Preset {preset.name}: packets of one size have {preset.one_size_bytes} bytes, hop delay "
        f"{preset.hop_delay_cycles} cycles, release {preset.release}, extension {preset.extension}"
        f"{' (default)' if preset == DEFAULT_PRESET else ''}."
        for preset in PRESETS
    )
    return f"{each} {SEEDS_IN_WORDS}. Verdicts are those under the default."


def _obtain(preset: Preset) -> Callable[[Results, Scale], dict[str, Measurement]]:
    return lambda results, scale: measurements(results, preset, scale)


PICKER1994 = Paper(
    name=PAPER,
    title=TITLE,
    citation=CITATION,
    full=FULL,
    quick=QUICK,
    full_s=26.6,
    quick_s=12.0,
    seeds=lambda scale: scale.seeds,
    cases=all_cases,
    measure=measure,
    join=join,
    measurements={
        preset.name: _obtain(preset) for preset in sorted(PRESETS, key=lambda preset: preset != DEFAULT_PRESET)
    },
    has_runs=lambda row, obtained: row != "picker1994.f3.classes",
    explanations=EXPLANATIONS,
    missing_inputs=lambda results, scale: missing_inputs(results, DEFAULT_PRESET, scale),
    presets=presets_in_words(),
    tables=paper_tables,
    figures=paper_figures,
    over_seeds="median",
)
