//! Properties of a recording of any network.

use crate::networks::random::any_network;
use crate::networks::{WHOLE_SYMBOLS, fingerprint, symbol_cycles};
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::measure::PortCounters;
use ringlet_engine::record::{Fate, Fill, Recorder, Recording, RunKind};
use ringlet_engine::spec::{ArrivalSpec, NetworkSpec, TopologySpec};

/// A recording that sees the whole simulation, advanced in these steps on so many threads, and the simulation.
fn record(spec: &NetworkSpec, window: (u64, u64), steps: &[u64], threads: usize) -> (Recording, Simulation) {
    let recorder = Recorder::new(window.0, window.1);
    let mut simulation = Simulation::new(spec).expect("a valid spec").recorded(recorder.clone());
    simulation.use_threads(threads);
    for &cycles in steps {
        simulation.advance(cycles);
    }
    (recorder.finish(), simulation)
}

/// Ports in the order of their numbers.
fn ports(simulation: &Simulation) -> Vec<PortCounters> {
    let mut ports = simulation.port_counters();
    ports.sort_by_key(|port| (port.ring, port.place));
    ports
}

fn symbols(recording: &Recording, node: u32, kinds: &[RunKind]) -> u64 {
    let runs = recording.runs.iter().filter(|run| run.node == node && kinds.contains(&run.kind));
    runs.map(|run| (run.cycle + u64::from(run.count)).min(recording.to) - run.cycle).sum()
}

fn events(recording: &Recording, node: u32, fate: Fate) -> u64 {
    recording.events.iter().filter(|event| event.node == node && event.fate == fate).count() as u64
}

fn topology_of(spec: &NetworkSpec) -> &TopologySpec {
    spec.network.as_ref().expect("a network")
}

