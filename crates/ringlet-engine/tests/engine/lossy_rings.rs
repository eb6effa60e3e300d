//! Rings whose links spoil packets, echoes and messages equal the symbol-by-symbol reference, with every protocol that
//! goes on there (docs/explanation/network-model.md, "Link errors").

use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::protocols::slotted_ring::{SlotRelease, SlottedRingSpec};
use ringlet_engine::record::{Recorder, RunKind};
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, ErrorsSpec, Forwarding, LinkSpec, NetworkSpec, RetryBy};

use crate::against_reference::{compare_flows, compare_nodes, histogram, steps};
use crate::networks::flow;
use crate::passing_packets::in_network;
use crate::random;
use crate::reference::{Losses, Reference};

/// A link that has a rate of its own, and fails in a cycle, until another one or for ever.
type FaultyLink = (u32, Option<f64>, Option<(u64, Option<u64>)>);

/// The errors of a ring, without the time that a sender waits for a lost packet.
#[derive(Debug, Clone)]
struct Faults {
    bit_error_rate: f64,
    /// A link that has a rate of its own, and fails for some time or for ever.
    link: Option<FaultyLink>,
    max_timeouts: Option<u8>,
    /// Cycles for which a sender waits beyond the least time that is allowed.
    longer: u64,
}

fn faults() -> impl Strategy<Value = Faults> {
    let rate = || prop_oneof![1 => Just(0.0), 3 => 1e-5..1e-3f64];
    let fails = (0..4000u64, proptest::option::of(1..2000u64));
    let fails = fails.prop_map(|(from, length)| (from, length.map(|length| from + length)));
    let link = (0..9u32, proptest::option::of(rate()), proptest::option::of(fails));
    let any = (rate(), proptest::option::of(link), proptest::option::of(0..4u8), 0..300u64);
    any.prop_map(|(bit_error_rate, link, max_timeouts, longer)| Faults { bit_error_rate, link, max_timeouts, longer })
}

/// The ring with these faults.
fn with_faults(spec: NetworkSpec, faults: Faults) -> NetworkSpec {
    let mut spec = in_network(spec, (Forwarding::CutThrough, 0), RetryBy::Requester);
    let link = faults.link.map(|(place, bit_error_rate, fails)| LinkSpec {
        ring: 0,
        place: place % spec.nodes,
        bit_error_rate,
        interruptions: fails.into_iter().collect(),
    });
    let mut errors = ErrorsSpec {
        bit_error_rate: faults.bit_error_rate,
        links: link.into_iter().collect(),
        timeout_cycles: 0,
        max_timeouts: faults.max_timeouts,
        ..ErrorsSpec::default()
    };
    let mut valid = |timeout_cycles| {
        errors.timeout_cycles = timeout_cycles;
        spec.network.as_mut().expect("a network").errors = Some(errors.clone());
        spec.validate().is_ok()
    };
    let least = (6..40).map(|power| 1 << power).find(|&timeout| valid(timeout)).expect("a time that is long enough");
    assert!(valid(least + faults.longer));
    spec
}

/// Simulates so many cycles at a time in both, and compares after each step. A lost packet is missed late.
fn equals_reference(spec: &NetworkSpec, steps: Vec<u64>) -> Result<(), TestCaseError> {
    let mut engine = Simulation::new(spec).expect("a valid spec");
    let mut reference = Reference::new(spec);
    for cycles in steps {
        prop_assert_eq!(engine.advance(2 * cycles), None);
        reference.advance(2 * cycles);
        let at = engine.cycle();
        for (index, (ours, theirs)) in engine.error_counters().iter().zip(reference.losses()).enumerate() {
            let ours = Losses {
                sends: ours.lost_sends,
                echoes: ours.lost_echoes,
                timeouts: ours.timeouts,
                given_up: ours.given_up_packets,
                undelivered: ours.undelivered_packets,
            };
            prop_assert_eq!(&ours, theirs, "losses, node {} at cycle {}", index, at);
        }
        for (index, (ours, theirs)) in engine.node_counters().iter().zip(reference.nodes()).enumerate() {
            let place = format!("node {index} at cycle {at}");
            compare_nodes(ours, &theirs, &place)?;
            prop_assert_eq!(ours.bypass_max_symbols, theirs.bypass_max_symbols, "bypass FIFO, {}", place);
        }
        for (index, (ours, theirs)) in engine.flow_counters().iter().zip(reference.flows()).enumerate() {
            compare_flows(ours, &theirs, &format!("flow {index} at cycle {at}"))?;
            prop_assert_eq!(engine.latencies([index]), histogram(spec, reference.latencies(index)));
        }
    }
    Ok(())
}

macro_rules! equal_reference {
    ($($protocol:ident,)+) => {
        $(
            proptest! {
                #![proptest_config(crate::cases(40))]

                #[test]
                fn $protocol(
                    spec in random::network_with(&[stringify!($protocol)]), faults in faults(), steps in steps(),
                ) {
                    let limits = crate::protocol(&spec).limits(spec.shape());
                    prop_assume!(spec.format.echoes && limits.survives_losses);
                    equals_reference(&with_faults(spec, faults), steps)?;
                }
            }
        )+
    };
}

/// A header that a node makes in place of a lost one is that of a full slot, in which nobody sends before it has come
/// round: else a packet that is in it would meet another one, and hold up the headers behind.
#[test]
fn headers_that_are_made_anew_keep_their_distances() {
    for release in [SlotRelease::Source, SlotRelease::Destination] {
        let saturated = |source| flow(source, DestinationSpec::Uniform {}, ArrivalSpec::Saturated {});
        let options = SlottedRingSpec { slots: Some(2), header_symbols: 2, room_symbols: 41, release };
        let mut spec = NetworkSpec::ring(8, options, (0..8).map(saturated).collect());
        (spec.hop_delay, spec.format.echoes) = (20.into(), release == SlotRelease::Source);
        spec = in_network(spec, (Forwarding::CutThrough, 0), RetryBy::Requester);
        let errors = ErrorsSpec { bit_error_rate: 2e-4, timeout_cycles: 4_000, ..ErrorsSpec::default() };
        spec.network.as_mut().expect("a network").errors = Some(errors);
        let recorder = Recorder::new(0, 60_000);
        let mut simulation = Simulation::new(&spec).expect("a valid spec").recorded(recorder.clone());
        simulation.advance(60_000);
        let runs = recorder.finish().runs;
        for node in 0..8 {
            let headers = runs.iter().filter(|run| run.node == node && run.kind == RunKind::Control);
            let at: Vec<u64> = headers.map(|run| run.cycle).collect();
            // Two slots, three nodes of 21 cycles apart, come by in each round of 168 cycles.
            assert!(at.windows(3).all(|three| three[2] - three[0] == 168), "{release:?}, node {node}");
            assert!(at.len() > 700, "{release:?}, node {node}: {}", at.len());
        }
    }
}

equal_reference! {
    none,
    sci,
    grouped,
    ppq,
    train,
    dfc,
    metaring,
    token_ring,
    timed_token,
    slotted_ring,
    rpr,
}
