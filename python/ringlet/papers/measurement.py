"""One obtained figure, with its spread over the seeds, and the intervals that say whether its verdict is certain."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from ringlet.papers.agreement import CONFIDENCE, POINTS_TOLERANCE, RELATIVE_TOLERANCE, Range
from ringlet.papers.published import End, PublishedFigure
from ringlet.papers.runs import Case


@dataclass(frozen=True, slots=True)
class Interval:
    """The range in which the mean or the median of a figure lies with `CONFIDENCE`.

    That of a relation is (0, 0) if it surely fails, (1, 1) if it surely holds, else (0, 1).
    """

    low: float
    high: float
    cases: tuple[Case, ...]
    """Cases whose further seeds would make it narrower."""
    seeds: int
    """Runs of each case behind it."""
    of: Literal["mean", "median"] = "mean"
    """The quantity that it holds."""
    beside: int = 1
    """Figures of a row that one of them decides, this one among them."""
    end: End = ""
    """The published extreme with which it is compared, where the paper prints two."""

    @property
    def joint(self) -> tuple[float, float]:
        """Ends of the interval, widened so that it and the intervals of the figures beside it hold all at once
        (Bonferroni)."""
        if self.beside == 1:
            return self.low, self.high
        if self.of == "median":
            return (self.low, self.high) if _medians_hold(self.seeds, self.beside) else (-np.inf, np.inf)
        if not np.isfinite([self.low, self.high]).all():
            return self.low, self.high
        factor = _quantile(self.seeds, self.beside) / _quantile(self.seeds, 1)
        middle, half_width = (self.low + self.high) / 2, (self.high - self.low) / 2
        return middle - factor * half_width, middle + factor * half_width

    def scaled(self, factor: float) -> "Interval":
        """Returns the same in another unit; `factor` is positive."""
        return replace(self, low=factor * self.low, high=factor * self.high)


@dataclass(frozen=True, slots=True)
class Measurement:
    """One obtained figure."""

    value: float
    """Each run's metric, averaged over the seeds, in the row's unit; the paper says by mean or median."""
    spread: float | None = None
    """Standard deviation over the seeds; None where the figure does not come from runs."""
    detail: str = ""
    """Note on what the figure stands for, where the row does not say it."""
    case: Case | None = None
    """The case behind the figure, where there is one."""
    intervals: tuple[Interval, ...] = ()
    """Intervals of all figures of which this one counts because it is furthest, or of all parts of a relation; empty
    where nothing is random."""
    ends: Range | None = None
    """Ours of the two extremes that the paper prints, in the row's unit; `value` is the one further from its own."""

    @property
    def seeds(self) -> int:
        """Runs of each case behind the figure, the fewest; 0 where nothing is random."""
        return min((interval.seeds for interval in self.intervals), default=0)


def mean_interval(values: ArrayLike, cases: tuple[Case, ...]) -> Interval:
    """Returns Student's interval of the mean of one value per seed, shape (seeds,); without end for a single seed."""
    array = np.asarray(values, dtype=np.float64)
    if array.size < 2:
        return Interval(-np.inf, np.inf, cases, array.size)
    half_width = float(_quantile(array.size, 1) * array.std(ddof=1) / np.sqrt(array.size))
    return Interval(float(array.mean()) - half_width, float(array.mean()) + half_width, cases, array.size)


def jointly(intervals: Sequence[Interval]) -> tuple[Interval, ...]:
    """Returns the intervals of figures of which one decides a row: their joint ends hold with `CONFIDENCE`."""
    return tuple(replace(interval, beside=len(intervals)) for interval in intervals)


def _medians_hold(seeds: int, parts: int) -> bool:
    """Says whether as many medians lie between the smallest and the largest of their runs with `CONFIDENCE`."""
    return parts * 2.0 ** (1 - seeds) <= 1 - CONFIDENCE


def _quantile(seeds: int, parts: int) -> float:
    return float(stdtrit(seeds - 1, 1 - (1 - CONFIDENCE) / 2 / parts))


def median_interval(values: ArrayLike, cases: tuple[Case, ...]) -> Interval:
    """Returns the interval of the median from the smallest to the largest of one value per seed, shape (seeds,).

    All of n runs lie on one side of the median with probability 2^(1 - n), whatever the distribution: six runs suffice
    for 95 %. The interval of fewer is without end.
    """
    array = np.asarray(values, dtype=np.float64)
    if not _medians_hold(array.size, 1):
        return Interval(-np.inf, np.inf, cases, array.size, "median")
    return Interval(float(array.min()), float(array.max()), cases, array.size, "median")


