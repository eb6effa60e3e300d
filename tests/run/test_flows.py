import numpy as np
from fake_simulator import flow_spec, network_spec

from ringlet.run.flows import Flows

POISSON = {"kind": "poisson", "rate": 0.01}
MIXED = [[40, 0.4], [8, 0.6]]


def test_series_are_nodes_then_priorities_then_the_total():
    spec = network_spec(
        [flow_spec(2, priority=1), flow_spec(0), flow_spec(2)],
        nodes=3,
        flow_control={"protocol": "sci", "extension": "none", "release": "all", "priorities": 2},
    )
    flows = Flows.from_spec(spec)
    np.testing.assert_array_equal(flows.sums([1, 10, 100]), [10, 0, 101, 110, 1, 111])
    assert flows.members == [[1], [], [0, 2], [1, 2], [0], [0, 1, 2]]
    np.testing.assert_array_equal(flows.total([1, 10, 100]), [111])


def test_a_single_priority_has_no_series_of_its_own():
    flows = Flows.from_spec(network_spec([flow_spec(0), flow_spec(1)]))
    np.testing.assert_array_equal(flows.sums([1, 2]), [1, 2, 3])
    assert flows.members == [[0], [1], [0, 1]]


def test_protocols_without_priorities_have_one():
    flows = Flows.from_spec(network_spec([flow_spec(0)], flow_control={"protocol": "none"}))
    assert flows.priorities == 1


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
