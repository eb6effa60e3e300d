"""What a scenario means: units, defaults, patterns, groups, and the engine's spec."""

import json
import pickle
import time

import numpy as np
import pytest

from ringlet import RingletError, Scenario
from ringlet._engine import Simulation
from ringlet.scenario import OneRing, json_schema
from ringlet.scenario.patterns.matrix import FAMILIES
from ringlet.scenario.traffic.matrices import random_matrix


def scenario(**sections):
    return Scenario.from_dict({"network": {"nodes": 4}, **sections})


def service_cycles(queues):
    return scenario(queues=queues).network_spec(1)["queues"]["receive"]["common"]["service_cycles"]


def test_a_cycle_is_the_time_of_one_symbol():
    assert scenario().symbol_time_ns == 2.0
    assert Scenario.from_dict({"network": {"nodes": 4, "link_rate": "500 MB/s"}}).symbol_time_ns == 4.0


def test_times_are_rounded_up_to_whole_cycles_but_multiples_are_not():
    queues = {"service_time": "40 ns"}
    assert service_cycles(queues) == 20
    assert service_cycles({"service_time": "41 ns"}) == 21
    assert service_cycles({"service_time": 7}) == 7
    # 0.3 us / 2 ns is 150.00000000000003 in floating point.
    assert service_cycles({"service_time": "0.3 us"}) == 150


def test_a_time_above_zero_is_at_least_a_cycle():
    # 1e-320 ns in cycles of a second underflows.
    slow = Scenario.from_dict(
        {"network": {"nodes": 4, "link_rate": "2 B/s", "hop_delay": "1e-320 ns"}, "run": {"duration": "1e-320 ns"}}
    )
    assert (slow.hop_cycles.tolist(), slow.measured_cycles) == ([1] * slow.network.nodes, 1)
    assert service_cycles({"service_time": "0 ns"}) == 0


def test_load_counts_the_packets_bytes_or_their_idles_too():
    net = scenario(traffic={"arrivals": "poisson", "load": "80 MB/s"}).network_spec(1)["flows"][0]
    assert net["arrivals"] == {"kind": "poisson", "rate": pytest.approx(0.08 / 40)}
    gross = {"arrivals": "poisson", "load": "84 MB/s", "load_counts": "gross"}
    assert scenario(traffic=gross).network_spec(1)["flows"][0]["arrivals"]["rate"] == pytest.approx(0.08 / 40)


def test_a_saturated_node_ignores_the_load_and_a_load_alone_means_poisson():
    assert scenario(traffic={"arrivals": "saturated", "load": "9 MB/s"}).network_spec(1)["flows"][0]["arrivals"] == {
        "kind": "saturated"
    }
    assert scenario(traffic={"load": "9 MB/s"}).traffic.arrivals == "poisson"


def test_a_key_that_belongs_to_one_pattern_names_it():
    assert scenario(traffic={"destinations": [1, 2, 3, 0]}).traffic.pattern == "permutation"
    assert scenario(traffic={"fan_in": 2}).traffic.pattern == "fan-in"
    assert scenario(traffic={"random_matrix": {"family": "sparse"}}).traffic.pattern == "matrix"


def test_a_node_without_load_has_no_flow():
    spec = scenario(traffic={"arrivals": "poisson", "load": [0, "10 MB/s", 0, 0.5]}).network_spec(1)
    assert [flow["source"] for flow in spec["flows"]] == [1, 3]


def test_sizes_are_bytes_in_the_file_and_symbols_in_the_engine():
    assert scenario(traffic={"transaction": "mixed"}).network_spec(1)["flows"][0]["sizes"] == [(40, 0.4), (8, 0.6)]
    assert scenario(traffic={"transaction": "send288"}).mean_send_symbols == 144
    assert scenario(traffic={"transaction": {"sizes": {"16": 1.0}}}).mean_send_symbols == 8


