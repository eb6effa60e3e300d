"""Charts drawn with matplotlib, and written as PNG and SVG."""

from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from ringlet.files import writing
from ringlet.plots.chart import Chart, Dashes, Level, Panel, Series
from ringlet.plots.palette import COLOURS, MPL_MARKERS

Format = Literal["png", "svg"]
FORMATS: tuple[Format, ...] = ("png", "svg")

_PNG_DPI = 150
_INK = "#1c1c1c"
_LETTERS_PER_INCH, _LETTERS_OF_A_HANDLE = 12, 6
"""Of a legend: at its font size, and what a handle with its gaps takes."""
_LINES: dict[Dashes, str] = {"solid": "-", "dashed": "--", "dotted": ":"}
_STYLE: Any = {
    "font.size": 9,
    # The same figure is the same file.
    "svg.hashsalt": "ringlet",
    # Names of files and nodes are no formulas.
    "text.parse_math": False,
}


class PlainLogFormatter(LogFormatter):
    """Labels powers of ten, and what lies between them where the axis spans few decades, as plain numbers."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Returns the label of a tick, empty for none."""
        return f"{x:g}" if super().__call__(x, pos) else ""


def draw_panel(panel: Panel, axes: Axes | None = None) -> Axes:
    """Draws one panel; without `axes` into those of a new figure, with a legend."""
    alone = axes is None
    if axes is None:
        axes = Figure(figsize=(6.4, 4.2), layout="constrained").subplots()
    for level in panel.levels:
        _draw_level(axes, level)
    for series in panel.series:
        _draw_series(axes, series)
    _finish(axes, panel)
    if alone and len(names := _legend(axes)) > 1:
        axes.legend(names.values(), names, frameon=False)
    return axes


