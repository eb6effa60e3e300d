"""Charts of the differences between points of a sweep and their baseline."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ringlet.figures import BY_NAME, interval_name
from ringlet.plots.chart import Chart, Panel
from ringlet.plots.labels import words_and_unit
from ringlet.plots.parts import Axis, Level
from ringlet.plots.sweeps import curves, listed, sentence

if TYPE_CHECKING:
    import pandas as pd


def difference_chart(
    differences: "pd.DataFrame",
    *,
    x: str,
    y: Sequence[str],
    by: Sequence[str] = (),
    baseline: str,
    name: str = "differences",
) -> Chart:
    """Returns differences from a baseline over one column, a panel for each figure, with intervals over common seeds.

    Args:
        differences: one row per point, such as `SweepResult.differences`.
        x: column along the axis.
        y: figures of the registry, such as `throughput_MBps`.
        by: columns whose values distinguish the curves.
        baseline: in words, such as `sci`.
        name: of the chart.

    Raises:
        RingletError: no such column.
    """
    return Chart(
        name=name,
        title=sentence(f"{listed([BY_NAME[each].words for each in y])} beside {baseline}"),
        caption=f"Mean of the differences from {baseline}, the line at 0, over the seeds that both have. Lines: 95 % "
        "intervals of the difference; one that does not cross the line shows a difference that is hardly by chance.",
        panels=tuple(_panel(differences, x, each, by, baseline) for each in y),
        columns=min(2, len(y)),
    )


def _panel(differences: "pd.DataFrame", x: str, y: str, by: Sequence[str], baseline: str) -> Panel:
    figure = BY_NAME[y]
    columns = {figure.difference_name: y, figure.difference_interval_name: interval_name(y)}
    panel = curves(differences.rename(columns=columns), x=x, y=y, by=by)
    words, unit = words_and_unit(y)
    label = f"{words} less that of {baseline}" + (f" ({unit})" if unit else "")
    return replace(panel, y=Axis(label), levels=(Level(f"baseline: {baseline}", 0.0),))
