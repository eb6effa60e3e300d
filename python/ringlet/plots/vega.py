"""Charts as Vega-Lite, the JSON that Altair, notebooks and web pages draw (https://vega.github.io/vega-lite)."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ringlet.plots.chart import Chart, Panel
from ringlet.plots.palette import COLOURS, Colour, Dashes, Marker
from ringlet.plots.parts import Axis, Level, Series

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
"""Version of the format; version 6 reads it."""

QUIET = {"fontSize": 10, "fontWeight": "normal", "color": COLOURS["grey"]}
"""Look of a note that stands where a title would."""

_PIXELS = 72
"""Pixels per inch of a panel."""

_PADDING = 6
"""Pixels between the data and the ends of an axis."""

_LONG_NAME = 3
"""Letters of a name that stands upright below its place."""

_INK = "#1c1c1c"

_SHAPES: dict[Marker, str] = {
    "circle": "circle",
    "square": "square",
    "triangle": "triangle-up",
    "diamond": "diamond",
    "cross": "M-.7,-1L0,-.3L.7,-1L1,-.7L.3,0L1,.7L.7,1L0,.3L-.7,1L-1,.7L-.3,0L-1,-.7Z",
    "down": "triangle-down",
    "plus": "cross",
    "star": "M0,-1L.22,-.31L.95,-.31L.36,.12L.59,.81L0,.38L-.59,.81L-.36,.12L-.95,-.31L-.22,-.31Z",
    "left": "triangle-left",
    "right": "triangle-right",
    "hourglass": "M-1,-1L1,-1L-1,1L1,1Z",
}
_DASHES: dict[Dashes, list[float]] = {
    "solid": [1, 0],
    "dashed": [5, 2.5],
    "dashdot": [7, 2, 1.5, 2],
    "dashdotdot": [7, 2, 1.5, 2, 1.5, 2],
    "dotted": [1.5, 2],
}


def vega_lite(chart: Chart) -> dict[str, Any]:
    """Returns a chart as a Vega-Lite specification with its data inside, which `altair.Chart.from_dict` takes."""
    legend = _legend(chart)
    return {
        "$schema": SCHEMA,
        "title": chart.title,
        "description": chart.caption,
        "columns": chart.columns,
        "concat": [_panel(panel, chart.panel_inches, legend) for panel in chart.panels],
        "resolve": {"scale": {"color": "shared", "shape": "shared", "strokeDash": "shared"}},
    }


def _legend(chart: Chart) -> dict[str, Any]:
    """Returns the encodings of colour, shape and line by a series' name, which make one legend for all panels."""
    looks: dict[str, tuple[str, str, list[float]]] = {}
    for panel in chart.panels:
        for one in panel.series:
            shape = _SHAPES[one.marker] if one.marker else "stroke"
            look = (_colour(one.colour), shape, _DASHES[one.dashes])
            known = looks.setdefault(one.legend_name, look)
            if known[0] != look[0]:
                # A name of several colours is listed in ink.
                looks[one.legend_name] = (_INK, *known[1:])
        for level in panel.levels:
            looks.setdefault(level.name, (_colour(level.colour), "stroke", _DASHES[level.dashes]))
    colours, shapes, dashes = zip(*looks.values(), strict=True) if looks else ((), (), ())
    ranges = {"color": colours, "shape": shapes, "strokeDash": dashes}
    title = {"title": chart.legend_title or None}
    return {
        channel: {"field": "series", "scale": {"domain": list(looks), "range": list(values)}, **title}
        for channel, values in ranges.items()
    }


def _panel(panel: Panel, inches: tuple[float, float], legend: Mapping[str, Any]) -> dict[str, Any]:
    notes = [panel.note, f"hollow: {panel.hollow}" if panel.hollow else ""]
    note = "; ".join(filter(None, notes))
    layers = [layer for level in panel.levels for layer in _level(level, panel.y, legend)]
    layers += [layer for one in panel.series for layer in _series(one, panel.x, panel.y, legend)]
    return {
        # A subtitle without a title is not drawn.
        "title": {
            "text": panel.title or note,
            "subtitle": note if panel.title else "",
            **({} if panel.title else QUIET),
        },
        "width": round(inches[0] * _PIXELS),
        "height": round(inches[1] * _PIXELS),
        "layer": layers,
    }


def _colour(name: Colour) -> str:
    return COLOURS.get(name, _INK)


def _position(field: str, axis: Axis) -> dict[str, Any]:
    """Returns the encoding of a field along an axis."""
    scale: dict[str, Any] = {
        "type": axis.scale,
        "zero": False,
        "nice": False,
        "padding": 0 if axis.categories else _PADDING,
    }
    ends = {"domainMin": axis.low, "domainMax": axis.high}
    if axis.categories:
        ends = {"domainMin": -0.6, "domainMax": len(axis.categories) - 0.4}
    found: dict[str, Any] = {
        "field": field,
        "type": "quantitative",
        "title": axis.label or None,
        "scale": scale | {name: end for name, end in ends.items() if end is not None},
    }
    if axis.categories:
        names = json.dumps(list(axis.categories), ensure_ascii=False)
        values = list(range(len(axis.categories)))
        angle = -90 if max(map(len, axis.categories)) > _LONG_NAME else 0
        found["axis"] = {"values": values, "labelExpr": f"{names}[datum.value]", "labelAngle": angle, "grid": False}
    elif axis.whole:
        found["axis"] = {"tickMinStep": 1, "format": "d"}
    return found


