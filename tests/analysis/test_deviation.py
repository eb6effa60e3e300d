import numpy as np
import pytest
from ring_matrices import fan_in

from ringlet.analysis import (
    absolute_deviation,
    adjusted_deviation,
    average_maximum_deviation,
    average_ring_deviation,
    maximum_node_deviation,
    optimal_throughput_with_echo,
)
from ringlet.errors import RingletError

OPTIMAL = [0.4, 0.4, 0.8]
OBTAINED = [0.3, 0.5, 0.8]


def test_adjusted_deviation_ignores_what_exceeds_the_optimum():
    np.testing.assert_allclose(adjusted_deviation(OBTAINED, OPTIMAL), [25.0, 0.0, 0.0])


def test_absolute_deviation_counts_both_directions():
    np.testing.assert_allclose(absolute_deviation(OBTAINED, OPTIMAL), [25.0, 25.0, 0.0])


def test_ring_and_node_figures():
    deviation = adjusted_deviation(OBTAINED, OPTIMAL)
    assert average_ring_deviation(deviation) == pytest.approx(25 / 3)
    assert maximum_node_deviation(deviation) == pytest.approx(25)


def test_average_maximum_is_over_cases():
    deviation = adjusted_deviation([OBTAINED, OPTIMAL], OPTIMAL)
    assert deviation.shape == (2, 3)
    np.testing.assert_allclose(maximum_node_deviation(deviation), [25.0, 0.0])
    assert average_maximum_deviation(deviation) == pytest.approx(12.5)


def test_one_packet_each_per_round_is_what_the_paper_reports_for_sci_within_two_points():
    optimal = optimal_throughput_with_echo(fan_in(4, 2), mean_send_symbols=40)
    fair = np.full(4, 40 / 41 / (2 + 2 * 5 / 41))
    deviation = adjusted_deviation(fair, optimal)
    assert average_ring_deviation(deviation) == pytest.approx(21.73, abs=1)
    assert maximum_node_deviation(deviation) == pytest.approx(43.47, abs=2)


def test_a_node_that_sends_nothing_deviates_by_nothing():
    np.testing.assert_array_equal(adjusted_deviation([0.0, 0.2], [0.0, 0.4]), [0.0, 50.0])


@pytest.mark.parametrize(
    ("obtained", "optimal"), [([0.1], [0.1, 0.2]), ([float("nan")], [1.0]), ([-0.1], [1.0]), ([], []), (0.1, 0.2)]
)
def test_what_cannot_be_compared_is_refused(obtained, optimal):
    with pytest.raises(RingletError, match="obtained"):
        adjusted_deviation(obtained, optimal)