proptest! {
    #![proptest_config(crate::cases(60))]

    #[test]
    fn recording_changes_no_result(spec in any_network(), cycles in 1..4_000u64) {
        let (_, recorded) = record(&spec, (cycles / 3, cycles), &[cycles], 1);
        let mut alone = Simulation::new(&spec).expect("a valid spec");
        alone.advance(cycles);
        prop_assert_eq!(fingerprint(&recorded), fingerprint(&alone));
    }

    #[test]
    fn a_recording_counts_what_the_network_counts(spec in any_network(), cycles in 1..4_000u64) {
        let cycles = cycles.next_multiple_of(WHOLE_SYMBOLS);
        let (recording, simulation) = record(&spec, (0, cycles), &[cycles], 1);
        let ports = ports(&simulation);
        let interfaces = simulation.node_counters().into_iter().chain(ports.iter().map(|port| port.interface.clone()));
        for ((node, counted), symbol) in (0..).zip(interfaces).zip(symbol_cycles(&spec, &ports)) {
            let symbols = |kinds: &[RunKind]| symbols(&recording, node, kinds);
            prop_assert_eq!(symbols(&[RunKind::Idle]), counted.link_idle_symbols * symbol);
            prop_assert_eq!(symbols(&[RunKind::Send]), counted.link_send_symbols * symbol);
            prop_assert_eq!(symbols(&[RunKind::Retry]), counted.link_retry_symbols * symbol);
            prop_assert_eq!(symbols(&[RunKind::Echo, RunKind::BusyEcho]), counted.link_echo_symbols * symbol);
            let preempted = counted.of_protocol("preempted_packets");
            prop_assert_eq!(events(&recording, node, Fate::Refused), counted.refused_packets - preempted);
        }
        let errors = simulation.error_counters().into_iter().chain(ports.iter().map(|port| port.errors));
        for (node, counted) in (0..).zip(errors) {
            prop_assert_eq!(events(&recording, node, Fate::LostSend), counted.lost_sends);
            prop_assert_eq!(events(&recording, node, Fate::LostEcho), counted.lost_echoes);
            prop_assert_eq!(events(&recording, node, Fate::GivenUp), counted.given_up_packets);
            let timed_out = counted.timeouts - counted.given_up_packets;
            prop_assert_eq!(events(&recording, node, Fate::TimedOut), timed_out);
        }
        let moved: u64 = simulation.link_counters().iter().map(|link| link.packets).sum();
        prop_assert_eq!(recording.transfers.len() as u64, moved);
        let delivered: u64 = simulation.flow_counters().iter().map(|flow| flow.delivered_packets).sum();
        // What ends in the present cycle counts already.
        let (behind, _) = record(&spec, (0, cycles + 1), &[cycles], 1);
        let seen = behind.events.iter().filter(|event| event.fate == Fate::Delivered).count() as u64;
        prop_assert_eq!(seen, delivered);
    }

    /// Whatever rings and switches it goes through, a packet has one number.
    #[test]
    fn a_packet_is_followed_from_end_to_end(spec in any_network(), cycles in 1..6_000u64) {
        // A request that is sent again has its number while its first sending may still be on the way.
        prop_assume!(spec.queues.response_timeout.is_none());
        let (recording, _) = record(&spec, (0, cycles), &[cycles], 1);
        for event in recording.events.iter().filter(|event| event.fate == Fate::Delivered) {
            let packet = recording.packets[event.packet as usize];
            prop_assert_eq!(packet.destination, event.node);
            // It left a ring for each that it reached, and its source sent it first.
            let first = |node: u32| recording.runs.iter().find(|run| run.packet == Some(event.packet)
                && run.node == node && matches!(run.kind, RunKind::Send | RunKind::Retry));
            let mut at = first(packet.source).expect("its source has sent it").cycle;
            for transfer in recording.transfers.iter().filter(|transfer| transfer.packet == event.packet) {
                let taken = recording.events.iter().any(|it| it.packet == event.packet && it.node == transfer.entry
                    && it.fate == Fate::Accepted && it.cycle >= at);
                prop_assert!(taken, "{transfer:?}");
                at = first(transfer.exit).expect("it goes on").cycle;
            }
            prop_assert!(event.cycle > at);
        }
    }

    #[test]
    fn a_recording_of_a_network_depends_on_neither_steps_nor_threads(
        spec in any_network(), steps in proptest::collection::vec(1..900u64, 2..6),
    ) {
        let cycles = steps.iter().sum();
        let at_once = record(&spec, (0, cycles), &[cycles], 1).0;
        prop_assert_eq!(&record(&spec, (0, cycles), &steps, 1).0, &at_once);
        prop_assert_eq!(&record(&spec, (0, cycles), &[cycles], 3).0, &at_once);
    }

    #[test]
    fn a_recorder_that_comes_late_to_a_network_sees_the_same(
        spec in any_network(), before in 0..3_000u64, cycles in 1..1_500u64,
    ) {
        let from = before + Recorder::lead_cycles_of(&spec).expect("a valid spec");
        let (seen, _) = record(&spec, (from, from + cycles), &[from + cycles], 1);
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        simulation.advance(before);
        let recorder = Recorder::new(from, from + cycles);
        simulation.recorded(recorder.clone()).advance(from + cycles - before);
        let late = recorder.finish();
        let differs = seen.runs.iter().zip(&late.runs).find(|(seen, late)| seen != late);
        prop_assert!(differs.is_none(), "{:?}", differs);
        prop_assert_eq!(seen.runs.len(), late.runs.len());
        prop_assert_eq!(seen.stays, late.stays);
        prop_assert_eq!(seen.heads, late.heads);
        prop_assert_eq!(seen.transmit_lengths, late.transmit_lengths);
        prop_assert_eq!(seen.receive_lengths, late.receive_lengths);
        prop_assert_eq!(seen.events, late.events);
        prop_assert_eq!(seen.transfers, late.transfers);
        prop_assert_eq!(seen.slot_lengths, late.slot_lengths);
        // What was given the bus before is known by where it ends.
        prop_assert_eq!(seen.fills.len(), late.fills.len());
        for fill in &late.fills {
            let is_it = |seen: &&Fill| {
                let unknown = Fill { taken: None, asked_ps: None, bus_ps: None, ..**seen };
                *fill == **seen || *fill == unknown
            };
            prop_assert!(seen.fills.iter().any(|seen| is_it(&seen)), "{:?}", fill);
        }
    }

    /// The bus of a host serves one packet after the other, in the order in which it is asked.
    #[test]
    fn slots_are_filled_one_after_the_other(spec in any_network(), cycles in 1..4_000u64) {
        // What is generated in the present cycle counts already.
        let (recording, simulation) = record(&spec, (0, cycles + 1), &[cycles], 1);
        // Packets are shown as they were made last.
        let once = spec.queues.response_timeout.is_none();
        for node in 0..spec.nodes {
            let mut served: Vec<(u64, u64, u64)> = Vec::new();
            for fill in recording.fills.iter().filter(|fill| fill.node == node) {
                let asked = fill.asked_ps.expect("the whole way is seen");
                let generated = recording.packets[fill.packet as usize].generated;
                prop_assert!(fill.taken.is_some_and(|taken| generated <= taken || !once), "{:?}", fill);
                if let Some((start, end)) = fill.bus_ps {
                    prop_assert!(asked <= start && start <= end && fill.ready.is_some(), "{:?}", fill);
                    served.push((start, end, asked));
                }
            }
            served.sort_unstable();
            prop_assert!(served.windows(2).all(|pair| pair[0].1 <= pair[1].0 && pair[0].2 <= pair[1].2));
        }
        // Each request waits until it has a slot; what begins again would wait again.
        if once && topology_of(&spec).errors.is_none() {
            let lengths = |node| recording.slot_lengths.iter().rev().find(|change| change.node == node);
            for node in (0..spec.nodes).filter(|&node| lengths(node).is_some()) {
                let counters = simulation.flow_counters();
                let own = spec.flows.iter().zip(&counters).filter(|(flow, _)| flow.source == node);
                let generated: u64 = own.map(|(_, count)| count.generated_packets - count.lost_packets).sum();
                let packet = |fill: &&Fill| recording.packets[fill.packet as usize];
                let taken = recording.fills.iter().filter(|fill| fill.node == node && !packet(fill).response).count();
                let waiting = lengths(node).map_or(0, |change| change.value);
                // A flow that always has one waiting has counted it, or not yet.
                let saturated = spec.flows.iter().filter(|flow| flow.arrivals == ArrivalSpec::Saturated {}).count();
                // What takes no time to fill is in its slot before the recorder sees cycle 0.
                let topology = topology_of(&spec);
                let host = topology.hosts.as_ref().map_or(topology.host, |hosts| hosts[node as usize]);
                if host.fill_serial_ps + host.fill_ps == 0 {
                    continue;
                }
                let counted = (taken as u64 + waiting).abs_diff(generated);
                prop_assert!(counted <= saturated as u64, "node {}: {} of {}", node, taken as u64 + waiting, generated);
            }
        }
    }

    #[test]
    fn a_copy_of_a_network_goes_on_like_it(spec in any_network(), before in 0..3_000u64, cycles in 1..3_000u64) {
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        simulation.advance(before);
        let mut copy = simulation.fork();
        let before = fingerprint(&simulation);
        copy.advance(cycles);
        prop_assert_eq!(before, fingerprint(&simulation), "the copy leaves it alone");
        simulation.advance(cycles);
        prop_assert_eq!(fingerprint(&simulation), fingerprint(&copy));
    }

    /// In whatever steps they are taken, deliveries are those that flows count.
    #[test]
    fn deliveries_are_those_that_are_counted(
        spec in any_network(), steps in proptest::collection::vec(1..2_000u64, 1..5),
    ) {
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        simulation.keep_deliveries();
        let mut stepped = Vec::new();
        for &cycles in &steps {
            simulation.advance(cycles);
            stepped.extend(simulation.take_deliveries());
        }
        let mut whole = Simulation::new(&spec).expect("a valid spec");
        whole.keep_deliveries();
        whole.advance(steps.iter().sum());
        prop_assert_eq!(&stepped, &whole.take_deliveries());
        // What lies behind the present cycle is counted already.
        whole.advance(1_000_000);
        let all = stepped.len() + whole.take_deliveries().len();
        let counted: u64 = whole.flow_counters().iter().map(|flow| flow.delivered_packets).sum();
        let behind = whole.cycle();
        prop_assert!(all as u64 <= counted && counted <= all as u64 + 2 * u64::from(spec.nodes) * 8, "{behind}");
        for (flow, counters) in whole.flow_counters().iter().enumerate() {
            let of = stepped.iter().filter(|delivered| delivered.packet.flow as usize == flow).count() as u64;
            prop_assert!(of <= counters.delivered_packets);
        }
    }
}
