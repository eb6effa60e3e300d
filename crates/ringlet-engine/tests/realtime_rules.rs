//! The reference by itself: what docs/realtime-model.md and todd2001 promise, in cases small enough to be worked out by hand, and
//! the hazards that simulations of these protocols have run into.
//!
//! Cycles are counted from 0; a *hop* is a link between source and destination, `D` the hop delay, `L` a packet's symbols.

mod random;
mod realtime;
mod reference;
mod rings;
