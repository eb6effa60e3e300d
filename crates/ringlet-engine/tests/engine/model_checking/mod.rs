//! Exhaustive exploration of small rings, on the engine's own code (docs/explanation/model-checking.md).

mod busy_retry;
mod dfc;
mod encoding;
mod explore;
mod go_bits;
mod model;
mod ppq;
mod rings;
mod train;
mod transactions;
