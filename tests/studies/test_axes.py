"""Values of an axis, and points made of them."""

import pytest

from ringlet.figures import interval_name
from ringlet.studies.axes import Range, Space
from ringlet.studies.columns import axis_columns, column_name


def values(**keys):
    made = Range(**keys)
    return [made[i] for i in range(len(made))]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"start": 2, "stop": 8, "count": 4}, [2, 4, 6, 8]),
        ({"start": 0.0, "stop": 1.0, "count": 3}, [0.0, 0.5, 1.0]),
        ({"start": 2, "stop": 16, "count": 4, "spacing": "log"}, [2, 4, 8, 16]),
        ({"start": 0.1, "stop": 0.3, "count": 3}, [0.1, 0.2, 0.3]),
        ({"start": "10 MB/s", "stop": "0.1 GB/s", "count": 4}, ["10 MB/s", "40 MB/s", "70 MB/s", "100 MB/s"]),
        ({"start": 8, "stop": 2, "count": 3}, [8, 5, 2]),
        ({"start": 5, "stop": 9, "count": 1}, [5]),
    ],
)
def test_a_range_has_both_ends(keys, expected):
    assert values(**keys) == expected
    assert [type(value) for value in values(**keys)] == [type(value) for value in expected]


def test_points_are_all_combinations_the_last_axis_fastest():
    space = Space([{"a": [1, 2]}, {"b": ["x", "y", "z"], "c": [7, 8, 9]}])
    assert space.points == 6
    assert [space.settings(i) for i in (0, 1, 5)] == [
        {"a": 1, "b": "x", "c": 7},
        {"a": 1, "b": "y", "c": 8},
        {"a": 2, "b": "z", "c": 9},
    ]


def test_without_an_axis_there_is_one_point():
    assert (Space([]).points, Space([]).settings(0)) == (1, {})


def test_crossings_take_each_value_of_each_axis_once():
    space = Space([{"a": [1, 2]}, {"b": [3, 4, 5]}])
    assert [space.settings(i) for i in space.crossings(1000)] == [
        {"a": 1, "b": 3},
        {"a": 1, "b": 4},
        {"a": 1, "b": 5},
        {"a": 2, "b": 3},
    ]


def test_of_a_long_axis_of_numbers_some_are_tried_and_of_one_of_names_all():
    long = Range(start=1, stop=10**9, count=10**9)
    files = [f"{i}.csv" for i in range(3000)]
    tried = list(Space([{"a": long}]).crossings(1000))
    assert 900 < len(tried) <= 1001
    assert (tried[0], max(tried)) == (0, 10**9 - 1)
    assert len(list(Space([{"a": [1.5] * 3000}]).crossings(1000))) <= 1001
    assert len(list(Space([{"a": files}]).crossings(1000))) == 3000


def test_a_thousand_million_points_cost_nothing():
    space = Space([{"a": Range(start=0.0, stop=1.0, count=10**9)}, {"b": Range(start=0.0, stop=1.0, count=10**6)}])
    assert space.points == 10**15
    assert space.settings(10**15 - 1) == {"a": 1.0, "b": 1.0}


@pytest.mark.parametrize(
    ("key", "given", "name"),
    [
        ("traffic.load", ["10 MB/s", "1 GB/s"], "traffic.load_MBps"),
        ("traffic.load", [0.1, 0.2], "traffic.load_words_per_cycle"),
        ("traffic.load", ["10 MB/s", 0.2], "traffic.load"),
        ("network.hop_delay", [1, 2], "network.hop_delay_cycles"),
        ("network.hop_delay", ["4 ns", "1 us"], "network.hop_delay_ns"),
        ("network.nodes", [2, 4], "network.nodes"),
        ("flow_control.protocol", ["sci"], "flow_control.protocol"),
    ],
)
def test_columns_have_their_unit_in_their_name(key, given, name):
    assert column_name(key, given)[0] == name


def test_quantities_become_numbers_in_one_unit():
    import numpy as np

    space = Space([{"traffic.load": ["10 MB/s", "1 GB/s"]}, {"traffic.destinations": [[1, 0], [0, 1]]}])
    columns = axis_columns(space, np.array([0, 2, 3]))
    assert columns["traffic.load_MBps"].tolist() == [10.0, 1000.0, 1000.0]
    assert columns["traffic.destinations"].tolist() == ["[1, 0]", "[1, 0]", "[0, 1]"]


@pytest.mark.parametrize(
    ("figure", "name"),
    [
        ("throughput_MBps", "throughput_ci95_MBps"),
        ("throughput_words_per_cycle", "throughput_ci95_words_per_cycle"),
        ("latency_p99_ns", "latency_p99_ci95_ns"),
        ("fairness", "fairness_ci95"),
    ],
)
def test_an_interval_has_the_unit_of_its_figure(figure, name):
    assert interval_name(figure) == name
