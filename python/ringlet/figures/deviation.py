"""The deviation of the nodes from their fair shares, as in picker1994, Table 2."""

from collections.abc import Callable, Iterator, Sequence

from ringlet.document.figure import Figure
from ringlet.figures.by_part import in_total
from ringlet.figures.measurements import Found


def missing_percent(got: Sequence[float], best: Sequence[float]) -> list[float]:
    """Returns what `ringlet.analysis.adjusted_deviation` says of each node that could send."""
    return [max(0.0, 100 * (most - each) / most) for each, most in zip(got, best, strict=True) if most > 0]


def _from_fair_share(found: Found) -> Sequence[float]:
    best = found.fair_share
    return [] if best is None else missing_percent(found.words_per_cycle, best.words_per_cycle.tolist())


def _from_paper(found: Found) -> Sequence[float]:
    # Without the fair share the ring is too large for either.
    best = None if found.scenario.quick_optimum is None else found.scenario.paper_optimum
    return [] if best is None else missing_percent(found.words_per_cycle, best.tolist())


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _largest(values: Sequence[float]) -> float | None:
    return max(values, default=None)


def _deviations(key: str, words: str, what: str, of: Callable[[Found], Sequence[float]]) -> Iterator[Figure]:
    def figure(name: str, named: str, meaning: str, reduce: Callable[[Sequence[float]], float | None]) -> Figure:
        return Figure(
            f"{key}_{name}_percent",
            named,
            meaning,
            unit="%",
            values=in_total(lambda found: reduce(found.once(of))),
            at=(key, f"{name}_percent"),
            may_lack=True,
        )

    yield figure(
        "average",
        f"average deviation from {words}",
        f"What nodes that could send are short of {what}, in percent of it; more than it counts as none. Their mean: "
        "the average ring deviation of picker1994, Table 2, adjusted.",
        _mean,
    )
    yield figure(
        "maximum",
        f"maximum deviation from {words}",
        f"The same of the node that is furthest below {what}: the maximum node deviation of picker1994. Its mean over "
        "several runs is the average maximum deviation.",
        _largest,
    )


DEVIATIONS = (
    *_deviations("deviation", "the fair share", "their fair shares", _from_fair_share),
    *_deviations(
        "paper_deviation",
        "the paper's optimum",
        "the optimum with echoes of picker1994, Section 4.3, where its theory applies",
        _from_paper,
    ),
)
