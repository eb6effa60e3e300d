"""What a sweep, a comparison and a collective operation say of their own figures."""

import pandas as pd
import pytest

import ringlet as rl
from ringlet.cli.compare import MARK, figures
from ringlet.scenario.activities.collective import collective_line
from ringlet.studies.saturation import saturation, saturation_in_words


def test_a_curve_is_overloaded_from_the_first_load_on_that_warns():
    curves = {"none": ["", "", ""], "sci": ["", "overloaded", ""], "train": ["overloaded", "overloaded", ""]}
    rows = [
        {"flow_control.protocol": name, "traffic.load_MBps": load, "warned_of": warned}
        for name, column in curves.items()
        for load, warned in zip((20.0, 40.0, 60.0), column, strict=True)
    ]
    found = saturation(pd.DataFrame(rows), ["flow_control.protocol", "traffic.load_MBps"])
    assert list(saturation_in_words(found)) == [
        "none: not overloaded, up to 60 MB/s",
        "sci: not overloaded up to 20 MB/s, overloaded at 40 MB/s",
        "train: overloaded from the least load on, 20 MB/s",
    ]


def test_a_difference_is_marked_where_its_interval_does_not_hold_0():
    ring = {"network": {"nodes": 4}, "traffic": {"load": "60 MB/s"}, "run": {"duration": "50 us"}}
    sci = {**ring, "flow_control": {"protocol": "sci"}}
    found = rl.compare({**ring, "flow_control": {"protocol": "none"}}, sci, replications=3, workers=1)
    table = figures(found)
    differs = {row["figure"]: abs(row["difference"]) > row["difference_ci95"] for row in found.shown.to_dict("records")}
    lines = [line for line in table.lines(lambda text, style: text) if line.split()[:1] != ["figure"] and line]
    marked = {line.split()[0]: MARK in line.split() for line in lines}
    assert {name: differs[name] for name in marked} == marked
    assert set(marked.values()) == {True, False}


@pytest.mark.parametrize("reduce_time", [0, 4000])
def test_an_operation_that_is_complete_is_held_beside_its_bound(reduce_time):
    operation = {"operation": "all-reduce", "size": "4 KiB", "reduce_time": reduce_time}
    document = rl.run({"network": {"nodes": 4}, "collective": operation}).document
    found = document["collective"]
    taken, bound = found["completion_time_ns"], found["bandwidth_bound_ns"]
    assert taken >= bound > 0
    line = collective_line(document)
    assert f"complete after {taken / 1e3:.4g} us; bandwidth bound {bound / 1e3:.4g} us by " in line
    assert f"({100 * bound / taken:.1f} % of that)" in line