def test_patterns_give_the_matrices_that_they_are_named_after():
    others = (np.ones((4, 4)) - np.eye(4)) / 3
    np.testing.assert_allclose(scenario().traffic_matrix(), others)
    neighbour = scenario(traffic={"pattern": "neighbour"}).traffic_matrix()
    assert neighbour.argmax(axis=1).tolist() == [1, 2, 3, 0]
    # picker1994, Section 5.3 with N = 4 and f = 2: 1 and 2 to 3, 3 to 4, 4 to 1.
    assert scenario(traffic={"pattern": "fan-in", "fan_in": 2}).traffic_matrix().argmax(axis=1).tolist() == [2, 2, 3, 0]
    hot = scenario(traffic={"pattern": "hot-spot", "hot_node": 1, "hot_fraction": 0.5}).traffic_matrix()
    np.testing.assert_allclose(hot[0], [0, 0.5, 0.25, 0.25])
    np.testing.assert_allclose(hot[1], [1 / 3, 0, 1 / 3, 1 / 3])


def test_a_matrix_file_is_found_beside_the_scenario_and_kept_in_the_result(tmp_path):
    (tmp_path / "m.csv").write_text("0, 1\n\n1, 0\n")
    (tmp_path / "s.toml").write_text('[network]\nnodes = 2\n[traffic]\npattern = "matrix"\nmatrix_file = "m.csv"\n')
    loaded = Scenario.load(tmp_path / "s.toml")
    assert loaded.to_dict()["traffic"]["matrix"] == [[0, 1], [1, 0]]
    assert Scenario.from_dict(loaded.to_dict()).network_spec(1) == loaded.network_spec(1)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("nodes", [2, 3, 8])
def test_random_matrices_are_traffic_matrices_and_depend_on_their_seed_only(family, nodes):
    first = random_matrix(family, 3, nodes)
    np.testing.assert_allclose(first.sum(axis=1), 1)
    assert (np.diag(first) == 0).all()
    assert (first >= 0).all()
    np.testing.assert_array_equal(first, random_matrix(family, 3, nodes))


def test_go_bits_have_one_reading_whatever_the_ring():
    def options(protocol, **sections):
        flow_control = {"protocol": protocol, **sections.pop("flow_control", {})}
        return scenario(flow_control=flow_control, **sections).network_spec(1)["flow_control"]

    for sections in ({}, {"network": {"nodes": 4, "echoes": False}}, {"queues": {"receive": 2}}):
        for protocol in ("sci", "grouped"):
            found = options(protocol, **sections)
            assert (found["release"], found["extension"]) == ("unblocked", "received")
            assert found.get("permit", "own") == "own"
    given = options("grouped", flow_control={"permit": "any", "release": "all", "extension": "always"})
    assert (given["permit"], given["release"], given["extension"]) == ("any", "all", "always")


def test_groups_are_nodes_if_there_are_enough_and_conflicting_nodes_otherwise():
    grouped = {"protocol": "grouped", "groups": 4}
    assert scenario(flow_control=grouped).group_assignment() == [0, 1, 2, 3]
    fan_in = {"pattern": "fan-in", "fan_in": 4}
    sixteen = Scenario.from_dict({"network": {"nodes": 16}, "flow_control": {"protocol": "grouped"}, "traffic": fan_in})
    assert sixteen.group_assignment() == [0, 1, 2, 3] + [4] * 12


def test_pairs_that_are_used_get_a_group_each():
    traffic = {"pattern": "permutation", "destinations": [1, 2, 3, 0]}
    flow_control = {"protocol": "grouped", "assignment": "pair"}
    pairs = scenario(flow_control=flow_control, traffic=traffic).group_assignment()
    assert [pairs[i][(i + 1) % 4] for i in range(4)] == [0, 1, 2, 3]


def test_software_may_change_groups_between_packets():
    schedule = [{"at": 0, "groups": [0, 0, 1, 1]}, {"at": "1 us", "groups": [0, 1, 2, 3]}]
    flows = scenario(flow_control={"protocol": "grouped", "schedule": schedule}).network_spec(1)["flows"]
    assert flows[1]["groups"] == {"kind": "schedule", "steps": [(0, 0), (500, 1)]}


def test_groups_that_software_changes_are_those_of_the_start():
    schedule = [{"at": 0, "groups": [3, 2, 1, 0]}, {"at": "1 us", "groups": [0, 1, 2, 3]}]
    assert scenario(flow_control={"protocol": "grouped", "schedule": schedule}).group_assignment() == [3, 2, 1, 0]


