"""A service time for each node: one slow receiver."""

import pytest

from ringlet import RingletError, Scenario, bound, run

RING = {
    "network": {"nodes": 4},
    "queues": {"receive": 2},
    "traffic": {"transaction": "dmove64", "pattern": "permutation", "destinations": [1, 0, 3, 2]},
    "run": {"duration": "100 us", "warmup": "10 us"},
}
SLOW = ["100 ns", "1 us", "100 ns", "100 ns"]


def scenario(service_time, **sections):
    content = {**RING, **sections}
    return Scenario.from_dict({**content, "queues": {**content["queues"], "service_time": service_time}})


def rates(found):
    return [node["throughput_MBps"] for node in found.to_dict()["nodes"]]


def test_a_slow_receiver_slows_those_who_send_to_it():
    found = rates(run(scenario(SLOW)))
    # 64 bytes of data in each microsecond.
    assert found[0] == pytest.approx(64, rel=0.03)
    assert min(found[1:]) > 150
    assert bound(scenario(SLOW))["max_min_with_echo"][0] == pytest.approx(0.08, rel=0.01)


def test_a_list_of_equal_times_is_that_time():
    assert run(scenario(["100 ns"] * 4)).to_dict()["nodes"] == run(scenario("100 ns")).to_dict()["nodes"]


def test_a_table_names_the_slow_receiver():
    assert rates(run(scenario({"1": "1 us", "others": "100 ns"}))) == rates(run(scenario(SLOW)))


def test_a_node_of_a_network_has_its_own_time():
    network = {"topology": "switch", "nodes": 4, "memory": "numa"}
    found = rates(run(scenario(SLOW, network=network)))
    assert found[0] < 70 < min(found[1:])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["1 us"] * 3, "queues.service_time: <3 values> is not allowed; one value, or 4, one per node"),
        (["1 us", "1 s", 0, "x"], "queues.service_time[3]"),
        (
            {"1": "1 us"},
            "queues.service_time: {'1': '1 us'} is not allowed; a value for every node and link, or",
        ),
        ({"7": "1 us", "others": 0}, "queues.service_time.7: '7' is not allowed; a node from 0 to 3"),
        ([0, 0, 0, "1e12 s"], "queues.service_time[3]: '1e12 s' is not allowed"),
    ],
)
def test_refused(given, message):
    with pytest.raises(RingletError) as refused:
        scenario(given)
    assert message in str(refused.value)


FULL = {"1": 1, "others": 8}


def test_a_node_has_its_own_places():
    busy = scenario("200 ns").changed(**{"queues": {"receive": FULL, "service_time": "200 ns"}})
    spec = busy.network_spec(1)
    assert [queue["capacity"] for queue in spec["queues"]["receive"]["each"]] == [8, 1, 8, 8]
    listed = scenario("200 ns").changed(**{"queues": {"receive": [8, 1, 8, 8], "service_time": "200 ns"}})
    assert run(listed).to_dict()["nodes"] == run(busy).to_dict()["nodes"]
    retries = [node["retries"] for node in run(busy).to_dict()["nodes"]]
    # Node 0 sends to node 1, which has one place.
    assert retries[0] > 1.5 * max(retries[1:])


@pytest.mark.parametrize("protocol", ["none", "sci", "ppq", "train", "dfc"])
def test_places_of_nodes_run_with_every_kind_of_protocol(protocol):
    queues = {"receive": FULL, "service_time": "20 ns"}
    sections = {"flow_control": {"protocol": protocol}, "queues": queues}
    found = run(Scenario.from_dict({**RING, **sections})).to_dict()["nodes"]
    assert min(node["throughput_MBps"] for node in found) > 50


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1] * 3, "queues.receive: <3 values> is not allowed; one value, or 4, one per node"),
        ([1, 0, 1, 1], "queues.receive[1]: 0 is not allowed"),
        ({"9": 1, "others": 1}, "queues.receive.9: '9' is not allowed; a node from 0 to 3"),
    ],
)
def test_places_refused(given, message):
    with pytest.raises(RingletError) as refused:
        Scenario.from_dict({**RING, "queues": {"receive": given}})
    assert message in str(refused.value)
