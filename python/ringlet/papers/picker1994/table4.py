"""Table 4 and Figure 4: deviations over many traffic matrices (Section 5.4)."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.measurement import (
    Interval,
    Measurement,
    common_seeds,
    largest,
    median_interval,
    median_run,
    parts_of_relation,
)
from ringlet.papers.picker1994.population import RING_SIZES, families, members, primary_family
from ringlet.papers.picker1994.presets import MIXES, PROTOCOLS, Mix, Preset, Protocol
from ringlet.papers.picker1994.study import Results, Scale, weighted_average


@dataclass(frozen=True, slots=True)
class PopulationDeviation:
    """Deviations of one protocol over one population, in %."""

    nodes: int
    family: str
    protocol: Protocol
    mix: Mix
    averages: NDArray[np.float64]
    """Mean over the matrices of the average ring deviation under each seed, shape (seeds,)."""
    average: Measurement
    """Median of the deviations: a bar of Figure 4."""
    average_maximum: Measurement
    """Mean over the matrices of the maximum node deviation: "Ave Max Dev"."""
    maximum: Measurement
    """Maximum node deviation, median over the seeds, of the matrix in which it is largest: "Max Dev"."""


def deviation(
    results: Results, preset: Preset, nodes: int, family: str, protocol: Protocol, mix: Mix, scale: Scale
) -> PopulationDeviation:
    """Returns the deviations over one population."""
    population = members(preset, nodes, family, protocol, mix, scale)
    weights = [member.weight for member in population]
    averages = weighted_average([results[member.case].average_percent for member in population], weights)
    maxima = [results[member.case].maximum_percent for member in population]
    worst = int(np.argmax([np.median(maximum) for maximum in maxima]))
    cases = [member.case for member in population]
    maximum = median_run(maxima[worst], case=cases[worst])
    each = (median_interval(values, (case,)) for values, case in zip(maxima, cases, strict=True))
    return PopulationDeviation(
        nodes,
        family,
        protocol,
        mix,
        averages=averages,
        average=median_run(averages, cases=cases),
        average_maximum=median_run(weighted_average(maxima, weights), cases=cases),
        maximum=replace(maximum, intervals=(largest(each),)),
    )


def deviations(results: Results, preset: Preset, scale: Scale) -> list[PopulationDeviation]:
    """Returns the deviations over every population that a preset has."""
    return [
        deviation(results, preset, nodes, family, protocol, mix, scale)
        for nodes in RING_SIZES
        for family in families(nodes, preset)
        for protocol in PROTOCOLS
        for mix in MIXES
    ]


def measurements(results: Results, preset: Preset, scale: Scale) -> dict[str, Measurement]:
    """Returns the rows of Table 4 and Figure 4 by id, from each ring size's primary family."""
    found = {}
    for line in deviations(results, preset, scale):
        if line.family == primary_family(line.nodes):
            row = f"picker1994.t4.n{line.nodes}.{line.protocol}.{line.mix}"
            found[f"{row}.max"] = line.maximum
            found[f"{row}.avemax"] = line.average_maximum
    pairs = [
        (sci, enhanced)
        for sci, enhanced in figure4_pairs(results, preset, scale)
        if sci.family == primary_family(sci.nodes)
    ]
    broken = [enhanced for sci, enhanced in pairs if not is_better(enhanced, sci)]
    margins = [_margin(enhanced, sci) for sci, enhanced in pairs]
    found["picker1994.f4.order"] = Measurement(
        float(not broken), detail=_broken(broken), intervals=parts_of_relation(margins)
    )
    return found


def figure4_pairs(
    results: Results, preset: Preset, scale: Scale
) -> list[tuple[PopulationDeviation, PopulationDeviation]]:
    """Returns SCI and the enhanced protocol for each ring size, size mix and family: bars of Figure 4 side by side."""
    bars = {(line.nodes, line.mix, line.family, line.protocol): line for line in deviations(results, preset, scale)}
    return [
        (line, bars[nodes, mix, family, "enhanced"])
        for (nodes, mix, family, protocol), line in bars.items()
        if protocol == "sci"
    ]


def is_better(line: PopulationDeviation, other: PopulationDeviation) -> bool:
    """Says whether the average deviation of one protocol is below that of another."""
    return line.average.value < other.average.value


def _margin(less: PopulationDeviation, more: PopulationDeviation) -> Interval:
    """Returns by how much one bar is below another one, seed by seed."""
    low, high = common_seeds([less.averages, more.averages])
    cases = (case for line in (less, more) for interval in line.average.intervals for case in interval.cases)
    return median_interval(high - low, tuple(cases))


def _broken(lines: list[PopulationDeviation]) -> str:
    each = ", ".join(f"N={line.nodes} {line.mix}" for line in lines)
    return f"broken for {each}" if each else ""
