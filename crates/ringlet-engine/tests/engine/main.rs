//! Every test of the engine, in one program: the engine is compiled for all protocols once, and not for each file of
//! tests.
//!
//! A new file of tests is a new line here. `cargo test NAME` runs those whose path contains NAME.

// A spec that names all of an example's fields today says `..EXAMPLE` as well, so that another one can be added.
#![allow(clippy::needless_update)]

// What they check.
mod activities;
mod against_reference;
mod circling;
mod destinations;
mod distributions;
mod failures;
mod injection;
mod invariants;
mod layers;
mod long_links;
mod lossy_rings;
mod many_groups;
mod master_rules;
mod message_rules;
mod model_checking;
mod multicast;
mod passing_packets;
mod prompted_rules;
mod realtime;
mod recordings;
mod recurrence;
mod recurring_specs;
mod reference_rules;
mod saved;
mod sci_reserve;
mod slow_links;
mod sources;
mod timed_token;

// What they share, and the tests of networks and of traces.
mod networks;
mod random;
mod recording;
mod reference;
mod rings;
mod traces;

use proptest::test_runner::{Config, RngSeed};

/// The protocol of a spec, with its options.
fn protocol(spec: &ringlet_engine::spec::NetworkSpec) -> ringlet_engine::protocols::FlowControlSpec {
    spec.flow_control.options().expect("a protocol that there is")
}

/// The first activity of a spec, with its options.
fn activity(spec: &ringlet_engine::spec::NetworkSpec) -> ringlet_engine::activities::WorkloadSpec {
    spec.workload[0].options().expect("an activity that there is")
}

/// So many random cases for each property: the same ones in each run, so that a change is judged by what it changes.
/// `RINGLET_CASES` makes them so many times as many, and new ones each time (`make nightly`).
fn cases(cases: u32) -> Config {
    let (times, rng_seed) = match std::env::var("RINGLET_CASES") {
        Ok(times) => (times.parse().expect("RINGLET_CASES is a number"), Config::default().rng_seed),
        Err(_) => (1, RngSeed::Fixed(1)),
    };
    Config { cases: cases * times, rng_seed, failure_persistence: None, ..Config::default() }
}
