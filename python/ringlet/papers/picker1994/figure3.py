"""Figure 3: every deterministic pattern of a 4-node ring (Section 5.4)."""

from dataclasses import dataclass, replace

import numpy as np

from ringlet.papers.measurement import Interval, Measurement, jointly, median_interval, median_run
from ringlet.papers.picker1994.patterns import PatternClass, pattern_classes
from ringlet.papers.picker1994.presets import MIXES, PROTOCOLS, Mix, Preset, Protocol
from ringlet.papers.picker1994.study import Results, case
from ringlet.papers.runs import Case

NODES = 4
CLASSES = pattern_classes(NODES)


@dataclass(frozen=True, slots=True)
class ClassComparison:
    """One pair of bars of the figure: average ring deviations of a class in %, medians over the seeds."""

    pattern: PatternClass
    sci_percent: float
    enhanced_percent: float

    @property
    def ratio(self) -> float:
        """Deviation under SCI over deviation under the enhanced protocol, the figure's x axis; 1 if both are 0."""
        if self.sci_percent == self.enhanced_percent:
            return 1.0
        return self.sci_percent / self.enhanced_percent if self.enhanced_percent else np.inf

    @property
    def excess_percent(self) -> float:
        """The deviation of the enhanced protocol less that of SCI, in percentage points."""
        return self.enhanced_percent - self.sci_percent


def case_of(preset: Preset, pattern: PatternClass, protocol: Protocol, mix: Mix) -> Case:
    """Returns the case of a class's representative: a rotation of the ring changes nothing else."""
    return case("figure3.toml", preset, protocol, mix, f"traffic.destinations={list(pattern.destinations)}")


def cases(preset: Preset) -> list[Case]:
    """Returns the cases of every class under every protocol, which Table 4 and Figure 4 use, too."""
    return [case_of(preset, pattern, protocol, mix) for pattern in CLASSES for protocol in PROTOCOLS for mix in MIXES]


def comparisons(results: Results, preset: Preset, mix: Mix) -> list[ClassComparison]:
    """Returns the classes in the figure's order: increasing improvement by the enhanced protocol."""
    found = []
    for pattern in CLASSES:
        sci = results[case_of(preset, pattern, "sci", mix)].average_percent
        enhanced = results[case_of(preset, pattern, "enhanced", mix)].average_percent
        found.append(ClassComparison(pattern, float(np.median(sci)), float(np.median(enhanced))))
    return sorted(found, key=lambda comparison: comparison.ratio)


def measurements(results: Results, preset: Preset) -> dict[str, Measurement]:
    """Returns the figure's rows by id.

    "In the case for which the enhanced scheme has the greatest performance degradation over SCI, the deviation is
    only 2.5 %": read as the enhanced protocol's deviation in the class with the largest excess over SCI. The excess
    stands in the detail.
    """
    found = {"picker1994.f3.classes": Measurement(float(len(CLASSES)))}
    for mix in MIXES:
        worst = max(comparisons(results, preset, mix), key=lambda comparison: comparison.excess_percent)
        line = case_of(preset, worst.pattern, "enhanced", mix)
        detail = f"class {worst.pattern.name}, {worst.excess_percent:+.1f} points against SCI"
        measured = median_run(results[line].average_percent, detail=detail, case=line)
        found[f"picker1994.f3.worst.{mix}"] = replace(measured, intervals=_may_be_worst(results, preset, mix))
    return found


def _may_be_worst(results: Results, preset: Preset, mix: Mix) -> tuple[Interval, ...]:
    """The enhanced protocol's intervals in the classes whose excess over SCI may be the largest."""
    pairs, excesses = [], []
    for pattern in CLASSES:
        sci, enhanced = (case_of(preset, pattern, protocol, mix) for protocol in ("sci", "enhanced"))
        each = [median_interval(results[case].average_percent, (sci, enhanced)) for case in (sci, enhanced)]
        pairs.append(each[1])
        excesses.append((each[1].low - each[0].high, each[1].high - each[0].low))
    least = max(low for low, _ in excesses)
    return jointly([pair for pair, (_, high) in zip(pairs, excesses, strict=True) if high >= least])
