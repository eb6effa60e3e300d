"""The largest load factor at which nothing is missed, by bisection."""

import math
from collections.abc import Callable

DOUBLINGS = 4
"""Times that a factor is doubled beyond full utilisation: the simulation may be too short for a miss."""

Probe = Callable[[float], str | None]
"""Simulates the set at a load factor; returns the message that missed its deadline first, None if none did."""


def bisect(
    probe: Probe, first_factor: float, tolerance: float, *, least_factor: float
) -> tuple[float, str | None, int]:
    """Returns the largest factor found without a miss, the message that misses beyond it, and the number of probes.

    Doubles from `first_factor` until there is a miss, or halves until there is none, and bisects between the two,
    geometrically.

    Args:
        probe: simulates the set.
        first_factor: to begin with.
        tolerance: relative distance of the factor found from one with a miss.
        least_factor: at and below which there is no probe; if the set misses at all above, the factor found is 0.
    """
    good, factor = 0.0, first_factor
    missed, probes = probe(factor), 1
    while missed is None:
        good = factor
        if probes > DOUBLINGS:
            return good, None, probes
        factor *= 2
        missed, probes = probe(factor), probes + 1
    bad, first_miss = factor, missed
    while good == 0.0:
        factor /= 2
        if factor <= least_factor:
            return 0.0, first_miss, probes
        missed, probes = probe(factor), probes + 1
        if missed is None:
            good = factor
        else:
            bad, first_miss = factor, missed
    while bad > good * (1 + tolerance):
        factor = math.sqrt(good * bad)
        missed, probes = probe(factor), probes + 1
        if missed is None:
            good = factor
        else:
            bad, first_miss = factor, missed
    return good, first_miss, probes
