"""Study files, good and bad."""

import json

import pytest
from small_studies import study

from ringlet.errors import RingletError
from ringlet.store.store import without_seed
from ringlet.studies import Study
from ringlet.studies.sweep import sweep

FILE = """
title = "load and protocol"
scenario = "ring.toml"
[[axes]]
flow_control.protocol = ["none", "sci"]
[[axes]]
"traffic.load" = { start = "10 MB/s", stop = "30 MB/s", count = 3 }
run.duration = ["10 us", "20 us", "30 us"]
[replications]
count = 4
[[plots]]
x = "traffic.load"
y = ["throughput_MBps"]
by = "flow_control.protocol"
"""
RING = '[network]\nnodes = 4\n[traffic]\narrivals = "poisson"\nload = "1 MB/s"\n'


def test_a_file_names_its_base_relative_to_itself(tmp_path):
    (tmp_path / "ring.toml").write_text(RING, encoding="utf-8")
    (tmp_path / "study.toml").write_text(FILE, encoding="utf-8")
    loaded = Study.load(tmp_path / "study.toml")
    assert (loaded.points, loaded.most_runs) == (6, 24)
    scenario = loaded.point_scenario(4)
    assert (scenario.flow_control.protocol, scenario.traffic.load, scenario.run.duration) == ("sci", "20 MB/s", "20 us")
    assert Study.from_dict(loaded.to_dict()).point_scenario(4).to_dict() == scenario.to_dict()


def test_a_point_does_not_change_the_next_one():
    made = study(axes=[{"traffic.load": ["1 MB/s", "2 MB/s"]}])
    before = made.point_scenario(0).to_dict()
    made.point_scenario(1)
    assert made.point_scenario(0).to_dict() == before


def test_each_point_takes_the_options_that_its_protocol_has():
    options = {"groups": 4, "bypass": 60, "high_water": 3}
    made = study(
        scenario={"network": {"nodes": 4}, "queues": {"receive": 5}, "flow_control": options},
        axes=[{"flow_control.protocol": ["none", "grouped", "ppq", "dfc"]}],
    )
    sections = [made.point_scenario(point).to_dict()["flow_control"] for point in range(4)]
    assert sections == [
        {"protocol": "none"},
        {"protocol": "grouped", "groups": 4},
        {"protocol": "ppq", "bypass": 60},
        {"protocol": "dfc", "bypass": 60, "high_water": 3},
    ]


def test_an_axis_of_options_holds_for_the_protocols_that_have_them():
    made = study(
        scenario={"network": {"nodes": 4}},
        axes=[{"flow_control.protocol": ["sci", "grouped"]}, {"flow_control.groups": [2, 4]}],
    )
    sections = [made.point_scenario(point).to_dict()["flow_control"] for point in range(4)]
    grouped = [{"protocol": "grouped", "groups": groups} for groups in (2, 4)]
    assert sections == [{"protocol": "sci"}, {"protocol": "sci"}, *grouped]


@pytest.mark.parametrize(
    ("options", "words"),
    [({"groups": 4}, "flow_control.groups: 4"), ({"knots": 4}, "flow_control.knots: unknown key")],
)
def test_an_option_of_no_protocol_of_the_study_is_refused(options, words):
    with pytest.raises(RingletError, match=words):
        study(
            scenario={"network": {"nodes": 4}, "flow_control": options},
            axes=[{"flow_control.protocol": ["none", "sci"]}],
        ).check()


