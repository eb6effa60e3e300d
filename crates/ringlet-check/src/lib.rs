//! Exhaustive exploration of small rings and networks, on the engine's own code (docs: "Model checking").
//!
//! An [`Exploration`] forks the engine's simulation in every state that it comes to, lets every set of flows generate a
//! message and every link lose what comes next, and goes on by a step of some cycles;
//! [`ringlet_engine::Simulation::state`] says which states are equal. What may happen for ever is then read from the
//! [`Graph`] of the states, and shown as a [`Lasso`] of choices. A [`Chain`] has the states of a ring under Bernoulli
//! traffic, and what leads from one to the other.

mod chain;
mod exploration;
mod graph;
mod witness;

pub use chain::Chain;
pub use exploration::{Bounds, Exploration, MAX_FLOWS};
pub use graph::{Choice, Graph, Lasso, Step};
pub use witness::{Cause, Witness};
