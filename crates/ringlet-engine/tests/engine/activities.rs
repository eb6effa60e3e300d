//! Activities: the rules of each worked out by hand, and what holds of any.

pub(crate) mod event_invariants;
mod event_rules;
pub(crate) mod loop_invariants;
mod loop_rules;
mod scatter_rules;
