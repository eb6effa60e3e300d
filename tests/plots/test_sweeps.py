"""Figures of sweeps, from tables."""

import contextlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import ringlet as rl
from ringlet.errors import RingletError
from ringlet.figures import interval_name
from ringlet.plots import curves, default_charts, roll_off_chart, sweep_chart, with_published
from ringlet.plots.labels import label
from ringlet.report import sweep_charts, sweep_tables

LOADS = (30.0, 10.0, 20.0)


@pytest.fixture
def summary():
    return pd.DataFrame(
        [
            {
                "point": 0,
                "flow_control.protocol": protocol,
                "network.nodes": 8,
                "traffic.load_MBps": load,
                "throughput_MBps": 8 * load + shift,
                "throughput_ci95_MBps": 1.5,
                "latency_mean_ns": 100 + load,
                "latency_mean_ci95_ns": np.nan,
            }
            for shift, protocol in enumerate(("sci", "none"))
            for load in LOADS
        ]
    )


def test_a_curve_for_each_value_in_order_of_x_with_its_interval(summary):
    panel = curves(summary, x="traffic.load_MBps", y="throughput_MBps", by=["flow_control.protocol"])
    assert [one.name for one in panel.series] == ["sci", "none"]
    none = panel.series[1]
    assert none.x == (10.0, 20.0, 30.0)
    assert none.y == (81.0, 161.0, 241.0)
    assert (none.low[0], none.high[0]) == (79.5, 82.5)
    assert (panel.x.label, panel.y.label) == ("offered load (MB/s)", "throughput (MB/s)")
    assert (panel.y.scale, panel.y.low) == ("linear", 0.0)


def test_latencies_are_logarithmic_and_may_lack_an_interval(summary):
    panel = curves(summary, x="traffic.load_MBps", y="latency_mean_ns", by=["flow_control.protocol"])
    assert panel.y.scale == "log"
    assert not panel.series[0].has_interval


def test_flat_curves_leave_room_above_their_marks(summary):
    flat = summary.assign(fairness=0.9999)
    y = curves(flat, x="traffic.load_MBps", y="fairness", by=["flow_control.protocol"]).y
    assert (y.low, y.high) == (0, pytest.approx(1.05 * 0.9999))
    assert curves(summary, x="traffic.load_MBps", y="throughput_MBps", by=["flow_control.protocol"]).y.high is None


def test_words_along_x_have_a_place_each(summary):
    rows = summary[summary["traffic.load_MBps"] == 10]
    panel = curves(rows, x="flow_control.protocol", y="throughput_MBps")
    assert panel.x.categories == ("sci", "none")
    assert (panel.series[0].x, panel.series[0].mark) == ((0.0, 1.0), "points")


def test_a_column_that_is_not_there_is_named_with_those_that_are(summary):
    with pytest.raises(RingletError, match=r"column: 'throughput' is not allowed.*throughput_MBps"):
        curves(summary, x="traffic.load_MBps", y="throughput")
    with pytest.raises(RingletError, match="nowhere"):
        roll_off_chart(summary, x="nowhere")


def test_a_sweep_is_drawn_over_its_load_by_default(summary):
    axes = ["flow_control.protocol", "network.nodes", "traffic.load_MBps"]
    (chart,) = default_charts(summary, axes)
    assert [panel.y.label for panel in chart.panels] == ["throughput (MB/s)", "mean latency (ns)"]
    assert all(panel.x.label == "offered load (MB/s)" for panel in chart.panels)
    assert [one.name for one in chart.panels[0].series] == ["sci", "none"]
    assert chart.title == "Throughput and mean latency over offered load"
    assert default_charts(summary[:1], axes) == ()


def test_numbers_that_tell_curves_apart_are_named(summary):
    panel = curves(summary, x="flow_control.protocol", y="throughput_MBps", by=["traffic.load_MBps"])
    assert [one.name for one in panel.series] == [
        "offered load 30 MB/s",
        "offered load 10 MB/s",
        "offered load 20 MB/s",
    ]


def test_roll_off_averages_the_runs_of_a_point_and_puts_the_highest_priority_first():
    rows = [
        {"load": load, "priority": priority, "throughput_MBps": 100 * priority + run, "latency_mean_ns": 50.0}
        for load in (1.0, 2.0)
        for priority in (0, 1)
        for run in (-1, 0, 1)
    ]
    chart = roll_off_chart(pd.DataFrame(rows), x="load")
    high, low = chart.panels[0].series
    assert (high.name, low.name) == ("priority 1", "priority 0")
    assert high.y == (100.0, 100.0)
    # Student's t for two degrees of freedom, times 1/sqrt(3).
    assert high.high[0] - 100 == pytest.approx(4.302653 / np.sqrt(3))


