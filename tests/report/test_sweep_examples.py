"""Runs that a report looks at more closely, and the players that it links."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import ringlet as rl
from ringlet.report import sweep_tables, write_players
from ringlet.report.examples import MAX_EXAMPLES

BASE = {
    "network": {"nodes": 3},
    "traffic": {"arrivals": "poisson", "load": "50 MB/s"},
    "run": {"duration": "5 us", "warmup": 0},
}
LOADS = ["50 MB/s", "200 MB/s", "100 MB/s"]


def examples_of(*axes, base=BASE):
    with ThreadPoolExecutor(1) as executor:
        result = rl.sweep(rl.Scenario.from_dict(base), axes, replications=1, executor=executor)
    return sweep_tables(result).examples


def test_of_each_curve_the_point_with_the_largest_load_is_looked_at():
    examples = examples_of({"flow_control.protocol": ["none", "sci"]}, {"traffic.load": LOADS})
    assert list(examples) == [f"{protocol}, offered load 200 MB/s" for protocol in ("none", "sci")]
    assert {document["scenario"]["traffic"]["load"] for document in examples.values()} == {"200 MB/s"}


def test_the_load_of_events_is_their_rate():
    events = {"rate": "10 kHz", "builders": [2], "fragment": "64 B"}
    base = {"network": {"nodes": 3}, "events": events, "run": {"duration": "200 us", "warmup": 0}}
    axes = {"network.hop_delay": ["2 ns", "4 ns"]}, {"events.rate": ["10 kHz", "30 kHz", "20 kHz"]}
    assert list(examples_of(*axes, base=base)) == [f"hop delay {gap} ns, trigger rate 30 kHz" for gap in (2, 4)]


def test_a_curve_goes_along_what_the_study_draws():
    study = {
        "scenario": BASE,
        "axes": [{"network.nodes": [3, 4]}, {"queues.receive": [2, 3]}],
        "replications": {"count": 1},
        "plots": [{"x": "queues.receive", "y": ["throughput_MBps"]}],
    }
    with ThreadPoolExecutor(1) as executor:
        result = rl.sweep(rl.Study.from_dict(study), executor=executor)
    names = [f"nodes {nodes}, receive queue 3 packets" for nodes in (3, 4)]
    assert list(sweep_tables(result).examples) == names


def test_without_a_number_that_varies_every_point_is_a_curve():
    assert list(examples_of({"flow_control.protocol": ["none", "sci"]})) == ["none", "sci"]
    assert list(examples_of()) == ["the only point"]


def test_no_more_runs_are_looked_at_than_can_be_told_apart():
    gaps = [f"{gap} ns" for gap in (2, 4, 6, 8, 10, 12)]
    examples = examples_of({"network.hop_delay": gaps}, {"traffic.load": LOADS[:2]})
    assert len(examples) == MAX_EXAMPLES


def test_every_moment_of_a_scenario_has_a_link_to_its_player(tmp_path):
    links = write_players({"ring.toml": rl.Scenario.from_dict(BASE), "another": rl.Scenario.from_dict(BASE)}, tmp_path)
    assert {link.href.partition("#")[0] for link in links} == {"players/ring.html", "players/run-1.html"}
    assert {"first idle without go", "worst latency"} <= {link.label for link in links if link.scenario == "ring.toml"}
    assert all((tmp_path / link.href.partition("#")[0]).is_file() for link in links)


@pytest.mark.parametrize(
    "network", [{"topology": "omega", "size": 2}, {"nodes": 65}], ids=["several rings", "many nodes"]
)
def test_what_the_player_does_not_show_has_no_link(network, tmp_path):
    scenario = rl.Scenario.from_dict({"network": network})
    assert write_players({"ring.toml": scenario}, tmp_path) == []
    assert list(tmp_path.iterdir()) == []
