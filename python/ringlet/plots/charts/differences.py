"""Charts of the differences between points of a sweep and their baseline."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ringlet.figures import BY_NAME, interval_name
from ringlet.plots.chart import Chart, Panel
from ringlet.plots.curves import Looks, curves
from ringlet.plots.labels import words_and_unit
from ringlet.plots.parts import Axis, Level
from ringlet.plots.sweeps import Layout, arranged, listed, panels_of, sentence

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
    return drawn_differences(differences, Layout(x=x, y=y, by=by), baseline=baseline, name=name)


def drawn_differences(differences: "pd.DataFrame", layout: Layout, *, baseline: str, name: str) -> Chart:
    """Returns the figure of the differences from a baseline that a layout describes; `y` are figures of the registry.

    Raises:
        RingletError: no such column, or no point where the layout wants one.
    """

    def panel(rows: "pd.DataFrame", y: str, looks: Looks) -> Panel:
        figure = BY_NAME[y]
        columns = {figure.difference_name: y, figure.difference_interval_name: interval_name(y)}
        found = curves(
            rows.rename(columns=columns),
            x=layout.x,
            y=y,
            by=layout.by,
            log=[layout.x] if layout.log and layout.x in layout.log else [],
            limits={layout.x: layout.limits[layout.x]} if layout.x in layout.limits else {},
            labels=layout.labels,
            looks=looks,
        )
        words, unit = words_and_unit(y)
        label = f"{words} less that of {baseline}" + (f" ({unit})" if unit else "")
        return replace(found, y=Axis(label), levels=(Level(f"baseline: {baseline}", 0.0),))

    chart = Chart(
        name=name,
        title=sentence(f"{listed([BY_NAME[each].words for each in layout.y])} beside {baseline}"),
        caption=f"Mean of the differences from {baseline}, the line at 0, over the seeds that both have. Lines: 95 % "
        "intervals of the difference; one that does not cross the line shows a difference that is hardly by chance.",
        panels=(),
    )
    return arranged(chart, panels_of(differences, layout, panel), layout)
