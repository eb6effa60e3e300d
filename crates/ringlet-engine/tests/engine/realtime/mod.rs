//! The reference by itself: what docs/explanation/realtime-model.md and todd2001 promise, in cases small enough to be
//! worked out by hand, and the hazards that simulations of these protocols have run into. One file per section of
//! docs/explanation/realtime-model.md.
//!
//! Cycles are counted from 0; a *hop* is a link between source and destination, `D` the hop delay, `L` a packet's
//! symbols.

mod counters;
mod dfc;
mod hazards;
mod hosts;
mod ppq;
mod reservation;
mod train;
