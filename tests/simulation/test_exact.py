"""A run in which nothing is drawn at random finds the state to which it comes back, and is exact from there on."""

import json
from fractions import Fraction
from typing import Any

import pytest

import ringlet as rl
from campaign.kinds.recurrences import found
from ringlet.scenario import Scenario

NEIGHBOUR = {
    "network": {"nodes": 8},
    "traffic": {"pattern": "neighbour"},
    "run": {"duration": "400 us"},
}


def changed(scenario: dict[str, Any], **sections: dict[str, Any]) -> dict[str, Any]:
    return scenario | {name: scenario.get(name, {}) | section for name, section in sections.items()}


def assert_equals_direct_run(scenario: Scenario) -> bool:
    """Compares every counter and histogram with those of a simulation that is just advanced."""
    return found(scenario) is not None


@pytest.mark.parametrize("protocol", ["none", "sci", "dfc", "metaring", "token-ring"])
@pytest.mark.parametrize("pattern", ["neighbour", "tornado"])
def test_counts_are_those_of_the_direct_run(protocol: str, pattern: str) -> None:
    scenario = Scenario.of(changed(NEIGHBOUR, flow_control={"protocol": protocol}, traffic={"pattern": pattern}))
    assert assert_equals_direct_run(scenario)


LOOP = {"name": "steer", "nodes": [0, 3, 5], "size": 640, "compute_time": "3 us", "period": "10 us"}
EVENTS = {"rate": "100 kHz", "trigger": "periodic", "fragment": "256 B", "queue": 4, "timeout": "40 us"}
ACTIVITIES: dict[str, dict[str, Any]] = {
    "loops": {
        "loops": [LOOP, LOOP | {"name": "brake", "nodes": [2, 6], "period": "4 us", "deadline": "30 us"}],
        "allow_late_deadlines": True,
    },
    # The second instance begins before the first one is complete.
    "overlap": {"loops": [LOOP | {"period": "4 us", "deadline": "60 us"}], "allow_late_deadlines": True},
    "round-robin": {"events": EVENTS | {"builders": [3, 7], "build_time": "15 us"}},
    "barrel": {"events": EVENTS | {"builders": [1, 3, 7], "destination": "barrel"}},
    "credits": {"events": EVENTS | {"builders": [3, 7], "destination": "credits", "queue": 2, "build_time": "17 us"}},
    "dead time": {"events": EVENTS | {"builders": [3, 7], "dead_time": "9 us", "timeout": "3 us"}},
    "both": {"events": EVENTS | {"builders": [3, 7]}, "loops": [LOOP]},
}


@pytest.mark.parametrize("name", ACTIVITIES)
def test_counts_of_activities_are_those_of_the_direct_run(name: str) -> None:
    content = {"network": {"nodes": 8}, "run": {"duration": "800 us"}} | ACTIVITIES[name]
    assert assert_equals_direct_run(Scenario.of(content))


MESSAGE = {"source": 0, "destination": 2, "period": "10 us", "size": 256}
NETWORKS: dict[str, dict[str, Any]] = {
    "messages, switch": {
        "network": {"topology": "switch", "nodes": 6},
        "messages": [MESSAGE | {"period": "8.192 us"}],
    },
    "messages, dual ring": {
        "network": {"topology": "dual-ring", "nodes": 6},
        "messages": [MESSAGE, MESSAGE | {"source": 1, "destination": 3, "period": "7.5 us", "offset": "1.3 us"}],
    },
    "loop, dual ring": {
        "network": {"topology": "dual-ring", "nodes": 6},
        "loops": [{"name": "steer", "nodes": [0, 3, 5], "size": 640, "compute_time": "3 us", "period": "10 us"}],
        "allow_late_deadlines": True,
        "run": {"duration": "30 ms"},
    },
    "events, torus": {
        "network": {"topology": "torus", "shape": [3, 3]},
        "events": {"rate": "50 kHz", "trigger": "periodic", "fragment": "256 B", "builders": [3, 5]},
    },
}


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_come_back_to_a_state_too(name: str) -> None:
    """Rings at rest and B-Links are in one state wherever the visits of their nodes began."""
    assert assert_equals_direct_run(Scenario.of({"run": {"duration": "8 ms"}} | NETWORKS[name]))


