"""A scenario takes sections and resolved parts from the one before it, and is what it would be without."""

import tomllib
from collections import OrderedDict
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

import ringlet as rl
from ringlet.scenario import scenario as module
from ringlet.scenario.resolved.shared import LOAD, differing
from ringlet.simulation import run

EXAMPLES = Path(__file__).parents[2] / "examples"
RING = {"network": {"nodes": 4}, "traffic": {"arrivals": "poisson", "load": "20 MB/s"}}
SEVERAL = [
    RING,
    {**RING, "queues": {"receive": 2}, "retry": {"delay": "1 us"}},
    {**RING, "flow_control": {"protocol": "grouped", "assignment": "node"}},
    {**RING, "network": {"topology": "switch", "nodes": 4, "ports": 4}},
    {
        **RING,
        "network": {"topology": "torus", "shape": [2, 2]},
        "host": {"slots": 2, "fill_time": "40 ns"},
        "switch": {"transmit": 4},
    },
    {**RING, "network": {"nodes": 4, "hop_delay": [1, 2, 3, 4]}, "queues": {"service_time": ["1 us", 0, 0, 0]}},
    {**RING, "messages": [{"source": 0, "destination": 2, "size": 64, "period": "5 us"}]},
    {**RING, "traffic": {**RING["traffic"], "priority": 1}, "flow_control": {"protocol": "ppq"}},
    {**RING, "loops": [{"name": "axis", "nodes": [0, 2], "period": "10 us", "size": 64}]},
]


def fresh(content, monkeypatch, **options):
    monkeypatch.setattr(module, "_LATEST", OrderedDict())
    return rl.Scenario.from_dict(content, **options)


def parts(scenario):
    """What is resolved of a scenario, in a form that can be compared."""
    kind = type(scenario.resolved)
    names = [name for base in kind.__mro__ for name, one in vars(base).items() if isinstance(one, cached_property)]
    return {name: repr(plain(getattr(scenario.resolved, name))) for name in names if name not in OBJECTS}


OBJECTS = {"routed_network", "switch_delays", "hosts", "host_delays", "plans", "ring_protocols", "pattern"}
"""Parts whose `repr` names places in memory; the engine's specification shows what they hold."""


def plain(value):
    return value.tolist() if isinstance(value, np.ndarray) else value


def with_load(content, load):
    return {**content, "traffic": {**content["traffic"], "load": load}}


@pytest.mark.parametrize("content", SEVERAL)
@pytest.mark.parametrize("load", ["20 MB/s", "35 MB/s", "0 MB/s", 0.01])
def test_a_scenario_behind_one_of_another_load_is_what_it_is_alone(content, load, monkeypatch):
    changed = with_load(content, load)
    alone = fresh(changed, monkeypatch)
    expected = parts(alone), alone.network_spec(3), alone.to_dict(), run(alone, seed=1).document
    before = fresh(content, monkeypatch)
    parts(before)
    found = rl.Scenario.from_dict(changed)
    # Without a load there are no flows, on which more depends.
    other = {LOAD} if load != "0 MB/s" else {"traffic"}
    assert differing(found, before) == (set() if load == content["traffic"]["load"] else other)
    assert found.routed_network is before.routed_network
    assert (parts(found), found.network_spec(3), found.to_dict(), run(found, seed=1).document) == expected


def test_a_scenario_behind_any_other_is_what_it_is_alone(monkeypatch):
    files = sorted(EXAMPLES.glob("*.toml"))
    contents = [*SEVERAL, *(tomllib.loads(file.read_text(encoding="utf-8")) for file in files)]
    contents = [one for one in contents if "axes" not in one and "network" in one]
    expected = [fresh(one, monkeypatch, base_dir=EXAMPLES).network_spec(1) for one in contents]
    monkeypatch.setattr(module, "_LATEST", OrderedDict())
    for _ in range(2):
        for content, alone in zip(contents, expected, strict=True):
            assert rl.Scenario.from_dict(content, base_dir=EXAMPLES).network_spec(1) == alone
    shared = with_load(RING, "21 MB/s")
    for content in SEVERAL:
        if content["network"] == RING["network"]:
            rl.Scenario.from_dict(content)
            assert rl.Scenario.from_dict(shared).network_spec(1) == fresh(shared, monkeypatch).network_spec(1)


def test_a_few_networks_in_turns_are_kept_and_each_takes_from_its_own(monkeypatch):
    contents = [{**RING, "network": {"nodes": nodes}} for nodes in range(2, 2 + module.MOST_KEPT)]
    expected = [fresh(content, monkeypatch).network_spec(1) for content in contents]
    monkeypatch.setattr(module, "_LATEST", OrderedDict())
    first = [rl.Scenario.from_dict(content) for content in contents]
    for content, before, alone in zip(contents, first, expected, strict=True):
        again = rl.Scenario.from_dict(with_load(content, "20 MB/s"))
        assert again.routed_network is before.routed_network
        assert again.network_spec(1) == alone
    for nodes in range(50, 60):
        rl.Scenario.from_dict({**RING, "network": {"nodes": nodes}})
    assert len(module._LATEST) == module.MOST_KEPT
    assert rl.Scenario.from_dict(contents[0]).routed_network is not first[0].routed_network


def test_what_does_not_fit_is_refused_behind_a_scenario_that_fits():
    rl.Scenario.from_dict(RING)
    for load, words in ("2 GB/s", "at most 1 word per cycle"), ("2 furlongs", "MB/s"):
        with pytest.raises(rl.RingletError, match=f"traffic.load: '{load}' is not allowed.*{words}"):
            rl.Scenario.from_dict(with_load(RING, load))
    with pytest.raises(rl.RingletError, match=r"queues\.receive"):
        rl.Scenario.from_dict({**RING, "queues": {"receive": 0}})
    with pytest.raises(rl.RingletError, match=r"network\.nodes"):
        rl.Scenario.from_dict({**RING, "network": {"nodes": True}})


def test_names_of_nodes_are_those_of_the_own_network():
    named = {"nodes": 2, "node_names": ["a", "b"]}
    messages = [{"source": "a", "destination": "b", "size": 64, "period": "5 us"}]
    assert rl.Scenario.from_dict({"network": named, "messages": messages}).periodic_messages[0].source == 0
    other = {"network": {**named, "node_names": ["b", "a"]}, "messages": messages}
    assert rl.Scenario.from_dict(other).periodic_messages[0].source == 1


def test_a_file_is_read_for_each_scenario(tmp_path):
    content = {"network": {"nodes": 3}, "traffic": {"matrix_file": "matrix.csv"}}
    found = []
    for rows in "0,1,0\n1,0,0\n1,0,0", "0,0,1\n1,0,0\n1,0,0":
        (tmp_path / "matrix.csv").write_text(rows, encoding="utf-8")
        found.append(rl.Scenario.from_dict(content, base_dir=tmp_path).traffic_matrix().tolist())
    assert found[0] != found[1]
