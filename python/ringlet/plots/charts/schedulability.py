"""The share of random message sets whose deadlines are met, against utilisation."""

from typing import TYPE_CHECKING

from ringlet.plots.chart import Chart, Panel
from ringlet.plots.palette import Dashes, look
from ringlet.plots.parts import Axis, Series

if TYPE_CHECKING:
    import pandas as pd

DASHES: dict[str, Dashes] = {"guaranteed": "solid", "searched": "dotted", "simulated": "dashed"}


def schedulability_chart(ratios: "pd.DataFrame") -> Chart:
    """Acceptance ratio of each protocol against utilisation, guaranteed, searched and simulated.

    Args:
        ratios: the first table of `ringlet.schedulability`.
    """
    series = []
    for i, protocol in enumerate(dict.fromkeys(ratios.index.get_level_values("protocol"))):
        colour, marker, _ = look(i)
        part = ratios.loc[protocol]
        for way, dashes in DASHES.items():
            if part[way].notna().any():
                series.append(
                    Series(
                        f"{protocol}, {way}",
                        tuple(part.index.tolist()),
                        tuple(part[way].tolist()),
                        colour=colour,
                        marker=marker,
                        dashes=dashes,
                    )
                )
    dotted = " Dotted: nor in other phases that were tried." if ratios["searched"].notna().any() else ""
    return Chart(
        name="schedulability",
        title="Message sets whose deadlines are met",
        caption=f"Solid: guaranteed. Dashed: none missed in a simulation with all messages released at once.{dotted}",
        panels=(
            Panel(
                Axis("utilisation of the busiest link", low=0.0),
                Axis("acceptance ratio", low=0.0, high=1.05),
                tuple(series),
            ),
        ),
    )