def test_a_scenario_may_be_written_in_python():
    ring = Scenario(network=OneRing(nodes=4), traffic={"fan_in": 2})
    assert ring == scenario(traffic={"fan_in": 2})
    other = ring.changed(**{"traffic": {"pattern": "neighbour"}})
    assert other.traffic_matrix().argmax(axis=1).tolist() == [1, 2, 3, 0]
    assert ring.traffic_matrix().argmax(axis=1).tolist() == [2, 2, 3, 0]


def test_attempted_throughput_counts_idles_and_is_at_most_the_link():
    # picker1994, equation (2): d = min(1, lambda (L + 1)).
    half = scenario(traffic={"arrivals": "poisson", "load": [0.5, 1, 0, 0.99]})
    np.testing.assert_allclose(half.resolved.attempted_throughput(), [0.5 * 41 / 40, 1, 0, 1])


def test_overrides_are_toml_values_or_bare_strings(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text("[network]\nnodes = 4\n")
    changes = ["network.nodes=8", "flow_control.protocol=none", "traffic.arrivals=poisson", "traffic.load=50 MB/s"]
    changed = Scenario.load(path, changes)
    assert (changed.network.nodes, changed.flow_control.protocol, changed.traffic.load) == (8, "none", "50 MB/s")


def test_a_scenario_survives_json_and_pickle():
    first = scenario(traffic={"pattern": "fan-in", "fan_in": 2}, flow_control={"protocol": "grouped"})
    again = Scenario.from_dict(json.loads(json.dumps(first.to_dict())))
    assert again == first
    assert pickle.loads(pickle.dumps(first)).network_spec(5) == again.network_spec(5)


def test_the_largest_ring_is_ready_in_seconds():
    start = time.process_time()
    largest = Scenario.from_dict({"network": {"nodes": 65_536}})
    Simulation(json.dumps(largest.network_spec(1)))
    assert time.process_time() - start < 20


def test_the_schema_describes_every_section():
    schema = json_schema()
    sections = {"network", "switch", "host", "flow_control", "queues", "retry", "errors", "traffic", "events"}
    sections |= {"rings", "collective", "scatter_gather", "loops", "run"}
    assert set(schema["properties"]) == sections | {
        "messages",
        "messages_file",
        "message_transaction",
        "message_priorities",
        "allow_late_deadlines",
        "flows",
        "flows_file",
        "flow_transaction",
    }
    assert all("description" in field for model in schema["$defs"].values() for field in model["properties"].values())


MESSAGES = """
[network]
nodes = 4
[[messages]]
name = "imu"
source = 0
destination = 2
size = 64
period = "20 us"
[[messages]]
name = "lidar"
source = 1
destination = 3
size = 2048
period = "100 us"
"""


def test_an_override_reaches_one_of_several_tables_by_its_name_or_place(tmp_path):
    file = tmp_path / "set.toml"
    file.write_text(MESSAGES)
    by_name = Scenario.load(file, ["messages.lidar.offset=5 us"]).to_dict()["messages"]
    by_place = Scenario.load(file, ["messages.1.offset=5 us"]).to_dict()["messages"]
    assert by_name == by_place
    assert [one.get("offset") for one in by_name] == [Scenario.load(file).to_dict()["messages"][0]["offset"], "5 us"]


@pytest.mark.parametrize(
    ("override", "allowed"),
    [
        ("messages.radar.offset=5 us", "one of messages: imu, lidar"),
        ("messages.2.offset=5 us", "one of messages: imu, lidar"),
        ("messages.imu=5 us", "a key behind the name, such as messages.imu.name"),
    ],
)
def test_an_override_of_a_table_that_is_not_there_names_those_that_are(tmp_path, override, allowed):
    file = tmp_path / "set.toml"
    file.write_text(MESSAGES)
    with pytest.raises(RingletError, match=allowed):
        Scenario.load(file, [override])


def test_an_override_of_messages_in_a_file_of_their_own_says_where_they_are(tmp_path):
    (tmp_path / "set.csv").write_text("name,source,destination,size,period_us\nimu,0,2,64,20\n")
    file = tmp_path / "set.toml"
    file.write_text('messages_file = "set.csv"\n[network]\nnodes = 4\n')
    with pytest.raises(RingletError, match="its messages are in messages_file"):
        Scenario.load(file, ["messages.imu.offset=5 us"])
