"""The chart of candidates: cost against throughput and latency."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ringlet import advice as network_advice
from ringlet.plots.chart import Chart, Panel
from ringlet.plots.palette import Colour, Marker
from ringlet.plots.parts import Axis, Level, Series

if TYPE_CHECKING:
    from ringlet.advice import Advice
    from ringlet.advice.advised import Advised
    from ringlet.advice.verdict import Interval

LOOKS: dict[str, tuple[Colour, Marker]] = {
    "fits": ("green", "circle"),
    "unclear": ("orange", "triangle"),
    "fails": ("vermilion", "cross"),
}


def advice_chart(advice: "Advice") -> Chart:
    """Returns what each candidate carries, and its latency at the required rate, over its price; numbers are those of
    the table.

    Args:
        advice: of `ringlet.advice.advice`.
    """

    wanted = advice.requirements
    # What theory rules out has no runs to draw.
    numbered = [(number, one) for number, one in enumerate(advice.ranked, 1) if one.verdict and one.verdict.runs]
    x = Axis("ports of switches" if wanted.prices.unit == "ports" else f"price ({wanted.prices.unit})", low=0.0)
    # What fits carries this share of what was offered in its own runs, which varies: so it lies on or above the least.
    share = 1 - wanted.loss - network_advice.FLUCTUATION
    needed = share * min((one.verdict.offered_MBps for _, one in numbered if one.verdict is not None), default=0.0)
    most = Panel(
        x,
        Axis("most throughput (MB/s)", low=0.0),
        _series(numbered, lambda one: one.most, 1.0),
        levels=(Level("required throughput", needed),),
        note="lines at marks: 95 % intervals",
    )
    limit = wanted.latency_ns
    latency = Panel(
        x,
        Axis(f"{wanted.latency_figure} latency (µs)", scale="log"),
        _series(numbered, lambda one: one.verdict.latency if one.verdict is not None else None, 1e-3),
        levels=() if limit is None else (Level("allowed latency", limit / 1e3, dashes="dotted"),),
        note="lines at marks: 95 % intervals",
    )
    return Chart(
        name="advice",
        title="What candidate networks cost, and what they do for it",
        caption="Left: the largest throughput at any rate that was tried; the dashed line is the least that fits: what "
        f"is offered, less the loss allowed and {100 * network_advice.FLUCTUATION:g} % that may be under way. Right: "
        "latency at the required rate; the dotted line is what is allowed. Numbers: places in the table. "
        "Lines: 95 % intervals.",
        panels=(most, latency),
        columns=2,
    )


def _series(
    numbered: "Sequence[tuple[int, Advised]]", figure: "Callable[[Advised], Interval | None]", scale: float
) -> tuple[Series, ...]:
    series = []
    for state, (colour, marker) in LOOKS.items():
        found = [
            (one.price, number, of_it) for number, one in numbered if one.state == state and (of_it := figure(one))
        ]
        found.sort(key=lambda each: each[:2])
        if not found:
            continue
        series.append(
            Series(
                state,
                tuple(price for price, _, _ in found),
                tuple(scale * one.mean for _, _, one in found),
                low=tuple(scale * one.low for _, _, one in found),
                high=tuple(scale * one.high for _, _, one in found),
                mark="points",
                colour=colour,
                marker=marker,
                labels=tuple(str(number) for _, number, _ in found),
            )
        )
    return tuple(series)
