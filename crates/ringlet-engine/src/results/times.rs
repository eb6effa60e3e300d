//! Multiples of counts, by which the counts of a period that comes again are added up.

use hdrhistogram::Histogram;

/// Multiples of counts, which may be taken away again.
#[derive(Debug, Clone, Copy)]
pub enum Times {
    /// Counts are added so many times.
    More(u64),
    /// Counts are taken away once.
    Less,
}

impl Times {
    /// Adds so many times the sum `other` to a sum.
    pub(crate) fn sum(self, sum: &mut u64, other: u64) {
        *sum = match self {
            Self::More(times) => sum.wrapping_add(other.wrapping_mul(times)),
            Self::Less => sum.wrapping_sub(other),
        };
    }

    /// Adds the maximum `other` to a maximum. Without some of what was counted, the maximum stays.
    pub(crate) fn max(self, max: &mut u64, other: u64) {
        if let Self::More(_) = self {
            *max = other.max(*max);
        }
    }

    /// Adds so many times a distribution to one.
    pub(crate) fn histogram(self, sum: &mut Histogram<u32>, other: &Histogram<u32>) {
        const GROWS: &str = "a growing histogram takes any value";
        match self {
            Self::More(0) => {}
            Self::More(1) => sum.add(other).expect(GROWS),
            Self::More(times) => {
                for bin in other.iter_recorded() {
                    let count = u64::from(bin.count_at_value()).saturating_mul(times);
                    // What one record can take at most.
                    let count = u32::try_from(count).unwrap_or(u32::MAX);
                    sum.record_n(bin.value_iterated_to(), count).expect(GROWS);
                }
            }
            Self::Less => sum.subtract(other).expect("what is taken away has been counted"),
        }
    }
}
