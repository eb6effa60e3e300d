import numpy as np
import pytest

from ringlet.statistics import mser5


def noise(seed, size):
    return np.random.default_rng(seed).normal(size=size)


def brute_force_mser5(series):
    """The rule as White writes it, one truncation at a time."""
    y = [float(np.mean(series[k : k + 5])) for k in range(0, len(series) // 5 * 5, 5)]
    n = len(y)
    errors = [sum((value - np.mean(y[d:])) ** 2 for value in y[d:]) / (n - d) ** 2 for d in range(n - 4)]
    return 5 * int(np.argmin(errors))


@pytest.mark.parametrize("seed", range(20))
def test_equals_the_rule_computed_one_truncation_at_a_time(seed):
    series = 3 + noise(seed, 237)
    assert mser5(series).observations == brute_force_mser5(series)


def test_finds_an_initial_transient():
    found = [mser5(10 * np.exp(-np.arange(1000) / 50) + noise(seed, 1000)) for seed in range(50)]
    assert all(truncation.settled for truncation in found)
    assert all(truncation.observations >= 50 for truncation in found)
    assert np.mean([truncation.observations for truncation in found]) < 300


def test_cuts_a_step_where_it_is():
    series = np.where(np.arange(500) < 100, 5.0, 1.0) + 0.01 * noise(0, 500)
    truncation = mser5(series)
    assert 100 <= truncation.observations <= 150
    assert truncation.settled


def test_a_stationary_series_is_hardly_cut():
    found = [mser5(noise(seed, 1000)) for seed in range(100)]
    assert np.mean([truncation.settled for truncation in found]) > 0.95
    assert np.mean([truncation.observations for truncation in found]) < 50


def test_a_series_that_keeps_growing_never_settles():
    assert not any(mser5(np.arange(500) / 50 + noise(seed, 500)).settled for seed in range(50))


@pytest.mark.parametrize("value", [0.0, 0.1, -7.3, 1e12])
def test_a_constant_series_has_no_transient(value):
    truncation = mser5(np.full(200, value))
    assert truncation.observations == 0
    assert truncation.settled


@pytest.mark.parametrize("size", [0, 1, 4, 5, 49])
def test_a_short_series_is_not_settled(size):
    truncation = mser5(noise(1, size))
    assert truncation.observations == 0
    assert not truncation.settled


def test_large_nearly_equal_values_do_not_drown_in_rounding():
    series = 10 * np.exp(-np.arange(1000) / 50) + noise(3, 1000)
    assert mser5(series + 1e9).observations == mser5(series).observations


def test_missing_observations_do_not_move_the_truncation_in_time():
    series = np.where(np.arange(500) < 100, 5.0, 1.0) + 0.01 * noise(0, 500)
    holes = series.copy()
    holes[np.random.default_rng(1).random(500) < 0.4] = np.nan
    holes[200:260] = np.nan
    truncation = mser5(holes)
    assert 100 <= truncation.observations <= 200


def test_a_series_without_any_observation_is_not_settled():
    assert not mser5(np.full(500, np.nan)).settled


def test_a_table_is_refused():
    with pytest.raises(ValueError, match="one dimension"):
        mser5(np.zeros((10, 10)))
