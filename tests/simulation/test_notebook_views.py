"""What a notebook shows of a scenario, a result, a sweep and a chart, and what completion offers."""

import pickle

import pandas as pd

import ringlet as rl

RING = {
    "network": {"nodes": 4},
    "traffic": {"arrivals": "poisson", "load": "60 MB/s"},
    "run": {"duration": "20 us"},
}


def test_a_scenario_is_a_line_and_a_table_of_what_differs_from_the_defaults():
    scenario = rl.Scenario.from_dict(RING)
    assert repr(scenario) == "<Scenario: 4 nodes, ring, flow control sci, arrivals poisson 60 MB/s, seed 1>"
    shown = scenario._repr_html_()
    assert "<th>traffic.load</th><td>&quot;60 MB/s&quot;</td>" in shown
    assert "retry.delay" not in shown


def test_a_result_is_its_line_and_a_table_of_nodes_with_its_warnings():
    result = rl.run({**RING, "traffic": {"arrivals": "poisson", "load": "900 MB/s"}})
    shown = result._repr_html_()
    assert "<p>Result: 4 nodes" in shown
    assert "<th>throughput_MBps</th>" in shown
    assert "<li>overloaded: " in shown


def test_a_sweep_is_its_line_and_a_row_for_each_point():
    swept = rl.sweep(RING, {"flow_control.protocol": ["none", "sci"]}, replications=1, workers=1)
    shown = swept._repr_html_()
    assert "<p>SweepResult: 2 points, 2 runs finished</p>" in shown
    assert "<td>none</td>" in shown
    assert "<td>sci</td>" in shown


def test_a_chart_is_its_drawing_with_what_it_shows_in_words():
    chart = rl.plots.node_chart({"sci": rl.run(RING).document})
    assert repr(chart) == "<Chart 'nodes': throughput (MB/s) over node>"
    shown = chart._repr_html_()
    assert shown.startswith('<figure><div role="img" aria-label="')
    assert "</svg>" in shown
    assert "<?xml" not in shown


def test_completion_offers_names_of_scenarios_and_none_of_the_models_behind_them():
    offered = {name for name in dir(rl.Scenario.from_dict(RING)) if not name.startswith("_")}
    assert {"network", "traffic", "load", "optimum", "to_dict"} <= offered
    assert not {"table", "items", "made", "changed"} & offered


def test_a_table_of_a_run_shows_rates_and_latencies_and_has_every_column():
    nodes = rl.run(RING).nodes
    shown = ["name", "offered_MBps", "throughput_MBps", "of_optimum", "latency_mean_ns", "latency_p99_ns"]
    assert list(nodes.short) == shown
    assert nodes["bypass_max_symbols"].max() > 0
    lines = repr(nodes).splitlines()
    assert lines[0].split() == shown
    assert lines[-1] == f"[4 rows, 6 of {nodes.shape[1]} columns; .all_columns has all]"
    assert "bypass_max_symbols" not in nodes._repr_html_()
    whole = nodes.all_columns
    assert type(whole) is pd.DataFrame
    pd.testing.assert_frame_equal(whole, pickle.loads(pickle.dumps(nodes)).all_columns)
    assert type(nodes[shown]) is pd.DataFrame


def test_a_table_of_a_run_shows_what_was_sent_again_only_where_something_was():
    busy = {"queues": {"receive": 1, "service_time": "200 ns"}, "traffic": {"arrivals": "saturated"}}
    nodes = rl.run(RING | busy).nodes
    assert "retries" in nodes.short
    assert "lost_MBps" not in nodes.short


def test_an_empty_table_has_no_note():
    assert repr(rl.run(RING).priorities) == repr(pd.DataFrame())


def test_tables_of_a_sweep_show_what_varies():
    swept = rl.sweep(RING, {"traffic.load": ["60 MB/s", "900 MB/s"]}, replications=2, workers=1)
    summary = list(swept.summary.short)
    assert summary[:2] == ["point", "traffic.load_MBps"]
    assert {"throughput_ci95_MBps", "latency_mean_ci95_ns", "warned_of"} < set(summary)
    assert list(swept.points.short)[:3] == ["point", "replication", "traffic.load_MBps"]
    nodes = list(swept.nodes.short)
    assert nodes[:4] == ["point", "replication", "traffic.load_MBps", "name"]
    assert "traffic.load_MBps" in swept._repr_html_()
