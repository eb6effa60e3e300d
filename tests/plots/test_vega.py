"""Charts as Vega-Lite: valid, and with the values of the chart."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import ringlet as rl
from ringlet.plots.chart import Chart, Panel
from ringlet.plots.parts import Axis, Level, Series
from ringlet.plots.vega import vega_lite
from studies.small_studies import here, study

SERIES = Series(
    "a",
    (1.0, 2.0, 3.0, 4.0),
    (10.0, math.nan, 30.0, 40.0),
    low=(9.0, math.nan, -1.0, 40.0),
    high=(11.0, math.nan, 61.0, 40.0),
    colour="blue",
    offset=0.1,
    hollow=(False, False, False, True),
)
MODEL = Series("a, model", (1.0, 4.0), (9.0, 39.0), colour="blue", marker=None, dashes="dotted", legend="model")
PANEL = Panel(
    Axis("load", low=0.0),
    Axis("latency", scale="log"),
    (SERIES, MODEL, replace(MODEL, name="b, model", colour="orange")),
    levels=(Level("published", 20.0),),
    note="marks: means",
    hollow="overloaded",
)
CHART = Chart("one", "One chart", "Its caption.", (PANEL, replace(PANEL, title="second")), columns=2)


def layers(chart: Chart, mark: str, panel: int = 0):
    return [layer for layer in vega_lite(chart)["concat"][panel]["layer"] if layer["mark"]["type"] == mark]


def rows(chart: Chart, mark: str):
    return [row for layer in layers(chart, mark) for row in layer["data"]["values"]]


def test_a_curve_has_the_values_that_are_there():
    curve, model, _ = layers(CHART, "line")
    assert [(row["x"], row["y"]) for row in curve["data"]["values"]] == [(1.0, 10.0), (3.0, 30.0), (4.0, 40.0)]
    assert [(row["x"], row["y"]) for row in model["data"]["values"]] == [(1.0, 9.0), (4.0, 39.0)]


def test_intervals_stand_aside_and_none_goes_to_the_floor_of_a_logarithmic_axis():
    found = [(row["aside"], row["low"], row["high"]) for row in rows(CHART, "rule") if "low" in row]
    assert found == [(1.1, 9.0, 11.0), (3.1, 30.0, 61.0)]


def test_stairs_fall_to_the_lower_end_of_the_axis_at_the_last():
    stairs = replace(SERIES, mark="stairs", low=(), high=(), marker=None)
    chart = replace(CHART, panels=(replace(PANEL, series=(stairs,), levels=()),))
    (line,) = layers(chart, "line")
    assert line["mark"]["interpolate"] == "step-before"
    (fall,) = layers(chart, "rule")
    assert [(row["x"], row["y"]) for row in fall["data"]["values"]] == [(4.0, 40.0)]
    assert fall["encoding"]["y2"] == {"value": "height"}


def test_hollow_marks_are_those_of_the_chart():
    marks = {layer["mark"]["filled"]: layer["data"]["values"] for layer in layers(CHART, "point")}
    assert [row["x"] for row in marks[True]] == [1.0, 3.0]
    assert [row["x"] for row in marks[False]] == [4.0]


def test_axes_have_their_scales_ends_and_labels():
    encoding = layers(CHART, "line")[0]["encoding"]
    assert (encoding["x"]["title"], encoding["y"]["title"]) == ("load", "latency")
    assert encoding["x"]["scale"]["domainMin"] == 0.0
    assert encoding["y"]["scale"]["type"] == "log"


def test_one_legend_lists_every_name_once_and_a_shared_one_in_ink():
    curve, *models = layers(CHART, "line")
    scale = curve["encoding"]["color"]["scale"]
    assert scale["domain"] == ["a", "model", "published"]
    assert scale["range"][1] not in (scale["range"][0], models[0]["encoding"]["color"]["value"])
    assert len({model["encoding"]["color"]["value"] for model in models}) == 2


def test_places_have_their_names():
    panel = Panel(
        Axis("node", categories=("0", 'a "b"')), Axis("MB/s"), (Series("x", (0.0, 1.0), (1.0, 2.0), mark="bars"),)
    )
    (bars,) = layers(replace(CHART, panels=(panel,)), "rect")
    assert bars["encoding"]["x"]["axis"]["labelExpr"] == '["0", "a \\"b\\""][datum.value]'
    assert [(row["left"], row["right"], row["base"], row["y"]) for row in bars["data"]["values"]] == [
        (-0.4, 0.4, 0.0, 1.0),
        (0.6, 1.4, 0.0, 2.0),
    ]


def test_the_file_is_the_specification(tmp_path):
    from ringlet.plots.save import save_vega_lite

    path = save_vega_lite(CHART, tmp_path)
    assert path.name == "one.vl.json"
    assert json.loads(path.read_text(encoding="utf-8")) == vega_lite(CHART)


@pytest.fixture(scope="module")
def drawn():
    swept = here(study())
    run = rl.run({"network": {"nodes": 4}, "run": {"duration": "20 us"}})
    found = [CHART, swept.plot.curves(), *run.plot(), rl.compare(swept, swept).plot()]
    swept.close()
    return found


def test_altair_takes_every_chart(drawn):
    altair = pytest.importorskip("altair", reason="Vega-Lite is not checked without Altair (pip install altair)")
    for chart in drawn:
        made = altair.Chart.from_dict(vega_lite(chart))
        assert len(made.concat) == len(chart.panels)


def test_every_chart_is_valid_by_the_schema_of_vega_lite(drawn):
    altair = pytest.importorskip("altair", reason="Vega-Lite is not checked without Altair (pip install altair)")
    jsonschema = pytest.importorskip("jsonschema")
    (path,) = Path(altair.__file__).parent.rglob("vega-lite-schema.json")
    validator = jsonschema.Draft7Validator(json.loads(path.read_text(encoding="utf-8")))
    for chart in drawn:
        assert validator.is_valid(vega_lite(chart)), chart.name
    broken = vega_lite(CHART)
    broken["concat"][0]["layer"][0]["mark"]["type"] = "blob"
    assert not validator.is_valid(broken)
