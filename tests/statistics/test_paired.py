import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from ringlet.statistics import paired, replication_means

VALUES = st.lists(st.tuples(st.floats(1, 100), st.floats(1, 100)), min_size=2, max_size=20)


@given(VALUES)
def test_the_interval_of_a_difference_is_that_of_a_paired_t_test(pairs):
    a, b = np.array(pairs).T
    found = paired(a[:, None], b[:, None])
    assert found.difference[0] == pytest.approx((a - b).mean())
    if np.ptp(a - b) > 1e-9:
        low, high = ttest_rel(a, b).confidence_interval(0.95)
        assert found.difference_half_width[0] == pytest.approx((high - low) / 2, rel=1e-6)


def test_what_the_seeds_do_to_both_does_not_widen_the_interval():
    rng = np.random.default_rng(1)
    common = rng.normal(200, 30, (10, 1))
    better, worse = common + 50 + rng.normal(0, 1, (10, 1)), common
    found = paired(better, worse)
    _, alone, _ = replication_means(better)
    assert found.difference_half_width[0] < 0.1 * alone[0, 0]
    assert abs(found.difference[0] - 50) < 2


def test_a_common_factor_has_an_exact_ratio():
    base = np.array([[10.0], [20.0], [30.0]])
    found = paired(1.5 * base, base)
    assert (found.ratio[0], found.ratio_half_width[0]) == (1.5, 0.0)


def test_the_interval_of_a_ratio_holds_the_true_one_in_95_of_100_cases():
    rng = np.random.default_rng(2)
    base = rng.normal(100, 10, (20, 4000))
    found = paired(0.8 * base + rng.normal(0, 5, base.shape), base)
    covered = np.abs(found.ratio - 0.8) <= found.ratio_half_width
    assert 0.93 < covered.mean() < 0.97


def test_figures_that_vary_and_differ_alike_have_no_interval_nor_has_one_pair():
    """Below saturation two protocols carry the same in most pairs of runs, and not in all."""
    found = paired([[3.0, 1.0, 1.1], [5.0, np.nan, 3.3]], [[1.0, 2.0, 1.1], [3.0, 4.0, 3.3]])
    assert found.difference.tolist() == [2.0, -1.0, 0.0]
    assert np.isnan(found.difference_half_width).all()
    assert np.isnan(found.ratio_half_width).all()
    assert found.pairs.tolist() == [2, 1, 2]


def test_figures_that_never_vary_have_an_interval_of_no_width():
    found = paired([[3.0], [3.0]], [[1.0], [1.0]])
    assert (found.difference_half_width[0], found.ratio_half_width[0]) == (0.0, 0.0)


def test_a_baseline_of_zero_has_no_ratio():
    found = paired([[1.0], [2.0]], [[0.0], [0.0]])
    assert np.isnan(found.ratio[0])
    assert found.difference[0] == 1.5


def test_shapes_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="shapes"):
        paired([[1.0]], [[1.0], [2.0]])
