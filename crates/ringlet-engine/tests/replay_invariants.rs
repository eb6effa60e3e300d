//! What must hold for the replay of any trace.
#![allow(missing_docs)]

mod networks;
mod random;
mod traces;

use networks::fingerprint;
use networks::random::any_network;
use proptest::prelude::*;
use ringlet_engine::Simulation;
use traces::{all_traced, drawn, replay, trace};

/// All that is measured, as text.
fn found(simulation: &Simulation) -> String {
    format!("{:?}\n{}", simulation.replayed(), fingerprint(simulation))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_and_steps_do_not_matter_on_a_ring(
        spec in random::network(), drawn in drawn(), waits in any::<bool>(), at_a_time in 1..20usize,
        steps in proptest::collection::vec(1..900u64, 1..12),
    ) {
        prop_assume!(!spec.flows.is_empty());
        let spec = all_traced(spec, waits);
        let packets = trace(&spec, &drawn);
        let whole = found(&replay(&spec, &packets, packets.len(), 1, &[20_000], 20_000));
        prop_assert_eq!(&whole, &found(&replay(&spec, &packets, at_a_time, 1, &steps, 20_000)));
    }

    #[test]
    fn pieces_steps_and_threads_do_not_matter_in_a_network(
        spec in any_network(), drawn in drawn(), waits in any::<bool>(), at_a_time in 1..20usize,
        steps in proptest::collection::vec(1..2_000u64, 1..12),
    ) {
        let spec = all_traced(spec, waits);
        let packets = trace(&spec, &drawn);
        let whole = found(&replay(&spec, &packets, packets.len(), 1, &[20_000], 20_000));
        prop_assert_eq!(&whole, &found(&replay(&spec, &packets, at_a_time, 1, &steps, 20_000)));
        prop_assert_eq!(&whole, &found(&replay(&spec, &packets, at_a_time, 3, &steps, 20_000)));
    }

    /// In the end everything has started, and has been delivered or lost, once.
    #[test]
    fn everything_is_delivered_in_the_end(mut spec in any_network(), drawn in drawn(), waits in any::<bool>()) {
        // Without a limit no packet is given up.
        if let Some(network) = &mut spec.network {
            network.errors = None;
        }
        let spec = all_traced(spec, waits);
        let packets = trace(&spec, &drawn);
        let simulation = replay(&spec, &packets, 7, 1, &[1_000_000], 1_000_000);
        let replayed = simulation.replayed();
        prop_assert_eq!((replayed.started, replayed.waiting, replayed.due), (packets.len() as u64, 0, 0));
        prop_assert_eq!(replayed.in_flight, 0);
        let flows = simulation.flow_counters();
        let delivered: u64 = flows.iter().map(|c| c.delivered_packets - c.host().delivered_responses + c.lost_packets).sum();
        prop_assert_eq!(delivered + replayed.local, packets.len() as u64);
        prop_assert_eq!(simulation.packets_held(), 0);
    }

    /// Nothing starts before its own cycle, and nothing ends sooner for having waited.
    #[test]
    fn dependences_only_delay(spec in any_network(), drawn in drawn()) {
        let driven = all_traced(spec.clone(), true);
        let packets = trace(&driven, &drawn);
        let last = packets.last().map_or(0, |packet| packet.cycle);
        let replayed = replay(&driven, &packets, 7, 1, &[200_000], 200_000).replayed();
        prop_assert_eq!(replayed.first_start, Some(packets[0].cycle));
        if replayed.started == packets.len() as u64 {
            prop_assert!(replayed.last_delivery.is_none_or(|end| end >= last || replayed.in_flight > 0));
        }
    }
}
