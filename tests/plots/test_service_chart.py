"""The figure of throughput over time."""

import pytest

from ringlet import RingletError
from ringlet.plots import service_chart


def document(rates, *, fails_at_ns=4_000):
    failures = [{"fails_at_ns": fails_at_ns}]
    return {"errors": {"failures": failures, "service": {"bin_ns": 1_000.0, "throughput_MBps": rates}}}


def test_a_curve_has_the_throughput_of_its_bins():
    (panel,) = service_chart({"one": document([10.0, 20.0, 30.0])}).panels
    (curve,) = panel.series
    assert (curve.name, curve.x, curve.y) == ("one", (0.5, 1.5, 2.5), (10.0, 20.0, 30.0))
    assert panel.note == "failures at 4 µs"


def test_many_bins_are_averaged():
    (curve,) = service_chart({"one": document([float(i % 4) for i in range(2_000)])}).panels[0].series
    assert len(curve.x) == 100
    assert set(curve.y) == {1.5}


def test_runs_without_failures_have_no_such_figure():
    with pytest.raises(RingletError, match="none with a link, node or switch that fails"):
        service_chart({"one": {"errors": {"failures": []}}, "other": {}})