def test_event_building_is_exact_for_all_time() -> None:
    events = EVENTS | {"builders": [3, 7], "build_time": "15 us"}
    short, long = (
        rl.run({"network": {"nodes": 8}, "events": events, "run": {"duration": duration}}).document
        for duration in ("800 us", "3210 us")
    )
    assert short["exact"] == long["exact"]
    assert short["exact"]["period_cycles"] == 2 * 5000
    for document in (short, long):
        # One event in 10 us, which goes to each builder by turns and takes it 15 us.
        assert document["events"]["event_rate_kHz"] == pytest.approx(100, rel=1e-12)
        assert [one["busy_fraction"] for one in document["builders"]] == pytest.approx([0.75, 0.75], rel=1e-12)
    assert short["events"]["event_latency_mean_ns"] == long["events"]["event_latency_mean_ns"]
    assert short["builders"][0]["latency_mean_ns"] == long["builders"][0]["latency_mean_ns"]
    assert short["builders"][0]["queue_mean_events"] == long["builders"][0]["queue_mean_events"]
    assert long["events"]["triggers"] == 321


def test_a_throughput_is_a_fraction() -> None:
    result = rl.run(NEIGHBOUR)
    exact = result.to_dict()["exact"]
    words = Fraction(exact["words_in_period"], exact["period_cycles"])
    assert result.total["throughput_words_per_cycle"].item() == pytest.approx(float(words), rel=1e-15)
    assert exact["transient_cycles"] + 2 * exact["period_cycles"] < result.document["cycles"]


def test_it_does_not_depend_on_how_long_is_measured() -> None:
    """Rates, means and percentiles are those of the period; counts are those of the measured time."""
    short, long = rl.run(NEIGHBOUR), rl.run(changed(NEIGHBOUR, run={"duration": "4 ms"}))
    assert short.document["exact"] == long.document["exact"]
    for figure in ("throughput_MBps", "latency_mean_ns", "latency_p99_ns", "fairness"):
        assert short.total[figure].item() == long.total[figure].item()
    assert long.total["delivered_packets"].item() > 9 * short.total["delivered_packets"].item()


def test_there_is_no_interval_and_no_doubt() -> None:
    document = rl.run(NEIGHBOUR).to_dict()
    assert document["total"]["throughput_ci95_MBps"] is None
    assert document["total"]["latency_ns"]["ci95"] is None
    assert not [line for line in document["warnings"] if "warm-up" in line or "correlate" in line]


@pytest.mark.parametrize(
    "traffic", [{"pattern": "uniform"}, {"pattern": "neighbour", "arrivals": "poisson", "load": 0.1}]
)
def test_what_is_drawn_at_random_is_not_exact(traffic: dict[str, Any]) -> None:
    assert rl.run(changed(NEIGHBOUR, traffic=traffic)).document["exact"] is None


@pytest.mark.parametrize("protocol", ["sci", "none", "dfc", "grouped"])
def test_a_loop_beside_saturated_neighbours_is_exact(protocol: str) -> None:
    loop = {"name": "a", "nodes": [0, 2], "size": 64, "period": "8.192 us", "compute_time": "1 us"}
    scenario = changed(NEIGHBOUR, network={"nodes": 4, "hop_delay": 3}, run={"duration": "10 ms"})
    scenario |= {"flow_control": {"protocol": protocol}, "loops": [loop], "allow_late_deadlines": True}
    assert assert_equals_direct_run(Scenario.from_dict(scenario))


@pytest.mark.parametrize(("protocol", "nodes", "hyperperiods"), [("token-ring", 13, 26), ("train", 11, 55)])
def test_a_token_that_goes_round_in_a_time_of_its_own_comes_back_after_many_hyperperiods(
    protocol: str, nodes: int, hyperperiods: int
) -> None:
    message = {"source": 0, "destination": 2, "size": 64, "period": "10 us"}
    content = {
        "network": {"nodes": nodes},
        "flow_control": {"protocol": protocol},
        "messages": [message, message | {"source": 1, "destination": 0, "size": 512}],
        "run": {"duration": "4 ms", "warmup": 0},
    }
    scenario = Scenario.from_dict(content)
    assert assert_equals_direct_run(scenario)
    exact = rl.run(scenario).document["exact"]
    assert exact["period_cycles"] == 5000 * hyperperiods


COUNTED = ("delivered_packets", "latency_sum_cycles", "link_send_symbols", "link_echo_symbols", "link_idle_symbols")


def counted_alike_after(
    content: dict[str, Any], hyperperiod: int, first: int, most: int, names: tuple[str, ...] = COUNTED
) -> int | None:
    """Returns after how many hyperperiods, at most `most`, nodes count the same again, from hyperperiod `first` on."""
    simulation = rl.Simulation(Scenario.from_dict(content))
    simulation.advance(first * hyperperiod)
    counts: list[list[list[int]]] = []
    for _ in range(3 * most):
        before = simulation.counters().nodes
        simulation.advance(hyperperiod)
        after = simulation.counters().nodes
        counts.append([(after[name] - before[name]).tolist() for name in names])
    return next((each for each in range(1, most + 1) if counts[:-each] == counts[each:]), None)


