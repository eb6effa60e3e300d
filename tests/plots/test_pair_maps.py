"""Maps of pairs: what flows and messages offered and delivered between nodes, and how late."""

import copy
import json
import math

import numpy as np
import pytest

import ringlet as rl
from ringlet import RingletError
from ringlet.plots.charts.pairs import MOST_CELLS, pairs
from ringlet.plots.run_file import read_run_file
from ringlet.scenario.activities.flows import plan

FLOWS = [
    {"source": 0, "destination": 2, "size": 640, "period": "10 us"},
    {"source": 0, "destination": 2, "size": 64, "period": "20 us", "name": "second"},
    {"source": 1, "destination": 3, "size": 64, "period": "5 us"},
    {"source": 3, "destination": "all", "size": 64, "period": "50 us"},
    {"source": 2, "destination": 1, "size": 64, "times": ["900 us"]},
    {"source": 1, "destination": [0, 2], "size": 64, "arrivals": "saturated"},
]
RING = {"network": {"nodes": 4}, "run": {"duration": "100 us", "warmup": 0}}


@pytest.fixture(scope="module")
def result():
    return rl.run({**RING, "flows": FLOWS, "messages": [{"source": 2, "destination": 0, "size": 99, "period": "9 us"}]})


def test_pairs_have_the_sums_of_their_flows_and_the_largest_latency(result):
    found, flows = pairs(result.document), result.document["flows"]
    assert found.offered[0, 2] == pytest.approx(flows[0]["offered_MBps"] + flows[1]["offered_MBps"])
    assert found.delivered[0, 2] == pytest.approx(flows[0]["delivered_MBps"] + flows[1]["delivered_MBps"])
    assert found.latency[0, 2] == max(one["latency_max_ns"] for one in flows[:2]) / 1e3
    (message,) = result.document["messages"]
    assert found.offered[2, 0] == pytest.approx(message["released"] * 99 / 100)
    assert found.latency[2, 0] == message["worst_response_ns"] / 1e3
    assert math.isnan(found.offered[1, 1])
    # A flow to all others has three pairs, and the saturated one to two nodes has two.
    assert found.several == 0
    assert found.offered[1, [0, 2]].sum() == pytest.approx(flows[5]["offered_MBps"])
    assert found.offered[3, :3].sum() == pytest.approx(flows[3]["offered_MBps"])
    assert np.nanmax(found.latency[3]) == flows[3]["latency_max_ns"] / 1e3
    # Nothing of it was offered in this time.
    assert (found.offered[2, 1], math.isnan(found.latency[2, 1])) == (0, True)


def test_the_title_says_what_is_not_in_the_map(result, monkeypatch):
    chart = result.plot.pairs()
    assert "not in it" not in chart.title
    assert "pairs with flows or messages: 9; most offered:" in chart.title
    monkeypatch.setattr(plan, "MAX_COUNTED", 4)
    counted = rl.run({**RING, "flows": FLOWS}).plot.pairs()
    assert counted.title.endswith("; not in it: 1 of the flows, to several nodes")
    assert "pairs with flows or messages: 6; most offered:" in counted.title
    maps = chart.draw().axes
    assert [axes.get_ylabel() for axes in maps[:3]] == ["source"] * 3
    assert [axes.get_xlabel() for axes in maps[3:]] == ["offered (MB/s)", "delivered (MB/s)", "largest latency (µs)"]


def test_many_nodes_share_rows():
    nodes = 2 * MOST_CELLS + 2
    flows = [{"source": nodes - 1, "destination": one, "size": 64, "period": "9 us"} for one in (0, 1, 2, 3)]
    found = pairs(rl.run({**RING, "network": {"nodes": nodes}, "flows": flows}).document)
    assert (found.nodes_each, found.offered.shape) == (3, (86, 86))
    assert found.offered[85, 0] == pytest.approx(3 * found.offered[85, 1], rel=0.1)


def test_a_run_without_pairs_has_no_map(monkeypatch):
    monkeypatch.setattr(plan, "MAX_COUNTED", 1)
    alone = rl.run({**RING, "flows": FLOWS[5:]})
    assert "pairs" not in [chart.name for chart in alone.plot()]
    with pytest.raises(RingletError, match="one run with a pair of nodes"):
        alone.plot.pairs()


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("flows", 0, "source"), 4, "sources and destinations below 4"),
        (("flows", 0, "destination"), "9", "sources and destinations below 4"),
        (("messages", 0, "destination"), -1, "destination"),
        (("flows", 0, "offered_MBps"), "x", "offered_MBps"),
    ],
)
def test_a_file_with_other_nodes_is_refused(result, tmp_path, place, value, said):
    document = copy.deepcopy(result.document)
    document[place[0]][place[1]][place[2]] = value
    (tmp_path / "run.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(RingletError, match=said):
        read_run_file(tmp_path / "run.json")
