"""What networks cost and what they do for it."""

from collections.abc import Callable, Sequence

from ringlet.advice import Advice
from ringlet.advice.advised import Advised
from ringlet.advice.verdict import Interval
from ringlet.plots.chart import Axis, Chart, Level, Panel, Series
from ringlet.plots.palette import Colour, Marker

LOOKS: dict[str, tuple[Colour, Marker]] = {
    "fits": ("green", "circle"),
    "unclear": ("orange", "triangle"),
    "fails": ("vermilion", "cross"),
}


def advice_chart(advice: Advice) -> Chart:
    """Returns what each candidate carries, and its latency at the required rate, over its price; numbers are those of the table.

    Args:
        advice: of `ringlet.advice.advice`.
    """
    wanted = advice.requirements
    numbered = [(number, one) for number, one in enumerate(advice.ranked, 1) if one.verdict is not None]
    x = Axis("ports of switches" if wanted.prices.unit == "ports" else f"price ({wanted.prices.unit})", low=0.0)
    needed = max((one.verdict.offered_MBps for _, one in numbered if one.verdict is not None), default=0.0)
    most = Panel(
        x,
        Axis("most throughput (MB/s)", low=0.0),
        _series(numbered, lambda one: one.most, 1.0),
        levels=(Level("required", needed),),
    )
    limit = wanted.latency_ns
    latency = Panel(
        x,
        Axis(f"{wanted.latency_figure} latency (µs)", scale="log"),
        _series(numbered, lambda one: one.verdict.latency if one.verdict is not None else None, 1e-3),
        levels=() if limit is None else (Level("allowed", limit / 1e3),),
    )
    return Chart(
        name="advice",
        title="What candidate networks cost, and what they do for it",
        caption="Left: the largest throughput at any rate that was tried; the line is what is required. Right: latency at the required rate. "
        "Numbers: places in the table. Bars: 95 % intervals.",
        panels=(most, latency),
        columns=2,
    )


def _series(
    numbered: Sequence[tuple[int, Advised]], figure: Callable[[Advised], Interval | None], scale: float
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
