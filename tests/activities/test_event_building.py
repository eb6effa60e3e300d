"""Event building on the compiled engine, on rings and networks."""

import math
from pathlib import Path

import pytest

import ringlet as rl
from ringlet.scenario.flow_control import PROTOCOLS

EVENTS = {"rate": "50 kHz", "trigger": "periodic", "builders": [3, 7], "fragment": "256 B"}
EXAMPLE = Path(__file__).parents[2] / "examples" / "event-building.toml"
RUN = {"duration": "400 us", "warmup": 0}


def run(*, network=None, flow_control=None, seed=1, threads=1, **events):
    content = {"network": network or {"nodes": 8}, "events": EVENTS | events, "run": RUN}
    if flow_control is not None:
        content["flow_control"] = flow_control
    return rl.run(content, seed=seed, threads=threads)


NETWORKS = (
    {"nodes": 8},
    {"topology": "switch", "nodes": 8, "memory": "numa"},
    {"topology": "omega", "size": 4},
    {"topology": "torus", "shape": [2, 4]},
    {"topology": "dual-ring", "nodes": 8},
)


@pytest.mark.parametrize("protocol", sorted(PROTOCOLS.listed))
def test_every_protocol_builds_all_events_of_a_light_load(protocol):
    found = run(network={"nodes": 8, "hop_delay": 6}, flow_control={"protocol": protocol}).document["events"]
    assert found["triggers"] == 20
    assert found["built_events"] + found["open_events"] == 20
    assert found["built_events"] >= 19
    assert found["loss_ratio"] == 0


@pytest.mark.parametrize("network", NETWORKS, ids=lambda one: one.get("topology", "ring"))
@pytest.mark.parametrize("destination", ["round-robin", "barrel", "credits"])
def test_every_network_builds_all_events_of_a_light_load(network, destination):
    builders = ["M1", "M3"] if network.get("topology") == "omega" else [3, 7]
    result = run(network=network, destination=destination, queue=4, builders=builders)
    found = result.document["events"]
    assert found["triggers"] == 20
    assert found["built_events"] >= 18
    assert found["built_events"] + found["open_events"] == 20
    assert sum(one["built"] for one in result.document["builders"]) == found["built_events"]
    assert found["event_latency_min_ns"] <= found["event_latency_p50_ns"] <= found["event_latency_max_ns"]


def test_results_do_not_depend_on_threads():
    network = {"topology": "torus", "shape": [4, 4]}
    one, four = (
        run(network=network, trigger="poisson", destination="credits", queue=2, threads=threads).to_dict(timing=False)
        for threads in (1, 4)
    )
    assert one == four


def test_a_barrel_shifter_waits_a_trigger_for_each_builder():
    # 20 us between triggers, two builders: half of the sources send one trigger later.
    at_once, barrel = (run(destination=one).document["events"] for one in ("round-robin", "barrel"))
    later = barrel["event_latency_mean_ns"] - at_once["event_latency_mean_ns"]
    assert later == pytest.approx(20_000, rel=0.05)


def test_a_barrel_shifter_carries_what_a_common_destination_does_not():
    at_once, barrel = (
        rl.run(rl.Scenario.load(EXAMPLE, [f"events.destination={one}", "events.rate=190 kHz"])).document
        for one in ("round-robin", "barrel")
    )
    triggers = barrel["events"]["triggers"]
    assert at_once["events"]["built_events"] < 0.85 * triggers
    assert at_once["events"]["open_events"] > 0.5 * triggers
    assert barrel["events"]["built_events"] == triggers
    assert barrel["events"]["lost_events"] == 0
    refused = [sum(node["retries"] for node in one["nodes"]) for one in (at_once, barrel)]
    assert refused[1] < refused[0] / 2


