//! Activities: what a simulation does besides the flows of its nodes. One file for each.
//!
//! An activity has a plan of packets: it hands them in as a trace's are, and sees their deliveries. What it decides at
//! a release follows from its own random streams and from deliveries at least its lookahead before, so that neither
//! the steps of a simulation nor its threads matter.
//!
//! | part of the file | it says |
//! |---|---|
//! | [`Options`] of a spec, [`Begins`] | which flows are the activity's, what is allowed, how its plan begins |
//! | [`Planned`], its state | what is released when, and what follows from a delivery |
//! | [`Counters`] | what is counted, and the table of it that reaches Python under the same names |
//!
//! The smallest are `collective.rs` and `chain.rs`. The list below declares the file of each.

mod list;
mod spec;

/// The vocabulary that the file of an activity imports.
mod prelude {
    pub(super) use serde::{Deserialize, Serialize};

    pub(super) use super::spec::mean_gap;
    pub(super) use super::{Begins, Count, Counters, HandIn, Options, Planned, Released, Table};
    pub(super) use crate::results::{QUANTILES, Times};
    pub(super) use crate::spec::{ArrivalSpec, MAX_CYCLES, NetworkSpec, SpecError, check, is_distribution};
}

// A line for each activity: its name in a spec, the name of its variant, its module, its options.
list::activities! {
    "events" => Events(events::EventsSpec),
    "chain" => Chain(chain::ChainSpec),
    "collective" => Collective(collective::CollectiveSpec),
    "scatter-gather" => ScatterGather(scatter_gather::ScatterGatherSpec),
}

pub use crate::results::{Count, Counters, Table};
use crate::spec::{ActivitySpec, ArrivalSpec, NetworkSpec, SpecError};
use crate::values::Encoder;

/// Longest time for which packets are handed in at once, in cycles.
pub(crate) const MOST_AHEAD: u64 = 1 << 16;

/// An activity's options, as a spec has them.
pub(crate) trait Options {
    /// The flows of the activity, which belong to nothing else.
    fn flows(&self) -> Vec<u32>;

    /// Do its packets wait for others?
    fn waits(&self) -> bool {
        true
    }

    /// Checks the options, of a spec whose flows are valid; paths of messages begin with `at`.
    fn check(&self, spec: &NetworkSpec, at: &str) -> Result<(), SpecError>;

    /// Times at which it begins anew; `None` where it does not, or not at times of its own.
    fn times(&self) -> Option<ArrivalSpec> {
        None
    }

    /// Does nothing of it depend on random numbers, so that a simulation may come back to a state?
    fn is_determined(&self) -> bool {
        false
    }
}

/// The beginning of an activity.
pub(crate) trait Begins {
    /// The plan that options describe.
    type Plan: Planned;

    /// The plan at cycle 0 of the activity with this number in a valid spec.
    fn plan(&self, spec: &NetworkSpec, index: usize) -> Self::Plan;
}

/// A packet that a plan releases.
pub(crate) struct Released<'a> {
    pub(crate) cycle: u64,
    pub(crate) flow: u32,
    pub(crate) destination: u32,
    /// Part of the plan to which the packet belongs.
    pub(crate) part: u64,
    /// Packets that it waits for, and how long after each it starts.
    pub(crate) awaited: &'a [(u32, u64)],
}

/// Hands a packet in and returns its number; `None` where all numbers have been given.
pub(crate) type HandIn<'a> = &'a mut dyn FnMut(Released<'_>) -> Option<u32>;

/// A plan, as a simulation sees it: it releases packets, and their deliveries come back to it.
pub(crate) trait Planned {
    /// Cycle of the next release; `None` if there is none any more.
    fn next(&self) -> Option<u64>;

    /// Releases what begins then.
    fn release(&mut self, hand_in: HandIn<'_>);

    /// A packet is delivered in cycle `now`; those before are known.
    fn deliver(&mut self, part: u64, now: u64);

    /// Sees what happens before a cycle, of which all deliveries are known.
    fn see_until(&mut self, end: u64);

    /// Does nothing follow from the packets of a part any more?
    fn is_over(&self, part: u64) -> bool;

    /// Starts all counts again from cycle `now`.
    fn reset(&mut self, now: u64);

    /// Writes all that the future depends on; unless it says how, it lacks something. Only where the options are
    /// determined does it matter.
    fn encode(&self, encoder: &mut Encoder<'_>) {
        encoder.lacks_something();
    }

    /// A part of the plan, as it is called a period later.
    fn relative(&self, part: u64) -> u64 {
        part
    }

    /// Cycles from a delivery to the first release that depends on it.
    fn lookahead(&self) -> u64 {
        MOST_AHEAD
    }

    /// Can a plan that was read from a file go on? Lists are as long as the spec says.
    fn holds(&self) -> bool {
        true
    }

    /// Could a packet of such a plan belong to this part of it?
    fn has_released(&self, _part: u64) -> bool {
        true
    }

    /// Is it over, of a plan that takes place once? `None` of one that goes on.
    fn is_complete(&self) -> Option<bool> {
        None
    }

    /// Counts of the plan.
    fn counters(&self) -> &dyn Counters;

    /// Bytes held outside the struct itself.
    fn heap_bytes(&self) -> usize;
}
