//! Properties of any network of rings.

use crate::networks;
use crate::networks::random::any_network;
use crate::networks::{KIND, buffers, circle, every, fingerprint, flow, network, topology};
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::measure::FlowCounters;
use ringlet_engine::protocols::{go_bits::Extension, none::NoneSpec, rpr::RprSpec, sci::SciSpec};
use ringlet_engine::spec::{ArrivalSpec, DestinationSpec, FlowSpec, GroupSpec, HostSpec, NetworkSpec, SwitchKindSpec};

fn simulate(spec: &NetworkSpec, threads: usize, steps: &[u64]) -> Simulation {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    simulation.use_threads(threads);
    for &cycles in steps {
        simulation.advance(cycles);
    }
    simulation
}

/// Where two measurements differ.
fn same(left: &str, right: &str) -> Result<(), TestCaseError> {
    let differing = left.split("Counters {").zip(right.split("Counters {")).find(|(left, right)| left != right);
    prop_assert_eq!(differing, None);
    Ok(())
}

proptest! {
    #![proptest_config(crate::cases(60))]

    /// Results do not depend on steps and threads. How far a ring goes at a time does, so this is also a test of what
    /// switches foresee.
    #[test]
    fn steps_and_threads_do_not_matter(spec in any_network(), cuts in proptest::collection::vec(1..2_000u64, 1..20)) {
        let whole = fingerprint(&simulate(&spec, 1, &[cuts.iter().sum()]));
        same(&whole, &fingerprint(&simulate(&spec, 1, &cuts)))?;
        same(&whole, &fingerprint(&simulate(&spec, 3, &[cuts.iter().sum()])))?;
        let single = vec![1; cuts.iter().sum::<u64>().min(3_000) as usize];
        let short = fingerprint(&simulate(&spec, 1, &[single.len() as u64]));
        same(&short, &fingerprint(&simulate(&spec, 1, &single)))?;
    }

    /// Results do not depend on whether a program may inject packets: what it injects is answered in time, so that
    /// nodes look more closely at what else happens in a cycle.
    #[test]
    fn a_program_that_injects_nothing_changes_nothing(
        mut spec in any_network(), slots in proptest::option::of((1..4u32, prop_oneof![Just(0u16), 30..200u16])),
        cycles in 1..8_000u64
    ) {
        // Slots that are filled at once, of nodes that follow no queues and always have something to send, or now and
        // then, perhaps in the cycle in which a slot is free.
        if let Some((_, period)) = slots {
            let at_once = HostSpec { slots: slots.map(|slots| slots.0), ..HostSpec::default() };
            (topology(&mut spec).host, topology(&mut spec).hosts) = (at_once, None);
            spec.flow_control = NoneSpec {}.into();
            for ring in &mut topology(&mut spec).rings {
                (ring.flow_control, ring.groups) = (None, None);
            }
            for (flow, phase) in spec.flows.iter_mut().zip(0u16..) {
                flow.arrivals = match period {
                    0 => ArrivalSpec::Saturated {},
                    _ => ArrivalSpec::Periodic { period: period.into(), phase: phase.into() },
                };
                (flow.burst, flow.response_symbols, flow.priority) = (1, None, 0);
                flow.groups = GroupSpec::Fixed { group: 0 };
            }
        }
        let mut steered = spec.clone();
        let arrivals = ArrivalSpec::Injected { most_symbols: Some(40) };
        let injected = FlowSpec { sizes: vec![(8, 1.0)], ..flow(0, DestinationSpec::Uniform {}, arrivals) };
        steered.flows.push(injected);
        let counts = |spec| {
            let simulation = simulate(spec, 1, &[cycles]);
            let nodes = (simulation.node_counters(), simulation.port_counters(), simulation.link_counters());
            format!("{nodes:?}")
        };
        same(&counts(&spec), &counts(&steered))?;
    }

    /// Nor where ports and hosts with slots drop what is for a destination that they have given up.
    #[test]
    fn steps_do_not_matter_where_destinations_are_given_up(
        mut spec in any_network(), cuts in proptest::collection::vec(1..2_000u64, 1..20)
    ) {
        prop_assume!(topology(&mut spec).errors.is_some());
        if let Some(errors) = &mut topology(&mut spec).errors {
            (errors.max_timeouts, errors.gives_up_destinations) = (Some(0), true);
        }
        let whole = simulate(&spec, 1, &[cuts.iter().sum()]);
        let pieces = simulate(&spec, 2, &cuts);
        same(&fingerprint(&whole), &fingerprint(&pieces))?;
        let mut restored = simulate(&spec, 1, &cuts[..cuts.len() / 2]);
        restored.restore(&restored.save()).expect("it has just been saved");
        cuts[cuts.len() / 2..].iter().for_each(|&cycles| { restored.advance(cycles); });
        same(&fingerprint(&whole), &fingerprint(&restored))?;
    }

    /// Where nothing is under way all rings go on at once; in steps shorter than what they go otherwise they never do.
    #[test]
    fn idle_time_is_skipped_and_nothing_else(mut spec in any_network(), period in 3e3..4e4, stall in 1_000..30_000u64) {
        spec.measurement.stall_cycles = stall;
        for flow in &mut spec.flows {
            flow.arrivals = ArrivalSpec::Periodic { period, phase: 100.0 };
        }
        // A stall ends a step, not the simulation.
        let go = |step: u64| {
            let mut simulation = Simulation::new(&spec).expect("a valid spec");
            while simulation.cycle() < 100_000 {
                simulation.advance(step.min(100_000 - simulation.cycle()));
            }
            simulation
        };
        same(&fingerprint(&go(100_000)), &fingerprint(&go(200)))?;
    }

    /// Nothing is lost on a ring or in a switch: what has been generated is lost at its source, waits, is under way, or
    /// is delivered.
    #[test]
    fn packets_are_conserved(mut spec in any_network(), cycles in 1..20_000u64) {
        for flow in &mut spec.flows {
            // Arrivals that end, so that everything can get through.
            flow.arrivals = ArrivalSpec::Periodic { period: 1e9, phase: 0.0 };
            flow.burst = 2;
        }
        let simulation = simulate(&spec, 1, &[cycles, 500_000]);
        let sum = |field: fn(&FlowCounters) -> u64| simulation.flow_counters().into_iter().map(field).sum::<u64>();
        let responses = sum(|c| c.host().delivered_responses);
        let requests = sum(|c| c.delivered_packets) - responses;
        let again = sum(|c| c.host().timed_out_requests - c.host().unanswered_requests);
        prop_assert_eq!(sum(|c| c.generated_packets) + again, sum(|c| c.lost_packets) + requests);
        let expected: u64 = simulation.flow_counters().iter().zip(&spec.flows)
            .map(|(c, flow)| (c.generated_packets - c.lost_packets) * u64::from(flow.response_symbols.is_some())).sum();
        prop_assert_eq!(responses + sum(|c| c.host().unanswered_requests), expected);
        prop_assert_eq!(simulation.packets_held(), 0);
    }

    /// Each link carries a symbol in each of its times, each of one kind; what ports take, B-Links move.
    #[test]
    fn symbols_are_conserved(spec in any_network(), cycles in 1..20_000u64) {
        let simulation = simulate(&spec, 1, &[cycles]);
        let ports = simulation.port_counters();
        let nodes = simulation.node_counters();
        let interfaces = nodes.iter().chain(ports.iter().map(|port| &port.interface));
        for (node, symbol) in interfaces.zip(networks::symbol_cycles(&spec, &ports)) {
            let packets = node.link_send_symbols + node.link_retry_symbols + node.link_echo_symbols;
            let packets = packets + node.link_control_symbols;
            prop_assert_eq!(packets + node.link_idle_symbols, cycles.div_ceil(symbol));
        }
        // PPQ takes packets out again.
        let preempted: u64 = ports.iter().map(|port| port.interface.of_protocol("preempted_packets")).sum();
        let accepted: u64 = ports.iter().map(|port| port.accepted_packets).sum();
        let moved: u64 = simulation.link_counters().iter().map(|link| link.packets).sum();
        let buffers: u64 = ports.len() as u64 * 8;
        prop_assert!(moved <= accepted && accepted <= moved + buffers + preempted, "{} of {} moved", moved, accepted);
    }

    /// A measurement that starts later counts exactly what happens from then on.
    #[test]
    fn reset_splits_the_counts(spec in any_network(), before in 1..5_000u64, after in 1..5_000u64) {
        let mut simulation = simulate(&spec, 1, &[before]);
        let moved = |simulation: &Simulation| {
            let ports: u64 = simulation.port_counters().iter().map(|p| p.accepted_packets + p.sent_packets).sum();
            let links: u64 = simulation.link_counters().iter().map(|link| link.busy_ps).sum();
            let flows: u64 = simulation.flow_counters().iter().map(|c| c.latency_sum_cycles + c.lost_packets).sum();
            [ports, links, flows]
        };
        let first = moved(&simulation);
        simulation.reset_measurement();
        simulation.advance(after);
        let second = moved(&simulation);
        let whole = moved(&simulate(&spec, 1, &[before + after]));
        prop_assert_eq!(whole, [first[0] + second[0], first[1] + second[1], first[2] + second[2]]);
    }
}

