"""H. Richter, R. Kleber, M. Ohlenroth, *SCI Rings, Switches, and Networks for Data Acquisition Systems*, 1999.

`systems` makes Figures 6.21 to 6.27, `testbeds` Figures 6.2 to 6.11, `counts` what is counted, from the scenario files
beside them; `choices` holds the parameters; `variants`, `overload` and `locality` show what they decide, `others` what
the chapter only draws.
"""

from collections.abc import Callable

from ringlet.papers.agreement import MissingInput
from ringlet.papers.measurement import Measurement
from ringlet.papers.paper import Paper
from ringlet.papers.richter1999 import counts, locality, others, overload, systems, testbeds, variants
from ringlet.papers.richter1999.choices import PRINTED, READINGS, WRITES, Reading
from ringlet.papers.richter1999.figures import paper_figures
from ringlet.papers.richter1999.notes import EXPLANATIONS
from ringlet.papers.richter1999.study import FULL, PAPER, QUICK, SEED, UNITS, Results, Scale, measure
from ringlet.papers.richter1999.tables import paper_tables
from ringlet.papers.runs import Case

TITLE = "SCI Rings, Switches, and Networks for Data Acquisition Systems"
CITATION = (
    "H. Richter, R. Kleber, M. Ohlenroth, “SCI Rings, Switches, and Networks for Data Acquisition Systems”, in: "
    "H. Hellwagner, A. Reinefeld (eds.), SCI: Scalable Coherent Interface, Springer 1999, Chapter 6"
)


def all_cases(scale: Scale) -> list[Case]:
    """Returns every case of the study."""
    curves = [
        systems.case(system, reading, rate, scale)
        for system in systems.SYSTEMS
        for reading in READINGS
        for rate in systems.rates_MBps(scale)
    ]
    further = (part.cases(scale) for part in (counts, testbeds, variants, overload, locality, others))
    # The longest ones first, so that no worker is left alone with one.
    return sorted((*curves, *(case for cases in further for case in cases)), key=_cost, reverse=True)


def _cost(case: Case) -> int:
    return sum(word in case.command() for word in ("figure6-2", "omega", "ringlets", "2 ms"))


def measurements(results: Results, reading: Reading, scale: Scale) -> dict[str, Measurement]:
    """Returns the obtained figures under one reading by row id; those that no workload is behind are the same in
    both."""
    return {
        **systems.measurements(results, reading, scale),
        **counts.measurements(results, scale),
        **testbeds.measurements(results, scale),
    }


def presets_in_words() -> str:
    """Returns what the two readings are, and how figures are read from curves."""
    each = " ".join(f"Preset {reading.name}: {reading.words}." for reading in READINGS)
    return (
        f"{each} All other parameters are one set for all figures. Nothing is random, so there is one seed. A rate "
        f"saturates a system if more than "
        f"{systems.LOST:.1%} of it is lost. Counts and test beds are the same in both."
    )


def _obtain(reading: Reading) -> Callable[[Results, Scale], dict[str, Measurement]]:
    return lambda results, scale: measurements(results, reading, scale)


def _missing_inputs(results: Results, scale: Scale) -> dict[str, MissingInput]:
    return {**overload.missing_inputs(results, scale), **testbeds.missing_inputs(results, scale)}


RICHTER1999 = Paper(
    name=PAPER,
    title=TITLE,
    citation=CITATION,
    full=FULL,
    quick=QUICK,
    full_s=50.5,
    quick_s=8.9,
    seeds=lambda scale: (SEED,),
    cases=all_cases,
    measure=measure,
    measurements={reading.name: _obtain(reading) for reading in (PRINTED, WRITES)},
    has_runs=lambda row, obtained: obtained.case is not None,
    explanations=EXPLANATIONS,
    missing_inputs=_missing_inputs,
    presets=presets_in_words(),
    tables=paper_tables,
    figures=paper_figures,
    units=UNITS,
)
