"""The figures of a sweep, as `swept.plot` offers them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ringlet.drawable import DEFAULT_FIGURES, SweepPlots
from ringlet.errors import RingletError
from ringlet.plots.chart import Chart
from ringlet.plots.charts.differences import drawn_differences
from ringlet.plots.labels import NO_LABELS
from ringlet.plots.sweeps import Layout, check_complete, chosen_rows, default_layout, drawn_sweep
from ringlet.studies.result import SweepResult


class PlotsOfSweep(SweepPlots):
    """Figures of a sweep. A notebook shows a `Chart` as it is; `draw()` makes a matplotlib figure of it.

    >>> import ringlet as rl
    >>> ring = {"network": {"nodes": 4}, "run": {"duration": "20 us"}}
    >>> swept = rl.sweep(ring, {"traffic.load": ["50 MB/s", "100 MB/s"]}, replications=2, workers=1)
    >>> swept.plot.curves(y=["throughput_MBps"]).panels[0].x.label
    'offered load (MB/s)'
    """

    def __init__(self, result: SweepResult) -> None:
        """Takes the sweep whose figures these are; `swept.plot` is what callers want."""
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
    ) -> Chart:
        """Returns the figure of the summary that is described."""
        layout = self._layout(x, y, by, facet, where, labels)
        layout = replace(layout, log=log, limits=limits or {}, title=title, model=model, panel_inches=panel_inches)
        return drawn_sweep(self._result.summary, layout)

    def differences(
        self,
        *,
        x: str | None = None,
        y: Sequence[str] = DEFAULT_FIGURES,
        by: Sequence[str] | None = None,
        facet: Sequence[str] | None = None,
        where: Mapping[str, Sequence[Any]] | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> Chart:
        """Returns the differences from the study's baseline."""
        baseline = self._result.study.baseline_in_words
        if not baseline:
            raise RingletError("baseline: none in the study; allowed: one of its points, such as a protocol")
        layout = self._layout(x, y, by, facet, where, labels)
        return drawn_differences(self._result.differences, layout, baseline=baseline, name="differences")

    def _layout(
        self,
        x: str | None,
        y: Sequence[str],
        by: Sequence[str] | None,
        facet: Sequence[str] | None,
        where: Mapping[str, Sequence[Any]] | None,
        labels: Mapping[str, str] | None,
    ) -> Layout:
        """Returns the layout that is asked for; where nothing tells points apart, that of every sweep."""
        summary, axes = self._result.summary, self._result.axes
        if summary.empty or not any(summary[axis].nunique() > 1 for axis in axes):
            raise RingletError("study: no axis with several finished values; allowed: one or more")
        if by is None and facet is None:
            shown = chosen_rows(summary, where or {})
            layout = default_layout(shown, axes, x=x)
            layout = replace(layout, where={**layout.where, **(where or {})})
        else:
            along = x or default_layout(summary, axes).x
            layout = Layout(x=along, by=by or (), facet=facet or (), where=where or {})
            check_complete(summary, axes, layout)
        return replace(layout, y=y, labels=labels or NO_LABELS)

    def __repr__(self) -> str:
        """One line: what can be called."""
        return "<figures of a sweep: curves(), differences()>"
