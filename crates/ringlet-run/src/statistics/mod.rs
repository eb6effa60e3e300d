//! Statistics of a simulated series: the end of its transient, and the interval of its mean.

mod batch_means;
mod mser;
mod sum;

pub use batch_means::{Interval, MAX_BATCHES, MIN_BATCHES, batch_means, collapse, precise_enough};
pub use mser::{Truncation, mser5};
pub use sum::pairwise_sum;
