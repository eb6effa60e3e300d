//! Chance: numbers that are drawn from a stream.

use rand::Rng;
use rand_pcg::Pcg64Mcg;

/// Uniform on (0, 1], so that its logarithm is finite.
pub(super) fn unit(rng: &mut Pcg64Mcg) -> f64 {
    ((rng.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
}

/// Cumulative sums; from the last positive probability on above 1, so that a rounding residue never selects an
/// impossible entry.
pub(super) fn cumulative(probabilities: impl Iterator<Item = f64>) -> Box<[f64]> {
    let mut sum = 0.0;
    let mut last_positive = 0;
    let mut steps: Vec<f64> = Vec::new();
    for (index, probability) in probabilities.enumerate() {
        if probability > 0.0 {
            last_positive = index;
        }
        sum += probability;
        steps.push(sum);
    }
    steps[last_positive..].fill(2.0);
    steps.into()
}
