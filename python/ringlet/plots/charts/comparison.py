"""Chart of two runs, scenarios or studies beside each other."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ringlet.drawable import DEFAULT_FIGURES
from ringlet.figures import BY_NAME
from ringlet.plots.chart import Chart, Panel
from ringlet.plots.charts.differences import drawn_differences
from ringlet.plots.parts import Axis, Level, Series
from ringlet.plots.sweeps import default_layout

if TYPE_CHECKING:
    from ringlet.studies.comparison import Comparison


def comparison_chart(comparison: "Comparison") -> Chart:
    """Returns the differences over what varies; where nothing does, the ratio of each figure that differs."""
    differences, axes = comparison.differences, comparison.axes
    a, b = comparison.a.name, comparison.b.name
    if any(differences[axis].nunique() > 1 for axis in axes):
        layout = default_layout(differences, axes)
        shown = [name for name in DEFAULT_FIGURES if BY_NAME[name].difference_name in differences]
        return drawn_differences(differences, replace(layout, y=shown), baseline=a, name="comparison")
    rows = comparison.shown
    rows = rows[np.isfinite(rows["ratio"].to_numpy(dtype=np.float64))].reset_index(drop=True)
    ratio, half = (rows[name].to_numpy(dtype=np.float64) for name in ("ratio", "ratio_ci95"))
    series = Series(
        f"{b} / {a}",
        tuple(float(place) for place in range(len(rows))),
        tuple(ratio.tolist()),
        low=tuple((ratio - half).tolist()),
        high=tuple((ratio + half).tolist()),
        mark="points",
        colour="blue",
    )
    return Chart(
        name="comparison",
        title=f"{b} beside {a}",
        caption=f"Each figure of {b} as a multiple of that of {a}. Lines: 95 % intervals of the ratio.",
        panels=(
            Panel(
                Axis("", categories=tuple(BY_NAME[name].words for name in rows["figure"])),
                Axis(f"{b} / {a}"),
                (series,),
                levels=(Level("equal", 1.0),),
                note="marks: ratios of means; lines: 95 % intervals",
            ),
        ),
        panel_inches=(max(4.0, 0.5 * len(rows)), 4.0),
    )
