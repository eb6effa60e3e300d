//! Exhaustive exploration of small rings, on the engine's own code (docs: "Model checking").
//!
//! An [`Exploration`] forks the engine's simulation in every state that it comes to, lets every set of flows generate a
//! message, and goes on by a step of some cycles; [`ringlet_engine::Simulation::state`] says which states are equal.
//! What may happen for ever is then read from the [`Graph`] of the states, and shown as a [`Lasso`] of arrivals.

mod exploration;
mod graph;
mod witness;

pub use exploration::{Exploration, MAX_FLOWS};
pub use graph::{Graph, Lasso, Step};
pub use witness::{Cause, Witness};
