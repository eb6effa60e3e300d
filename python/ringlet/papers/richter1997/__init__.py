"""H. Richter, *Performance Optimization of SCI-Rings*, Section 4.6, 1997.

`delays` makes Figures 4.10 to 4.12 from the scenario files beside it, `lengths` shows what their gain rests on,
`one_place` what another responder gives, `cables` what the length of the cables decides.
"""

from collections.abc import Callable

from ringlet.papers.measurement import Measurement
from ringlet.papers.paper import SEEDS_IN_WORDS, Paper
from ringlet.papers.richter1997 import cables, delays, lengths, one_place
from ringlet.papers.richter1997.delays import ACCEPTED, LITERAL, READINGS, Reading
from ringlet.papers.richter1997.figures import paper_figures
from ringlet.papers.richter1997.notes import EXPLANATIONS
from ringlet.papers.richter1997.study import FULL, PAPER, QUICK, UNITS, Results, Scale, join, measure
from ringlet.papers.richter1997.tables import paper_tables
from ringlet.papers.runs import Case

TITLE = "Performance Optimization of SCI-Rings"
CITATION = "H. Richter, “Performance Optimization of SCI-Rings”, Section 4.6, 1997"


def all_cases(scale: Scale) -> list[Case]:
    """Returns every case of the study."""
    further = [] if scale.quick else [*lengths.cases(scale), *one_place.cases(scale)]
    return [*delays.cases(scale), *cables.cases(scale), *further]


def presets_in_words() -> str:
    """Returns what the two readings of the throughput count."""
    each = " ".join(f"Preset {reading.name}: throughput counts {reading.words}." for reading in READINGS)
    return (
        f"{each} Both are of the same runs. Initial delays up to {delays.SMALL_US:g} us are small; curves that differ "
        f"by less than "
        f"{delays.WIDTH_MBPS:g} MB/s are one line. {SEEDS_IN_WORDS}. "
        "Verdicts are those under the first preset."
    )


def _obtain(reading: Reading) -> Callable[[Results, Scale], dict[str, Measurement]]:
    return lambda results, scale: delays.measurements(results, reading, scale)


RICHTER1997 = Paper(
    name=PAPER,
    title=TITLE,
    citation=CITATION,
    full=FULL,
    quick=QUICK,
    full_s=12.0,
    quick_s=5.1,
    seeds=lambda scale: scale.seeds,
    cases=all_cases,
    measure=measure,
    join=join,
    measurements={reading.name: _obtain(reading) for reading in (LITERAL, ACCEPTED)},
    explanations=EXPLANATIONS,
    missing_inputs=cables.missing_inputs,
    presets=presets_in_words(),
    tables=paper_tables,
    figures=paper_figures,
    units=UNITS,
)