@pytest.mark.parametrize(("protocol", "hyperperiods"), [("sci", 2), ("none", 56), ("dfc", 56), ("grouped", 28)])
def test_a_loop_beside_saturated_neighbours_comes_back_after_so_many_hyperperiods(
    protocol: str, hyperperiods: int
) -> None:
    """What the search has to find: more hyperperiods than are tried one by one, of which none divides a revolution."""
    loop = {"name": "a", "nodes": [0, 2], "size": 64, "period": "8.192 us", "compute_time": "1 us"}
    scenario = changed(NEIGHBOUR, network={"nodes": 4, "hop_delay": 3})
    scenario |= {"flow_control": {"protocol": protocol}, "loops": [loop], "allow_late_deadlines": True}
    assert counted_alike_after(scenario, 4096, first=4, most=60) == hyperperiods


@pytest.mark.parametrize(("rate", "is_exact"), [("500 MB/s", True), ("600 MB/s", False)])
@pytest.mark.parametrize("protocol", ["none", "sci"])
def test_a_saturated_torus_is_exact_where_its_b_links_take_whole_cycles(
    protocol: str, rate: str, is_exact: bool
) -> None:
    """The 88 bytes of a packet take 176 ns at 500 MB/s, and 146.667 ns, in whole picoseconds, at 600 MB/s."""
    torus = {
        "network": {"topology": "torus", "shape": [2, 2]},
        "switch": {"rate": rate},
        "flow_control": {"protocol": protocol},
        "traffic": {"pattern": "tornado"},
        "run": {"duration": "2 ms"},
    }
    assert (rl.run(torus).document["exact"] is not None) is is_exact


def test_a_saturated_torus_may_count_the_same_again_and_be_in_another_state() -> None:
    torus = {
        "network": {"topology": "torus", "shape": [3, 3]},
        "flow_control": {"protocol": "none"},
        "traffic": {"pattern": "tornado"},
        "run": {"duration": "2 ms"},
    }
    assert counted_alike_after(torus, 4510, first=20, most=1) == 1
    assert rl.run(torus).document["exact"] is None


def test_rings_of_different_lengths_may_come_back_after_hundreds_of_hyperperiods() -> None:
    """Each delivers as much, while what passes shifts the idles of each ring by another part of its revolution."""
    first = {"source": 0, "destination": 2, "period": "10 us", "size": 256}
    torus = {
        "network": {"topology": "torus", "shape": [2, 5]},
        "messages": [first, first | {"source": 1, "destination": 3, "period": "7.5 us"}],
        "run": {"duration": "8 ms"},
    }
    assert counted_alike_after(torus, 15_000, first=20, most=2, names=("delivered_packets",)) == 1
    assert counted_alike_after(torus, 15_000, first=20, most=80) is None
    assert rl.run(torus).document["exact"] is None


def test_a_ring_under_train_comes_back_to_a_state_with_64_nodes_too() -> None:
    ring = {"network": {"nodes": 64}, "flow_control": {"protocol": "train"}, "traffic": {"pattern": "tornado"}}
    exact = rl.run(ring | {"run": {"duration": "1 ms"}}).document["exact"]
    assert exact is not None
    assert exact["period_cycles"] == 2017


def test_rates_that_are_smoothed_do_not_come_back() -> None:
    ring = changed(NEIGHBOUR, network={"nodes": 8}, run={"duration": "1 ms"})
    assert rl.run(ring | {"flow_control": {"protocol": "rpr"}}).document["exact"] is None


def test_a_run_that_is_too_short_says_nothing() -> None:
    assert rl.run(changed(NEIGHBOUR, run={"duration": "400 ns", "warmup": 0})).document["exact"] is None


def test_precision_is_reached_at_once() -> None:
    document = rl.run(changed(NEIGHBOUR, run={"duration": None, "precision": 0.001})).to_dict()
    assert document["precision"]["reached"]
    assert document["exact"] is not None


def test_threads_and_ways_in_find_the_same() -> None:
    torus = {
        "network": {"topology": "torus", "shape": [3, 3]},
        "traffic": {"pattern": "tornado"},
        "run": {"duration": "200 us"},
    }
    one, two = (rl.run(torus, threads=threads).to_dict(timing=False) for threads in (1, 2))
    assert json.dumps(one) == json.dumps(two)


def test_a_starved_node_has_its_exact_rate_of_zero() -> None:
    """Packets that wait for ever get older, and everything else repeats."""
    starved = {
        "network": {"nodes": 4},
        "traffic": {"destinations": [3, 3, 3, 0]},
        "flow_control": {"protocol": "none"},
        "run": {"duration": "400 us"},
    }
    result = rl.run(starved)
    assert result.document["exact"] is not None
    assert min(result.nodes["throughput_MBps"]) == 0.0
    assert assert_equals_direct_run(Scenario.of(starved))
