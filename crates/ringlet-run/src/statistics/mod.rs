//! What a simulated series tells: where its transient ends, and how sure its mean is.

mod batch_means;
mod mser;
mod sum;

pub use batch_means::{Interval, MAX_BATCHES, MIN_BATCHES, batch_means, collapse, precise_enough};
pub use mser::{Truncation, mser5};
pub use sum::pairwise_sum;