/// Four rings in a circle, all traffic the same way round, few buffers: each port waits for the next
/// (docs/how-to/topologies.md).
fn crowded_circle(packets: u32, one_way: bool) -> NetworkSpec {
    let kind = SwitchKindSpec { receive: buffers(packets), transmit: buffers(packets), setup_ps: 216_000, ..KIND };
    let flows = (0..4).map(|ring| {
        let farthest = (ring + if one_way { 3 } else { 1 }) % 4;
        flow(ring, DestinationSpec::Fixed { node: farthest }, ArrivalSpec::Poisson { rate: 0.02 })
    });
    let mut spec = network(circle(4, 1, one_way), kind, &[2; 4], flows.collect());
    // Without flow control the nodes' refused packets alone would starve the ports behind them.
    spec.flow_control = SciSpec { extension: Extension::Passing, ..SciSpec::EXAMPLE }.into();
    spec.measurement.stall_cycles = 100_000;
    spec
}

#[test]
fn deadlock_of_rings_in_a_circle_is_reported() {
    let mut simulation = Simulation::new(&crowded_circle(1, true)).expect("valid");
    let stall = simulation.advance(20_000_000).expect("rings in a circle with one buffer stand still");
    assert_eq!(stall.waiting_nodes, [0, 1, 2, 3]);
    // Requests wait at each switch for the next one.
    let waits: Vec<_> = stall.blocked.iter().map(|blocked| (blocked.switch, blocked.is_response)).collect();
    assert_eq!(waits, [(0, false), (1, false), (2, false), (3, false)]);
    assert!(stall.since_cycle + 100_000 <= simulation.cycle());
    // Refused packets keep the links busy all the while: only deliveries show it.
    let before = simulation.port_counters().iter().map(|port| port.retries).sum::<u64>();
    simulation.advance(10_000);
    assert!(simulation.port_counters().iter().map(|port| port.retries).sum::<u64>() > before);
}