def test_quantiles_of_events_are_those_of_their_names():
    # More comes for the builder than its link carries: each event takes as much longer than the one before.
    found = run(rate="500 kHz", fragment="512 B", queue="unlimited", builders=[3]).document["events"]
    built = found["built_events"]
    assert built > 40
    least, most = found["event_latency_min_ns"], found["event_latency_max_ns"]
    assert most > 20 * least
    for name, share in {"p50": 0.5, "p95": 0.95, "p99": 0.99}.items():
        later = (math.ceil(share * built) - 1) / (built - 1) * (most - least)
        assert found[f"event_latency_{name}_ns"] == pytest.approx(least + later, abs=0.5 / built * (most - least))


def test_lost_triggers_and_events_are_told_apart():
    result = run(trigger="poisson", rate="500 kHz", dead_time="1 us", queue=1, build_time="20 us")
    found = result.document["events"]
    assert found["dead_time_triggers"] > 0
    assert found["lost_events"] > 0
    lost = found["dead_time_triggers"] + found["lost_events"]
    assert found["loss_ratio"] == pytest.approx(lost / found["triggers"])
    assert found["triggers"] == lost + found["built_events"] + found["open_events"]
    assert result.builders["queue_max_events"].tolist() == [1, 1]
    assert (result.builders["busy_fraction"] > 0.7).all()


def test_credits_lose_triggers_and_no_events():
    options = {"trigger": "poisson", "rate": "500 kHz", "queue": 1, "build_time": "20 us"}
    found = run(destination="credits", **options).document["events"]
    assert found["refused_triggers"] > 0
    assert found["lost_events"] == 0


def test_incomplete_events_are_given_up():
    content = {
        "network": {"nodes": 8},
        "events": EVENTS | {"timeout": "30 us"},
        "errors": {"bit_error_rate": 1e-5, "max_timeouts": 0},
        "run": RUN,
    }
    found = rl.run(content).document["events"]
    assert found["incomplete_events"] > 0
    assert found["triggers"] == found["incomplete_events"] + found["built_events"] + found["open_events"]
    assert found["event_latency_max_ns"] <= 30_000


def test_events_are_in_tables_and_sweeps():
    result = run()
    assert result.events["built_events"].tolist() == [result.document["events"]["built_events"]]
    assert result.builders.index.tolist() == ["node 3", "node 7"]
    swept = rl.sweep(
        rl.Scenario.from_dict({"network": {"nodes": 8}, "events": EVENTS, "run": RUN}),
        {"events.rate": ["20 kHz", "40 kHz"]},
    )
    assert swept.summary["event_rate_kHz"].tolist() == pytest.approx([20, 40], rel=0.1)
    assert (swept.summary["event_latency_mean_ns"] > 0).all()
    assert rl.run({"network": {"nodes": 4}, "run": {"duration": "10 us"}}).events.empty


def test_other_traffic_goes_beside_events():
    traffic = {"load": "20 MB/s", "transaction": "send80"}
    content = {"network": {"nodes": 8}, "events": EVENTS, "traffic": traffic, "run": RUN}
    total = rl.run(content).document["total"]
    # 6 sources of 256 bytes each 20 us, and 8 nodes of 20 MB/s.
    assert total["offered_MBps"] == pytest.approx(6 * 12.8 + 8 * 20, rel=0.1)


def test_a_barrel_shifter_fills_the_b_links_before_the_links():
    # The caption of the figure in docs/how-to/event-building.md.
    scenario = rl.Scenario.load(EXAMPLE, ["events.destination=barrel", "events.rate=200 kHz"])
    document = rl.run(scenario).to_dict()
    assert [one["busy_fraction"] for one in document["b_links"]] == pytest.approx([0.94] * 32, abs=0.03)
    busiest = max(1 - node["link"]["idle"] for node in document["nodes"])
    assert busiest == pytest.approx(0.74, abs=0.03)


@pytest.mark.parametrize(("destination", "rate", "kHz"), [("round-robin", 200, 148), ("barrel", 250, 111)])
def test_an_overloaded_network_builds_fewer_events(destination, rate, kHz):
    # The caption of the same figure.
    scenario = rl.Scenario.load(EXAMPLE, [f"events.destination={destination}", f"events.rate={rate} kHz"])
    assert rl.run(scenario).document["events"]["event_rate_kHz"] == pytest.approx(kHz, abs=3)
