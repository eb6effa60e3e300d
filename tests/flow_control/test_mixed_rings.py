"""Nodes of base SCI on rings of PPQ and DFC, and limits of single nodes."""

import pytest

import ringlet as rl

RUN = {"duration": "200 us", "warmup": "20 us"}


def run(**sections):
    return rl.run(rl.Scenario.from_dict({"network": {"nodes": 4}, "run": RUN, **sections})).to_dict()


def hot(protocol, base_nodes):
    """Three nodes send all they can to node 0, which takes a packet in 200 ns."""
    return run(
        flow_control={"protocol": protocol, "base_nodes": base_nodes},
        queues={"receive": 2, "service_time": "200 ns", "outstanding": 8},
        traffic={
            "pattern": "matrix",
            "matrix": [[0, 1, 0, 0], *([[1, 0, 0, 0]] * 3)],
            "arrivals": "saturated",
            "transaction": "dmove64",
        },
    )


def test_an_old_receiver_stops_no_sender():
    new, old = hot("dfc", []), hot("dfc", [0])
    assert old["total"]["retries"] > 1.5 * new["total"]["retries"]


def test_an_old_receiver_is_preempted_by_nobody():
    traffic = {"arrivals": "poisson", "load": "120 MB/s", "priorities": [0, 5], "transaction": "dmove64"}
    queues = {"receive": 3, "service_time": "800 ns"}

    def preempted(base_nodes):
        found = run(flow_control={"protocol": "ppq", "base_nodes": base_nodes}, queues=queues, traffic=traffic)
        return [node["preempted_packets"] for node in found["nodes"]]

    assert min(preempted([])) > 0
    mixed = preempted([2])
    assert mixed[2] == 0
    assert mixed[0] > 0


@pytest.mark.parametrize("protocol", ["ppq", "dfc"])
def test_all_nodes_of_base_sci_deliver_what_is_offered(protocol):
    traffic = {"arrivals": "poisson", "load": "60 MB/s", "priorities": [0, 5], "transaction": "read64"}
    total = run(flow_control={"protocol": protocol, "base_nodes": [0, 1, 2, 3]}, traffic=traffic)["total"]
    assert total["throughput_MBps"] > 0.9 * total["offered_MBps"]


@pytest.mark.parametrize("count", [1, 2, 4, 7])
def test_reads_go_on_at_every_node_beside_nodes_of_base_sci(count):
    """Under PPQ two old nodes once brought such a ring to a standstill."""
    found = run(
        network={"nodes": 8},
        flow_control={"protocol": "ppq", "base_nodes": list(range(count))},
        queues={"receive": 5, "responses": 5, "service_time": "100 ns"},
        traffic={"arrivals": "poisson", "load": "130 MB/s", "priorities": [0, 1, 2], "transaction": "read64"},
    )
    assert found["stall"] is None
    assert found["total"]["throughput_MBps"] > 500
    assert min(node["throughput_MBps"] for node in found["nodes"]) > 20


PRESSURE = {
    "network": {"nodes": 3},
    "queues": {"receive": 1, "responses": 1, "service_time": "10 ns"},
    "traffic": {"transaction": "read64", "destinations": [1, 2, 0], "arrivals": "saturated"},
}


@pytest.mark.parametrize("base_nodes", [[], [0], [0, 2]])
def test_reads_at_hosts_with_one_place_go_on(base_nodes):
    sci, ppq = (
        run(flow_control=one, **PRESSURE)["nodes"] for one in ({}, {"protocol": "ppq", "base_nodes": base_nodes})
    )
    served = [node["throughput_MBps"] for node in ppq]
    # With one priority PPQ is SCI.
    assert served == [node["throughput_MBps"] for node in sci]
    assert min(served) > 0.8 * max(served) > 0


def test_every_state_of_such_a_ring_comes_to_rest():
    checked = rl.check({**PRESSURE, "flow_control": {"protocol": "ppq", "base_nodes": [0]}}, under_way=1, step=8)
    assert checked.complete
    assert [one.name for one in checked.properties if not one.holds] == []


def test_a_node_with_one_packet_under_way_sends_less_than_its_neighbours():
    traffic = {"arrivals": "saturated", "transaction": "dmove64"}
    nodes = run(network={"nodes": 4, "hop_delay": 50}, queues={"outstanding": [1, 64, 64, 64]}, traffic=traffic)[
        "nodes"
    ]
    sent = [node["throughput_MBps"] for node in nodes]
    assert sent[0] < 0.5 * min(sent[1:])


def test_one_limit_for_all_is_the_same_as_a_list_of_it():
    traffic = {"arrivals": "poisson", "load": "60 MB/s", "transaction": "read64"}
    queues = {"outstanding": 2, "window": 3, "responses": 2, "transmit": 10}
    one = run(queues=queues, retry={"delay": "1 us"}, traffic=traffic)
    lists = {key: [value] * 4 for key, value in queues.items()}
    each = run(queues=lists, retry={"delay": ["1 us"] * 4}, traffic=traffic)
    assert each["nodes"] == one["nodes"]
    assert each["total"] == one["total"]


@pytest.mark.parametrize("key", ["outstanding", "window", "responses", "transmit"])
def test_a_list_of_the_wrong_length_is_refused(key):
    with pytest.raises(rl.RingletError, match=rf"queues\.{key}: <3 values> is not allowed; one value, or 4"):
        run(queues={key: [1, 2, 3]})


@pytest.mark.parametrize(
    ("flow_control", "message"),
    [
        ({"protocol": "ppq", "base_nodes": [4]}, r"flow_control\.base_nodes\[0\]: 4 is not allowed; a node below 4"),
        ({"protocol": "dfc", "base_nodes": [1, 1]}, r"flow_control\.base_nodes\[1\]: 1 is not allowed; each node once"),
        ({"protocol": "train", "base_nodes": [1]}, r"flow_control\.base_nodes: .* 'ppq' and 'dfc' have it"),
    ],
)
def test_nodes_that_cannot_have_base_sci_are_named(flow_control, message):
    with pytest.raises(rl.RingletError, match=message):
        run(flow_control=flow_control)


def test_a_node_on_a_ring_of_another_protocol_has_no_place_among_its_old_nodes():
    network = {"topology": "ring-of-rings", "shape": [3, 2]}
    own = {"flow_control": {"protocol": "ppq", "base_nodes": [0]}}
    with pytest.raises(rl.RingletError, match=r'rings\."ring 1"\.flow_control\.base_nodes\[0\]: 0 is not allowed'):
        rl.Scenario.from_dict({"network": network, "rings": {"ring 1": own}})
