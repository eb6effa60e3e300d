//! The end of the initial transient of a series by the marginal standard error rule MSER-5.
//!
//! K. P. White, M. J. Cobb, S. C. Spratt, "A comparison of five steady-state truncation heuristics for simulation",
//! Winter Simulation Conference 2000.

use super::pairwise_sum;

/// Observations averaged before the rule is applied: the 5 of MSER-5.
const BATCH: usize = 5;

/// Batches always kept: the statistic of fewer is small by chance (S. Hoad, S. Robinson, R. Davies 2010).
const LEAST_KEPT: usize = 5;

/// Batches below which the rule says nothing.
const LEAST_BATCHES: usize = 10;

/// The transient part of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truncation {
    /// Leading observations to discard.
    pub observations: usize,
    /// Is that at most half of the series? If not, the series is too short.
    pub settled: bool,
}

/// Finds the truncation that minimises the standard error of the mean of what is left.
///
/// With `Y_1 ... Y_n` the averages of five observations each, minimises over `d` (the first of equals)
/// `sum_{i > d} (Y_i - mean_{i > d})^2 / (n - d)^2`. A value that is not finite is a missing observation, such as the
/// mean latency of an interval without a delivery. Not settled with fewer than 50 observations.
pub fn mser5(series: &[f64]) -> Truncation {
    let (averages, first) = batch_averages(series);
    if averages.len() < LEAST_BATCHES {
        return Truncation { observations: 0, settled: false };
    }
    // Centred, because sums of squares of large, nearly equal values would be rounding noise.
    let mean = pairwise_sum(&averages) / averages.len() as f64;
    let y: Vec<f64> = averages.iter().map(|average| average - mean).collect();
    let spread = y.iter().copied().fold(f64::MIN, f64::max) - y.iter().copied().fold(f64::MAX, f64::min);
    let largest = series.iter().filter(|value| value.is_finite()).fold(0.0_f64, |most, value| most.max(value.abs()));
    // What is left is rounding: a constant series has no transient.
    if spread <= 1e-12 * largest {
        return Truncation { observations: 0, settled: true };
    }
    let mut errors = vec![0.0; y.len()];
    let (mut sum, mut square) = (0.0, 0.0);
    for (d, value) in y.iter().enumerate().rev() {
        sum += value;
        square += value * value;
        let left = (y.len() - d) as f64;
        errors[d] = f64::max(0.0, square - sum * sum / left) / (left * left);
    }
    let judged = &errors[..y.len() - LEAST_KEPT + 1];
    let best = (0..judged.len()).fold(0, |best, d| if judged[d] < judged[best] { d } else { best });
    let observations = if best == 0 { 0 } else { first[best] };
    Truncation { observations, settled: 2 * observations <= series.len() }
}

/// Averages of five, and the place of each one's first observation; those without an observation are left out.
fn batch_averages(series: &[f64]) -> (Vec<f64>, Vec<usize>) {
    let batches = series.chunks_exact(BATCH).enumerate();
    let average = |(number, batch): (usize, &[f64])| {
        let there = batch.iter().filter(|value| value.is_finite());
        let count = there.clone().count();
        (count > 0).then(|| (there.sum::<f64>() / count as f64, number * BATCH))
    };
    batches.filter_map(average).unzip()
}
