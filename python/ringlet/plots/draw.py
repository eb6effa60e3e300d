"""Panels drawn with matplotlib, drawings as SVG, and the style of all files."""

import math
import textwrap
from collections.abc import Callable, Sequence
from io import StringIO
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, NullLocator
from numpy.typing import NDArray

from ringlet.plots.glyphs import shown
from ringlet.plots.palette import COLOURS, MPL_MARKERS, Dashes
from ringlet.plots.parts import Axis, Level, Series
from ringlet.plots.ticks import PlainLogFormatter, PlainLogLocator, is_narrow

STYLE: Any = {
    "font.size": 9,
    # The same figure is the same file.
    "svg.hashsalt": "ringlet",
    # Journals require fonts that are embedded whole.
    "pdf.fonttype": 42,
    # Names of files and nodes are no formulas.
    "text.parse_math": False,
}


_INK = "#1c1c1c"
_LETTER, _LETTERS_OF_A_HANDLE = 0.6, 6
"""Width of a letter with some room, in font sizes, and letters that a legend's handle with its gaps takes."""
_NARROWEST, _LOWEST = 17, 16
"""Least width and height of a panel whose figure has a given width, in font sizes: less has no room for its labels."""
_LEAST_ROOM, _ROOM = 0.02, 0.05
"""Room above the data, as a part of the axis: less is made more."""
_MOST_TICKS, _LONGEST_NAME = 24, 24
"""Names along an axis, and letters of one that stands upright."""
_MINOR_PAD = 5
"""Points from a short tick to its label, which stands in one line with those of long ticks."""
_ABOVE_A_NOTE = 1.3
"""Room between a panel and its title in which a note stands, in font sizes."""
_LEGEND_LINE, _LEGEND_LINES = 1.7, 2
"""Height of a line of a legend, in font sizes, and lines for which a figure has room: for more of them it grows."""
_MARKER_SIZES: dict[object, float] = {"x": 5, "*": 6, "P": 5}
_LINES: dict[Dashes, Any] = {
    "solid": "-",
    "dashed": "--",
    "dashdot": "-.",
    "dashdotdot": (0, (5, 1.5, 1, 1.5, 1, 1.5)),
    "dotted": ":",
}


def new_axes() -> Axes:
    """Returns the axes of a new figure."""
    return Figure(figsize=(6.4, 4.2), layout="constrained").subplots()


