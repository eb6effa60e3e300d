import time

import numpy as np
import pytest
from fake_simulator import CountingSimulator, flow_spec, network_spec

from ringlet.run.flows import Flows
from ringlet.scenario import Payload

POISSON = {"kind": "poisson", "rate": 0.01}
MIXED = [[40, 0.4], [8, 0.6]]


def test_series_are_nodes_then_priorities_then_the_total():
    spec = network_spec(
        [flow_spec(2, priority=1), flow_spec(0), flow_spec(2)],
        nodes=3,
        priorities=2,
    )
    flows = Flows.from_spec(spec)
    np.testing.assert_array_equal(flows.sums([1, 10, 100]), [10, 0, 101, 110, 1, 111])
    assert flows.members == [[1], [], [0, 2], [1, 2], [0], [0, 1, 2]]
    np.testing.assert_array_equal(flows.total([1, 10, 100]), [111])


def test_a_single_priority_has_no_series_of_its_own():
    flows = Flows.from_spec(network_spec([flow_spec(0), flow_spec(1)]))
    np.testing.assert_array_equal(flows.sums([1, 2]), [1, 2, 3])
    assert flows.members == [[0], [1], [0, 1]]


def test_of_many_levels_only_those_in_use_are_reported():
    flows = Flows.from_spec(
        network_spec(
            [flow_spec(0, priority=200), flow_spec(1, priority=7), flow_spec(1, priority=200)], nodes=2, priorities=256
        )
    )
    assert flows.reported_priorities.tolist() == [7, 200]
    np.testing.assert_array_equal(flows.sums([1, 10, 100]), [1, 110, 10, 101, 111])
    assert flows.members == [[0], [1, 2], [1], [0, 2], [0, 1, 2]]
    np.testing.assert_allclose(flows.offered_bytes([0, 0, 0], 1000), [2000, 2000, 2000, 4000, 4000])


def test_one_priority_of_many_levels_has_no_series_of_its_own():
    flows = Flows.from_spec(network_spec([flow_spec(0, priority=7), flow_spec(1, priority=7)], priorities=256))
    assert flows.reported_priorities.size == 0
    assert flows.series == 3


def test_few_levels_are_all_reported():
    assert Flows.from_spec(network_spec([flow_spec(0)], priorities=4)).reported_priorities.tolist() == [0, 1, 2, 3]


def counters(**values):
    return CountingSimulator(2, **values).flow_counters()


@pytest.mark.parametrize("framing", [0, 1])
def test_data_is_counted_in_the_packet_that_carries_it(framing):
    spec = network_spec(
        [flow_spec(0, sizes=[[8 + framing, 1.0]], response_symbols=40 + framing), flow_spec(1)],
        echo_symbols=4 + framing,
    )
    served = counters(
        delivered_packets=[12, 3],
        delivered_responses=[5, 0],
        delivered_symbols=[7 * (8 + framing) + 5 * (40 + framing), (40 + framing) * 3],
    )
    for payload, words in ((Payload(64, in_response=True), 5 * 32), (Payload(64), 7 * 32)):
        flows = Flows.from_spec(spec, [payload, Payload()])
        assert flows.payload_symbols(served).tolist() == [words, 3 * 40]
        assert flows.served_requests(served).tolist() == [7, 3]
        assert flows.packet_symbols(served).tolist() == [7 * 8 + 5 * 40, 3 * 40]


def test_retries_count_without_framing():
    flows = Flows.from_spec(network_spec([flow_spec(0), flow_spec(1)], echo_symbols=5))
    assert flows.retry_bytes(counters(retries=[2, 0], retry_symbols=[82, 0])).tolist() == [160, 0]


def test_offered_load_is_data():
    flows = Flows.from_spec(network_spec([flow_spec(0, arrivals=POISSON)], nodes=1), [Payload(64)])
    np.testing.assert_allclose(flows.offered_bytes([10], 1000), [640, 640])


def test_extremes_of_each_series():
    flows = Flows.from_spec(network_spec([flow_spec(0), flow_spec(0, priority=1), flow_spec(1)], nodes=2, priorities=2))
    least, most = flows.extremes([5, 1, 0], [9, 3, 0], [True, True, False])
    np.testing.assert_array_equal(least, [1, np.inf, 5, 1, 1])
    np.testing.assert_array_equal(most, [9, 0, 9, 3, 9])


def test_a_thousand_flows_are_summed_in_a_moment():
    flows = Flows.from_spec(
        network_spec(
            [flow_spec(node, priority=priority) for node in range(8) for priority in range(128)],
            nodes=8,
            priorities=128,
        )
    )
    many = CountingSimulator(1024).flow_counters()
    start = time.perf_counter()
    for _ in range(10):
        for values in (flows.payload_symbols(many), many["delivered_packets"], many["latency_sum_cycles"]):
            flows.sums(values)
    assert time.perf_counter() - start < 0.1


def test_offered_load_is_what_was_generated_in_mean_bytes():
    flows = Flows.from_spec(network_spec([flow_spec(0, arrivals=POISSON, sizes=MIXED), flow_spec(1, arrivals=POISSON)]))
    np.testing.assert_allclose(flows.offered_bytes([10, 3], 1000), [10 * 41.6, 3 * 80, 10 * 41.6 + 3 * 80])


def test_a_saturated_node_offers_the_link_rate_once():
    flows = Flows.from_spec(network_spec([flow_spec(0), flow_spec(0), flow_spec(1, arrivals=POISSON)], nodes=2))
    np.testing.assert_allclose(flows.offered_bytes([500, 2, 5], 1000), [2000, 400, 2400])


def test_a_ring_without_flows_has_empty_series():
    flows = Flows.from_spec(network_spec([], nodes=2))
    np.testing.assert_array_equal(flows.sums([]), [0, 0, 0])
    np.testing.assert_array_equal(flows.offered_bytes([], 10), [0, 0, 0])
    assert flows.members == [[], [], []]