def mean_run(
    values: ArrayLike, *, detail: str = "", case: Case | None = None, cases: Sequence[Case] = ()
) -> Measurement:
    """Returns mean and standard deviation of one value per seed, shape (seeds,); `cases` if more than one is read."""
    array = np.asarray(values, dtype=np.float64)
    spread = float(array.std(ddof=1)) if array.size > 1 else None
    interval = mean_interval(array, _read(case, cases))
    return Measurement(float(array.mean()), spread, detail, case, (interval,))


def median_run(
    values: ArrayLike, *, detail: str = "", case: Case | None = None, cases: Sequence[Case] = ()
) -> Measurement:
    """Returns median and standard deviation of one value per seed, shape (seeds,): what one run typically gives.

    Where runs end far from each other, no run gives their mean. A published figure of a single run is one draw, and the
    detail then says between which values the draws lie. `cases` if more than one is read.
    """
    array = np.asarray(values, dtype=np.float64)
    middle, low, high = float(np.median(array)), float(array.min()), float(array.max())
    apart = high - low > POINTS_TOLERANCE and high - low > 2 * RELATIVE_TOLERANCE * middle
    runs = f"single runs: {low:z.2f} to {high:z.2f}" if apart else ""
    spread = float(array.std(ddof=1)) if array.size > 1 else None
    interval = median_interval(array, _read(case, cases))
    return Measurement(middle, spread, ", ".join(filter(None, [detail, runs])), case, (interval,))


def _read(case: Case | None, cases: Sequence[Case]) -> tuple[Case, ...]:
    return tuple(cases) or ((case,) if case else ())


def two_extremes(figure: PublishedFigure, low: Measurement, high: Measurement, *, detail: str) -> Measurement:
    """Returns our two extremes as one measurement: the one further from its published one, as a part of it, counts."""
    pairs = ((low, figure.at("low")), (high, figure.at("high")))
    chosen, _ = max(pairs, key=lambda pair: abs(pair[0].value / pair[1].value - 1))
    ends: tuple[tuple[End, Measurement], ...] = (("low", low), ("high", high))
    each = [replace(interval, end=end) for end, one in ends for interval in one.intervals]
    return replace(chosen, detail=detail, ends=(low.value, high.value), intervals=jointly(each))


def common_seeds(values: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Returns the values of the seeds that all have, shape (seeds, ...) each: every case has the first ones."""
    least = min(len(each) for each in values)
    return [each[:least] for each in values]


def largest(intervals: Iterable[Interval]) -> Interval:
    """Returns the interval of the largest of several figures; its cases are of those that may be the largest.

    It surely is as large as one of these surely is: so its lower end is of intervals that hold together.
    """
    each = list(intervals)
    lower = max(interval.low for interval in each)
    candidates = jointly([interval for interval in each if not interval.high < lower]) or tuple(each)
    low = max(interval.joint[0] for interval in candidates)
    return Interval(
        low, max(interval.high for interval in each), _cases(candidates), _seeds(candidates), candidates[0].of
    )


def parts_of_relation(margins: Sequence[Interval]) -> tuple[Interval, ...]:
    """Returns the parts of a relation that holds if all of them do, each from the margin by which it holds.

    A part surely holds if its own margin surely is not negative, and surely fails if its joint interval is: with many
    parts some margins look negative by chance.
    """
    return tuple(relation((margin,), holds=margin.low >= 0, fails=margin.joint[1] < 0) for margin in jointly(margins))


def below(less: Interval, more: Interval) -> Interval:
    """Returns the relation that one figure is below another one."""
    return relation((less, more), holds=less.high < more.low, fails=less.low >= more.high)


def relation(intervals: Sequence[Interval], *, holds: bool, fails: bool) -> Interval:
    """Returns a relation of figures with these intervals, which surely holds, surely fails, or is open."""
    return Interval(float(holds), float(not fails), _cases(intervals), _seeds(intervals))


def _cases(intervals: Iterable[Interval]) -> tuple[Case, ...]:
    return tuple(dict.fromkeys(case for interval in intervals for case in interval.cases))


def _seeds(intervals: Iterable[Interval]) -> int:
    return min(interval.seeds for interval in intervals)