def test_published_points_lie_over_the_curves(summary):
    panel = curves(summary, x="traffic.load_MBps", y="throughput_MBps", by=["flow_control.protocol"])
    last = with_published(panel, [(20.0, 150.0), (10.0, 90.0)], name="todd2001").series[-1]
    assert (last.name, last.mark, last.x, last.y) == ("todd2001", "points", (10.0, 20.0), (90.0, 150.0))


def test_labels_have_their_units():
    assert label("throughput_words_per_cycle") == "throughput (words/cycle)"
    assert label("events.rate_kHz") == "trigger rate (kHz)"
    assert label("fairness") == "fairness (Jain's index)"
    assert label("queues.transmit") == "transmit queue (packets)"
    assert label("queues.window") == "window (transactions)"
    assert interval_name("latency_p99_ns") == "latency_p99_ci95_ns"
    assert interval_name("fairness") == "fairness_ci95"


def test_every_figure_of_a_chart_draws(summary):
    figures = ["throughput_MBps", "latency_mean_ns", "throughput_ci95_MBps"]
    drawn = sweep_chart(summary, x="traffic.load_MBps", y=figures, by=["flow_control.protocol"]).draw()
    assert [axes.get_visible() for axes in drawn.axes] == [True, True, True, False]


def test_a_dotted_line_of_the_model_stands_beside_mean_latencies_where_it_knows_them(summary):
    modelled = summary.assign(latency_model_ns=[130.0, 110.0, 120.0, np.nan, np.nan, np.nan])
    panel = curves(modelled, x="traffic.load_MBps", y="latency_mean_ns", by=["flow_control.protocol"])
    assert [one.name for one in panel.series] == ["sci", "sci, model", "none"]
    line = panel.series[1]
    assert (line.x, line.y) == ((10.0, 20.0, 30.0), (110.0, 120.0, 130.0))
    assert (line.dashes, line.marker, line.colour) == ("dotted", None, panel.series[0].colour)
    other = curves(modelled, x="traffic.load_MBps", y="throughput_MBps", by=["flow_control.protocol"])
    assert [one.name for one in other.series] == ["sci", "none"]


def test_the_charts_of_a_sweep_have_the_model_of_the_protocols_that_it_knows():
    scenario = rl.Scenario.from_dict(
        {"network": {"nodes": 2}, "traffic": {"load": "1 MB/s"}, "run": {"duration": 2000, "warmup": 0}}
    )
    axes = {"traffic.load": ["50 MB/s", "300 MB/s"], "flow_control.protocol": ["none", "dfc"]}
    with contextlib.closing(rl.sweep(scenario, axes, executor=ThreadPoolExecutor(1))) as swept:
        (chart,) = sweep_charts(sweep_tables(swept))
        model = rl.model(swept.scenario(0))["latency_ns"].mean()
    latency = chart.panels[1]
    assert [one.name for one in latency.series] == ["none", "none, model", "dfc"]
    assert latency.series[1].y[0] == pytest.approx(model)


def test_overloaded_points_are_hollow_and_the_legend_says_so(summary):
    warned = np.where(summary["traffic.load_MBps"] == 30, "batches correlate, overloaded", "")
    panel = curves(
        summary.assign(warned_of=warned), x="traffic.load_MBps", y="throughput_MBps", by=["flow_control.protocol"]
    )
    assert panel.series[1].hollow == (False, False, True)
    axes = panel.draw()
    assert "overloaded" in axes.get_legend_handles_labels()[1]
    assert panel.table()[1][-1][-1].endswith(", overloaded")


def test_a_figure_says_what_its_marks_are_and_names_intervals_where_there_are_any(summary):
    by = ["flow_control.protocol"]
    with_intervals = sweep_chart(summary, x="traffic.load_MBps", y=["throughput_MBps"], by=by)
    assert "95 % intervals" in with_intervals.panels[0].note
    assert "95 % intervals" in with_intervals.caption
    without = sweep_chart(summary, x="traffic.load_MBps", y=["latency_mean_ns"], by=by)
    assert without.panels[0].note == ""
    assert "intervals" not in without.caption


