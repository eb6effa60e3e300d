"""Figures of sweeps, from their tables: panels of curves, in rows and columns where more varies than curves show."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING, Any

from ringlet.drawable import DEFAULT_FIGURES
from ringlet.errors import RingletError
from ringlet.figures import interval_name
from ringlet.lazy import library
from ringlet.plots.chart import Chart, Panel, with_common_ranges
from ringlet.plots.curves import (
    FAIR_SHARE,
    LOADS,
    MODEL,
    Limits,
    Looks,
    check_columns,
    curves,
    grouped,
    is_numeric,
    looks_of,
)
from ringlet.plots.labels import setting, words_and_unit
from ringlet.plots.palette import INK, MARKERS
from ringlet.plots.parts import Series
from ringlet.statistics import CONFIDENCE

if TYPE_CHECKING:
    import pandas as pd
    from scipy import special
else:
    special = library("scipy.special")

PROTOCOL = "flow_control.protocol"

MOST_CURVES, MOST_FACETS = len(MARKERS), 6
"""Curves in a panel, and panels along a side, of a figure that does not say what tells them apart."""
SIDES = 2
"""Sides along which panels stand: columns and rows."""
FACET_INCHES = (3.2, 2.6)
"""Width and height of a panel among others that share their axes."""
MOST_BESIDE = 3
"""Panels of one figure beside each other, where they stand along one side only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The columns of a sweep's table that a figure shows as its axes, curves, panels and filters."""

    x: str
    """Along the axis."""
    y: Sequence[str] = DEFAULT_FIGURES
    """Figures, at least a panel for each."""
    by: Sequence[str] = ()
    """Tell curves apart: of two or three the first by colour, the second by marker, the third by line."""
    facet: Sequence[str] = ()
    """Tell panels apart: the first along columns, a second along rows."""
    where: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    """Values of columns whose points are shown; of others all are."""
    log: Sequence[str] | None = None
    """Columns with a logarithmic axis; None: latencies."""
    limits: Limits = field(default_factory=dict)
    """Ends of axes."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Words for columns and for values, in place of the usual ones."""
    title: str = ""
    """Title of the figure; empty: what is shown over what."""
    model: bool = True
    """True if the queueing model is drawn."""
    panel_inches: tuple[float, float] | None = None
    """Width and height of a panel; None: by the number of panels."""


Drawn = Callable[["pd.DataFrame", str, Looks], Panel]
"""Draws rows of a table: one figure, with these looks of the curves."""


def sweep_chart(
    summary: "pd.DataFrame", *, x: str, y: Sequence[str], by: Sequence[str] = (), name: str = "sweep"
) -> Chart:
    """Returns figures of a sweep over one column, at least a panel for each; `curves` has the arguments and errors.

    Args:
        summary: one row per point.
        x: column along the axis.
        y: columns of figures.
        by: columns whose values distinguish curves.
        name: of the chart.
    """
    return drawn_sweep(summary, Layout(x=x, y=y, by=by), name=name)


def drawn_sweep(summary: "pd.DataFrame", layout: Layout, *, name: str = "sweep") -> Chart:
    """Returns the figure of a sweep that a layout describes.

    Raises:
        RingletError: no such column, or no point where the layout wants one.
    """

    def panel(rows: "pd.DataFrame", y: str, looks: Looks) -> Panel:
        return curves(
            rows,
            x=layout.x,
            y=y,
            by=layout.by,
            log=layout.log,
            limits=layout.limits,
            labels=layout.labels,
            model=layout.model,
            looks=looks,
        )

    made = panels_of(summary, layout, panel)
    words = [words_and_unit(each)[0] for each in layout.y]
    every = [panel for each in made for row in each for panel in row]
    return arranged(
        Chart(
            name=name,
            title=layout.title or sentence(f"{listed(words)} over {words_and_unit(layout.x)[0]}"),
            caption=" ".join([*_sentences(every), *thinned_words(summary, layout)]),
            panels=(),
            heading=layout.title,
        ),
        made,
        layout,
    )


def arranged(chart: Chart, made: Sequence[Sequence[Sequence[Panel]]], layout: Layout) -> Chart:
    """Returns the chart with panels in their places.

    Args:
        chart: without panels.
        made: of each figure, rows of panels.
        layout: of the chart.
    """
    each = [[panel for row in rows for panel in row] for rows in made]
    if not layout.facet:
        panels = tuple(panel for one in each for panel in one)
        return replace(
            chart, panels=panels, columns=min(2, len(panels)), panel_inches=layout.panel_inches or chart.panel_inches
        )
    columns = len(made[0][0])
    return replace(
        chart,
        panels=tuple(
            replace(panel, note=panel.note if place == 0 else "")
            for one in each
            for place, panel in enumerate(_comparable(one))
        ),
        columns=min(MOST_BESIDE, columns) if len(each) == len(made[0]) == 1 else columns,
        panel_inches=layout.panel_inches or FACET_INCHES,
    )


