"""`result.plot` and `swept.plot`."""

import copy
import subprocess
import sys

import pytest

import ringlet as rl

RING = {"network": {"nodes": 4}, "run": {"duration": "20 us"}}


@pytest.fixture(scope="module")
def result():
    return rl.run(RING)


@pytest.fixture(scope="module")
def swept():
    study = rl.Study.from_dict(
        {
            "scenario": RING,
            "axes": [
                {"flow_control.protocol": ["none", "sci"]},
                {"traffic.load": ["50 MB/s", "100 MB/s"]},
            ],
            "baseline": {"flow_control.protocol": "none"},
            "replications": {"count": 2},
        }
    )
    return rl.sweep(study, workers=1)


def test_each_figure_of_a_run_is_a_method(result):
    assert [chart.name for chart in result.plot()] == ["nodes", "latency", "links"]
    for name in ("nodes", "latency", "links"):
        chart = getattr(result.plot, name)()
        assert chart.name == name
        assert chart._repr_html_().startswith("<figure")
    assert {"deadlines", "network"} <= set(dir(result.plot))
    with pytest.raises(AttributeError, match="a run has no chart 'node'; there are nodes, latency"):
        result.plot.node()


def test_a_notebook_sees_what_can_be_called(result, swept):
    assert repr(result.plot).startswith("<charts of a run: nodes(), latency(), ")
    assert repr(copy.copy(result.plot)) == repr(result.plot)
    assert not hasattr(result.plot, "_repr_html_")
    assert repr(swept.plot) == "<figures of a sweep: curves(), differences()>"


def test_what_a_run_does_not_have_is_refused_in_words(result):
    with pytest.raises(rl.RingletError, match="none with messages"):
        result.plot.deadlines()
    with pytest.raises(rl.RingletError, match="none with events"):
        result.plot.events()
    with pytest.raises(rl.RingletError, match="several priorities"):
        result.plot.priorities()


def test_curves_of_a_sweep_are_over_its_load(swept):
    chart = swept.plot.curves(y=["throughput_MBps"])
    assert chart.panels[0].x.label == "offered load (MB/s)"
    assert {one.name for one in chart.panels[0].series} == {"none", "sci", "fair share"}


def test_differences_are_from_the_baseline(swept):
    chart = swept.plot.differences(y=["throughput_MBps"])
    assert chart.title.endswith("beside none")
    assert "baseline: none" in {level.name for level in chart.panels[0].levels}


def test_a_sweep_without_a_baseline_or_an_axis_is_refused():
    alone = rl.sweep(RING, {"traffic.load": ["50 MB/s"]}, replications=1, workers=1)
    with pytest.raises(rl.RingletError, match="baseline"):
        alone.plot.differences()
    with pytest.raises(rl.RingletError, match="no axis"):
        alone.plot.curves()


def test_matplotlib_is_loaded_when_something_is_drawn():
    code = (
        "import sys, ringlet as rl\n"
        "result = rl.run({'network': {'nodes': 4}, 'run': {'duration': '20 us'}})\n"
        "chart = result.plot.nodes()\n"
        "assert 'matplotlib' not in sys.modules\n"
        "chart.draw()\n"
        "assert 'matplotlib' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
