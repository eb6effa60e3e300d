"""R. W. Todd, M. C. Chidester, A. D. George, *Directed Flow Control for Real-Time SCI*, 2001.

`figure8` to `figure11` each make what they are named after, from the scenario files beside them; `analytic` what the
paper derives without simulation, `nearest` what single protocols reach with settings of their own.
"""

from ringlet.papers.measurement import Measurement
from ringlet.papers.paper import SEEDS_IN_WORDS, Paper
from ringlet.papers.runs import Case
from ringlet.papers.todd2001 import figure8, figure9, figure10, figure11, nearest
from ringlet.papers.todd2001.curves import LOW_LOAD, SUSTAINED_LOADS
from ringlet.papers.todd2001.figures import paper_figures
from ringlet.papers.todd2001.notes import EXPLANATIONS
from ringlet.papers.todd2001.settings import COMMON
from ringlet.papers.todd2001.study import FULL, PAPER, QUICK, UNITS, Results, Scale, join, measure, peak_GBps
from ringlet.papers.todd2001.tables import paper_tables

TITLE = "Comparative Performance Analysis of Directed Flow Control for Real-Time SCI"
CITATION = (
    "R. W. Todd, M. C. Chidester, A. D. George, “Comparative Performance Analysis of Directed Flow Control for "
    "Real-Time SCI”, University of Florida, 2001"
)
ANALYTIC = frozenset({"todd2001.s4.peak", "todd2001.f11.limit"})
"""Rows that no run is behind."""


def all_cases(scale: Scale) -> list[Case]:
    """Returns every case of the study."""
    return [
        *figure8.cases(scale),
        *figure9.cases(scale),
        *figure10.cases(scale),
        *figure11.cases(scale),
        *nearest.cases(scale),
    ]


def measurements(results: Results, scale: Scale) -> dict[str, Measurement]:
    """Returns the obtained figures under the common host by row id."""
    return {
        **figure8.measurements(results, scale),
        **figure9.measurements(results, scale),
        **figure10.measurements(results, scale),
        **figure11.measurements(results, scale),
        "todd2001.s4.peak": Measurement(peak_GBps(), detail="analytic; GB = 10^9 bytes here, as in the paper"),
    }


def preset_in_words() -> str:
    """Returns what the common host is and how figures are read from curves."""
    low, (least, most) = LOW_LOAD, SUSTAINED_LOADS
    return (
        f"Preset {COMMON.name}: the same for all protocols, one symbol of framing for each packet, 5 requests and 5 "
        "responses in the input queues, 5 responses not yet accepted, unlimited reads under way, requests and "
        "responses in "
        f"turn, refused packets sent again at once. Sustained: mean of the two highest loads, {least:g} and {most:g} "
        f"MB/s per node (and priority). Low load: {low:g} MB/s. Peak: the highest of a curve's means over the seeds; "
        f"those of Figure 11 are of loads in steps of 5 MB/s, PPQ's in runs of {figure11.PEAK_DURATION['ppq']}. Where "
        "one published figure stands for several protocols or priorities, the one furthest from it counts. "
        f"{SEEDS_IN_WORDS}; runs of {figure11.PEAK_DURATION['ppq']} keep the first half."
    )


TODD2001 = Paper(
    name=PAPER,
    title=TITLE,
    citation=CITATION,
    full=FULL,
    quick=QUICK,
    full_s=73.1,
    quick_s=18.8,
    seeds=lambda scale: scale.seeds,
    cases=all_cases,
    long=figure11.long_cases,
    measure=measure,
    join=join,
    measurements={COMMON.name: measurements},
    has_runs=lambda row, obtained: row not in ANALYTIC,
    explanations=EXPLANATIONS,
    presets=preset_in_words(),
    tables=paper_tables,
    figures=paper_figures,
    units=UNITS,
)