def _comparable(panels: Sequence[Panel]) -> tuple[Panel, ...]:
    """Returns the panels of one figure with the same ranges."""
    highs = [panel.y.high for panel in panels if panel.y.high is not None]
    if highs:
        high = max([*highs, *(value for panel in panels for value in panel.y_values)])
        panels = [replace(panel, y=replace(panel.y, high=high)) for panel in panels]
    return with_common_ranges(panels)


BETWEEN = ", "
"""Stands between the words for a row and for a column in the title of a panel."""


def panels_of(table: "pd.DataFrame", layout: Layout, drawn: Drawn) -> list[list[list[Panel]]]:
    """Returns of each figure of a layout the rows of panels, one panel for each facet.

    Raises:
        RingletError: no such column, or no point where the layout wants one.
    """
    check_columns(table, (layout.x, *layout.by, *layout.facet))
    table = chosen_rows(table, layout.where)
    looks = looks_of(table, layout.by)
    sides = [list(dict.fromkeys(table[column])) for column in layout.facet]
    columns = sides[0] if sides else [None]
    rows = sides[1] if len(sides) == SIDES else [None]

    def panel(y: str, values: Sequence[Any]) -> Panel:
        named = [setting(name, value, layout.labels) for name, value in zip(layout.facet, values, strict=False)]
        return replace(drawn(_rows(table, layout.facet, values), y, looks), title=BETWEEN.join(reversed(named)))

    return [[[panel(y, (column, row)) for column in columns] for row in rows] for y in layout.y]


def chosen_rows(table: "pd.DataFrame", where: Mapping[str, Sequence[Any]]) -> "pd.DataFrame":
    """Returns the rows that have these values.

    Raises:
        RingletError: no such column, or no such row.
    """
    check_columns(table, list(where))
    for column, values in where.items():
        table = table[table[column].isin(list(values))]
        if table.empty:
            raise RingletError.not_allowed(f"where.{column}", list(values), "values of finished points")
    return table


def check_complete(summary: "pd.DataFrame", axes: Sequence[str], layout: Layout) -> None:
    """Finds points that a layout would mix in one curve.

    Raises:
        RingletError: an axis that varies is in no key of the layout.
    """
    shown, used = chosen_rows(summary, layout.where), [layout.x, *layout.by, *layout.facet]
    check_columns(shown, used)
    for axis in axes:
        if axis not in used and shown.groupby(used)[axis].nunique().max() > 1:
            raise RingletError(f"{axis}: no key draws this axis; allowed: by, facet, or one value of it in where")


def _rows(table: "pd.DataFrame", facet: Sequence[str], values: Sequence[Any]) -> "pd.DataFrame":
    for column, value in zip(facet, values, strict=False):
        table = table[table[column] == value]
    return table


def _sentences(panels: Sequence[Panel]) -> Iterator[str]:
    """Returns the sentences that explain the marks of curves."""
    every = [one for panel in panels for one in panel.series]
    yield "Means over the replications."
    if any(one.has_interval for one in every):
        yield "Lines through or beside the marks: 95 % intervals, a little apart so that none hides another."
    if any(panel.y.scale == "log" and any(low <= 0 for low in one.low) for panel in panels for one in panel.series):
        yield "An interval without a lower arm reaches below zero."
    if any(one.name == FAIR_SHARE for one in every):
        yield "Dashed: the fair share, max-min fair; what is less fair may carry more."
    if any(one.legend == MODEL for one in every):
        yield "Dotted: the queueing model."
    if any(panel.hollow for panel in panels):
        yield "Hollow: overloaded, so that latencies have no steady value; curves of latencies end there."
    if any(any(one.beyond) for one in every):
        yield "A hollow mark at the upper end of an axis is of a latency beyond it."


def default_charts(summary: "pd.DataFrame", axes: Sequence[str]) -> tuple[Chart, ...]:
    """Returns throughput and latency over the first axis with a number, such as the load; other axes distinguish
    curves and, where these would be many, panels.

    Args:
        summary: as for `curves`.
        axes: columns that vary.
    """
    if not any(summary[axis].nunique() > 1 for axis in axes):
        return ()
    layout = default_layout(summary, axes)
    figures = [figure for figure in DEFAULT_FIGURES if figure in summary]
    return (drawn_sweep(summary, replace(layout, y=figures)),)