def new_grid(
    count: int, columns: int, panel_inches: tuple[float, float], *, width_inches: float | None = None
) -> tuple[Figure, NDArray[Any]]:
    """Returns a new figure, and its axes in rows and columns; those beyond the count cannot be seen.

    Args:
        count: of the panels.
        columns: panels beside each other.
        panel_inches: width and height of a panel.
        width_inches: of the whole figure, if it is given: fewer panels stand beside each other where they would be too
            narrow for their text, and each keeps its proportions unless it would be too low.
    """
    width, height = panel_inches
    if width_inches is not None:
        em = mpl.rcParams["font.size"] / 72
        columns = max(1, min(columns, int(width_inches / (_NARROWEST * em))))
        width, height = width_inches / columns, max(height * width_inches / columns / width, _LOWEST * em)
    rows = -(-count // columns)
    figure = Figure(figsize=(width * columns, height * rows + 0.4), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat[count:]:
        axes.set_visible(False)
    return figure, grid


def draw_panel(
    axes: Axes, x: Axis, y: Axis, series: Sequence[Series], levels: Sequence[Level], *, title: str, note: str
) -> None:
    """Draws what one panel shows."""
    for level in levels:
        _draw_level(axes, level)
    # Marks look at the scale of their axis.
    for axis, described in (("x", x), ("y", y)):
        if described.scale == "log":
            axes.set(**{f"{axis}scale": "log"})
    for one in series:
        _draw_series(axes, one)
    axes.set_title(title, fontsize="medium", pad=_note_height() if note else None)
    if note:
        axes.annotate(
            note,
            (1, 1),
            xycoords="axes fraction",
            xytext=(0, 2),
            textcoords="offset points",
            ha="right",
            va="bottom",
            fontsize="x-small",
            color=COLOURS["grey"],
        )
    _finish(axes, x, y, labelled=any(one.labels for one in series))


def explain_hollow(axes: Axes, words: str) -> None:
    """Adds what hollow marks are to what the legend lists."""
    axes.plot([], [], color=_INK, marker="o", markerfacecolor="none", markersize=4, linestyle="none", label=words)


def add_own_legend(axes: Axes) -> None:
    """Adds a legend to axes that stand alone, if there is more than one name."""
    if len(names := _legend(axes)) > 1:
        axes.legend(names.values(), names, frameon=False)


def share_labels(figure: Figure, grid: NDArray[Any]) -> None:
    """Leaves the label of an axis once where panels share it."""
    shown = [axes for axes in grid.flat if axes.get_visible()]
    for line in grid:
        if len({axes.get_ylabel() for axes in line if axes.get_visible()}) == 1:
            for axes in line[1:]:
                axes.set_ylabel("")
    if len(shown) > 1 and len({axes.get_xlabel() for axes in shown}) == 1:
        label = shown[0].get_xlabel()
        for axes in grid.flat:
            axes.set_xlabel("")
        figure.supxlabel(label, fontsize="medium")


def raise_titles(grid: NDArray[Any]) -> None:
    """Leaves room for a note below the title of every panel, so that titles in a line are equally high."""
    for axes in grid.flat:
        axes.set_title(axes.get_title(), fontsize="medium", pad=_note_height())


def add_legend(figure: Figure, order: Sequence[str], *, title: str, heading: str = "") -> None:
    """Adds one legend for all panels, if there is more than one name, below the heading of the figure.

    Args:
        figure: whose axes are drawn.
        order: of the names.
        title: of the legend; may be empty.
        heading: of the figure; may be empty.
    """
    heading = textwrap.fill(heading, max(1, int(figure.get_figwidth() / _inches_of_letter("large"))))
    # A name that several panels share looks as in the first of them.
    handles: dict[str, Artist] = {}
    for axes in figure.axes:
        handles = _legend(axes) | handles
    if len(handles) < 2 and not title:
        if heading:
            figure.suptitle(heading, fontsize="large")
        return
    # Matplotlib leaves names out that begin with an underscore.
    names = dict.fromkeys(name for name in (*order, *handles) if name in handles)
    room = int(figure.get_figwidth() / _inches_of_letter("medium"))
    # As many beside each other as there is room for; the lines take no room from the panels.
    columns = max(1, min(len(names), room // (max(map(len, names)) + _LETTERS_OF_A_HANDLE)))
    more = max(0, -(-len(names) // columns) - _LEGEND_LINES)
    figure.set_figheight(figure.get_figheight() + more * _LEGEND_LINE * mpl.rcParams["font.size"] / 72)
    figure.legend(
        [handles[name] for name in names],
        list(names),
        loc="outside upper center",
        ncols=columns,
        frameon=False,
        # Nothing else keeps its place above a legend that lies outside of all axes.
        title="\n".join(filter(None, (heading, title))) or None,
        title_fontsize="large" if heading else None,
    )


def wrap_labels(figure: Figure) -> None:
    """Writes labels of y axes in two or more lines where they are longer than their axes."""
    # Lays the figure out.
    figure.draw_without_rendering()
    for axes in figure.axes:
        label, room = axes.yaxis.label, axes.get_window_extent().height
        if (length := label.get_window_extent().height) > room:
            letters = len(label.get_text()) * room / length
            axes.set_ylabel(textwrap.fill(label.get_text(), max(1, int(letters)), break_long_words=False))


def _note_height() -> float:
    return _ABOVE_A_NOTE * float(mpl.rcParams["font.size"])


def _colour(name: str) -> str:
    return COLOURS.get(name, _INK)  # type: ignore[call-overload, no-any-return]


def _draw_level(axes: Axes, level: Level) -> None:
    axes.axhline(
        level.value, color=_colour(level.colour), linestyle=_LINES[level.dashes], linewidth=0.8, label=level.name
    )


def _draw_series(axes: Axes, series: Series) -> None:
    colour = _colour(series.colour)
    if not series.x:
        return
    place, y = np.array(series.x), np.array(series.y)
    aside = place + series.offset
    if series.mark != "line":
        # A curve stands where its values are.
        place = aside
    ends = np.abs(np.array([series.low, series.high]) - y) if series.has_interval else None
    if series.mark == "steps":
        edges = np.append(place - 0.5, place[-1] + 0.5)
        axes.stairs(y, edges, baseline=None, color=colour, linewidth=1.2, label=series.legend_name)
    elif series.mark == "stairs":
        # Nothing takes longer than the last: the curve falls to 0 there, on a logarithmic axis to its lower end.
        axes.step(
            np.append(place, place[-1]),
            np.append(y, 0.0),
            where="pre",
            color=colour,
            linewidth=1.2,
            linestyle=_LINES[series.dashes],
            # A single step has no length.
            marker=MPL_MARKERS[series.marker] if series.marker else "",
            markersize=4,
            markevery=list(range(len(place))),
            label=series.legend_name,
        )
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
            label=series.legend_name,
        )
        if series.labels:
            axes.bar_label(bars, series.labels, fontsize="x-small", padding=2)
    else:
        # Lines go over points that are not there, as a reader's eye would.
        seen = np.isfinite(y)
        marker = MPL_MARKERS[series.marker] if series.marker else ""
        axes.plot(
            place[seen],
            y[seen],
            color=colour,
            marker=marker,
            linestyle=_LINES[series.dashes] if series.mark == "line" else "none",
            # A cross without a face has less ink, and a star has little.
            markersize=_MARKER_SIZES.get(marker, 4),
            linewidth=1.2,
            label=series.legend_name,
        )
        if ends is not None:
            arms = np.nan_to_num(ends[:, seen])
            if axes.get_yscale() == "log":
                # An arm to below zero would end at the floor of the axis, as if that were its end.
                arms[0, arms[0] >= y[seen]] = 0
            axes.errorbar(aside[seen], y[seen], yerr=arms, fmt="none", ecolor=colour, elinewidth=0.8)
        if any(series.hollow):
            at = seen & np.array(series.hollow)
            axes.plot(
                place[at],
                y[at],
                color=colour,
                # A cross of two lines has nothing that could be hollow: its outline has.
                marker="X" if marker == "x" else marker,
                markerfacecolor=axes.get_facecolor(),
                markersize=_MARKER_SIZES.get(marker, 4),
                linestyle="none",
                # Over the filled marks.
                zorder=3,
            )
        for x, top, text in zip(place, y, series.labels, strict=False):
            if np.isfinite(top):
                axes.annotate(text, (x, top), xytext=(3, 3), textcoords="offset points", fontsize="x-small")


def _finish(axes: Axes, x: Axis, y: Axis, *, labelled: bool) -> None:
    axes.set_xlabel(x.label)
    axes.set_ylabel(y.label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    if x.categories:
        axes.set_xlim(-0.6, len(x.categories) - 0.4)
        _name_places(axes, x.categories)
    else:
        axes.set_xlim(x.low, x.high)
    axes.set_ylim(y.low, y.high)
    if y.low is not None and y.high is None and y.scale != "log":
        # Values that hardly differ would lie on the upper end.
        low, high = axes.get_ylim()
        most = axes.dataLim.y1
        if np.isfinite(most) and high - most < _LEAST_ROOM * (most - low):
            axes.set_ylim(low, most + _ROOM * (most - low))
    if labelled and y.high is None:
        axes.margins(y=0.12)
    # Ticks follow from the ends.
    for axis, described in ((axes.xaxis, x), (axes.yaxis, y)):
        if described.scale == "log":
            axis.set_major_locator(PlainLogLocator())
            axis.set_major_formatter(PlainLogFormatter())
            if is_narrow(*axis.get_view_interval()):
                axis.set_minor_locator(NullLocator())
            axis.set_minor_formatter(PlainLogFormatter(minor_thresholds=(2.5, 0.6)))
            axis.set_tick_params(which="minor", pad=_MINOR_PAD)
        elif described.whole:
            axis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))


def _name_places(axes: Axes, names: Sequence[str]) -> None:
    """Names the places along x: of numbers as many as there is room for, words upright where they need it."""
    count = len(names)
    small = count > 12 or any("\n" in name for name in names)
    size = "small" if small else "medium"
    letter = _inches_of_letter(size)
    place = _inches_wide(axes) / max(1, count)
    longest = letter * max((len(line) for name in names for line in name.split("\n")), default=0)
    step, upright = max(1, -(-count // _MOST_TICKS)), False
    if all(name.isdecimal() for name in names):
        step = _round_step(max(step, math.ceil((longest + letter) / place)))
    elif longest > step * place:
        # Upright a name is as wide as its lines are high.
        lines = 1 + max(name.count("\n") for name in names)
        step, upright = max(step, math.ceil(2 * letter * lines / place)), True
    if upright:
        names = ["\n".join(_shortened(line) for line in name.split("\n")) for name in names]
    axes.set_xticks(range(0, count, step), names[::step], fontsize=size, rotation=90 if upright else 0)


def _shortened(name: str) -> str:
    """Returns a name that leaves height for the axes above it."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _round_step(least: int) -> int:
    """Returns the first of 1, 2, 5, 10, 20, 50, ... that is not below."""
    power: int = 10 ** (len(str(least)) - 1)
    return next(step * power for step in (1, 2, 5, 10) if step * power >= least)


def _inches_of_letter(size: str) -> float:
    """Returns the width of a letter at a size of text such as "small"."""
    return _LETTER * float(FontProperties(size=size).get_size_in_points()) / 72


def _inches_wide(axes: Axes) -> float:
    """Returns about how wide axes are, before their figure is laid out."""
    figure = axes.get_figure(root=True)
    return float(axes.get_position().width * (6.4 if figure is None else figure.get_figwidth()))


def _legend(axes: Axes) -> dict[str, Artist]:
    """Handles of the legend by name, each name once; a line that is drawn in several colours is listed in ink."""
    found: dict[str, Artist] = {}
    for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
        other = found.setdefault(name, handle)
        if isinstance(other, Line2D) and isinstance(handle, Line2D) and other.get_color() != handle.get_color():
            found[name] = Line2D([], [], color=_INK, linestyle=handle.get_linestyle(), linewidth=handle.get_linewidth())
    return found


def as_svg(draw: Callable[[], Figure]) -> str:
    """Returns what a function draws as an `<svg>` element."""
    with mpl.rc_context(STYLE):
        document = svg(draw())
    return document[document.index("<svg") :]


def svg_with_text(drawn: Figure) -> str:
    """Returns a figure as an SVG document whose text is text, not outlines: small, and readable by a machine."""
    with mpl.rc_context(STYLE | {"svg.fonttype": "none"}):
        return svg(drawn)


def svg(drawn: Figure) -> str:
    """Returns a figure as an SVG document without a date."""
    text = StringIO()
    with shown(drawn, outlines=mpl.rcParams["svg.fonttype"] == "path"):
        # Not by `savefig`, which draws once more to lay the figure out: drawing does that itself.
        canvas, dpi = drawn.canvas, drawn.dpi
        try:
            FigureCanvasSVG(drawn).print_svg(text, metadata={"Date": None})
        finally:
            drawn.set_canvas(canvas)
            drawn.dpi = dpi
    return text.getvalue()
