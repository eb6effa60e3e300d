"""The charts of one result, which `result.plot` offers (`ringlet.drawable.RunPlots`), and of several runs."""

from collections.abc import Callable
from functools import partial

from ringlet.errors import RingletError
from ringlet.plots.chart import Chart
from ringlet.plots.charts.registry import RUN_CHARTS
from ringlet.plots.documents import Runs, documents_of
from ringlet.simulation import Result


def maker_of(result: Result, name: str) -> Callable[[], Chart]:
    """Returns what makes the chart of a result with this name.

    Raises:
        AttributeError: no chart is called so.
    """
    for chart in RUN_CHARTS:
        if chart.name == name:
            return partial(chart.drawn, result)
    raise AttributeError(f"a run has no chart {name!r}; there are {', '.join(chart_names())}")


def chart_names() -> list[str]:
    """Returns the name of each chart of a run, in the order of the registry."""
    return [chart.name for chart in RUN_CHARTS]


def run_charts(runs: Runs) -> tuple[Chart, ...]:
    """Returns every chart that there is of the runs, in the order of the registry.

    Raises:
        RingletError: no document.
    """
    documents = documents_of(runs)
    if not documents:
        raise RingletError("runs: none; allowed: one or more")
    return tuple(chart.drawn(documents) for chart in RUN_CHARTS if chart.applies(documents))
