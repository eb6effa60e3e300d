"""Rows that depend on an input which the paper does not give, and the range of ours over the possible inputs."""

from collections.abc import Callable

import numpy as np

from ringlet.papers.agreement import Undetermined
from ringlet.papers.picker1994 import population, table3, table4
from ringlet.papers.picker1994.presets import MIXES, PROTOCOLS, Mix, Preset, Protocol
from ringlet.papers.picker1994.study import PAPER, Results, Scale

MATRICES = (
    "The paper averages over random matrices and does not say how they are drawn; the range is over families "
    "of matrices"
)
WORST_MATRIX = (
    "The largest over random matrices that the paper does not give, and one bad matrix decides it; the range is over "
    "families of matrices"
)
MIXTURE = (
    "The paper averages over the 81 patterns and over random matrices whose number and kind it does not give; the "
    "range "
    "is over the patterns alone and families of matrices alone"
)
PROTOCOL = (
    "The published pair repeats the maximum and nearly the average without flow control, so it is not clear of which "
    "protocol it is; the range is over no flow control and SCI"
)

Figure = Callable[[table4.PopulationDeviation], float]


def undetermined(results: Results, preset: Preset, scale: Scale) -> dict[str, Undetermined]:
    """Returns the rows that the paper does not determine, whatever ours come to, by row id."""

    def over_families(nodes: int, protocol: Protocol, mix: Mix, figure: Figure, reason: str) -> Undetermined:
        values = [
            figure(table4.deviation(results, preset, nodes, family, protocol, mix, scale))
            for family in population.families(nodes)
        ]
        return Undetermined(reason, min(values), max(values))

    found = {}
    for mix in MIXES:
        row = f"{PAPER}.t4.n4.none.{mix}.avemax"
        found[row] = over_families(4, "none", mix, _average_maximum, MIXTURE)
        for nodes in (8, 16):
            for protocol in PROTOCOLS:
                row = f"{PAPER}.t4.n{nodes}.{protocol}.{mix}"
                found[f"{row}.avemax"] = over_families(nodes, protocol, mix, _average_maximum, MATRICES)
                # Without flow control every fan-in starves a node, and with one size SCI's worst fan-in is known by
                # its digits: 83.66 is a fan-in of 7 and 92.40 one of 15.
                if protocol == "enhanced" or (protocol, mix) == ("sci", "mixed"):
                    found[f"{row}.max"] = over_families(nodes, protocol, mix, _maximum, WORST_MATRIX)
    pair = [results[table3.case_of(preset, 16, protocol, "mixed")] for protocol in ("none", "sci")]
    averages = [float(np.median(each.average_percent)) for each in pair]
    maxima = [float(np.median(each.maximum_percent)) for each in pair]
    found[f"{PAPER}.t3.n16.sci.mixed.ave"] = Undetermined(PROTOCOL, min(averages), max(averages))
    found[f"{PAPER}.t3.n16.sci.mixed.max"] = Undetermined(PROTOCOL, min(maxima), max(maxima))
    return found


def _average_maximum(deviation: table4.PopulationDeviation) -> float:
    return deviation.average_maximum.value


def _maximum(deviation: table4.PopulationDeviation) -> float:
    return deviation.maximum.value