def _level(level: Level, y: Axis, legend: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {
        "data": {"values": [{"y": level.value, "series": level.name}]},
        "mark": {"type": "rule", "strokeWidth": 0.8},
        "encoding": {"y": _position("y", y), **_only(legend, "color", "strokeDash")},
    }


def _only(legend: Mapping[str, Any], *channels: str) -> dict[str, Any]:
    return {channel: legend[channel] for channel in channels}


def _series(one: Series, x: Axis, y: Axis, legend: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the layers of a series, from the back to the front."""
    rows = _rows(one, y)
    if not rows:
        return
    colour: dict[str, Any] = {"color": legend["color"]}
    if one.legend:
        # Series that share a name keep a colour each.
        colour = {"color": {"value": _colour(one.colour)}}
    across, up = _position("x", x), _position("y", y)
    dashes = {"strokeDash": legend["strokeDash"]}
    tip = {"tooltip": [{"field": "series"}, {"field": "x", "title": x.label or "x"}, {"field": "y", "title": y.label}]}

    def layer(
        mark: Mapping[str, Any],
        values: Sequence[Mapping[str, Any]],
        **encoding: Any,  # noqa: ANN401 - channels as Vega-Lite has them
    ) -> dict[str, Any]:
        return {"data": {"values": list(values)}, "mark": dict(mark), "encoding": encoding}

    if one.mark == "bars":
        bars = {"x": _position("left", x), "x2": {"field": "right"}, "y": up, "y2": {"field": "base"}}
        yield layer({"type": "rect"}, rows, **bars, **colour, **tip)
    elif one.mark in ("steps", "stairs"):
        interpolate = "step-after" if one.mark == "steps" else "step-before"
        # A level lasts from half a place before to half a place behind.
        edges = [{**row, "x": row["x"] - 0.5} for row in rows] if one.mark == "steps" else rows
        ends = [{**rows[-1], "x": rows[-1]["x"] + 0.5}] if one.mark == "steps" else []
        line = {"type": "line", "interpolate": interpolate, "strokeWidth": 1.2}
        yield layer(line, [*edges, *ends], x=across, y=up, **colour, **dashes)
        if one.mark == "stairs":
            # They fall to 0 at the last, on a logarithmic axis to its lower end.
            fall = {"x": across, "y": up, "y2": {"value": "height"}}
            yield layer({"type": "rule", "strokeWidth": 1.2}, rows[-1:], **fall, **colour, **dashes)
    elif one.mark == "line":
        yield layer({"type": "line", "strokeWidth": 1.2}, rows, x=across, y=up, **colour, **dashes)
    arms = [row for row in rows if "low" in row]
    if arms:
        ink = {"color": {"value": _INK}} if one.mark == "bars" else colour
        ends_of = {"x": _position("aside", x), "y": _position("low", y), "y2": {"field": "high"}}
        yield layer({"type": "rule", "strokeWidth": 0.8}, arms, **ends_of, **ink)
    if one.marker is not None and one.mark in ("line", "points"):
        shape = {"shape": legend["shape"]}
        place = across if one.mark == "line" else _position("aside", x)
        for hollow in (False, True):
            marks = [row for row in rows if row["hollow"] == hollow]
            if marks:
                # A hollow mark hides the line behind it.
                look = {"type": "point", "opacity": 1, "size": 30, "filled": not hollow}
                look |= {"fill": "white"} if hollow else {}
                yield layer(look, marks, x=place, y=up, **colour, **shape, **tip)
    labelled = [row for row in rows if row.get("label")]
    if labelled:
        text = {"type": "text", "dy": -8, "fontSize": 8}
        yield layer(text, labelled, x=_position("aside", x), y=up, text={"field": "label"})


def _rows(one: Series, y: Axis) -> list[dict[str, Any]]:
    """Returns the points of a series that have a value."""
    found = []
    for i, (place, value) in enumerate(zip(one.x, one.y, strict=True)):
        if not math.isfinite(value) or (y.scale == "log" and value <= 0):
            continue
        aside = place + one.offset
        row: dict[str, Any] = {"series": one.legend_name, "x": place, "y": value, "aside": aside}
        row["hollow"] = bool(one.hollow and one.hollow[i])
        if one.mark == "bars":
            row |= {"left": aside - one.width / 2, "right": aside + one.width / 2}
            row["base"] = one.base[i] if one.base else 0.0
        if one.low and math.isfinite(one.low[i]) and one.low[i] < one.high[i]:
            # An arm to below zero would end at the floor of a logarithmic axis, as if that were its end.
            cut = y.scale == "log" and one.low[i] <= 0
            row |= {"low": value if cut else one.low[i], "high": one.high[i]}
        if one.labels and one.labels[i]:
            row["label"] = one.labels[i]
        found.append(row)
    return found