def draw_chart(chart: Chart) -> Figure:
    """Draws all panels of a chart, with one legend for all, and each axis' label once where panels share it."""
    rows = -(-len(chart.panels) // chart.columns)
    width, height = chart.panel_inches
    figure = Figure(figsize=(width * chart.columns, height * rows + 0.4), layout="constrained")
    grid = figure.subplots(rows, chart.columns, squeeze=False)
    names: dict[str, Artist] = {}
    for place, axes in enumerate(grid.flat):
        if place >= len(chart.panels):
            axes.set_visible(False)
            continue
        draw_panel(chart.panels[place], axes)
        names = _legend(axes) | names
    for line in grid:
        if len({axes.get_ylabel() for axes in line if axes.get_visible()}) == 1:
            for axes in line[1:]:
                axes.set_ylabel("")
    if len(chart.panels) > 1 and len({panel.x.label for panel in chart.panels}) == 1:
        for axes in grid.flat:
            axes.set_xlabel("")
        figure.supxlabel(chart.panels[0].x.label, fontsize="medium")
    if len(names) > 1 or chart.legend_title:
        # In the order of the panels' series, as many beside each other as there is room for.
        every = (name for panel in chart.panels for name in (*_names(panel), *names))
        # Matplotlib leaves names out that begin with an underscore.
        order = dict.fromkeys(name for name in every if name in names)
        room = int(width * chart.columns * _LETTERS_PER_INCH)
        figure.legend(
            [names[name] for name in order],
            list(order),
            loc="outside upper center",
            ncols=max(1, min(len(order), room // (max(map(len, order)) + _LETTERS_OF_A_HANDLE))),
            frameon=False,
            title=chart.legend_title or None,
        )
    return figure


def save(chart: Chart, out: Path, formats: Iterable[Format] = FORMATS) -> Figure:
    """Draws a chart, writes `<name>.png` and `<name>.svg` into the folder `out` and returns what was drawn.

    Raises:
        OSError: `out` cannot be written.
    """
    with mpl.rc_context(_STYLE):
        drawn = draw_chart(chart)
        for suffix in formats:
            path = out / f"{chart.name}.{suffix}"
            with writing(path) as aside:
                if suffix == "png":
                    drawn.savefig(aside, dpi=_PNG_DPI, metadata={"Software": None})
                else:
                    aside.write_text(_svg(drawn), encoding="utf-8")
    return drawn


def svg_with_text(drawn: Figure) -> str:
    """Returns a figure as an SVG document whose text is text, not outlines: small, and readable by a machine."""
    with mpl.rc_context(_STYLE | {"svg.fonttype": "none"}):
        return _svg(drawn)


def _svg(drawn: Figure) -> str:
    text = StringIO()
    drawn.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def _colour(name: str) -> str:
    return COLOURS.get(name, _INK)  # type: ignore[call-overload, no-any-return]


def _draw_level(axes: Axes, level: Level) -> None:
    axes.axhline(level.value, color=_colour(level.colour), linestyle="--", linewidth=0.8, label=level.name)


def _draw_series(axes: Axes, series: Series) -> None:
    colour = _colour(series.colour)
    if not series.x:
        return
    place, y = np.array(series.x) + series.offset, np.array(series.y)
    ends = np.abs(np.array([series.low, series.high]) - y) if series.has_interval else None
    if series.mark == "steps":
        edges = np.append(place - 0.5, place[-1] + 0.5)
        axes.stairs(y, edges, baseline=None, color=colour, linewidth=1.2, label=series.name)
    elif series.mark == "bars":
        base = np.array(series.base) if series.base else np.zeros_like(y)
        bars = axes.bar(
            place,
            y - base,
            series.width,
            bottom=base,
            yerr=ends,
            color=colour,
            error_kw={"linewidth": 0.8, "ecolor": _INK},
            label=series.name,
        )
        if series.labels:
            axes.bar_label(bars, series.labels, fontsize="x-small", padding=2)
    else:
        # Lines go over points that are not there, as a reader's eye would.
        seen = np.isfinite(y)
        marker = MPL_MARKERS[series.marker] if series.marker else ""
        axes.errorbar(
            place[seen],
            y[seen],
            yerr=None if ends is None else np.nan_to_num(ends[:, seen]),
            color=colour,
            marker=marker,
            linestyle=_LINES[series.dashes] if series.mark == "line" else "none",
            # A cross without a face has less ink.
            markersize=5 if marker == "x" else 4,
            linewidth=1.2,
            elinewidth=0.8,
            label=series.name,
        )
        for x, top, text in zip(place, y, series.labels, strict=False):
            if np.isfinite(top):
                axes.annotate(text, (x, top), xytext=(3, 3), textcoords="offset points", fontsize="x-small")


def _finish(axes: Axes, panel: Panel) -> None:
    axes.set_title(panel.title, fontsize="medium")
    axes.set_xlabel(panel.x.label)
    axes.set_ylabel(panel.y.label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for axis, described in ((axes.xaxis, panel.x), (axes.yaxis, panel.y)):
        if described.scale == "log":
            axes.set(**{f"{axis.axis_name}scale": "log"})
            axis.set_major_formatter(PlainLogFormatter())
            axis.set_minor_formatter(PlainLogFormatter(minor_thresholds=(1.5, 0.6)))
    if panel.x.categories:
        count = len(panel.x.categories)
        axes.set_xlim(-0.6, count - 0.4)
        small = count > 12 or any("\n" in name for name in panel.x.categories)
        step = -(-count // 24)
        axes.set_xticks(range(0, count, step), panel.x.categories[::step], fontsize="small" if small else None)
    else:
        axes.set_xlim(panel.x.low, panel.x.high)
    axes.set_ylim(panel.y.low, panel.y.high)
    if any(one.labels for one in panel.series) and panel.y.high is None:
        axes.margins(y=0.12)


def _names(panel: Panel) -> list[str]:
    return [*(one.name for one in panel.series), *(level.name for level in panel.levels)]


def _legend(axes: Axes) -> dict[str, Artist]:
    """Handles of the legend by name, each name once."""
    handles, labels = axes.get_legend_handles_labels()
    return dict(zip(labels, handles, strict=True))