#[test]
fn no_deadlock_without_a_circle_of_waiting() {
    // Every packet crosses one switch, so that no transmit slot waits for a buffer that waits for a slot.
    let mut simulation = Simulation::new(&crowded_circle(1, false)).expect("valid");
    assert_eq!(simulation.advance(2_000_000), None);
}

#[test]
fn a_network_at_rest_is_not_stalled() {
    let mut spec = crowded_circle(1, true);
    spec.flows.truncate(1);
    spec.flows[0].arrivals = every(1_000_000.0);
    let mut simulation = Simulation::new(&spec).expect("valid");
    assert_eq!(simulation.advance(3_000_000), None);
    assert_eq!(simulation.flow_counters()[0].delivered_packets, 3);
}

/// The watch asks how long a packet waits, not how long ago another one was served, whatever the cycle it comes in.
#[test]
fn a_packet_behind_a_long_silence_is_not_a_stall() {
    for phase in 0..60 {
        let mut spec = crowded_circle(1, true);
        spec.flows.truncate(1);
        spec.flows[0].arrivals = ArrivalSpec::Periodic { period: 1e12, phase: f64::from(199_970 + phase) };
        let mut simulation = Simulation::new(&spec).expect("valid");
        assert_eq!(simulation.advance(300_000), None, "{phase}");
        assert_eq!(simulation.flow_counters()[0].delivered_packets, 1);
    }
}