def default_layout(summary: "pd.DataFrame", axes: Sequence[str], *, x: str | None = None) -> Layout:
    """Returns a layout that shows all axes: few combinations of values as curves, many as panels of curves.

    Along x is the first load, else the first number. At most eleven curves stand in a panel, told apart by the protocol
    or by one or two other axes; the other axes become columns and rows, of which at most six values are shown, evenly
    spaced.

    Args:
        summary: with two or more values of an axis.
        axes: columns that vary.
        x: column along the axis, if it is given.
    """
    varying = [axis for axis in axes if summary[axis].nunique() > 1]
    along = x or load_axis(summary, varying) or varying[0]
    others = _independent(summary, along, varying)
    sizes = {axis: summary[axis].nunique() for axis in others}
    if prod(sizes.values()) <= MOST_CURVES and len(others) <= SIDES:
        return Layout(x=along, by=others)
    few = [axis for axis in others if sizes[axis] <= MOST_CURVES]
    protocols = [axis for axis in few if axis == PROTOCOL]
    first = (protocols or sorted(few, key=sizes.__getitem__, reverse=True) or others)[0]
    rest = sorted((axis for axis in others if axis != first), key=sizes.__getitem__, reverse=True)
    facet, more = rest[:SIDES], rest[SIDES:]
    where = {
        axis: kept
        for axis, most in (*((axis, MOST_FACETS) for axis in facet), (first, MOST_CURVES))
        if len(kept := _spread(summary[axis], most)) < sizes[axis]
    }
    return Layout(x=along, by=[first, *more], facet=facet, where=where)


def _independent(summary: "pd.DataFrame", x: str, varying: Sequence[str]) -> list[str]:
    """Returns the columns that vary besides x, without those that others determine: they move together."""
    kept: list[str] = []
    for axis in varying:
        if axis != x and all(summary.groupby(other)[axis].nunique().max() > 1 for other in (x, *kept)):
            kept.append(axis)
    return kept


def _spread(column: "pd.Series[Any]", most: int) -> list[Any]:
    """Returns at most so many values of a column, evenly spaced in their order, both ends among them."""
    values = list(dict.fromkeys(column))
    count = min(most, len(values))
    return [values[place * (len(values) - 1) // max(count - 1, 1)] for place in range(count)]


def thinned_words(summary: "pd.DataFrame", layout: Layout) -> Iterator[str]:
    """Yields a sentence for each column of which not all values are shown."""
    for column, values in layout.where.items():
        if len(values) < summary[column].nunique():
            shown = ", ".join(setting(column, value, layout.labels) for value in values)
            yield f"Shown of {summary[column].nunique()} values: {shown}."


def load_axis(summary: "pd.DataFrame", varying: Sequence[str]) -> str | None:
    """Returns the first of these columns that is a load, else the first with numbers; None without one."""
    numeric = [axis for axis in varying if is_numeric(summary, axis)]
    return next((axis for axis in numeric if axis.startswith(LOADS)), next(iter(numeric), None))


def roll_off_chart(priorities: "pd.DataFrame", *, x: str, by: str | None = None) -> Chart:
    """Returns each priority's throughput and latency over the load: where the lower ones give way, and what the highest
    pays.

    Args:
        priorities: one row per run and priority, such as `SweepResult.priorities`; several runs of a point are
            averaged.
        x: column along the axis.
        by: column with a row of panels for each of its values, such as the protocol.

    Raises:
        RingletError: no such column.
    """
    y = ("throughput_MBps", "latency_mean_ns")
    keys = [x, *([by] if by else []), "priority"]
    check_columns(priorities, (*keys, *y))
    groups = priorities.groupby(keys, sort=False)[list(y)]
    # Late, as everywhere: scipy takes a while to load.
    half_width = groups.sem() * special.stdtrit(groups.count() - 1, 0.5 + CONFIDENCE / 2)
    table = groups.mean().join(half_width.rename(columns=interval_name)).reset_index()
    table = table.sort_values("priority", ascending=False, kind="stable")
    parts = grouped(table, [by] if by else [])
    panels = [
        replace(
            curves(part, x=x, y=figure, by=["priority"]), title="".join(setting(str(by), value) for value in values)
        )
        for values, part in parts
        for figure in y
    ]
    return Chart(
        name="priorities",
        title=f"Throughput and latency of each priority over {words_and_unit(x)[0]}",
        caption="Means over the replications, the highest priority first. Lines: 95 % intervals.",
        panels=tuple(panels),
        columns=2,
    )


def with_published(panel: Panel, points: Sequence[tuple[float, float]], *, name: str = "published") -> Panel:
    """Returns the panel with published points over its curves.

    Args:
        panel: such as `curves` makes.
        points: x and y of each, in the units of the axes.
        name: as in the legend, such as the paper.
    """
    each = sorted(points)
    marks = Series(
        name, tuple(x for x, _ in each), tuple(y for _, y in each), mark="points", colour=INK, marker="diamond"
    )
    return replace(panel, series=(*panel.series, marks))


def sentence(words: str) -> str:
    """Returns words with a capital letter."""
    return words[:1].upper() + words[1:]


def listed(names: Sequence[str]) -> str:
    """Returns names as a sentence lists them."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
