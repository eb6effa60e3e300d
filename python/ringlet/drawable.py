"""Figures of results as lower layers see them: results offer what `ringlet.plots` draws, and load it when it is
called."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ringlet.lazy import late

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULT_FIGURES = ("throughput_MBps", "latency_mean_ns", "latency_p99_ns")
"""Names of the figures that a sweep draws by default."""

REPORT = "report.html"
"""Name of a report's page in its folder."""


class Drawable(Protocol):
    """A figure: a `ringlet.plots.Chart`, which a notebook shows as it is."""

    @property
    def name(self) -> str:
        """File name without suffix."""

    @property
    def title(self) -> str:
        """Subject of the figure, in a line."""

    @property
    def caption(self) -> str:
        """Description of what the figure shows, in sentences."""

    @property
    def panels(self) -> Sequence[Any]:
        """`ringlet.plots.Panel`s; each can be drawn into axes of the caller's."""

    def draw(self) -> "Figure":
        """Draws all panels with matplotlib and returns the figure, which the caller may restyle."""


class RunPlots:
    """The charts of a result: a method for each one in the registry, such as `nodes()`, `latency()` and `links()`.

    A notebook shows a `ringlet.plots.Chart` as it is; `draw()` makes a matplotlib figure of it. Called, it returns all
    charts that the result has. A chart that it has not raises `RingletError`.

    >>> import ringlet as rl
    >>> result = rl.run({"network": {"nodes": 4}, "run": {"duration": "20 us"}})
    >>> result.plot.nodes().title
    'Throughput of each node'
    >>> axes = result.plot.latency().panels[0].draw()
    """

    def __init__(self, result: Any) -> None:  # noqa: ANN401 - a result stands above its figures
        """Takes the `ringlet.Result` whose charts these are; `result.plot` is what callers want."""
        self._result = result

    def __getattr__(self, name: str) -> Callable[[], Drawable]:
        """Returns what makes the chart with this name, such as `nodes`."""
        if name.startswith("_"):
            raise AttributeError(name)
        made: Callable[[], Drawable] = late("plots.run_plots", "maker_of")(self._result, name)
        return made

    def __dir__(self) -> list[str]:
        """Returns the names of the charts, which a notebook completes."""
        names: list[str] = late("plots.run_plots", "chart_names")()
        return names

    def __call__(self) -> Sequence[Drawable]:
        """Returns every chart that the result has."""
        charts: Sequence[Drawable] = late("plots.run_plots", "run_charts")(self._result)
        return charts

    def __repr__(self) -> str:
        """One line: what can be called."""
        return f"<charts of a run: {', '.join(f'{name}()' for name in self.__dir__())}>"


class SweepPlots:
    """Figures of a sweep. A notebook shows a `ringlet.plots.Chart` as it is; `draw()` makes a matplotlib figure of it.

    >>> import ringlet as rl
    >>> ring = {"network": {"nodes": 4}, "run": {"duration": "20 us"}}
    >>> swept = rl.sweep(ring, {"traffic.load": ["50 MB/s", "100 MB/s"]}, replications=2, workers=1)
    >>> swept.plot.curves(y=["throughput_MBps"]).panels[0].x.label
    'offered load (MB/s)'
    """

    def __init__(self, result: Any) -> None:  # noqa: ANN401 - a result stands above its figures
        """Takes the `ringlet.SweepResult` whose figures these are; `swept.plot` is what callers want."""
        self._result = result

    def curves(
        self,
        *,
        x: str | None = None,
        y: Sequence[str] = DEFAULT_FIGURES,
        by: Sequence[str] | None = None,
        facet: Sequence[str] | None = None,
        where: Mapping[str, Sequence[Any]] | None = None,
        log: Sequence[str] | None = None,
        limits: Mapping[str, tuple[float, float]] | None = None,
        labels: Mapping[str, str] | None = None,
        title: str = "",
        model: bool = True,
        panel_inches: tuple[float, float] | None = None,
    ) -> Drawable:
        """Returns figures over one axis of the study, at least a panel for each.

        Args:
            x: column of `SweepResult.summary` along the axis; default: the first load, else the first number that
                varies.
            y: figures, such as `throughput_MBps`.
            by: columns whose values tell the curves apart: of two or three the first by colour, the second by marker,
                the third by line. Default without `facet` too: all others that vary, as curves and, where these would
                be more than ten, as panels.
            facet: columns whose values tell panels apart: the first along columns, a second along rows.
            where: values of columns whose points are shown; default: all.
            log: columns with a logarithmic axis; default: latencies.
            limits: ends of the axes of these columns.
            labels: words for columns and for values, in place of the usual ones.
            title: of the figure.
            model: whether the queueing model is drawn, where it is known.
            panel_inches: width and height of a panel.

        Raises:
            RingletError: no such column, nothing varies, or an axis that varies is not in `x`, `by`, `facet` or
                `where`.
        """
        drawn: Drawable = late("plots.sweep_plots", "curves_of")(
            self._result,
            x=x,
            by=by,
            facet=facet,
            where=where,
            y=y,
            log=log,
            limits=limits or {},
            labels=labels or {},
            title=title,
            model=model,
            panel_inches=panel_inches,
        )
        return drawn

    def differences(
        self,
        *,
        x: str | None = None,
        y: Sequence[str] = DEFAULT_FIGURES,
        by: Sequence[str] | None = None,
        facet: Sequence[str] | None = None,
        where: Mapping[str, Sequence[Any]] | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Drawable:
        """Returns the differences from the study's baseline over one axis; arguments as for `curves`.

        Raises:
            RingletError: the study has no baseline, and as for `curves`.
        """
        drawn: Drawable = late("plots.sweep_plots", "differences_of")(
            self._result, x=x, by=by, facet=facet, where=where, y=y, labels=labels or {}
        )
        return drawn

    def __repr__(self) -> str:
        """One line: what can be called."""
        return "<figures of a sweep: curves(), differences()>"
