"""Inputs that the paper does not give, and the range of ours over the possible ones: traffic matrices above all."""

from collections.abc import Callable

import numpy as np

from ringlet.papers.agreement import MissingInput
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
    "range is over the patterns alone and families of matrices alone"
)
WORST_OF_MIXTURE = (
    "The largest over the 81 patterns and over random matrices that the paper does not give; the range is from the "
    "patterns alone to the worst family of matrices"
)
ORDER = (
    "The figure averages over Table 4's matrices, which the paper does not give; a relation holds possibly if for each "
    "ring size and size mix it does in some family of matrices"
)
PROTOCOL = (
    "The published pair repeats the maximum and nearly the average without flow control, so it is not clear of which "
    "protocol it is; the range is over no flow control and SCI"
)

Figure = Callable[[table4.PopulationDeviation], float]


def missing_inputs(results: Results, preset: Preset, scale: Scale) -> dict[str, MissingInput]:
    """Returns the rows that hang on an input that the paper does not give, whatever ours come to, by row id."""
    found = {}
    for nodes in population.RING_SIZES:
        for protocol in PROTOCOLS:
            for mix in MIXES:
                row = f"{PAPER}.t4.n{nodes}.{protocol}.{mix}"
                found[f"{row}.avemax"], found[f"{row}.max"] = _of_line(results, preset, nodes, protocol, mix, scale)
    found[f"{PAPER}.f4.order"] = _order(results, preset, scale)
    pair = [results[table3.case_of(preset, 16, protocol, "mixed")] for protocol in ("none", "sci")]
    averages = [float(np.median(each.average_percent)) for each in pair]
    maxima = [float(np.median(each.maximum_percent)) for each in pair]
    found[f"{PAPER}.t3.n16.sci.mixed.ave"] = MissingInput(PROTOCOL, min(averages), max(averages))
    found[f"{PAPER}.t3.n16.sci.mixed.max"] = MissingInput(PROTOCOL, min(maxima), max(maxima))
    return found


def _of_line(
    results: Results, preset: Preset, nodes: int, protocol: Protocol, mix: Mix, scale: Scale
) -> tuple[MissingInput, MissingInput]:
    """The ranges of the average and of the largest maximum of one line of Table 4."""
    families = population.families(nodes)
    lines = [table4.deviation(results, preset, nodes, family, protocol, mix, scale) for family in families]
    averages, maxima = [line.average_maximum.value for line in lines], [line.maximum.value for line in lines]
    # The paper has all patterns of 4 nodes, so that its largest is theirs or larger.
    has_patterns = families[0] == population.ALL_PATTERNS
    least = maxima[0] if has_patterns else min(maxima)
    return (
        MissingInput(MIXTURE if has_patterns else MATRICES, min(averages), max(averages)),
        MissingInput(WORST_OF_MIXTURE if has_patterns else WORST_MATRIX, least, max(maxima)),
    )


def _order(results: Results, preset: Preset, scale: Scale) -> MissingInput:
    """1 or 0: Figure 4's order holds in every family; and in one at least for each ring size and size mix."""
    pairs = table4.figure4_pairs(results, preset, scale)
    broken = [enhanced for sci, enhanced in pairs if not table4.is_better(enhanced, sci)]
    holds = {(enhanced.nodes, enhanced.mix) for sci, enhanced in pairs if table4.is_better(enhanced, sci)}
    everywhere = len(holds) == len(population.RING_SIZES) * len(MIXES)
    names = ", ".join(f"N={line.nodes} {line.mix} {line.family}" for line in broken)
    return MissingInput(f"{ORDER}; it does not for {names}" if broken else ORDER, float(not broken), float(everywhere))
