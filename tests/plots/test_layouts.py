"""What stands where in a figure of many axes."""

import contextlib
from dataclasses import replace
from itertools import product

import pandas as pd
import pytest

import ringlet as rl
from ringlet.errors import RingletError
from ringlet.plots import Layout, drawn_sweep
from ringlet.plots.sweeps import default_layout

LOAD, PROTOCOL, DELAY, NODES = "traffic.load_MBps", "flow_control.protocol", "network.hop_delay_cycles", "network.nodes"


def table(**axes):
    """One row for each combination of the values of some axes."""
    names = {"load": LOAD, "protocol": PROTOCOL, "delay": DELAY, "nodes": NODES, "seed": "run.seed"}
    rows = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    found = pd.DataFrame(rows).rename(columns=names)
    found["throughput_MBps"] = found[LOAD] * 2
    found["latency_mean_ns"] = found[LOAD] + found.get(DELAY, 0)
    found["latency_p99_ns"] = 2 * found["latency_mean_ns"]
    return found


LOADS = (1.0, 2.0, 3.0)


def test_of_two_or_three_keys_the_first_is_a_colour_the_second_a_marker_the_third_a_line():
    found = table(load=LOADS, protocol=("none", "sci"), delay=(1, 10), nodes=(4, 8))
    layout = Layout(x=LOAD, y=["latency_mean_ns"], by=[PROTOCOL, DELAY, NODES])
    looks = {one.name: one for one in drawn_sweep(found, layout).panels[0].series}
    names = ["none, hop delay 1 cycle, nodes 4", "sci, hop delay 1 cycle, nodes 4"]
    first, other = (looks[name] for name in names)
    assert (first.marker, first.dashes) == (other.marker, other.dashes)
    assert first.colour != other.colour
    delayed, larger = looks["none, hop delay 10 cycles, nodes 4"], looks["none, hop delay 1 cycle, nodes 8"]
    assert (delayed.colour, delayed.dashes) == (first.colour, first.dashes)
    assert delayed.marker != first.marker
    assert (larger.colour, larger.marker) == (first.colour, first.marker)
    assert larger.dashes != first.dashes


def test_facets_are_columns_and_rows_of_each_figure_with_the_same_ranges():
    found = table(load=LOADS, protocol=("none", "sci"), delay=(1, 10, 100), nodes=(4, 8))
    layout = Layout(x=LOAD, y=["latency_mean_ns", "throughput_MBps"], by=[PROTOCOL], facet=[DELAY, NODES])
    chart = drawn_sweep(found, layout)
    assert (len(chart.panels), chart.columns) == (2 * 2 * 3, 3)
    assert [panel.title for panel in chart.panels[:4]] == [
        "nodes 4, hop delay 1 cycle",
        "nodes 4, hop delay 10 cycles",
        "nodes 4, hop delay 100 cycles",
        "nodes 8, hop delay 1 cycle",
    ]
    assert {panel.y.label for panel in chart.panels[:6]} == {"mean latency (ns)"}
    assert len({(panel.x, panel.y) for panel in chart.panels[:6]}) == 1
    assert chart.panels[2].series[0].y == (101.0, 102.0, 103.0)
    assert len({(one.name, one.colour, one.marker) for panel in chart.panels for one in panel.series}) == 2
    assert len(chart.draw().axes) == 12


def test_a_curve_has_the_same_look_in_a_panel_that_lacks_others():
    found = table(load=LOADS, protocol=("none", "sci"), delay=(1, 10))
    found = found[(found[PROTOCOL] == "sci") | (found[DELAY] == 1)]
    chart = drawn_sweep(found, Layout(x=LOAD, y=["latency_mean_ns"], by=[PROTOCOL], facet=[DELAY]))
    both, alone = chart.panels
    assert [one.name for one in alone.series] == ["sci"]
    assert alone.series[0].colour == both.series[1].colour != both.series[0].colour


def test_where_leaves_points_out_and_refuses_values_that_no_point_has():
    found = table(load=LOADS, protocol=("none", "sci"), delay=(1, 10))
    layout = Layout(x=LOAD, y=["latency_mean_ns"], by=[PROTOCOL], where={DELAY: [10]})
    assert drawn_sweep(found, layout).panels[0].series[0].y == (11.0, 12.0, 13.0)
    with pytest.raises(RingletError, match=r"where.network.hop_delay_cycles: \[7\] is not allowed"):
        drawn_sweep(found, Layout(x=LOAD, y=["latency_mean_ns"], where={DELAY: [7]}))


