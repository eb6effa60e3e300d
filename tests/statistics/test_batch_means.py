import numpy as np
import pytest
from scipy import signal, stats

from ringlet.statistics import batch_means, collapse, precise_enough


def autoregressive(seeds, size, phi, mean, seed):
    """AR(1) series with a known mean, shape (size, seeds), in its steady state."""
    noise = np.random.default_rng(seed).normal(size=(size + 500, seeds))
    return mean + signal.lfilter([1.0], [1.0, -phi], noise, axis=0)[500:]


def mm1_waiting_times(seeds, size, load, seed):
    """Waiting times of successive customers of an M/M/1 queue with service rate 1 (Lindley), shape (size, seeds)."""
    rng = np.random.default_rng(seed)
    step = rng.exponential(1.0, (size + 2000, seeds)) - rng.exponential(1 / load, (size + 2000, seeds))
    walk = np.cumsum(step, axis=0)
    waiting = walk - np.minimum(0.0, np.minimum.accumulate(walk, axis=0))
    return waiting[2000:]


def batched(series, batches):
    return series.reshape(batches, -1, series.shape[1]).sum(axis=1)


def coverage(series, mean, batches):
    interval = batch_means(batched(series, batches), np.full(batches, len(series) // batches))
    return np.mean(np.abs(interval.mean - mean) <= interval.half_width)


def test_uncorrelated_batches_give_students_interval():
    x = np.sort(np.random.default_rng(0).normal(10, 2, 30))
    x[1::2] = x[1::2][::-1]  # large beside small: neighbours do not correlate
    interval = batch_means(x, np.ones(30))
    low, high = stats.t.interval(0.95, 29, loc=x.mean(), scale=stats.sem(x))
    assert interval.mean[0] == pytest.approx(x.mean())
    assert interval.half_width[0] == pytest.approx((high - low) / 2)
    assert interval.batches == 30


@pytest.mark.parametrize("batches", range(2, 41))
def test_the_quantile_of_student_is_that_of_the_number_of_batches(batches):
    x = np.zeros(batches)
    x[0] = -1.0  # alone: its neighbours correlate negatively, and it lies below the others
    interval = batch_means(x, np.ones(batches))
    wanted = stats.t.ppf(0.975, batches - 1) * stats.sem(x)
    r = max(0.0, interval.lag1[0])
    assert interval.half_width[0] == pytest.approx(wanted * np.sqrt((1 + r) / (1 - r)), rel=1e-14)


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
def test_covers_the_mean_of_an_autoregressive_series_95_times_in_100(phi):
    assert coverage(autoregressive(2000, 3000, phi, 5.0, 1), 5.0, 30) == pytest.approx(0.95, abs=0.02)


def test_covers_the_mean_wait_of_a_queue():
    load = 0.5
    waits = mm1_waiting_times(1000, 12_000, load, 2)
    assert coverage(waits, load / (1 - load), 30) == pytest.approx(0.95, abs=0.02)


def test_batches_far_above_the_others_make_the_interval_wider():
    x = np.zeros(30)
    x[7] = 1.0
    above, below = (batch_means(sign * x, np.ones(30)).half_width[0] for sign in (1, -1))
    # Willink's transformation: of 1 in 30 the skewness is 28 / sqrt(29).
    beta, t = 28 / 29**0.5 / (6 * 30**0.5), stats.t.ppf(0.975, 29)
    assert below == pytest.approx(t * stats.sem(x))
    assert above / below == pytest.approx((1 - np.cbrt(1 - 6 * beta * (t + beta))) / (2 * beta) / t)
    assert above > 2 * below


def test_short_runs_of_a_busy_queue_are_covered_thanks_to_that():
    load = 0.8
    waits = mm1_waiting_times(1000, 9_000, load, 5)
    totals, sizes = batched(waits, 30), np.full(30, 300)
    interval = batch_means(totals, sizes)
    missed = np.abs(interval.mean - load / (1 - load)) > interval.half_width
    assert missed.mean() < 0.08


def test_widening_rescues_batches_that_are_too_short():
    series = autoregressive(2000, 600, 0.9, 5.0, 3)
    totals = batched(series, 30)
    interval = batch_means(totals, np.full(30, 20))
    plain = stats.t.ppf(0.975, 29) * stats.sem(totals / 20, axis=0)
    assert (interval.half_width >= plain - 1e-12).all()
    assert np.mean(np.abs(interval.mean - 5) <= plain) < 0.89
    assert np.mean(np.abs(interval.mean - 5) <= interval.half_width) > 0.92


def test_batches_far_too_short_are_called_correlated():
    totals = batched(autoregressive(500, 600, 0.98, 5.0, 7), 30)
    assert batch_means(totals, np.full(30, 20)).correlated.mean() > 0.9


def test_independent_batches_pay_little_for_the_widening():
    x = np.random.default_rng(8).normal(size=(30, 2000))
    plain = stats.t.ppf(0.975, 29) * stats.sem(x, axis=0)
    assert np.mean(batch_means(x, np.ones(30)).half_width / plain) < 1.1


def test_independent_batches_are_rarely_called_correlated():
    x = np.random.default_rng(4).normal(size=(30, 2000))
    assert batch_means(x, np.ones(30)).correlated.mean() < 0.03


def test_unequal_batches_are_weighed_by_their_size():
    interval = batch_means([10.0, 40.0], [1.0, 4.0])
    assert interval.mean[0] == 10.0
    assert interval.half_width[0] == 0.0


@pytest.mark.parametrize("value", [0.0, 0.1, 1e12])
def test_a_constant_series_is_known_exactly(value):
    interval = batch_means(np.full(30, value) * 7, np.full(30, 7))
    assert interval.mean[0] == pytest.approx(value)
    assert interval.half_width[0] == 0.0
    assert not interval.correlated[0]


def test_empty_batches_do_not_count_as_evidence():
    totals, sizes = np.zeros(30), np.zeros(30)
    totals[[3, 17]], sizes[[3, 17]] = [5.0, 7.0], 1.0
    interval = batch_means(totals, sizes)
    low, high = stats.t.interval(0.95, 1, loc=6, scale=stats.sem([5.0, 7.0]))
    assert interval.mean[0] == 6.0
    assert interval.half_width[0] == pytest.approx((high - low) / 2, rel=0.05)


def test_one_batch_has_a_mean_but_no_interval():
    interval = batch_means([12.0], [4.0])
    assert interval.mean[0] == 3.0
    assert np.isnan(interval.half_width[0])
    assert interval.relative_half_width[0] == np.inf


def test_one_observed_batch_among_empty_ones_has_no_interval():
    totals, sizes = np.zeros(30), np.zeros(30)
    totals[4], sizes[4] = 9.0, 3.0
    interval = batch_means(totals, sizes)
    assert interval.mean[0] == 3.0
    assert np.isnan(interval.half_width[0])


def test_nothing_observed_has_no_mean():
    for interval in (batch_means(np.zeros(30), np.zeros(30)), batch_means(np.zeros((0, 1)), np.zeros((0, 1)))):
        assert np.isnan(interval.mean[0])
        assert np.isnan(interval.half_width[0])


def test_many_series_at_once_equal_each_alone():
    rng = np.random.default_rng(5)
    totals, sizes = rng.random((35, 4)), rng.integers(0, 5, (35, 4))
    totals[sizes == 0] = 0.0
    together = batch_means(totals, sizes)
    for k in range(4):
        alone = batch_means(totals[:, k], sizes[:, k])
        assert together.mean[k] == pytest.approx(alone.mean[0], rel=1e-14)
        assert together.half_width[k] == pytest.approx(alone.half_width[0], rel=1e-12)


@pytest.mark.parametrize("batches", range(1, 200))
def test_collapsing_leaves_20_to_40_batches_and_their_sum(batches):
    values = np.arange(2 * batches, dtype=float).reshape(batches, 2)
    merged = collapse(values)
    assert min(batches, 20) <= len(merged) <= 40
    np.testing.assert_array_equal(merged.sum(axis=0), values.sum(axis=0))


@pytest.mark.parametrize(
    ("totals", "sizes"),
    [
        ([1.0, float("nan")], [1.0, 1.0]),
        ([1.0, 2.0], [1.0, -1.0]),
        ([1.0, 2.0], [1.0]),
        ([[1.0, 2.0]], [[1.0, 2.0, 3.0]]),
    ],
)
def test_missing_and_unmatched_batches_are_refused(totals, sizes):
    with pytest.raises(ValueError, match="totals, sizes"):
        batch_means(totals, sizes)


def test_precision_is_reached_by_all_series_or_not_at_all():
    x = 100 + np.random.default_rng(6).normal(size=(30, 2)) * [1.0, 40.0]
    interval = batch_means(x, np.ones(30))
    first = batch_means(x[:, 0], np.ones(30))
    assert precise_enough(first, 0.01)
    assert not precise_enough(interval, 0.01)
    assert precise_enough(interval, 0.3)


def test_precision_needs_twenty_batches_and_a_mean():
    assert not precise_enough(batch_means(np.full(19, 5.0), np.ones(19)), 0.1)
    assert precise_enough(batch_means(np.full(20, 5.0), np.ones(20)), 0.1)
    assert not precise_enough(batch_means(np.zeros(20), np.ones(20)), 0.1)
    assert not precise_enough(batch_means(np.zeros(20), np.zeros(20)), 0.1)


def test_stopping_at_precision_keeps_most_of_the_coverage():
    """Batch by batch until 5 % is reached, as a run does; stopping early when lucky costs a little coverage."""
    covered = 0
    for seed in range(200):
        series = autoregressive(1, 60_000, 0.8, 5.0, 100 + seed)[:, 0]
        totals: list[float] = []
        length, at = 50, 0
        while at + length <= len(series):
            totals.append(series[at : at + length].sum())
            at += length
            interval = batch_means(totals, np.full(len(totals), float(length)))
            if precise_enough(interval, 0.05):
                break
            if len(totals) == 40:
                totals = list(collapse(totals, at_most=20))
                length *= 2
        assert precise_enough(interval, 0.05)
        covered += abs(interval.mean[0] - 5) <= interval.half_width[0]
    assert covered / 200 > 0.88
