"""H. Richter, R. Kleber, M. Ohlenroth, *SCI Rings, Switches, and Networks for Data Acquisition Systems*, 1999.

`systems` makes Figures 6.21 to 6.27, `testbeds` Figures 6.2 to 6.8, `counts` what is counted, from the scenario files beside
them; `choices` holds the parameters; `variants`, `overload` and `locality` show what they decide, `others` what the chapter only draws.
"""

from collections.abc import Mapping

from ringlet.papers.measurement import Measurement
from ringlet.papers.reproduction import PaperReproduction, Row
from ringlet.papers.richter1999 import counts, locality, others, overload, systems, testbeds, variants
from ringlet.papers.richter1999.choices import PRINTED, READINGS, WRITES, Reading
from ringlet.papers.richter1999.figures import paper_figures
from ringlet.papers.richter1999.notes import EXPLANATIONS
from ringlet.papers.richter1999.study import FULL, PAPER, QUICK, SEED, UNITS, Results, Scale, measure
from ringlet.papers.richter1999.tables import paper_tables
from ringlet.papers.rows import rows_of
from ringlet.papers.runs import Case, Progress, scenario_files, simulate

TITLE = "SCI Rings, Switches, and Networks for Data Acquisition Systems"
CITATION = (
    "H. Richter, R. Kleber, M. Ohlenroth, “SCI Rings, Switches, and Networks for Data Acquisition Systems”, in: "
    "H. Hellwagner, A. Reinefeld (eds.), SCI: Scalable Coherent Interface, Springer 1999, Chapter 6"
)


def reproduce(*, quick: bool, workers: int | None = None, progress: Progress | None = None) -> PaperReproduction:
    """Reproduces the chapter's figures under both readings of its workload, its counts and its test beds.

    Args and errors as for `ringlet.papers.reproduce`.
    """
    scale = QUICK if quick else FULL
    return report(simulate(all_cases(scale), measure, seeds=(SEED,), workers=workers, progress=progress), scale)


def report(results: Results, scale: Scale) -> PaperReproduction:
    """Returns rows, tables and figures from the results of every case."""
    return PaperReproduction(
        paper=PAPER,
        title=TITLE,
        citation=CITATION,
        presets=presets_in_words(),
        rows=rows({reading.name: measurements(results, reading, scale) for reading in READINGS}),
        tables=paper_tables(results, scale),
        figures=paper_figures(results, scale),
        scenario_files=scenario_files(PAPER),
        units=UNITS,
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
    return sum(word in case.command() for word in ("figure6-2", "omega", "ringlets", "4 ms"))


def measurements(results: Results, reading: Reading, scale: Scale) -> dict[str, Measurement]:
    """Returns the obtained figures under one reading by row id; those that no workload is behind are the same in both."""
    return {
        **systems.measurements(results, reading, scale),
        **counts.measurements(results, scale),
        **testbeds.measurements(results, scale),
    }


def rows(measured: Mapping[str, Mapping[str, Measurement]]) -> tuple[Row, ...]:
    """Returns published beside obtained figures, from the measurements of each reading."""
    return rows_of(
        PAPER,
        measured,
        preset=PRINTED.name,
        other=WRITES.name,
        seeds=lambda _, obtained: 1 if obtained.case else 0,
        explanations=EXPLANATIONS,
    )


def presets_in_words() -> str:
    """Returns what the two readings are, and how figures are read from curves."""
    each = " ".join(f"Preset {reading.name}: {reading.words}." for reading in READINGS)
    return (
        f"{each} All other parameters are one set for all figures. Nothing is random, so there is one seed. A rate saturates a system if more than "
        f"{systems.LOST:.1%} of it is lost. Counts and test beds are the same in both."
    )
