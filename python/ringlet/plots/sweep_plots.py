"""The figures of a sweep, as `swept.plot` offers them."""

from collections.abc import Sequence

from ringlet.drawable import DEFAULT_FIGURES, SweepPlots
from ringlet.errors import RingletError
from ringlet.plots.chart import Chart
from ringlet.plots.charts.differences import difference_chart
from ringlet.plots.sweeps import default_axes, sweep_chart
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
        self, *, x: str | None = None, y: Sequence[str] = DEFAULT_FIGURES, by: Sequence[str] | None = None
    ) -> Chart:
        """Returns `sweep_chart` of the summary."""
        along, others = self._axes(x)
        return sweep_chart(self._result.summary, x=along, y=y, by=others if by is None else by)

    def differences(
        self, *, x: str | None = None, y: Sequence[str] = DEFAULT_FIGURES, by: Sequence[str] | None = None
    ) -> Chart:
        """Returns `difference_chart` beside the study's baseline."""
        baseline = self._result.study.baseline_in_words
        if not baseline:
            raise RingletError("baseline: none in the study; allowed: one of its points, such as a protocol")
        along, others = self._axes(x)
        found = self._result.differences
        chosen = [column for column in (others if by is None else by) if column in found]
        return difference_chart(found, x=along, y=y, by=chosen, baseline=baseline)

    def _axes(self, x: str | None) -> tuple[str, list[str]]:
        summary, axes = self._result.summary, self._result.axes
        if summary.empty or not any(summary[axis].nunique() > 1 for axis in axes):
            raise RingletError("study: no axis with several finished values; allowed: one or more")
        along, _ = default_axes(summary, axes)
        along = along if x is None else x
        return along, [axis for axis in axes if axis != along and summary[axis].nunique() > 1]

    def __repr__(self) -> str:
        """One line: what can be called."""
        return "<figures of a sweep: curves(), differences()>"
