//! Time: cycles of one symbol, counted from the beginning of a simulation.

/// The cycle of what will not happen.
pub(crate) const NEVER: u64 = u64::MAX;
