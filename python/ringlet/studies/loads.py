"""Loads of an adaptive axis: chosen from the results at those chosen before, close to each other where curves bend."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ringlet.errors import RingletError
from ringlet.studies.study import LOAD, Study

if TYPE_CHECKING:
    import pandas as pd

TRIAL = "1 MB/s"
"""Load whose growth until a resource is full is what a point can carry at most."""

BEYOND = 1.1
"""Largest load, as a part of the most that any point can carry: there even the best of them is overloaded."""

FIRST = (0.05, 0.25, 0.5, 0.75, 1.0)
"""Loads of the first round, as parts of the largest."""

STEPS = 200
"""Number of steps up to the largest load, at most: each is 1, 2 or 5 times a power of 10, and loads are multiples."""

CLOSEST = 1 / 32
"""Least distance of two loads that another one is put between, as a part of the largest: how closely the load is known
from which on a curve has no steady latency."""

CLIFF = 2.0
"""Latency at which an overloaded point is taken to be, as a multiple of the largest steady one: figures draw it there,
since it has no steady value."""

OVERLOADED = "overloaded"
"""Warning of a run to which more was offered than it carried."""

AT_ONCE = 0.5
"""Least length of a piece of a curve that is cut in a round, as a part of the longest one."""


class Measured(NamedTuple):
    """The mean latency of a curve at a load."""

    load: int
    """Load, in steps."""
    latency_ns: float
    overloaded: bool


Curve = Sequence[Measured]
"""Ascending loads."""


def with_chosen_loads(study: Study, summary_of: "Callable[[Study], pd.DataFrame]") -> Study:
    """Returns the study with loads in place of those that are to be chosen; a study that has its loads as it is.

    The first loads are spread over what the points can carry. Each round then looks at the curves of mean latency as a
    figure has them, its axis logarithmic, and cuts pieces in their middle: first those between the last point that is
    not overloaded and the first that is, until they are as narrow as `CLOSEST`; then the longest ones, whatever curve
    they belong to, which are those where a curve is steep. All points of the study have the same loads, so that they
    can be compared. What is chosen follows from the study and its results only.

    Args:
        study: the study.
        summary_of: runs a study and returns its summary.

    Raises:
        RingletError: no point has a largest load, or no run was finished.
    """
    auto = study.auto_loads
    if auto is None:
        return study
    largest = BEYOND * most_carried(study)
    step = _step(largest / STEPS)
    top = math.ceil(largest / step)
    chosen = sorted({max(1, round(part * top)) for part in FIRST})
    while True:
        found = study.with_loads([_in_words(load * step) for load in chosen])
        if len(chosen) >= auto.auto:
            return found
        more = further_loads(list(_curves(summary_of(found), found, step)), top, auto.auto - len(chosen))
        if not more:
            return found
        chosen = sorted({*chosen, *more})


def most_carried(study: Study) -> float:
    """Returns the load of each node, in MB/s, that the best of a study's points can carry by theory.

    Raises:
        RingletError: a bad point, or none for which there is such a load.
    """
    tried = study.with_loads([TRIAL])
    trial = float(TRIAL.split()[0])
    found = 0.0
    for point in range(tried.points):
        best = tried.point_scenario(point).optimum()
        if best is not None and best.growth is not None:
            found = max(found, trial * best.growth[0])
    if not found:
        raise RingletError.not_allowed(LOAD, "auto", "loads, or a range: by theory no point has a largest load")
    return found


def further_loads(curves: Sequence[Curve], top: int, most: int) -> list[int]:
    """Returns where to cut pieces of curves: at most so many loads, none of them where a curve has a point.

    Args:
        curves: of the points that are there.
        top: largest load, in steps.
        most: loads at most.
    """
    steady = [one.latency_ns for curve in curves for one in curve if not one.overloaded and one.latency_ns > 0]
    floor = min(steady, default=1.0)
    height = math.log(CLIFF * max(steady, default=1.0) / floor)
    lengths: dict[tuple[int, int], float] = {}
    cliffs: set[tuple[int, int]] = set()
    for curve in curves:
        for before, after in _pieces(curve, floor):
            if after.load - before.load > max(1.0, CLOSEST * top):
                rise = _height(after, floor, height) - _height(before, floor, height)
                length = math.hypot((after.load - before.load) / top, rise)
                ends = (before.load, after.load)
                lengths[ends] = max(length, lengths.get(ends, 0.0))
                if after.overloaded:
                    cliffs.add(ends)
    longest = sorted(cliffs or lengths, key=lambda ends: (-lengths[ends], ends))
    cut = [ends for ends in longest if lengths[ends] >= AT_ONCE * lengths[longest[0]]]
    return sorted({(first + last) // 2 for first, last in cut[:most]})


def _pieces(curve: Curve, floor: float) -> Iterator[tuple[Measured, Measured]]:
    """Yields the ends of the pieces of a curve up to its first overloaded point; one that begins there has a piece from
    no load on."""
    before = Measured(0, floor, overloaded=False) if curve and curve[0].overloaded else None
    for after in curve:
        if before is not None:
            yield before, after
        if after.overloaded:
            return
        before = after


def _height(one: Measured, floor: float, height: float) -> float:
    """Returns how high a point stands in a figure with a logarithmic axis: 0 at its floor, 1 at its upper end."""
    return 1.0 if one.overloaded else math.log(max(one.latency_ns, floor) / floor) / height


def _curves(summary: "pd.DataFrame", study: Study, step: float) -> Iterator[Curve]:
    """Yields the mean latency over the load of each combination of the values of the other axes."""
    if summary.empty:
        raise RingletError(f"{LOAD}: no run at the first loads was finished; 'ringlet run' says why")
    axis = next(i for i, keys in enumerate(study.space.axes) if LOAD in keys)
    by_curve: dict[int, list[Measured]] = {}
    for point, latency, warned_of in zip(
        summary["point"].tolist(), summary["latency_mean_ns"], summary["warned_of"], strict=True
    ):
        if math.isfinite(latency):
            load = round(float(study.space.settings(point)[LOAD].split()[0]) / step)
            measured = Measured(load, latency, OVERLOADED in warned_of)
            by_curve.setdefault(study.space.moved(point, {axis: 0}), []).append(measured)
    yield from (sorted(curve) for curve in by_curve.values())


def _step(least: float) -> float:
    """Returns the first of ..., 1, 2, 5, 10, 20, ... that is not below."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-12))


def _in_words(load: float) -> str:
    return f"{load:.9g} MB/s"
