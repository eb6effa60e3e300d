"""What the runs of a sweep warn of, in its tables and its report."""

import re

from small_studies import here

import ringlet as rl
from ringlet.cli.sweep import remarks
from ringlet.report import sweep_tables, write_sweep_report
from ringlet.studies import Replications

BASE = {
    "network": {"nodes": 4},
    "flow_control": {"protocol": "none"},
    "traffic": {"arrivals": "poisson", "load": "10 MB/s"},
    "run": {"duration": "100 us", "warmup": 0},
}
SET = {
    "network": {"nodes": 4},
    "messages": [{"source": 0, "destination": 2, "size": 64, "period": "10 us", "name": "one"}],
    "run": {"duration": "40 us"},
}


def test_a_point_names_what_its_runs_warn_of_and_the_report_says_it(tmp_path):
    found = here(rl.Scenario.from_dict(BASE), {"traffic.load": ["10 MB/s", "900 MB/s"]}, replications=2)
    first, second = found.summary["warned_of"]
    assert "overloaded" not in first
    assert "overloaded" in second
    overloaded = found.warnings[found.warnings["kind"] == "overloaded"]
    assert overloaded["point"].tolist() == [1, 1]
    assert overloaded["warning"].str.contains("packets generated were left waiting").all()
    page = write_sweep_report(sweep_tables(found), tmp_path).read_text(encoding="utf-8")
    assert "<h2>Warnings</h2>" in page
    assert overloaded["warning"].iloc[0] in page


def test_a_sweep_says_how_many_runs_and_points_warn_and_where_its_precision_is_not_reached():
    replications = Replications(precision=0.0001, at_least=2, at_most=3)
    loads = {"traffic.load": ["10 MB/s", "900 MB/s"]}
    found = here(rl.Scenario.from_dict(BASE), loads, replications=replications)
    imprecise, *warned = remarks(found)
    words = r"precision 0\.0001 not reached within 3 replications at 2 of 2 points: "
    assert re.match(words, imprecise)
    (line,) = [one for one in warned if one.startswith("overloaded: ")]
    runs = (found.warnings["kind"] == "overloaded").sum()
    assert re.match(rf"overloaded: {runs} of {found.finished} runs, points 1; the first: overloaded: \d+ of \d+", line)


def test_a_sweep_that_warns_of_nothing_has_no_warnings(tmp_path):
    found = here(rl.Scenario.from_dict(SET), {"network.hop_delay": [1, 2]})
    assert found.warnings.empty
    assert set(found.summary["warned_of"]) == {""}
    assert "<h2>Warnings</h2>" not in write_sweep_report(sweep_tables(found), tmp_path).read_text(encoding="utf-8")


def test_where_nothing_is_random_no_interval_is_drawn_nor_told():
    summary = here(rl.Scenario.from_dict(SET), {"network.hop_delay": [1, 2]}, replications=3).summary
    assert set(summary["throughput_ci95_MBps"]) == {0.0}
    (chart,) = rl.plots.default_charts(summary, ["network.hop_delay_cycles"])
    assert {panel.note for panel in chart.panels} == {""}
    assert "intervals" not in chart.caption


def test_a_report_lists_no_run_that_has_no_player(tmp_path):
    found = here(rl.Scenario.from_dict(BASE), {"flow_control.protocol": ["none", "sci"]}, replications=1)
    tables = sweep_tables(found)
    link = rl.report.MomentLink("sci", "worst latency", "players/run-0.html#cycle=1")
    page = write_sweep_report(tables, tmp_path, moments=[link]).read_text(encoding="utf-8")
    assert page.count("<li>") == 1
