"""Two runs, scenarios or studies beside each other."""

import json

import numpy as np
import pytest

import ringlet as rl
from ringlet.errors import RingletError
from ringlet.statistics import paired
from ringlet.studies.comparison import VERSION
from studies.small_studies import BASE, here, study

OTHER = {**BASE, "flow_control": {"protocol": "none"}, "network": {"nodes": 4, "hop_delay": 3}}


@pytest.fixture(scope="module")
def found():
    return rl.compare(BASE, OTHER, replications=4, workers=1)


def row(table, figure):
    (found,) = table[table["figure"] == figure].to_dict(orient="records")
    return found


def test_the_keys_that_differ_are_named(found):
    assert sorted(found.keys.values.tolist()) == [
        ["flow_control.protocol", "sci", "none"],
        ["network.hop_delay", "1", "3"],
    ]


def test_scenarios_are_paired_by_their_seeds(found):
    values = []
    for scenario in (OTHER, BASE):
        runs = [rl.run(rl.Scenario.from_dict(scenario), seed=seed).document for seed in (1, 2, 3, 4)]
        values.append([[one["total"]["latency_ns"]["mean"]] for one in runs])
    both, latency = paired(*values), row(found.table, "latency_mean_ns")
    assert latency["difference"] == both.difference[0]
    assert latency["difference_ci95"] == both.difference_half_width[0]
    assert latency["ratio"] == both.ratio[0]
    assert (latency["pairs"], latency["ci95_from"]) == (4, "pairs")
    assert latency["b"] - latency["a"] == pytest.approx(latency["difference"])


def test_the_interval_of_a_difference_holds_what_many_runs_find(found):
    many = rl.compare(BASE, OTHER, replications=60, workers=1)
    few, mean = row(found.table, "latency_mean_ns"), row(many.table, "latency_mean_ns")["difference"]
    assert abs(few["difference"] - mean) <= few["difference_ci95"]


def test_equal_things_do_not_differ():
    same = rl.compare(BASE, BASE, replications=2, workers=1)
    assert same.keys.empty
    assert (same.table["difference"] == 0).all()
    assert same.shown["figure"].tolist() == ["throughput_MBps", "latency_mean_ns", "latency_p99_ns"]


def test_two_single_runs_have_the_interval_of_two_independent_means(tmp_path):
    scenario = {**BASE, "run": {"duration": "200 us"}}
    results = [
        rl.run(rl.Scenario.from_dict({**scenario, "traffic": {"load": load}})) for load in ("20 MB/s", "60 MB/s")
    ]
    for name, result in zip("ab", results, strict=True):
        (tmp_path / f"{name}.json").write_text(json.dumps(result.document), encoding="utf-8")
    own = [result.document["total"]["latency_ns"]["ci95"] for result in results]
    for a, b in (results, [tmp_path / "a.json", str(tmp_path / "b.json")]):
        latency = row(rl.compare(a, b).table, "latency_mean_ns")
        assert latency["difference_ci95"] == pytest.approx(np.hypot(*own))
        assert (latency["pairs"], latency["ci95_from"]) == (1, "batches")
        assert np.isnan(row(rl.compare(a, b).table, "latency_p99_ns")["difference_ci95"])


def test_sweeps_are_compared_point_by_point(tmp_path):
    first = here(study(), store=tmp_path / "a.sqlite")
    second = here(study(scenario=OTHER), store=tmp_path / "b.sqlite")
    inside = rl.compare(first, second)
    outside = rl.compare(tmp_path / "a.sqlite", tmp_path / "b.sqlite")
    assert inside.table.equals(outside.table)
    assert inside.table["pairs"].unique().tolist() == [2]
    for load, rows in inside.table.groupby("traffic.load_MBps"):
        means = [one.summary.set_index("traffic.load_MBps").loc[load] for one in (first, second)]
        latency = row(rows, "latency_mean_ns")
        assert [latency["a"], latency["b"]] == pytest.approx([one["latency_mean_ns"] for one in means])
    assert len(inside.plot().panels) == 3
    first.close()
    second.close()


def test_stores_of_two_versions_say_so(tmp_path):
    result = here(study(), store=tmp_path / "a.sqlite")
    older = rl.SweepResult(result.store, 1, result.study, "0.0.9+old")
    assert rl.compare(older, result).keys.values.tolist() == [[VERSION, "0.0.9+old", result.engine]]
    result.close()


def test_the_chart_of_two_points_has_the_ratios_of_what_differs(found):
    (panel,) = found.plot().panels
    assert len(panel.x.categories) == len(found.shown)
    (series,) = panel.series
    latency = found.shown["figure"].tolist().index("latency_mean_ns")
    assert series.y[latency] == row(found.table, "latency_mean_ns")["ratio"]


def test_the_json_holds_numbers_and_null(found):
    text = json.dumps(found.to_dict(), allow_nan=False)
    assert {one["figure"] for one in json.loads(text)["rows"]} == set(found.table["figure"])


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (study(), BASE, "b: its axes are none; allowed: those of a, traffic.load_MBps"),
        (study(), study(replications={"seeds": [7, 8]}), "b: no point and seed in common with a"),
        (study(), study(axes=[{"traffic.load": ["30 MB/s"]}]), "b: no point and seed in common with a"),
    ],
    ids=["axes", "seeds", "points"],
)
def test_what_has_nothing_in_common_is_refused(a, b, words):
    first = here(a)
    second = here(b) if isinstance(b, rl.Study) else b
    with pytest.raises(RingletError, match=words):
        rl.compare(first, second, workers=1)


@pytest.mark.parametrize("content", ['{"seed": 1}', "[1]", '{"total": 3, "seed": 2}'])
def test_a_file_that_is_no_run_is_refused(tmp_path, content):
    (tmp_path / "x.json").write_text(content, encoding="utf-8")
    with pytest.raises(RingletError, match=r"x\.json: not the JSON of a run; allowed: what 'ringlet run"):
        rl.compare(tmp_path / "x.json", BASE)
