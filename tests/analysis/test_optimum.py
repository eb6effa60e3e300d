import time

import numpy as np
import pytest
from ring_matrices import (
    crossings_by_walking,
    exact_progressive_filling,
    fan_in,
    fixed_destinations,
    progressive_filling,
    random_matrix,
)

from ringlet.analysis import (
    crossing_probabilities,
    optimal_throughput,
    optimal_throughput_with_echo,
    relaxed_fair_rates,
)
from ringlet.errors import RingletError

SECTION_1_2 = fixed_destinations([3, 3, 3, 1])


def test_crossings_equal_those_found_by_walking_each_packet():
    rng = np.random.default_rng(1)
    for _ in range(200):
        matrix = random_matrix(rng, int(rng.integers(2, 17)))
        walked = crossings_by_walking(matrix)
        crossing = crossing_probabilities(matrix)
        np.testing.assert_allclose(crossing, walked, rtol=0, atol=1e-14)
        assert np.array_equal(crossing == 0, walked == 0), "a rounding residue passes for a crossing"


def test_a_packet_never_crosses_the_link_that_enters_its_source():
    nodes = 7
    crossing = crossing_probabilities(random_matrix(np.random.default_rng(2), nodes))
    assert all(crossing[(k + 1) % nodes, k] == 0 for k in range(nodes))


def test_optimum_is_max_min_fair_on_thousands_of_random_rings():
    rng = np.random.default_rng(1994)
    for case in range(3000):
        nodes = 2 + case % 15
        matrix = random_matrix(rng, nodes)
        limits = np.ones(nodes) if case % 2 else rng.choice([0.0, 0.05, 0.2, 0.5, 1.0], nodes)
        rates = relaxed_fair_rates(crossing_probabilities(matrix), limits)
        expected = progressive_filling(matrix, limits)
        np.testing.assert_allclose(rates, expected, rtol=0, atol=1e-12, err_msg=f"case {case}, seed 1994")


