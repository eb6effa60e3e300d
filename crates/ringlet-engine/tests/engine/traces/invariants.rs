//! Properties of the replay of any trace.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::networks::fingerprint;
use crate::networks::random::any_network;
use crate::random;
use crate::traces::{Packet, all_traced, drawn, replay, trace};
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::measure::FlowCounters;
use ringlet_engine::observe::{Observer, PacketView};
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::spec::NetworkSpec;

/// When each packet was generated and served, by its number and the node where it was.
type Served = HashMap<(u32, u32), (u64, u64)>;

/// Keeps that.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Served>>);

impl Observer for Log {
    const SEES_SYMBOLS: bool = true;

    fn served(&mut self, node: u32, cycle: u64, packet: PacketView) {
        self.0.lock().expect("no thread has panicked").insert((packet.message, node), (packet.generated, cycle));
    }
}

/// All that is measured, as text.
fn found(simulation: &Simulation) -> String {
    format!("{:?}\n{}", simulation.replayed(), fingerprint(simulation))
}

/// Does the protocol promise that each packet gets through? Those of todd2001 don't: PPQ's retries can go on for ever,
/// and high-priority tickets of TRAIN can crowd out the response that they wait for (`model_checking`,
/// docs/explanation/realtime-model.md). `networks/invariants.rs` counts what they hold.
fn promises_delivery(spec: &NetworkSpec) -> bool {
    let options = spec.flow_control.options().expect("a valid protocol");
    matches!(options, FlowControlSpec::None(_) | FlowControlSpec::Sci(_) | FlowControlSpec::Grouped(_))
}

/// Any ring on which a trace has flows.
fn ring() -> impl Strategy<Value = NetworkSpec> {
    random::network().prop_filter("no flows", |spec| !spec.flows.is_empty())
}

proptest! {
    #![proptest_config(crate::cases(40))]

    #[test]
    fn pieces_and_steps_do_not_matter_on_a_ring(
        spec in ring(), drawn in drawn(), waits in any::<bool>(), at_a_time in 1..20usize,
        steps in proptest::collection::vec(1..900u64, 1..12),
    ) {
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

    #[test]
    fn a_saved_replay_goes_on(
        spec in prop_oneof![ring().boxed(), any_network().boxed()], drawn in drawn(), waits in any::<bool>(),
        before in 0..10_000u64,
    ) {
        let spec = all_traced(spec, waits);
        let packets = trace(&spec, &drawn);
        let (first, later) = packets.split_at(packets.partition_point(|packet| packet.cycle < 5_000));
        let hand_in = |simulation: &mut Simulation, packets: &[Packet], until: u64| {
            simulation.hand_in(packets.iter().map(Packet::handed), until).expect("a valid trace");
        };
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        hand_in(&mut simulation, first, 5_000);
        simulation.advance(before);
        let mut restored = Simulation::new(&spec).expect("a valid spec");
        restored.restore(&simulation.save()).expect("it was just saved");
        for each in [&mut simulation, &mut restored] {
            hand_in(each, later, u64::MAX);
            each.advance(10_000);
        }
        prop_assert_eq!(found(&simulation), found(&restored));
        prop_assert_eq!(simulation.take_deliveries(), restored.take_deliveries());
    }

    /// In the end everything has started, and has been delivered or lost, once.
    #[test]
    fn everything_is_delivered_in_the_end(
        mut spec in any_network().prop_filter("delivery is not promised", promises_delivery),
        drawn in drawn(), waits in any::<bool>(),
    ) {
        // Without a limit no packet is given up.
        if let Some(network) = &mut spec.network {
            network.errors = None;
        }
        // Refused packets that come back at once starve the interfaces behind their sender
        // (docs/explanation/network-model.md, "Starvation"), for ever where the place is reserved for one of those.
        spec.queues.limits.common.retry.delay_cycles = spec.queues.limits.common.retry.delay_cycles.max(1);
        let spec = all_traced(spec, waits);
        let packets = trace(&spec, &drawn);
        let simulation = replay(&spec, &packets, 7, 1, &[1_000_000], 1_000_000);
        let replayed = simulation.replayed();
        prop_assert_eq!((replayed.started, replayed.waiting, replayed.due), (packets.len() as u64, 0, 0));
        prop_assert_eq!(replayed.in_flight, 0);
        let flows = simulation.flow_counters();
        let of_flow = |c: &FlowCounters| c.delivered_packets - c.host().delivered_responses + c.lost_packets;
        let delivered: u64 = flows.iter().copied().map(of_flow).sum();
        prop_assert_eq!(delivered + replayed.local, packets.len() as u64);
        prop_assert_eq!(simulation.packets_held(), 0);
    }

    /// Each packet starts as long after the deliveries of those that it waits for as after them in the trace, as seen
    /// without anything of the queues.
    #[test]
    fn every_start_follows_from_deliveries(spec in ring(), drawn in drawn()) {
        let spec = all_traced(spec, true);
        let packets = trace(&spec, &drawn);
        let log = Log::default();
        let mut simulation = Simulation::observed(&spec, log.clone()).expect("a valid spec");
        simulation.hand_in(packets.iter().map(Packet::handed), u64::MAX).expect("a valid trace");
        simulation.advance(50_000);
        let seen = log.0.lock().expect("no thread has panicked");
        let mut starts: Vec<Option<u64>> = Vec::new();
        for (number, packet) in (0u32..).zip(&packets) {
            let source = spec.flows[packet.flow as usize].source;
            let mut expected = Some(packet.cycle);
            for &other in &packet.depends_on {
                let earlier = &packets[other as usize];
                let seen_at = if earlier.destination == spec.flows[earlier.flow as usize].source {
                    starts[other as usize]
                } else {
                    // At its destination, or of its response.
                    seen.get(&(other, source)).map(|served| served.1)
                };
                let start = seen_at.map(|at| at + (packet.cycle - earlier.cycle).max(1));
                expected = expected.zip(start).map(|(one, other)| one.max(other));
            }
            starts.push(expected);
            if packet.destination != source && let Some(&(started, _)) = seen.get(&(number, packet.destination)) {
                prop_assert_eq!(Some(started), expected, "packet {}", number);
            }
        }
    }
}
