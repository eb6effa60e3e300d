//! Sums with small rounding errors.

/// Summands of a block that is not cut further.
const BLOCK: usize = 128;

/// Partial sums of a block.
const LANES: usize = 8;

/// Sum of numbers, of which rounding errors grow with the logarithm of their number (N. J. Higham, "The accuracy of
/// floating point summation", SIAM Journal on Scientific Computing 14 (1993)). In the order in which numpy's `sum`
/// adds, so that figures agree to the last bit with those made there.
pub fn pairwise_sum(values: &[f64]) -> f64 {
    let count = values.len();
    if count < LANES {
        return values.iter().sum();
    }
    if count > BLOCK {
        let half = count / 2;
        let (first, second) = values.split_at(half - half % LANES);
        return pairwise_sum(first) + pairwise_sum(second);
    }
    let (blocks, rest) = values.as_chunks::<LANES>();
    let (first, others) = blocks.split_first().expect("there are eight values or more");
    let mut sums = *first;
    for block in others {
        for (sum, value) in sums.iter_mut().zip(block) {
            *sum += value;
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    rest.iter().fold(((a + b) + (c + d)) + ((e + f) + (g + h)), |sum, value| sum + value)
}
