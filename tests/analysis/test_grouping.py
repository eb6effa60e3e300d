import numpy as np
import pytest
from ring_matrices import fan_in, fixed_destinations, random_matrix

from ringlet.analysis import (
    conflict_matrix,
    maximal_conflict_grouping,
    maximal_conflict_pair_grouping,
    pair_conflict_matrix,
)
from ringlet.errors import RingletError


def uniform(nodes):
    return (np.ones((nodes, nodes)) - np.eye(nodes)) / (nodes - 1)


def test_table_3_with_sixteen_nodes_keeps_the_fan_in_apart_from_twelve_free_nodes():
    assert maximal_conflict_grouping(fan_in(16, 4), 8) == [0, 1, 2, 3] + [4] * 12


def test_two_groups_separate_the_fan_in_from_the_rest():
    assert maximal_conflict_grouping(fan_in(16, 4), 2) == [0] * 4 + [1] * 12


def test_separate_fan_ins_are_not_mixed():
    # 0, 1 -> 2 and 4, 5 -> 6 conflict within themselves only; 2, 3, 6, 7 with nobody.
    matrix = fixed_destinations([2, 2, 3, 4, 6, 6, 7, 0])
    assert maximal_conflict_grouping(matrix, 3) == [0, 0, 1, 1, 2, 2, 1, 1]


def test_equal_conflicts_merge_the_lowest_nodes_first():
    assert maximal_conflict_grouping(uniform(2), 1) == [0, 0]
    three_fan_ins = fixed_destinations([2, 2, 3, 5, 5, 6, 8, 8, 0])
    assert maximal_conflict_grouping(three_fan_ins, 6) == [0, 0, 1, 2, 3, 1, 4, 5, 1]


def test_conflict_is_the_smaller_load_on_each_shared_link():
    conflict = conflict_matrix(fan_in(4, 2))
    expected = np.zeros((4, 4))
    expected[0, 1] = expected[1, 0] = 0.5
    np.testing.assert_allclose(conflict, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("groups", [1, 2, 3, 8, 16])
def test_numbers_are_dense_in_order_of_appearance_and_within_the_limit(groups):
    rng = np.random.default_rng(groups)
    for _ in range(30):
        nodes = int(rng.integers(2, 33))
        assignment = maximal_conflict_grouping(random_matrix(rng, nodes), groups)
        assert len(assignment) == nodes
        assert list(dict.fromkeys(assignment)) == list(range(max(assignment) + 1))
        assert max(assignment) < groups


def test_fewer_groups_only_merge():
    matrix = random_matrix(np.random.default_rng(3), 12)
    for groups in range(1, 12):
        coarse, fine = (maximal_conflict_grouping(matrix, g) for g in (groups, groups + 1))
        assert all(len({coarse[i] for i in range(12) if fine[i] == g}) == 1 for g in set(fine))


def test_the_same_matrix_gives_the_same_groups():
    matrix = random_matrix(np.random.default_rng(11), 64)
    assert maximal_conflict_grouping(matrix, 8) == maximal_conflict_grouping(matrix.copy(), 8)


def test_rounding_of_the_matrix_does_not_decide_ties():
    noise = np.random.default_rng(4).uniform(-1e-15, 1e-15, (9, 9))
    matrix = fixed_destinations([2, 2, 3, 5, 5, 6, 8, 8, 0])
    assert maximal_conflict_grouping(matrix * (1 + noise), 6) == maximal_conflict_grouping(matrix, 6)


def test_more_groups_than_nodes_leave_conflicting_nodes_alone():
    assert maximal_conflict_grouping(uniform(4), 16) == [0, 1, 2, 3]


def test_a_ring_of_one_node_is_one_group():
    assert maximal_conflict_grouping([[1.0]], 8) == [0]


@pytest.mark.parametrize("groups", [0, -1, 2.5, True, None])
def test_a_number_of_groups_that_makes_no_sense_is_refused(groups):
    with pytest.raises(RingletError, match="groups"):
        maximal_conflict_grouping(uniform(4), groups)


def test_pairs_of_nodes_with_one_destination_each_are_grouped_like_the_nodes():
    matrix = fan_in(16, 4)
    of_nodes = maximal_conflict_grouping(matrix, 8)
    rows = maximal_conflict_pair_grouping(matrix, 8)
    assert [rows[node][int(matrix[node].argmax())] for node in range(16)] == of_nodes


def test_packets_of_one_source_do_not_conflict_and_those_that_share_links_do():
    matrix = np.zeros((4, 4))
    matrix[0, 1] = matrix[0, 2] = 0.5
    matrix[1, 2] = 1.0
    pairs, conflict = pair_conflict_matrix(matrix)
    assert pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    # Node 0 puts half of its packets on link 1, which node 1 fills with what it leaves: 2/3 each, half of it to node 2.
    np.testing.assert_allclose(conflict, [[0, 0, 0], [0, 0, 1 / 3], [0, 1 / 3, 0]], rtol=0, atol=1e-15)


@pytest.mark.parametrize("groups", [1, 3, 8, 64])
def test_groups_of_pairs_are_dense_and_within_the_limit(groups):
    rng = np.random.default_rng(groups)
    for _ in range(10):
        nodes = int(rng.integers(2, 9))
        matrix = random_matrix(rng, nodes)
        rows = maximal_conflict_pair_grouping(matrix, groups)
        used = [rows[source][target] for source, target in np.argwhere(matrix > 0)]
        assert list(dict.fromkeys(used)) == list(range(max(used) + 1))
        assert max(used) < groups


def test_each_pair_that_conflicts_is_alone_where_there_are_groups_for_all():
    rows = maximal_conflict_pair_grouping(uniform(6), 256)
    pairs, conflict = pair_conflict_matrix(uniform(6))
    alone = pairs[conflict.any(axis=1)]
    numbers = [rows[source][target] for source, target in alone]
    assert len(set(numbers)) == len(numbers)
    assert max(map(max, rows)) + 1 == len(numbers) + (len(numbers) < len(pairs))


def turned(matrix, by):
    return np.roll(matrix, (by, by), axis=(0, 1))


def test_other_numbers_of_the_nodes_change_no_group():
    rng = np.random.default_rng(2)
    for nodes in (3, 5, 8, 8, 16):
        destinations = [int(rng.choice([to for to in range(nodes) if to != node])) for node in range(nodes)]
        matrix = fixed_destinations(destinations)
        for by in range(nodes):
            for groups in (2, 3):
                straight = np.roll(maximal_conflict_grouping(matrix, groups), by)
                found = maximal_conflict_grouping(turned(matrix, by), groups)
                # The same nodes together; numbers of groups go by appearance.
                assert len(set(zip(straight.tolist(), found, strict=True))) == len(set(found))
                rows = np.array(maximal_conflict_pair_grouping(turned(matrix, by), groups))
                assert rows[np.arange(nodes), turned(matrix, by).argmax(axis=1)].tolist() == found
