"""The report of a sweep."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ringlet.errors import RingletError
from ringlet.files import write_text
from ringlet.papers.reproduction import software_versions
from ringlet.plots import Chart, default_charts, roll_off_chart, sweep_chart
from ringlet.plots.documents import Documents
from ringlet.plots.draw import save
from ringlet.plots.labels import label
from ringlet.plots.sweeps import DEFAULT_FIGURES
from ringlet.report.charts import embed
from ringlet.report.examples import example_charts, examples
from ringlet.report.page import render
from ringlet.report.write import REPORT, MomentLink
from ringlet.scenario.latency_model import model_records
from ringlet.studies.columns import ci95_name

if TYPE_CHECKING:
    import pandas as pd

    from ringlet.studies import SweepResult

MAX_ROWS = 2000
"""Points that the page's table shows: more would make it slow. The tables beside it have all."""
MAX_MODELLED = 500
"""Points up to which the queueing model stands beside the latencies: some milliseconds each."""
MAX_PRIORITIES = 6
"""Priorities that are drawn: more curves would not be told apart."""


class Plot(Protocol):
    """A figure that a study asks for."""

    @property
    def x(self) -> str:
        """Key of an axis, or a column."""

    @property
    def y(self) -> Sequence[str]:
        """Columns, one panel for each."""

    @property
    def by(self) -> str | None:
        """Key of the axis that tells curves apart."""


@dataclass(frozen=True, slots=True)
class SweepTables:
    """What a sweep found, as the report needs it."""

    title: str
    summary: "pd.DataFrame"
    """One row per point: what varies, `replications`, means, and half widths of 95 % intervals."""
    axes: Sequence[str]
    """Columns of `summary` that vary."""
    priorities: "pd.DataFrame"
    """One row per run and priority; empty where there is one only."""
    failures: "pd.DataFrame"
    """One row per run that could not be done, with its `reason`."""
    scenario: str
    """The base scenario as text."""
    versions: dict[str, str]
    """What made the figures."""
    plots: Sequence[Plot] = ()
    """What to draw; by default throughput and latency over the first axis with a number."""
    examples: Documents = field(default_factory=dict)
    """Runs to look at more closely, by the settings of their points."""


def sweep_tables(result: "SweepResult") -> SweepTables:
    """Returns what the report needs of a sweep."""
    return SweepTables(
        title=result.study.title or "A sweep with ringlet",
        summary=_modelled(result),
        axes=result.axes,
        priorities=result.priorities,
        failures=result.failures,
        scenario=json.dumps(result.study.to_dict()["scenario"], indent=2),
        versions=software_versions() | {"ringlet": result.engine},
        plots=result.study.plots,
        examples=examples(result),
    )


def write_sweep_report(tables: SweepTables, out: Path | str, *, moments: Sequence[MomentLink] = ()) -> Path:
    """Writes `report.html` into the folder `out`, with each figure as PNG and SVG beside it, and returns its path.

    The page needs neither them nor a network.

    Args:
        tables: what to report.
        out: the folder; made if it is not there.
        moments: links to players of the examples, which go by their names there.

    Raises:
        RingletError: a plot names a column that is not there.
        OSError: `out` cannot be written.
    """
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    charts, closer = sweep_charts(tables), example_charts(tables.examples)
    columns, lines = summary_lines(tables)
    page = render(
        "sweep.html.j2",
        tables=tables,
        charts=charts,
        closer=closer,
        drawn={chart.name: embed(chart, save(chart, folder)) for chart in [*charts, *closer]},
        columns=columns,
        lines=lines[:MAX_ROWS],
        points=len(lines),
        failures=_lines(tables.failures),
        moments=moments,
        versions=tables.versions,
    )
    write_text(folder / REPORT, page)
    return folder / REPORT


def _modelled(result: "SweepResult") -> "pd.DataFrame":
    """Returns the summary with mean latencies by the queueing model, NaN for points that it does not know.

    Without that column if there are too many points, or it knows none.
    """
    summary = result.summary
    if summary.empty or len(summary) > MAX_MODELLED:
        return summary
    latencies = []
    for point in summary["point"].tolist():
        try:
            latencies.append(model_records(result.scenario(point))["total"]["latency_ns"])
        except RingletError:
            latencies.append(None)
    return summary.assign(latency_model_ns=np.array(latencies, dtype=np.float64)) if any(latencies) else summary


def sweep_charts(tables: SweepTables) -> tuple[Chart, ...]:
    """Returns the charts that the study asks for, or those that every sweep has.

    Raises:
        RingletError: a plot names a column that is not there.
    """
    summary = tables.summary
    if summary.empty:
        return ()
    if tables.plots:
        return tuple(
            sweep_chart(
                summary,
                x=_column(tables, plot.x),
                y=plot.y,
                by=[_column(tables, plot.by)] if plot.by else _others(tables, plot.x),
                name=f"plot-{number}",
            )
            for number, plot in enumerate(tables.plots, start=1)
        )
    charts = list(default_charts(summary, tables.axes))
    loads = [axis for axis in tables.axes if axis.startswith("traffic.load")]
    if charts and loads and not tables.priorities.empty:
        levels = sorted(tables.priorities["priority"].unique())
        shown = levels[:: -(-len(levels) // MAX_PRIORITIES)]
        rows = tables.priorities[tables.priorities["priority"].isin(shown)]
        by = next((axis for axis in tables.axes if axis != loads[0]), None)
        charts.append(roll_off_chart(rows, x=loads[0], by=by))
    return tuple(charts)


def _column(tables: SweepTables, name: str) -> str:
    """The column of an axis' key, whose name may go on with a unit; other names stay as they are."""
    return next((axis for axis in tables.axes if axis == name or axis.startswith(f"{name}_")), name)


def _others(tables: SweepTables, x: str) -> list[str]:
    """The axes that vary besides x: without them a curve would mix points."""
    place = _column(tables, x)
    return [axis for axis in tables.axes if axis != place and tables.summary[axis].nunique() > 1]


def summary_lines(tables: SweepTables) -> tuple[list[str], list[list[Any]]]:
    """Returns the columns and rows of the table of points: what varies, then the figures drawn, with their intervals."""
    summary = tables.summary
    drawn = [figure for plot in tables.plots for figure in plot.y]
    wanted = list(dict.fromkeys([*DEFAULT_FIGURES, *drawn]))
    figures = [name for figure in wanted for name in (figure, ci95_name(figure)) if name in summary]
    names = [*tables.axes, *(["replications"] if "replications" in summary else []), *figures]
    columns = [label(name).replace(" ci95", " ± 95 %") for name in names]
    return columns, _lines(summary[names]) if len(summary) else []


def _lines(table: "pd.DataFrame") -> list[list[Any]]:
    """Rows as plain values; empty text where there is none."""
    rows = table.astype(object).where(table.notna(), "").to_numpy().tolist() if len(table) else []
    return [[value if isinstance(value, int | float | str) else str(value) for value in row] for row in rows]
