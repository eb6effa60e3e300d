"""Whole runs on the compiled engine: the JSON contract, its sums, determinism."""

import _thread
import json
import math
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from fake_simulator import FakeScenario, flow_spec, network_spec

import ringlet as rl
from ringlet.errors import RingletError
from ringlet.figures.measurements import LEAST_PACKETS
from ringlet.simulation import Result, run

NODE_KEYS = {
    "id",
    "name",
    "offered_MBps",
    "throughput_MBps",
    "throughput_words_per_cycle",
    "latency_ns",
    "delivered_packets",
    "lost_packets",
    "lost_MBps",
    "retries",
}
LATENCY_KEYS = {"mean", "min", "max", "p50", "p95", "p99", "ci95"}


def poisson(source, rate=0.003, **changes):
    return flow_spec(source, arrivals={"kind": "poisson", "rate": rate}, **changes)


def scenario(flows, *, nodes=None, spec=None, **changes):
    return FakeScenario(network_spec(flows, nodes=nodes, **(spec or {})), **changes)


LIGHT = scenario([poisson(node) for node in range(4)], measured_cycles=60_000, warmup=2000)
SATURATED = scenario([flow_spec(node) for node in range(4)], measured_cycles=34_000)
MIXED = scenario(
    [flow_spec(node, sizes=[[40, 0.4], [8, 0.6]], arrivals={"kind": "poisson", "rate": 0.004}) for node in range(4)],
    measured_cycles=200_000,
)


@pytest.fixture(scope="module")
def light() -> Result:
    return run(LIGHT)


@pytest.fixture(scope="module")
def saturated() -> Result:
    return run(SATURATED)


