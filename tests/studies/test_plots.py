"""What a study says of its figures, good and bad."""

import contextlib

import pytest
from small_studies import study

import ringlet as rl
from ringlet.errors import RingletError
from ringlet.report import sweep_charts, sweep_tables
from ringlet.sections import Section
from ringlet.studies.study import study_schema

AXES = [
    {"flow_control.protocol": ["none", "sci"]},
    {"network.hop_delay": [1, 10]},
    {"traffic.load": ["20 MB/s", "80 MB/s"]},
]
BY = "flow_control.protocol"


def with_plot(**keys):
    return study(
        scenario={"network": {"nodes": 4}, "run": {"duration": "5 us", "warmup": 0}},
        axes=AXES,
        plots=[{"x": "traffic.load", "y": ["throughput_MBps"], **keys}],
    )


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"by": BY}, r"plots\[0\].by: no key draws the axis network.hop_delay, which has 2 values; allowed: .* facet"),
        ({"facet": BY}, "no key draws the axis network.hop_delay"),
        ({"by": BY, "where": {"network.hop_delay": [1, 10]}}, "no key draws the axis network.hop_delay"),
        (
            {"by": "traffic.pattern"},
            r"plots\[0\].by: 'traffic.pattern' .* the key of an axis: flow",
        ),
        ({"by": [BY, BY]}, "each key once"),
        ({"by": ["traffic.load", "network.hop_delay"]}, "each key once; x has it"),
        ({"by": [BY] * 4}, "at most 3 keys"),
        ({"facet": [BY] * 3}, "at most 2 keys"),
        ({"x": "traffic.pattern"}, "a figure, or the key of an axis"),
        (
            {"y": ["throughput"]},
            r"plots\[0\].y: 'throughput' .* figures, such as throughput_MBps",
        ),
        ({"y": ["latency_mean"]}, r"plots\[0\].y: 'latency_mean' .*; did you mean 'latency_mean_ns'"),
        (
            {"where": {"network.hop_delay": 7}},
            r"plots\[0\].where.network.hop_delay: 7 is not allowed; values of its axis: 1, 10$",
        ),
        ({"where": {"traffic.pattern": "uniform"}}, "keys of axes"),
        (
            {"log": ["latency_mean_ns"]},
            r"plots\[0\].log: 'latency_mean_ns' .* x, throughput_MBps",
        ),
        ({"limits": {"y": [0, 1]}}, "limits of x, throughput_MBps"),
        ({"limits": {"x": [2, 1]}}, "a lower end below an upper one"),
        ({"limits": {"x": [0, 1]}, "log": ["x"]}, "the axis is logarithmic"),
        ({"y": ["latency_mean_ns"], "limits": {"latency_mean_ns": [0, 1]}}, "the axis is logarithmic"),
        ({"labels": {"scii": "SCI"}}, r"labels.scii"),
        ({"size": [0.1, 3]}, "inches, 1 to 30 each"),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_anything_runs(keys, words):
    with pytest.raises(RingletError, match=words):
        with_plot(**keys)


def test_an_axis_that_is_too_long_for_its_key_is_refused_and_where_makes_it_short():
    keys = {"x": "traffic.load", "y": ["fairness"], "facet": "network.nodes", "by": []}
    axes = [{"traffic.load": ["1 MB/s", "2 MB/s"]}, {"network.nodes": {"start": 2, "stop": 31, "count": 30}}]
    with pytest.raises(RingletError, match="at most 12 values, not 30"):
        study(axes=axes, plots=[keys])
    study(axes=axes, plots=[{**keys, "where": {"network.nodes": [2, 4]}}])


def test_one_name_and_a_list_of_it_are_the_same():
    assert with_plot(by=[BY], facet="network.hop_delay").plots == with_plot(by=BY, facet=["network.hop_delay"]).plots


def test_a_study_that_was_stored_with_its_figures_is_read_again():
    made = with_plot(by=BY, where={"network.hop_delay": 10}, limits={"x": [0, 100]}, labels={"sci": "SCI"})
    assert rl.Study.from_dict(made.to_dict()).plots == made.plots
    assert issubclass(type(made.plots[0]), Section)


def test_figures_of_three_axes_show_each_point_once():
    plots = [
        {
            "x": "traffic.load",
            "y": ["throughput_MBps"],
            "by": BY,
            "facet": "network.hop_delay",
            "labels": {"sci": "SCI"},
        },
        {"x": "traffic.load", "y": ["throughput_MBps"], "by": BY, "where": {"network.hop_delay": 10}, "title": "Far"},
        {"x": "traffic.load", "y": ["throughput_MBps"]},
        {"x": "traffic.load", "y": ["throughput_MBps"], "where": {"network.hop_delay": 1}, "log": "x"},
    ]
    made = study(scenario={"network": {"nodes": 4}, "run": {"duration": "5 us", "warmup": 0}}, axes=AXES, plots=plots)
    with contextlib.closing(rl.sweep(made, workers=1)) as swept:
        tables = sweep_tables(swept)
        facets, far, free, near = (
            [[one for one in panel.series if one.name != "fair share"] for panel in chart.panels]
            for chart in sweep_charts(tables)
        )
        titles = [chart.title for chart in sweep_charts(tables)]
        log = sweep_charts(tables)[3].panels[0].x.scale
    assert [[one.name for one in panel] for panel in facets] == [["none", "SCI"]] * 2
    assert all(one.x == (20.0, 80.0) for panel in (*facets, *far, *free, *near) for one in panel)
    assert [one.y for one in far[0]] == [one.y for one in facets[1]]
    assert [one.y for one in near[0]] == [one.y for one in facets[0]]
    assert [one.name for one in free[0]] == [
        f"{p}, hop delay {d} cycle{'s' * (d > 1)}" for p in ("none", "sci") for d in (1, 10)
    ]
    assert (titles[1], log) == ("Far", "log")


def test_the_schema_takes_a_name_or_a_list_of_names():
    properties = study_schema()["$defs"]["Plot"]["properties"]
    assert {"type": "string"} in properties["by"]["anyOf"]
    assert any(one.get("type") == "array" for one in properties["by"]["anyOf"])
