"""Where the packets of each pattern go."""

from itertools import product

import numpy as np
import pytest

from ringlet import RingletError, Scenario, Study
from ringlet import run as simulate

MEMORIES = {"topology": "omega", "size": 8}
SHORT = {"duration": 2000, "warmup": 0}


def destinations(nodes, **traffic):
    """Each node's only destination; None for one that sends nothing."""
    matrix = Scenario.from_dict({"network": {"nodes": nodes}, "traffic": traffic}).traffic_matrix()
    return [None if not row.any() else int(np.flatnonzero(row == 1)[0]) for row in matrix]


def test_transpose_swaps_row_and_column():
    assert destinations(9, pattern="transpose") == [None, 3, 6, 1, None, 7, 2, 5, None]


def test_bit_complement_changes_every_bit():
    assert destinations(8, pattern="bit-complement") == [7, 6, 5, 4, 3, 2, 1, 0]


def test_bit_reversal_reverses_the_bits():
    assert destinations(8, pattern="bit-reversal") == [None, 4, None, 6, 1, None, 3, None]


@pytest.mark.parametrize(("nodes", "further"), [(8, 3), (7, 3), (3, 1)])
def test_a_tornado_goes_nearly_half_of_the_way_round(nodes, further):
    assert destinations(nodes, pattern="tornado") == [(node + further) % nodes for node in range(nodes)]


@pytest.mark.parametrize("nodes", [2, 3, 16])
def test_a_random_permutation_has_no_node_of_its_own_and_each_node_once(nodes):
    for seed in range(5):
        drawn = destinations(nodes, pattern="random-permutation", permutation_seed=seed)
        assert sorted(drawn) == list(range(nodes))
        assert all(node != to for node, to in enumerate(drawn))
    assert destinations(16, permutation_seed=1) != destinations(16, permutation_seed=2)


def test_all_deterministic_patterns_of_four_nodes_are_those_of_the_paper():
    """In the order in which picker1994's classes are enumerated: by each node's hops, the first node's first."""
    found = [destinations(4, pattern_number=number) for number in range(81)]
    hops = product(range(1, 4), repeat=4)
    assert found == [[(node + far) % 4 for node, far in enumerate(each)] for each in hops]


def test_deterministic_patterns_of_processors_have_every_memory():
    network = {"topology": "omega", "size": 2}
    chosen = [
        Scenario.from_dict({"network": network, "traffic": {"pattern_number": number}}).traffic_matrix()[:2, 2:]
        for number in range(4)
    ]
    assert [each.argmax(axis=1).tolist() for each in chosen] == [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_a_study_takes_all_deterministic_patterns_as_an_axis():
    numbers = {"traffic.pattern_number": {"start": 0, "stop": 80, "count": 81}}
    scenario = {"network": {"nodes": 4}, "traffic": {"pattern_number": 0}}
    study = Study.from_dict({"scenario": scenario, "axes": [numbers, {"flow_control.protocol": ["sci", "dfc"]}]})
    assert study.points == 162
    assert len({str(study.point_scenario(point).traffic_matrix()) for point in range(162)}) == 81


def test_processors_send_to_the_memory_that_the_pattern_counts():
    matrix = Scenario.from_dict({"network": MEMORIES, "traffic": {"pattern": "bit-reversal"}}).traffic_matrix()
    assert np.flatnonzero(matrix[1]).tolist() == [8 + 4]
    assert np.flatnonzero(matrix[0]).tolist() == [8]


def test_senders_send_to_the_other_receivers_alike_and_nobody_else_sends():
    traffic = {"senders": [0, 2], "receivers": [2, 3, 4]}
    matrix = Scenario.from_dict({"network": {"nodes": 5}, "traffic": traffic}).traffic_matrix()
    np.testing.assert_allclose(matrix[0], [0, 0, 1 / 3, 1 / 3, 1 / 3])
    np.testing.assert_allclose(matrix[2], [0, 0, 0, 0.5, 0.5])
    assert not matrix[[1, 3, 4]].any()


@pytest.mark.parametrize(
    "traffic",
    [
        *({"pattern": name} for name in ("transpose", "bit-complement", "bit-reversal", "tornado")),
        {"permutation_seed": 3},
        {"senders": [1, 2], "receivers": [0]},
    ],
    ids=str,
)
def test_only_nodes_with_a_destination_send_and_have_an_optimum(traffic):
    scenario = Scenario.from_dict({"network": {"nodes": 4}, "run": SHORT, "traffic": traffic})
    sends = scenario.traffic_matrix().any(axis=1)
    found = simulate(scenario).nodes
    np.testing.assert_array_equal(found["throughput_MBps"].to_numpy() > 0, sends)
    np.testing.assert_array_equal(scenario.optimum().words_per_cycle > 0, sends)
    np.testing.assert_array_equal(scenario.paper_optimum > 0, sends)


@pytest.mark.parametrize(
    ("nodes", "traffic", "words"),
    [
        (8, {"pattern": "transpose"}, ["network.nodes", "8", "square"]),
        (6, {"pattern": "bit-complement"}, ["network.nodes", "6", "power of two"]),
        (12, {"pattern": "bit-reversal"}, ["network.nodes", "12", "power of two"]),
        (2, {"pattern": "tornado"}, ["network.nodes", "2", "at least 3"]),
        (4, {"pattern_number": 81}, ["traffic.pattern_number", "81", "at most 80", "3^4"]),
        (1, {"pattern_number": 0}, ["traffic.pattern", "deterministic", "at least 2"]),
        (1, {"pattern": "random-permutation"}, ["network.nodes", "1", "at least 2"]),
        (4, {"senders": [0], "receivers": [4]}, ["traffic.receivers[0]", "4", "0 to 3"]),
        (4, {"senders": [0, 0], "receivers": [1]}, ["traffic.senders[1]", "each once"]),
        (4, {"senders": [0], "receivers": [0]}, ["traffic.senders[0]", "other than itself"]),
        (4, {"senders": [0]}, ["traffic.receivers", "missing"]),
    ],
)
def test_what_a_pattern_does_not_have_is_refused(nodes, traffic, words):
    with pytest.raises(RingletError) as raised:
        Scenario.from_dict({"network": {"nodes": nodes}, "traffic": traffic})
    assert all(word in str(raised.value) for word in words), str(raised.value)
