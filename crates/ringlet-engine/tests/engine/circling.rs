//! Messages that go round a ring without packets, such as a token or the headers of slots: rounds that repeat are leapt
//! over, and the engine still equals the reference.

use crate::against_reference::compare;
use crate::rings::{TRAIN, flow, ring};
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::protocols::metaring::MetaringSpec;
use ringlet_engine::protocols::rpr::{RprMode, RprSpec};
use ringlet_engine::protocols::slotted_ring::SlottedRingSpec;
use ringlet_engine::protocols::timed_token::TimedTokenSpec;
use ringlet_engine::protocols::token_ring::{TokenRelease, TokenRingSpec};
use ringlet_engine::protocols::train::{TrainMode, TrainSpec};
use ringlet_engine::spec::{ArrivalSpec, NetworkSpec};

fn protocol() -> impl Strategy<Value = FlowControlSpec> {
    let metaring = (1..4u32, 1..9u32, prop::option::of(50..5_000u64)).prop_map(|(most, symbols, timeout)| {
        FlowControlSpec::Metaring(MetaringSpec {
            most_packets: most,
            sat_symbols: symbols,
            sat_timeout_cycles: timeout,
            ..MetaringSpec::EXAMPLE
        })
    });
    let release = prop_oneof![Just(TokenRelease::Early), Just(TokenRelease::Header), Just(TokenRelease::Returned)];
    let token_ring = (1..4u32, release, 1..9u32).prop_map(|(packets, release, token_symbols)| {
        FlowControlSpec::TokenRing(TokenRingSpec { packets, release, token_symbols })
    });
    let timed =
        (200..900u64, 1..9u32).prop_map(|(target_cycles, token_symbols)| timed_token(target_cycles, token_symbols));
    let mode = prop_oneof![Just(TrainMode::Arbitrated), Just(TrainMode::Switching)];
    let train = (mode, 0..40u64, 0..2u32).prop_map(|(mode, delay_cycles, ticket_master)| {
        FlowControlSpec::Train(TrainSpec { mode, delay_cycles, ticket_master, size_symbols: Some(200), ..TRAIN })
    });
    let slots = (1..3u32).prop_map(|header_symbols| {
        FlowControlSpec::SlottedRing(SlottedRingSpec { header_symbols, ..SlottedRingSpec::EXAMPLE })
    });
    let mode = prop_oneof![Just(RprMode::Aggressive), Just(RprMode::Conservative)];
    let rpr = (mode, 100..300u64, 1..6u32).prop_map(|(mode, aging_cycles, message_symbols)| {
        FlowControlSpec::Rpr(RprSpec { mode, aging_cycles, message_symbols, ..RPR })
    });
    prop_oneof![metaring, token_ring, timed, train, slots, rpr]
}

fn timed_token(target_cycles: u64, token_symbols: u32) -> FlowControlSpec {
    FlowControlSpec::TimedToken(TimedTokenSpec {
        target_cycles,
        synchronous_symbols: vec![0],
        threshold_cycles: vec![0],
        token_symbols,
    })
}

const RPR: RprSpec = RprSpec {
    low_symbols: 50,
    aging_cycles: 100,
    smoothing_coefficient: 4,
    ramp_coefficient: 4,
    class_b_symbols: 0,
    message_symbols: 4,
    ..RprSpec::EXAMPLE
};

/// A packet now and then, and long times in which there is none.
fn sparse() -> impl Strategy<Value = NetworkSpec> {
    (protocol(), 2..5u32, 1..30u32, 3_000..20_000u32, 0..9_000u32).prop_map(
        |(protocol, nodes, hop_delay, period, phase)| {
            let arrivals = ArrivalSpec::Periodic { period: f64::from(period) + 0.5, phase: phase.into() };
            // A slot fits on the ring.
            let hop_delay = hop_delay + if matches!(protocol, FlowControlSpec::SlottedRing(_)) { 21 } else { 0 };
            let flows = vec![flow(0, 1, 40, arrivals), flow(nodes - 1, 0, 24, arrivals)];
            let mut spec = ring(nodes, hop_delay, protocol, flows);
            spec.queues.priorities = 1;
            spec
        },
    )
}

proptest! {
    #![proptest_config(crate::cases(40))]

    #[test]
    fn rounds_that_are_leapt_over_are_those_of_the_reference(
        spec in sparse(), steps in prop::collection::vec(1..30_000u64, 1..4),
    ) {
        compare(&spec, &steps)?;
    }

    #[test]
    fn long_idle_times_are_counted_in_any_pieces(spec in sparse(), step in 1..2_000u64) {
        const END: u64 = 200_000;
        let (mut whole, mut pieces) = (Simulation::new(&spec)?, Simulation::new(&spec)?);
        whole.advance(END);
        while pieces.cycle() < END {
            pieces.advance(step.min(END - pieces.cycle()));
        }
        prop_assert_eq!(whole.node_counters(), pieces.node_counters());
    }
}

/// Simulated symbol by symbol it would take months.
#[test]
fn idle_time_costs_nothing_whatever_goes_round() {
    let protocols = [
        FlowControlSpec::Metaring(MetaringSpec::EXAMPLE),
        FlowControlSpec::Metaring(MetaringSpec { sat_timeout_cycles: Some(10_000), ..MetaringSpec::EXAMPLE }),
        FlowControlSpec::TokenRing(TokenRingSpec::EXAMPLE),
        timed_token(200, 4),
        FlowControlSpec::Train(TRAIN),
        FlowControlSpec::SlottedRing(SlottedRingSpec::EXAMPLE),
        FlowControlSpec::Rpr(RprSpec { aging_cycles: 1_000, ..RPR }),
    ];
    // With a hop of 1 the token of such a ring is at the same node whenever the ring is looked at.
    for (protocol, hop_delay) in protocols.into_iter().map(|protocol| (protocol, 5)).chain([(timed_token(200, 4), 1)]) {
        const GAP: u64 = 1 << 48;
        let arrivals = ArrivalSpec::Periodic { period: GAP as f64, phase: 5_000.0 };
        let mut spec = ring(8, hop_delay, protocol.clone(), vec![flow(1, 5, 40, arrivals)]);
        spec.queues.priorities = 1;
        spec.measurement.stall_cycles = 1 << 50;
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        assert_eq!(simulation.advance(4 * GAP), None);
        assert_eq!(simulation.flow_counters()[0].delivered_packets, 4, "{protocol:?}");
        let control = simulation.node_counters()[0].link_control_symbols;
        assert!(control > GAP / 100, "{protocol:?}: {control} symbols of control");
    }
}
