"""Figures 4.10 to 4.12: throughput and retry traffic over the initial delay, under three strategies."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ringlet.papers.measurement import (
    Interval,
    Measurement,
    common_seeds,
    mean_interval,
    mean_run,
    parts_of_relation,
)
from ringlet.papers.richter1997.study import PAPER, Point, Results, Scale
from ringlet.papers.runs import Case

Strategy = Literal["constant", "linear", "exponential"]
STRATEGIES: tuple[Strategy, ...] = ("constant", "linear", "exponential")
"""Strategies, ordered by how fast the delay grows."""
Ratio = Literal["3:1", "9:1"]
FILES: dict[str, str] = {"3:1": "figure4-10.toml", "9:1": "figure4-11.toml"}
"""Fast requesters to slow responders, and their scenario files."""
SWITCH = "figure4-9-switch.toml"
BEST: Strategy = "exponential"
SMALL_US = 100.0
"""Largest initial delay that is small: beyond, a packet is hardly refused three times within a run."""
WIDTH_MBPS = 1.0
"""Curves that differ by less are one line."""

Values = Callable[[Point], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of what “raw” throughput counts."""

    name: str
    values: Values
    words: str


def _raw(point: Point) -> NDArray[np.float64]:
    return point.raw_MBps


def _accepted(point: Point) -> NDArray[np.float64]:
    return point.accepted_MBps


LITERAL = Reading(
    "put on the ring", _raw, "packets put on the ring for the first time, whether or not they are ever accepted"
)
ACCEPTED = Reading("accepted", _accepted, "packets that the responder accepts")
READINGS = (LITERAL, ACCEPTED)


def case(file: str, strategy: Strategy, delay_us: float, *more: str) -> Case:
    """Returns the case of one point."""
    return Case(PAPER, file, (f"retry.strategy={strategy}", f"retry.delay={delay_us:g} us", *more))


def cases(scale: Scale) -> list[Case]:
    """Returns the cases of the figures."""
    switch = (
        [] if scale.quick else [case(SWITCH, strategy, delay) for strategy in STRATEGIES for delay in scale.delays_us]
    )
    return [*row_cases(scale), *switch]


def row_cases(scale: Scale, *more: str) -> list[Case]:
    """Returns those that rows read: of the rings without a switch, with further overrides."""
    return [
        case(file, strategy, delay, *more)
        for file in FILES.values()
        for strategy in STRATEGIES
        for delay in scale.delays_us
    ]


def points(results: Results, file: str, strategy: Strategy, scale: Scale, *more: str) -> dict[float, Point]:
    """Returns a curve's points by initial delay in us."""
    return {delay: results[case(file, strategy, delay, *more)] for delay in scale.delays_us}


def measurements(results: Results, reading: Reading, scale: Scale, *more: str) -> dict[str, Measurement]:
    """Returns the rows under one reading of the throughput, with further overrides, by row id."""
    return {
        **throughputs(results, reading, scale, *more),
        f"{PAPER}.f10.order": _order(results, reading, scale, more),
        f"{PAPER}.f12.retry": _retries(results, scale, more),
    }


def throughputs(results: Results, reading: Reading, scale: Scale, *more: str) -> dict[str, Measurement]:
    """Returns those of them that are read without a delay and at the longest one."""
    longest = max(scale.delays_us)

    def throughput(ratio: Ratio, delay: float) -> NDArray[np.float64]:
        return reading.values(results[case(FILES[ratio], BEST, delay, *more)])

    def row(values: NDArray[np.float64], ratio: Ratio, delay: float, *others: float) -> Measurement:
        detail = f"{BEST}, initial delay {delay:g} us, over 2 ms"
        cases = [case(FILES[ratio], BEST, each, *more) for each in (delay, *others)]
        return mean_run(values, detail=detail, case=cases[0], cases=cases)

    ends = [throughput("3:1", delay) for delay in (longest, 0)]
    return {
        f"{PAPER}.f10.limit": row(throughput("3:1", longest), "3:1", longest),
        f"{PAPER}.f10.factor": row(np.divide(*common_seeds(ends)), "3:1", longest, 0),
        f"{PAPER}.f11.none": row(throughput("9:1", 0) / 1000, "9:1", 0),
        f"{PAPER}.f11.delay": row(throughput("9:1", longest) / 1000, "9:1", longest),
    }


def _order(results: Results, reading: Reading, scale: Scale, more: tuple[str, ...]) -> Measurement:
    """Returns 1 if a strategy whose delay grows faster is nowhere worse at small initial delays, else 0."""
    holds, shown, margins = True, list[str](), list[Interval]()
    for ratio, file in FILES.items():
        for delay in scale.delays_us:
            if not 0 < delay <= SMALL_US:
                continue
            cases = [case(file, strategy, delay, *more) for strategy in STRATEGIES]
            each = [float(reading.values(results[one]).mean()) for one in cases]
            holds &= all(slow <= fast + WIDTH_MBPS for slow, fast in pairwise(each))
            margins += [
                _margin(reading.values(results[slow]), reading.values(results[fast]), (slow, fast))
                for slow, fast in pairwise(cases)
            ]
            if delay == SMALL_US:
                shown.append(f"{ratio}: " + ", ".join(f"{value:z.0f}" for value in each))
    detail = f"{', '.join(STRATEGIES)} at {SMALL_US:g} us in MB/s, {'; '.join(shown)}"
    return Measurement(float(holds), detail=detail, intervals=parts_of_relation(margins))


def _margin(less: NDArray[np.float64], more: NDArray[np.float64], cases: tuple[Case, ...]) -> Interval:
    """Returns by how much, seed by seed, one value is at most another one and a line's width."""
    low, high = common_seeds([less, more])
    return mean_interval(high + WIDTH_MBPS - low, cases)


def _retries(results: Results, scale: Scale, more: tuple[str, ...]) -> Measurement:
    """Returns 1 if the retry traffic falls to 0 and never rises with a faster growing delay, else 0."""
    holds, shown, margins = True, list[str](), list[Interval]()
    for ratio, file in FILES.items():
        curves = [
            [float(point.retry_MBps.mean()) for point in points(results, file, strategy, scale, *more).values()]
            for strategy in STRATEGIES
        ]
        lines = [[case(file, strategy, delay, *more) for delay in scale.delays_us] for strategy in STRATEGIES]
        for line in lines:
            margins += [
                _margin(results[after].retry_MBps, results[before].retry_MBps, (before, after))
                for before, after in pairwise(line)
            ]
            margins.append(mean_interval(WIDTH_MBPS - results[line[-1]].retry_MBps, (line[-1],)))
        for curve in curves:
            holds &= all(after <= before + WIDTH_MBPS for before, after in pairwise(curve)) and curve[-1] < WIDTH_MBPS
        small = [place for place, delay in enumerate(scale.delays_us) if delay <= SMALL_US]
        for place in small:
            holds &= all(fast[place] <= slow[place] + WIDTH_MBPS for slow, fast in pairwise(curves))
            margins += [
                _margin(results[fast[place]].retry_MBps, results[slow[place]].retry_MBps, (slow[place], fast[place]))
                for slow, fast in pairwise(lines)
            ]
        shown.append(f"{ratio}: {curves[-1][0]:z.0f} to {curves[-1][-1]:z.0f}")
    detail = f"MB/s without delay and with the longest, {'; '.join(shown)}"
    return Measurement(float(holds), detail=detail, intervals=parts_of_relation(margins))
