"""The charts of one result, as `result.plot` offers them, and of several runs beside each other."""

from collections.abc import Callable
from functools import partial

from ringlet.drawable import RunPlots
from ringlet.errors import RingletError
from ringlet.plots.chart import Chart
from ringlet.plots.charts.registry import RUN_CHARTS
from ringlet.plots.documents import Runs, documents_of
from ringlet.simulation import Result


class PlotsOfRun(RunPlots):
    """The charts of a result: a method for each one in the registry, such as `nodes()`, `latency()` and `links()`.

    A notebook shows a `Chart` as it is; `draw()` makes a matplotlib figure of it. Called, it returns all charts that
    the result has. A chart that it has not raises `RingletError`.

    >>> import ringlet as rl
    >>> result = rl.run({"network": {"nodes": 4}, "run": {"duration": "20 us"}})
    >>> result.plot.nodes().title
    'Throughput of each node'
    >>> axes = result.plot.latency().panels[0].draw()
    """

    def __init__(self, result: Result) -> None:
        """Takes the result whose charts these are; `result.plot` is what callers want."""
        self._result = result

    def __getattr__(self, name: str) -> Callable[[], Chart]:
        """Returns what makes the chart with this name."""
        for chart in RUN_CHARTS:
            if chart.name == name:
                return partial(chart.drawn, self._result)
        raise AttributeError(f"a run has no chart {name!r}; there are {', '.join(one.name for one in RUN_CHARTS)}")

    def __dir__(self) -> list[str]:
        """Returns the names of the charts, which a notebook completes."""
        return [chart.name for chart in RUN_CHARTS]

    def __call__(self) -> tuple[Chart, ...]:
        """Returns `run_charts` of the result."""
        return run_charts(self._result)

    def __repr__(self) -> str:
        """One line: what can be called."""
        return f"<charts of a run: {', '.join(f'{chart.name}()' for chart in RUN_CHARTS)}>"


def run_charts(runs: Runs) -> tuple[Chart, ...]:
    """Returns every chart that there is of the runs, in the order of the registry.

    Raises:
        RingletError: no document.
    """
    documents = documents_of(runs)
    if not documents:
        raise RingletError("runs: none; allowed: one or more")
    return tuple(chart.drawn(documents) for chart in RUN_CHARTS if chart.applies(documents))