MISTAKES = {
    "no-such-key": (
        {"axes": [{"network.noodles": [1]}]},
        "point 0 (network.noodles=1): network.noodles: unknown key; did you mean 'nodes'?",
    ),
    "no-key": (
        {"axes": [{}]},
        "axes[0]: {} is not allowed; a key of the scenario and its values, such as traffic.load = ['10 MB/s', '20 "
        "MB/s']",
    ),
    "no-values": ({"axes": [{"traffic.load": []}]}, 'axes[0]."traffic.load": [] is not allowed; at least 1 of them'),
    "no-list": (
        {"axes": [{"traffic.load": 3}]},
        'axes[0]."traffic.load": 3 is not allowed; a list or a table',
    ),
    "no-points": (
        {"axes": [{"traffic.load": {"start": 1, "stop": 2, "count": 0}}]},
        'axes[0]."traffic.load".count: 0 is not allowed; at least 1',
    ),
    "log-of-zero": (
        {"axes": [{"traffic.load": {"start": 0, "stop": 2, "count": 2, "spacing": "log"}}]},
        "axes[0].\"traffic.load\": {'start': 0, 'stop': 2, 'count': 2, 'spacing': 'log'} is not allowed; with spacing "
        "'log' both ends have to be above 0",
    ),
    "mixed-ends": (
        {"axes": [{"traffic.load": {"start": 0, "stop": "2 MB/s", "count": 2}}]},
        "axes[0].\"traffic.load\": {'start': 0, 'stop': '2 MB/s', 'count': 2} is not allowed; start and stop are both "
        "numbers, or both quantities: 0 and '2 MB/s' are not",
    ),
    "different-lengths": (
        {"axes": [{"traffic.load": [1], "network.nodes": [2, 3]}]},
        "axes[0]: keys that move together need equally many values; traffic.load has 1, network.nodes has 2",
    ),
    "twice": (
        {"axes": [{"traffic.load": [1]}, {"traffic.load": [1]}]},
        "axes[1].traffic.load: axes[0].traffic.load sets it, too; each key may vary once",
    ),
    "bad-value": (
        {"axes": [{"network.nodes": [4, 0]}]},
        "point 1 (network.nodes=0): network.nodes: 0 is not allowed; at least 1",
    ),
    "bad-combination": (
        {
            "axes": [
                {"traffic.destinations": [[1, 2, 3, 0]]},
                {"network.nodes": [4, 5]},
                {"traffic.pattern": ["permutation"]},
            ]
        },
        "point 1 (traffic.destinations=[1, 2, 3, 0], network.nodes=5, traffic.pattern=permutation): "
        "traffic.destinations: [1, 2, 3, 0] is not allowed; 5 destinations, one per node",
    ),
    "through-a-value": (
        {"axes": [{"traffic.load.low": [1]}]},
        "point 0 (traffic.load.low=1): traffic.load.low: not allowed in the base scenario; traffic.load is not a table",
    ),
    "seeds-twice": (
        {"axes": [{"run.seed": [1, 2]}], "replications": {"count": 2}},
        "axes[0].run.seed: the seeds of the replications would overlap; allowed: one of both",
    ),
    "figure": (
        {"replications": {"precision": 0.1, "watch": ["speed"]}},
        "replications.watch[0]: 'speed' is not allowed; known figures are offered_MBps, throughput_MBps",
    ),
    "by": (
        {"plots": [{"x": "traffic.load", "y": ["throughput_MBps"], "by": "nodes"}]},
        "plots[0].by: 'nodes' is not allowed; the key of an axis: traffic.load",
    ),
    "unknown-key": ({"axis": []}, "axis: unknown key; did you mean 'axes'?"),
    "no-base": ({"scenario": 3}, "scenario: 3 is not allowed; a string or a table"),
    "missing-base": ({"scenario": "nowhere.toml"}, "nowhere.toml: no such file"),
    "endless": (
        {"axes": [{key: {"start": 0.1, "stop": 0.2, "count": 10**9}} for key in ("traffic.load", "run.precision")]},
        "axes: <1,000,000,000,000,000,000 points> is not allowed; at most 1,000,000,000,000,000 runs",
    ),
    "no-number": (
        {"axes": [{"traffic.load": {"start": 10**400, "stop": 2, "count": 2}}]},
        'axes[0]."traffic.load"',
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_before_anything_runs(mistake):
    keys, message = MISTAKES[mistake]
    with pytest.raises(RingletError) as caught:
        sweep(study(**keys), workers=1)
    assert str(caught.value).startswith(message)


def test_a_missing_base_is_said():
    with pytest.raises(RingletError, match="scenario: missing"):
        Study.from_dict({"axes": []})


def test_a_bad_base_is_said():
    with pytest.raises(RingletError, match=r"^base scenario: network: missing"):
        sweep(Study.from_dict({"scenario": {}}))


def test_a_thousand_million_points_are_counted_and_refused():
    many = study(axes=[{"traffic.load": {"start": 0.001, "stop": 0.1, "count": 10**9}}])
    with pytest.raises(RingletError) as caught:
        sweep(many)
    assert str(caught.value) == (
        "study: 2,000,000,000 runs, 1,000,000,000 points with 2 each; more than 100,000 need yes=True (--yes)"
    )


def test_an_axis_varies_one_message_of_a_set_and_no_other_point():
    message = {"source": 0, "destination": 2, "size": 64, "period": "20 us"}
    base = {"network": {"nodes": 4}, "messages": [message | {"name": name} for name in ("imu", "lidar")]}
    varied = Study.from_dict({"scenario": base, "axes": [{"messages.lidar.period": ["10 us", "40 us"]}]})
    periods = [[one["period"] for one in varied.point_scenario(i).to_dict()["messages"]] for i in (0, 1, 0)]
    assert periods == [["20 us", "10 us"], ["20 us", "40 us"], ["20 us", "10 us"]]
    assert base["messages"][1]["period"] == "20 us"


def test_the_scenario_of_a_point_is_made_once_for_a_sweep(monkeypatch):
    loads = Study.from_dict({"scenario": {"network": {"nodes": 2}}, "axes": [{"run.duration": ["1 us", "2 us"]}]})
    unchecked = [loads.point_text(point) for point in range(2)]
    scenarios = [loads.point_scenario(point).to_dict() for point in range(2)]
    assert [json.loads(text) for text, _ in unchecked] == [without_seed(content) for content in scenarios]
    assert [seed for _, seed in unchecked] == [content["run"]["seed"] for content in scenarios]
    loads.check()
    monkeypatch.setattr(Study, "point_scenario", None)
    assert [loads.point_text(point) for point in range(2)] == unchecked
