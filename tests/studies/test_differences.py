import pytest

import ringlet as rl
from ringlet.errors import RingletError
from ringlet.plots import difference_chart
from ringlet.studies import Study

RING = {
    "network": {"nodes": 4},
    "traffic": {"arrivals": "poisson", "load": "100 MB/s"},
    "run": {"duration": "20 us", "warmup": 0},
}
AXES = [{"flow_control.protocol": ["none", "sci"]}, {"traffic.load": ["100 MB/s", "200 MB/s"]}]


def study(**changes):
    content = {
        "scenario": RING,
        "axes": AXES,
        "replications": {"count": 3},
        "baseline": {"flow_control.protocol": "none"},
    }
    return Study.from_dict(content | changes)


@pytest.fixture(scope="module")
def result():
    return rl.sweep(study(), workers=1)


def test_each_point_is_compared_with_the_one_that_shares_its_other_values(result):
    found = result.differences
    assert found[["point", "baseline_point", "pairs"]].to_numpy().tolist() == [[2, 0, 3], [3, 1, 3]]
    assert found["traffic.load_MBps"].tolist() == [100.0, 200.0]


def test_differences_are_those_of_runs_with_a_common_seed(result):
    points = result.points.set_index("point")["throughput_MBps"]
    own, base = points.loc[3].to_numpy(), points.loc[1].to_numpy()
    row = result.differences.iloc[1]
    assert row["throughput_difference_MBps"] == pytest.approx((own - base).mean())
    assert row["throughput_ratio"] == pytest.approx(own.mean() / base.mean())


def test_differences_are_in_the_json_and_in_the_tables(result, tmp_path):
    assert [one["point"] for one in result.to_dict()["differences"]] == [2, 3]
    assert tmp_path / "differences.csv" in result.export(tmp_path)


def test_a_study_without_a_baseline_has_no_differences():
    alone = rl.sweep(study(baseline=None), workers=1)
    assert alone.differences.empty
    assert "differences" not in alone.to_dict()


def test_where_nothing_is_random_intervals_have_no_width():
    message = {"name": "m", "source": 0, "destination": 2, "size": 64, "period": "2 us"}
    ring = {"network": {"nodes": 4}, "traffic": {"arrivals": "none"}, "messages": [message], "run": RING["run"]}
    found = rl.sweep(study(scenario=ring, axes=AXES[:1]), workers=1)
    assert found.summary["throughput_ci95_MBps"].tolist() == [0.0, 0.0]
    assert found.differences["throughput_difference_ci95_MBps"].tolist() == [0.0]


def test_the_chart_has_the_baseline_at_zero(result):
    chart = difference_chart(result.differences, x="traffic.load_MBps", y=["latency_mean_ns"], baseline="none")
    (panel,) = chart.panels
    assert panel.y.label == "mean latency less that of none (ns)"
    assert panel.y.scale == "linear"
    assert [(level.name, level.value) for level in panel.levels] == [("baseline: none", 0.0)]


@pytest.mark.parametrize(
    ("baseline", "message"),
    [
        ({"network.nodes": 4}, r"baseline\.network\.nodes: 4 is not allowed; keys of axes: flow_control\.protocol"),
        (
            {"flow_control.protocol": "ppq"},
            r"baseline\.flow_control\.protocol: 'ppq' is not allowed; one of the values",
        ),
        ({}, "baseline"),
    ],
)
def test_a_baseline_that_no_point_is_is_refused(baseline, message):
    with pytest.raises(RingletError, match=message):
        study(baseline=baseline)


def test_keys_of_one_axis_have_to_be_those_of_one_place():
    moving = [{"flow_control.protocol": ["none", "sci"], "traffic.load": ["100 MB/s", "200 MB/s"]}]
    with pytest.raises(RingletError, match="move together"):
        study(axes=moving, baseline={"flow_control.protocol": "none", "traffic.load": "200 MB/s"})
