"""Means over replications and their intervals."""

import numpy as np
import pytest
from scipy import stats

from ringlet.statistics import replication_means


def test_the_interval_is_that_of_student():
    values = np.random.default_rng(1).normal(10, 2, size=(7, 1))
    mean, half_width, count = replication_means(values)
    low, high = stats.t.interval(0.95, 6, values.mean(), stats.sem(values[:, 0]))
    assert mean[0, 0] == pytest.approx((low + high) / 2)
    assert half_width[0, 0] == pytest.approx((high - low) / 2)
    assert count[0, 0] == 7


def test_groups_are_apart_and_missing_values_do_not_count():
    values = [[1.0], [3.0], [np.nan], [5.0], [7.0], [np.nan]]
    mean, half_width, count = replication_means(values, [0, 3, 5])
    assert mean[:, 0].tolist()[:2] == [2.0, 6.0]
    assert np.isnan(mean[2, 0])
    assert count[:, 0].tolist() == [2, 2, 0]
    assert half_width[0, 0] == pytest.approx(half_width[1, 0])


def test_a_single_replication_has_no_interval():
    mean, half_width, _ = replication_means([[4.0]])
    assert mean[0, 0] == 4.0
    assert np.isnan(half_width[0, 0])


def test_intervals_cover_the_mean_in_95_of_100_cases():
    values = np.random.default_rng(7).exponential(1.0, size=(4000 * 10, 1))
    mean, half_width, _ = replication_means(values, np.arange(4000) * 10)
    covered = np.mean(np.abs(mean - 1.0) <= half_width)
    # An exponential is skewed: ten of them cover in about 90 of 100.
    assert 0.88 < covered < 0.96


def test_no_replications_give_nothing():
    mean, half_width, count = replication_means(np.zeros((0, 2)))
    assert mean.shape == half_width.shape == count.shape == (1, 2)
    assert np.isnan(mean).all()
    assert not count.any()