const RPR: RprSpec = RprSpec { class_a_symbols: 100, ..RprSpec::EXAMPLE };

#[test]
fn what_cannot_be_simulated_is_named() {
    let spec = || crowded_circle(4, true);
    let error = |spec: NetworkSpec| spec.validate().expect_err("it cannot be simulated").to_string();
    let mut lone = spec();
    topology(&mut lone).switches[0].ports = 1;
    assert_eq!(error(lone), "network.switches[0].ports: 1 is not allowed; 2 to 256 ports");
    let mut twice = spec();
    topology(&mut twice).rings[1].interfaces[0] = networks::node(0);
    assert!(error(twice).starts_with("network.rings[1].interfaces[0]: node 0 is not allowed"));
    let mut nowhere = spec();
    nowhere.nodes = 5;
    assert!(error(nowhere).contains("node 4 on no ring"));
    let mut empty = spec();
    topology(&mut empty).rings.push(networks::ring(Vec::new(), Vec::new()));
    assert!(error(empty).starts_with("network.rings[4].interfaces: 0 is not allowed"));
    let mut looping = spec();
    // Packets from ring 0 for ring 2 go to ring 1, and back.
    topology(&mut looping).rings[0].routes = vec![networks::step(0, 2, 1)];
    topology(&mut looping).rings[1].routes = vec![networks::step(0, 1, 0)];
    assert!(error(looping).contains("routes without loops"));
    let mut no_way = spec();
    topology(&mut no_way).rings[2].routes = vec![(0, None, None)];
    assert!(error(no_way).contains("a route there"));
    let mut instant = spec();
    topology(&mut instant).switch_kinds[0].cycle_ps = 1.0;
    topology(&mut instant).switch_kinds[0].setup_ps = 0;
    assert!(error(instant).starts_with("network.switch_kinds[0].cycle_ps"));
    let mut unshaped = spec();
    unshaped.flow_control = RprSpec { class_a_symbols: 0, ..RPR }.into();
    unshaped.queues.priorities = 4;
    unshaped.flows[1].priority = 2;
    assert!(error(unshaped).starts_with("flows[1].priority: 2 is not allowed; below 2"));
    let mut endless = spec();
    endless.flow_control = RprSpec { bypass_symbols: u32::MAX, ..RPR }.into();
    assert!(error(endless).starts_with("flow_control.bypass_symbols: 4294967295 is not allowed; 9 to 1000000 symbols"));
}

/// More interfaces than are advanced together: rings go ahead of others by as many windows as their switches let them.
#[test]
fn in_a_large_network_it_does_not_matter_who_goes_first() {
    const NODES: u32 = 14;
    let rings = 160;
    let flows = (0..rings * NODES).map(|source| {
        let next_ring = (source + NODES) % (rings * NODES);
        flow(source, DestinationSpec::Fixed { node: next_ring }, ArrivalSpec::Poisson { rate: 0.002 })
    });
    let spec = network(circle(rings, NODES, false), KIND, &vec![2; rings as usize], flows.collect());
    let whole = fingerprint(&simulate(&spec, 1, &[4_000]));
    // All together, a window at a time.
    assert_eq!(whole, fingerprint(&simulate(&spec, 1, &[vec![51; 78], vec![22]].concat())));
    assert_eq!(whole, fingerprint(&simulate(&spec, 3, &[4_000])));
}