def numbers(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from numbers(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from numbers(inner)
    elif isinstance(value, int | float):
        yield value


def test_the_document_has_the_keys_of_the_contract(light):
    document = light.to_dict()
    assert document["schema"] == 1
    assert {"scenario", "seed", "cycles", "simulated_s", "saw", "nodes", "total"} <= document.keys()
    assert {"ringlet", "symbol_time_ns", "warmup_cycles", "warnings", "stall", "precision"} <= document.keys()
    assert "priorities" not in document
    for node in document["nodes"]:
        assert node.keys() >= NODE_KEYS | {"throughput_ci95_MBps", "queues", "link"}
        assert node["latency_ns"].keys() == LATENCY_KEYS
    assert [node["id"] for node in document["nodes"]] == [0, 1, 2, 3]
    assert [node["name"] for node in document["nodes"]] == ["node 0", "node 1", "node 2", "node 3"]
    total = document["total"]
    assert total.keys() >= {"offered_MBps", "throughput_MBps", "lost_MBps", "retry_MBps", "latency_ns", "fairness"}
    assert total["latency_ns"].keys() == LATENCY_KEYS | {"p99_low", "p99_high"}


def test_the_document_is_json_without_nan(light, saturated):
    for result in (light, saturated):
        text = json.dumps(result.to_dict(), allow_nan=False)
        assert json.loads(text) == result.to_dict()


def test_time_is_the_measured_time(light):
    document = light.to_dict()
    assert document["cycles"] == 60_000
    assert document["warmup_cycles"] == 2000
    assert document["simulated_s"] == pytest.approx(60_000 * 2e-9)
    assert light.batches["duration_ns"].sum() == pytest.approx(60_000 * 2)


def test_a_light_load_is_carried(light):
    document = light.to_dict()
    for node in document["nodes"]:
        assert node["throughput_MBps"] == pytest.approx(node["offered_MBps"], rel=0.05)
        assert node["offered_MBps"] == pytest.approx(0.003 * 80 / 2e-9 / 1e6, rel=0.25)
    assert document["warnings"] == []


def test_units_agree_with_each_other(light):
    for node in light.to_dict()["nodes"]:
        # 2 bytes per word, 2 ns per cycle: 1 word per cycle is 1 GB/s.
        assert node["throughput_MBps"] == pytest.approx(node["throughput_words_per_cycle"] * 1000)
        assert node["throughput_MBps"] == pytest.approx(node["delivered_packets"] * 80 / 120e-6 / 1e6)


def test_the_total_is_the_sum_of_the_nodes(light):
    document = light.to_dict()
    for key in ("offered_MBps", "throughput_MBps", "throughput_words_per_cycle", "lost_MBps"):
        assert document["total"][key] == pytest.approx(sum(node[key] for node in document["nodes"]))
    for key in ("delivered_packets", "lost_packets", "retries"):
        assert document["total"][key] == sum(node[key] for node in document["nodes"])
    packets = [node["delivered_packets"] for node in document["nodes"]]
    means = [node["latency_ns"]["mean"] for node in document["nodes"]]
    assert document["total"]["latency_ns"]["mean"] == pytest.approx(np.average(means, weights=packets))
    assert document["total"]["latency_ns"]["min"] == min(node["latency_ns"]["min"] for node in document["nodes"])
    assert document["total"]["latency_ns"]["max"] == max(node["latency_ns"]["max"] for node in document["nodes"])


def test_latency_figures_are_ordered_and_have_an_interval(light):
    document = light.to_dict()
    for record in [*document["nodes"], document["total"]]:
        latency = record["latency_ns"]
        assert latency["min"] <= latency["p50"] <= latency["p95"] <= latency["p99"]
        assert latency["p99"] <= latency["max"] * 1.01
        if record["delivered_packets"] < LEAST_PACKETS:
            assert latency["ci95"] is record["throughput_ci95_MBps"] is None
            continue
        assert 0 < latency["ci95"] < latency["mean"]
        assert 0 < record["throughput_ci95_MBps"] < record["throughput_MBps"]


def test_every_symbol_of_a_link_is_accounted_for(light, saturated):
    for result in (light, saturated):
        for node in result.to_dict()["nodes"]:
            assert sum(node["link"].values()) == pytest.approx(1.0)


def test_a_saturated_node_offers_the_link_rate(saturated):
    document = saturated.to_dict()
    assert [node["offered_MBps"] for node in document["nodes"]] == [1000.0] * 4
    assert document["total"]["offered_MBps"] == 4000.0
    assert 0 < document["total"]["throughput_words_per_cycle"] < 4


def test_fairness_is_one_if_all_send_equally_and_a_quarter_if_one_of_four_does(saturated):
    assert 0.8 < saturated.to_dict()["total"]["fairness"] <= 1
    flows = [flow_spec(0), *(poisson(node, rate=1e-12) for node in (1, 2, 3))]
    assert run(scenario(flows, measured_cycles=5000)).to_dict()["total"]["fairness"] == pytest.approx(0.25)


def test_the_same_seed_gives_the_same_result_bit_for_bit():
    assert run(LIGHT, seed=7).to_dict(timing=False) == run(LIGHT, seed=7).to_dict(timing=False)


def test_another_seed_gives_another_result():
    one, other = (run(LIGHT, seed=seed).to_dict(timing=False) for seed in (7, 8))
    assert (one["seed"], other["seed"]) == (7, 8)
    assert one["total"] != other["total"]


def test_without_a_seed_the_scenarios_is_used():
    flows = [poisson(node) for node in range(4)]
    default = run(scenario(flows, seed=9)).to_dict(timing=False)
    assert default == run(scenario(flows, seed=1), seed=9).to_dict(timing=False)
    assert default["seed"] == 9


def test_the_document_cannot_be_changed_through_its_copy(light):
    light.to_dict()["nodes"][0]["link"]["send"] = -1
    assert light.to_dict()["nodes"][0]["link"]["send"] >= 0


def test_an_automatic_warm_up_ends_on_a_stationary_load():
    result = run(scenario([poisson(node) for node in range(4)], warmup="auto", measured_cycles=100_000))
    document = result.to_dict()
    assert 10_000 <= document["warmup_cycles"] <= 100_000
    assert document["cycles"] == 100_000
    assert not any("warm-up" in warning for warning in document["warnings"])


def test_a_precision_is_reached_and_reported():
    document = run(scenario([poisson(n) for n in range(4)], measured_cycles=2_000_000, precision=0.05)).to_dict()
    assert document["precision"]["reached"] is True
    assert document["cycles"] < 2_000_000
    total = document["total"]
    assert total["throughput_ci95_MBps"] <= 0.05 * total["throughput_MBps"]
    assert total["latency_ns"]["ci95"] <= 0.05 * total["latency_ns"]["mean"] * (1 + 1e-12)


def test_intervals_cover_the_mean_over_seeds():
    """The mean of 40 runs stands in for the true mean; 95 of 100 intervals should hold it."""
    runs = [run(MIXED, seed=seed).to_dict()["total"] for seed in range(40)]
    for key, width in (("throughput_MBps", "throughput_ci95_MBps"),):
        mean = np.mean([total[key] for total in runs])
        assert sum(abs(total[key] - mean) <= total[width] for total in runs) >= 34
    mean = np.mean([total["latency_ns"]["mean"] for total in runs])
    assert sum(abs(total["latency_ns"]["mean"] - mean) <= total["latency_ns"]["ci95"] for total in runs) >= 34


def test_no_delivery_leaves_latency_empty_and_everything_else_zero():
    result = run(scenario([poisson(0, rate=1e-12)], nodes=3, measured_cycles=1000))
    document = result.to_dict()
    json.dumps(document, allow_nan=False)
    for record in [*document["nodes"], document["total"]]:
        assert set(record["latency_ns"].values()) == {None}
        assert record["throughput_MBps"] == 0
    assert document["total"]["fairness"] is None
    assert math.isnan(result.nodes["latency_mean_ns"].iloc[0])


def test_a_ring_without_traffic_runs():
    document = run(scenario([], nodes=3, warmup="auto", measured_cycles=1000)).to_dict()
    assert document["total"]["throughput_MBps"] == 0
    assert len(document["nodes"]) == 3


def test_every_number_is_finite_and_none_is_negative(light, saturated):
    for result in (light, saturated):
        document = result.to_dict()
        assert all(math.isfinite(n) and n >= 0 for part in ("nodes", "total") for n in numbers(document[part]))


def test_priorities_are_reported_where_the_protocol_has_them():
    flow_control = {"protocol": "sci", "extension": "received", "release": "unblocked", "priorities": 2}
    flows = [poisson(node, priority=priority) for node in range(4) for priority in (0, 1)]
    result = run(scenario(flows, nodes=4, spec={"flow_control": flow_control, "priorities": 2}))
    document = result.to_dict()
    assert [record["priority"] for record in document["priorities"]] == [0, 1]
    for key in ("offered_MBps", "throughput_MBps"):
        assert sum(record[key] for record in document["priorities"]) == pytest.approx(document["total"][key])
    assert all(record["latency_ns"].keys() == LATENCY_KEYS for record in document["priorities"])
    assert list(result.priorities.index) == [0, 1]


def test_tables_say_their_units_and_equal_the_document(light):
    document = light.to_dict()
    nodes = light.nodes
    assert list(nodes.index) == [0, 1, 2, 3]
    assert nodes["throughput_MBps"].tolist() == [node["throughput_MBps"] for node in document["nodes"]]
    assert nodes["latency_p95_ns"].tolist() == [node["latency_ns"]["p95"] for node in document["nodes"]]
    assert nodes["link_send_fraction"].tolist() == [node["link"]["send"] for node in document["nodes"]]
    name = "transmit_queue_mean_packets"
    assert nodes[name].tolist() == [node[name] for node in document["nodes"]]
    assert light.total["throughput_MBps"].item() == document["total"]["throughput_MBps"]
    assert light.priorities.empty


def test_batches_add_up_to_the_whole(light):
    document, batches = light.to_dict(), light.batches
    assert len(batches) == 30
    assert batches["delivered_packets"].sum() == document["total"]["delivered_packets"]
    weighted = np.average(batches["throughput_MBps"], weights=batches["duration_ns"])
    assert weighted == pytest.approx(document["total"]["throughput_MBps"])
    latency = np.average(batches["latency_mean_ns"], weights=batches["delivered_packets"])
    assert latency == pytest.approx(document["total"]["latency_ns"]["mean"])
    parts = [light.node_batches(node)["delivered_packets"].to_numpy() for node in range(4)]
    np.testing.assert_array_equal(np.sum(parts, axis=0), batches["delivered_packets"])


def test_a_node_that_is_not_there_has_no_batches(light):
    with pytest.raises(IndexError, match="0 to 3"):
        light.node_batches(4)


def test_results_print_in_one_line_and_pickle(light):
    assert repr(light).startswith("<Result: 4 nodes, 60000 cycles, ")
    assert "\n" not in repr(light)
    assert pickle.loads(pickle.dumps(light)).to_dict() == light.to_dict()


def test_what_the_engine_refuses_is_one_message():
    with pytest.raises(RingletError, match="nodes"):
        run(FakeScenario(network_spec([], nodes=0) | {"nodes": 0}))


def test_the_load_may_exceed_what_the_ring_carries_but_not_silently():
    document = run(scenario([poisson(node, rate=0.025) for node in range(4)], measured_cycles=50_000)).to_dict()
    assert any("overloaded" in warning for warning in document["warnings"])


def test_a_starved_node_is_named():
    """picker1994, Section 1.2: without flow control nodes 0 and 1 leave node 2 no gap on the link to node 3."""
    fixed = [{"kind": "fixed", "node": node} for node in (3, 3, 3, 1)]
    flows = [flow_spec(node, destinations=destination) for node, destination in enumerate(fixed)]
    document = run(scenario(flows, spec={"flow_control": {"protocol": "none"}}, warmup=5000)).to_dict()
    assert any("starved: packets waited at node" in warning for warning in document["warnings"])


def test_a_ring_that_lost_its_go_bits_is_reported_as_stalled():
    spec = {"initial_go": 0, "stall_cycles": 5000}
    result = run(scenario([flow_spec(node) for node in range(4)], spec=spec, warmup="auto", measured_cycles=1_000_000))
    document = result.to_dict()
    assert result.stall is not None
    assert result.stall["waiting_nodes"] == [0, 1, 2, 3]
    assert any("stalled" in warning for warning in document["warnings"])
    assert document["cycles"] < 20_000
    assert document["total"]["delivered_packets"] == 0
    assert "stalled" in repr(result)
    json.dumps(document, allow_nan=False)


def test_a_run_that_takes_too_much_memory_says_why(monkeypatch):
    monkeypatch.setattr("ringlet.limits.SIMULATION_BYTES", 100_000)
    spec = network_spec([flow_spec(0, arrivals={"kind": "bernoulli", "rate": 0.04})], nodes=2)
    with pytest.raises(MemoryError, match=r"at cycle \d+; up to [\d,]+ packets wait at a node, others are on links"):
        run(FakeScenario(spec, measured_cycles=200_000_000))


def test_a_train_has_so_many_tickets_of_a_node_only():
    scenario = {"network": {"nodes": 2}, "run": {"duration": 1000, "warmup": 0}}
    train = {"protocol": "train", "tickets_per_node": 1000}
    start = time.process_time()
    rl.run(rl.Scenario.from_dict({**scenario, "flow_control": train, "traffic": {"transaction": "read64"}}))
    assert time.process_time() - start < 5
    train["tickets_per_node"] = 1_000_000
    with pytest.raises(rl.RingletError, match=r"^flow_control.tickets_per_node: 1000000 is not allowed; at most 1024$"):
        rl.run(rl.Scenario.from_dict({**scenario, "flow_control": train}))


def test_losses_and_retries_are_counted_where_queues_are_short():
    spec = {
        "limits": {"transmit_capacity": 2, "retry": {"strategy": "constant", "delay_cycles": 50}},
        "receive": {"capacity": 1, "service_cycles": 300},
    }
    document = run(scenario([poisson(node, rate=0.01) for node in range(4)], spec=spec)).to_dict()
    total = document["total"]
    assert total["lost_packets"] > 0
    assert total["lost_MBps"] == pytest.approx(total["lost_packets"] * 80 / document["simulated_s"] / 1e6)
    assert total["retries"] > 0
    assert total["retry_MBps"] == pytest.approx(total["retries"] * 80 / document["simulated_s"] / 1e6)
    for node in document["nodes"]:
        assert node["transmit_queue_max_packets"] <= 2
        assert node["receive_queue_max_packets"] <= 1


def test_a_long_run_leaves_other_threads_their_turn():
    first = threading.Thread(target=run, args=(scenario([flow_spec(n) for n in range(8)], measured_cycles=20_000_000),))
    first.start()
    run(LIGHT)
    assert first.is_alive()
    first.join()


@pytest.fixture
def sigint_ends():
    """Ctrl-C ends what runs, also where the tests run in the background of a shell, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("sigint_ends")
def test_ctrl_c_ends_a_run_that_takes_for_ever():
    ended = threading.Event()

    def interrupt():
        # Again where the first one came while something was put away that lets no exception out.
        wait_s = 0.1
        while not ended.wait(wait_s):
            _thread.interrupt_main()
            wait_s = 5

    threading.Thread(target=interrupt, daemon=True).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run(scenario([flow_spec(node) for node in range(8)], measured_cycles=2**53))
    finally:
        ended.set()