def test_optimum_equals_exact_fractions_for_all_deterministic_rings_of_four():
    choices = [[j for j in range(4) if j != i] for i in range(4)]
    for case in range(81):
        destinations = [choices[i][case // 3**i % 3] for i in range(4)]
        rates = relaxed_fair_rates(crossing_probabilities(fixed_destinations(destinations)), np.ones(4))
        exact = [float(rate) for rate in exact_progressive_filling(destinations)]
        np.testing.assert_allclose(rates, exact, rtol=0, atol=1e-15, err_msg=str(destinations))


def test_no_link_is_overloaded_and_each_node_has_a_bottleneck():
    rng = np.random.default_rng(5)
    for _ in range(100):
        nodes = int(rng.integers(2, 40))
        crossing = crossing_probabilities(random_matrix(rng, nodes))
        rates = relaxed_fair_rates(crossing, np.ones(nodes))
        load = rates @ crossing
        assert load.max() <= 1 + 1e-12
        for node in np.flatnonzero(rates < 1 - 1e-12):
            used = crossing[node] > 0
            assert load[used].max() == pytest.approx(1.0, abs=1e-9)


def test_worked_example_of_section_1_2():
    rates = optimal_throughput(SECTION_1_2, mean_send_symbols=40) * 41 / 40
    np.testing.assert_allclose(rates, [1 / 3, 1 / 3, 1 / 3, 2 / 3], rtol=0, atol=1e-15)
    echo = optimal_throughput_with_echo(SECTION_1_2, mean_send_symbols=40)
    assert [round(value, 4) for value in echo] == [0.3008, 0.3008, 0.3008, 0.6015]


def test_worked_example_of_table_3_with_four_nodes():
    matrix = fixed_destinations([2, 2, 3, 0])
    without = optimal_throughput(matrix, mean_send_symbols=40)
    np.testing.assert_allclose(without, np.array([0.5, 0.5, 1, 1]) * 40 / 41, rtol=0, atol=1e-15)
    echo = optimal_throughput_with_echo(matrix, mean_send_symbols=40)
    # Link 1 carries both sends of the fan-in and, with e = 5/41, the echoes of nodes 2 and 3: 1 + 2e.
    np.testing.assert_allclose(echo, without / (1 + 2 * 5 / 41), rtol=0, atol=1e-15)
    assert [round(value, 4) for value in echo] == [0.3922, 0.3922, 0.7843, 0.7843]


def test_echoes_cost_more_with_short_packets():
    long = optimal_throughput_with_echo(fan_in(4, 2), mean_send_symbols=40)
    short = optimal_throughput_with_echo(fan_in(4, 2), mean_send_symbols=20.8)
    assert (short < long).all()


def test_mean_send_length_may_differ_per_node():
    length = np.array([40.0, 8.0, 40.0, 8.0])
    together = optimal_throughput(SECTION_1_2, mean_send_symbols=length)
    for node in range(4):
        alone = optimal_throughput(SECTION_1_2, mean_send_symbols=length[node])
        assert together[node] == alone[node]


def test_lightly_loaded_nodes_get_what_they_attempt_and_leave_the_rest():
    rates = optimal_throughput(SECTION_1_2, mean_send_symbols=40, attempted=[0.1, 0.2, 1.0, 1.0]) * 41 / 40
    np.testing.assert_allclose(rates, [0.1, 0.2, 0.7, 0.9], rtol=0, atol=1e-15)


def test_attempting_more_than_the_link_is_saturation():
    saturated = optimal_throughput(SECTION_1_2, mean_send_symbols=40)
    beyond = optimal_throughput(SECTION_1_2, mean_send_symbols=40, attempted=7.5)
    assert np.array_equal(saturated, beyond)


def test_a_silent_node_gets_nothing_and_takes_nothing():
    matrix = SECTION_1_2.copy()
    matrix[1] = 0.0
    rates = optimal_throughput(matrix, mean_send_symbols=40) * 41 / 40
    np.testing.assert_allclose(rates, [0.5, 0.0, 0.5, 0.5], rtol=0, atol=1e-15)
    assert optimal_throughput_with_echo(matrix, mean_send_symbols=40)[1] == 0.0


def test_one_node_alone_has_its_link_to_itself():
    np.testing.assert_allclose(optimal_throughput([[1.0]], mean_send_symbols=40), [40 / 41])
    np.testing.assert_allclose(optimal_throughput_with_echo([[1.0]], mean_send_symbols=40), [40 / 41])


def test_uniform_traffic_is_fair():
    nodes = 16
    matrix = (np.ones((nodes, nodes)) - np.eye(nodes)) / (nodes - 1)
    np.testing.assert_allclose(optimal_throughput(matrix, mean_send_symbols=40), 40 / 41 * 2 / nodes, rtol=1e-12)


def test_a_thousand_nodes_take_seconds():
    matrix = random_matrix(np.random.default_rng(7), 1000)
    start = time.process_time()
    optimal_throughput_with_echo(matrix, mean_send_symbols=40)
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1, 0], [1, 0, 0]], "not square"),
        ([], "not square"),
        ([[0, "x"], [1, 0]], "not an array of numbers"),
        ([[0, 0.9], [1, 0]], r"matrix\[0\]: sums to 0.9"),
        ([[0, 1], [float("nan"), 1]], r"matrix\[1\]\[0\]: nan"),
        ([[0, 2, -1], [1, 0, 0], [1, 0, 0]], r"matrix\[0\]\[2\]: -1"),
        ([[0, 1], [0.5, 0.5]], r"matrix\[1\]\[1\]: 0.5 sends to itself"),
    ],
)
def test_what_is_no_traffic_matrix_is_refused_by_name(matrix, message):
    with pytest.raises(RingletError, match=message):
        optimal_throughput(matrix, mean_send_symbols=40)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mean_send_symbols": 0}, "mean_send_symbols"),
        ({"mean_send_symbols": [40, 40]}, "4 numbers"),
        ({"mean_send_symbols": 40, "attempted": -0.1}, "attempted"),
        ({"mean_send_symbols": 40, "attempted": float("nan")}, "attempted"),
    ],
)
def test_lengths_and_loads_out_of_range_are_refused_by_name(arguments, message):
    with pytest.raises(RingletError, match=message):
        optimal_throughput(SECTION_1_2, **arguments)