def test_the_optimum_stands_beside_throughputs_where_all_curves_have_the_same(summary):
    best = summary.assign(optimum_MBps=9 * summary["traffic.load_MBps"])
    by = ["flow_control.protocol"]
    line = curves(best, x="traffic.load_MBps", y="throughput_MBps", by=by).series[-1]
    assert (line.name, line.x, line.y) == ("fair share", (10.0, 20.0, 30.0), (90.0, 180.0, 270.0))
    assert "less fair" in sweep_chart(best, x="traffic.load_MBps", y=["throughput_MBps"], by=by).caption
    unlike = best.assign(optimum_MBps=range(len(best)))
    unknown = best.assign(optimum_MBps=np.nan)
    for table, y in ((unlike, "throughput_MBps"), (unknown, "throughput_MBps"), (best, "latency_mean_ns")):
        assert [one.name for one in curves(table, x="traffic.load_MBps", y=y, by=by).series] == ["sci", "none"]


def test_the_optimum_lies_within_the_axis_of_flat_curves(summary):
    flat = summary.assign(throughput_MBps=99.0, optimum_MBps=130.0)
    assert curves(flat, x="traffic.load_MBps", y="throughput_MBps", by=["flow_control.protocol"]).y.high >= 130


@pytest.mark.parametrize("count", [2, 3, 5, 10])
def test_curves_stand_where_they_are_and_their_intervals_apart_by_little(count):
    rows = [
        {"by": f"{i}", "x": float(x), "throughput_MBps": 1.0, "throughput_ci95_MBps": 0.1}
        for i in range(count)
        for x in range(3)
    ]
    panel = curves(pd.DataFrame(rows), x="x", y="throughput_MBps", by=["by"])
    offsets = [one.offset for one in panel.series]
    assert len(set(offsets)) == count
    assert max(offsets) - min(offsets) <= 0.025 * 2
    axes = panel.draw()
    assert [tuple(line.get_xdata()) for line in axes.lines] == [(0.0, 1.0, 2.0)] * count
    assert len({container.lines[2][0].get_segments()[0][0, 0] for container in axes.containers}) == count


def test_points_that_no_curve_tells_apart_are_not_joined(summary):
    with pytest.raises(RingletError, match=r"traffic.load_MBps is 30.0 at several points of one curve.*by, facet"):
        curves(summary, x="traffic.load_MBps", y="throughput_MBps")


def saturating(latencies):
    """One curve over a load; a latency below 0 is of an overloaded point."""
    return pd.DataFrame(
        {
            "traffic.load_MBps": [float(i) for i in range(len(latencies))],
            "network.nodes": range(len(latencies)),
            "latency_mean_ns": [abs(each) for each in latencies],
            "latency_mean_ci95_ns": 1.0,
            "latency_model_ns": [abs(each) for each in latencies],
            "throughput_MBps": 100.0,
            "warned_of": ["overloaded" if each < 0 else "" for each in latencies],
        }
    )


def test_a_latency_over_the_load_ends_at_the_first_overloaded_point():
    table = saturating([100, 150, -20000, -50000, -70000])
    panel = curves(table, x="traffic.load_MBps", y="latency_mean_ns")
    curve, model = panel.series
    assert curve.x == (0.0, 1.0, 2.0)
    assert curve.y == (100.0, 150.0, 300.0)
    assert (curve.hollow, curve.beyond) == ((False, False, True), (False, False, True))
    assert np.isnan(curve.high[2])
    assert (model.name, model.x) == ("model", (0.0, 1.0))
    assert 300 < panel.y.high < 400
    assert panel.table()[1][2] == ("2", "above 300, overloaded", "")
    # A throughput is steady where the latency is not.
    assert len(curves(table, x="traffic.load_MBps", y="throughput_MBps").series[0].x) == 5


def test_a_latency_that_is_overloaded_within_the_range_of_the_others_stands_where_it_is():
    curve = curves(saturating([100, 150, -200]), x="traffic.load_MBps", y="latency_mean_ns").series[0]
    assert (curve.y, curve.beyond) == ((100.0, 150.0, 200.0), ())


def test_over_anything_but_a_load_a_curve_goes_on_behind_an_overloaded_point():
    curve = curves(saturating([100, -20000, 120]), x="network.nodes", y="latency_mean_ns").series[0]
    assert curve.y == (100.0, 240.0, 120.0)
    assert curve.hollow == (False, True, False)


def test_where_every_point_is_overloaded_the_first_one_stands_where_it_is():
    curve = curves(saturating([-500, -600]), x="traffic.load_MBps", y="latency_mean_ns").series[0]
    assert (curve.x, curve.y, curve.hollow) == ((0.0,), (500.0,), (True,))