def test_words_limits_scale_and_title_are_those_that_are_given():
    found = table(load=LOADS, protocol=("none", "sci"))
    layout = Layout(
        x=LOAD,
        y=["throughput_MBps"],
        by=[PROTOCOL],
        log=[LOAD, "throughput_MBps"],
        limits={LOAD: (0.5, 5.0), "throughput_MBps": (1.0, 20.0)},
        labels={LOAD: "load", "sci": "SCI with go bits", "throughput_MBps": "rate"},
        title="Rates",
        panel_inches=(2.0, 3.0),
    )
    chart = drawn_sweep(found, layout)
    (panel,) = chart.panels
    assert (panel.x.label, panel.x.scale, panel.x.low, panel.x.high) == ("load", "log", 0.5, 5.0)
    assert (panel.y.label, panel.y.scale, panel.y.low, panel.y.high) == ("rate", "log", 1.0, 20.0)
    assert [one.name for one in panel.series] == ["none", "SCI with go bits"]
    assert (chart.title, chart.heading, chart.panel_inches) == ("Rates", "Rates", (2.0, 3.0))
    assert not drawn_sweep(found, replace(layout, title="")).heading
    axes = panel.draw()
    assert (axes.get_xlim(), axes.get_xscale(), axes.get_yscale()) == ((0.5, 5.0), "log", "log")


def test_few_combinations_are_curves_and_many_are_panels_of_curves():
    few = default_layout(table(load=LOADS, protocol=("none", "sci"), delay=(1, 10)), [PROTOCOL, DELAY, LOAD])
    assert (few.x, few.by, few.facet) == (LOAD, [PROTOCOL, DELAY], ())
    many = table(load=LOADS, protocol=[f"p{i}" for i in range(8)], delay=(1, 10, 100), nodes=(4, 8))
    layout = default_layout(many, [NODES, DELAY, PROTOCOL, LOAD])
    assert (layout.x, layout.by, layout.facet, layout.where) == (LOAD, [PROTOCOL], [DELAY, NODES], {})
    assert all(len(panel.series) == 8 for panel in drawn_sweep(many, layout).panels if panel.series[0].y)


def test_of_long_axes_a_few_values_are_shown_and_the_caption_says_which():
    found = table(load=LOADS, delay=range(100), nodes=range(2, 32))
    layout = default_layout(found, [DELAY, NODES, LOAD])
    assert (layout.by, layout.facet) == ([DELAY], [NODES]) or (layout.by, layout.facet) == ([NODES], [DELAY])
    chart = drawn_sweep(found, layout)
    assert len(chart.panels) == 3 * 6
    assert max(len(panel.series) for panel in chart.panels) == 11
    assert "Shown of 100 values: " in chart.caption
    assert "Shown of 30 values: " in chart.caption


def test_keys_that_move_together_are_one_axis_of_a_figure():
    found = table(load=LOADS, protocol=("none", "sci"))
    found[NODES] = found[LOAD].astype(int) * 4
    assert default_layout(found, [PROTOCOL, LOAD, NODES]).by == [PROTOCOL]


def test_python_draws_by_the_same_words_and_refuses_an_axis_that_none_of_them_names():
    scenario = {"network": {"nodes": 4}, "run": {"duration": "5 us", "warmup": 0}}
    axes = {
        "flow_control.protocol": ["none", "sci"],
        "network.hop_delay": [1, 9],
        "traffic.load": ["20 MB/s", "80 MB/s"],
    }
    with contextlib.closing(rl.sweep(scenario, axes, workers=1)) as swept:
        chart = swept.plot.curves(y=["throughput_MBps"], by=[PROTOCOL], facet=[DELAY], labels={"sci": "SCI"})
        assert [panel.title for panel in chart.panels] == ["hop delay 1 cycle", "hop delay 9 cycles"]
        one = swept.plot.curves(y=["throughput_MBps"], by=[PROTOCOL], where={DELAY: [9]})
        assert [len(series.x) for series in one.panels[0].series if series.name in ("none", "sci")] == [2, 2]
        with pytest.raises(RingletError, match=r"network.hop_delay_cycles: no key draws this axis; allowed: by, facet"):
            swept.plot.curves(y=["throughput_MBps"], by=[PROTOCOL])
