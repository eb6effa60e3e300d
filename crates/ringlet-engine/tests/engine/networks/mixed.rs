//! Different protocols on the rings of one network: each ring equals its own reference, and packets cross between any.

use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::protocols::{
    FlowControlSpec, dfc::DfcSpec, go_bits::Extension, none::NoneSpec, rpr::RprSpec, sci::SciSpec,
};
use ringlet_engine::spec::{
    ArrivalSpec, DestinationSpec, FlowSpec, GroupSpec, HostLimitsSpec, MAX_CYCLES, NetworkSpec, PerNode, ProtocolSpec,
    QueuesSpec, ReceiveQueueSpec, RepeatSpec, ResponseTimeoutSpec, RetrySpec, RingSpec,
};

use crate::against_reference::{compare_flows, compare_nodes, steps};
use crate::networks::{KIND, circle, every, flow, network, node, ring, to, topology};
use crate::random::alike;
use crate::reference::Reference;

/// Sends the packets of a flow on one ring to the nodes from this number on, of all these.
fn from(flow: &FlowSpec, nodes: u32, first: u32, all: u32) -> FlowSpec {
    let among =
        |local: Option<u32>, probability: f64| DestinationSpec::Range { first, count: nodes, local, probability };
    let padded = |each: &[f64]| {
        let after = (all - first - nodes) as usize;
        [&vec![0.0; first as usize], each, &vec![0.0; after]].concat()
    };
    let destinations = match &flow.destinations {
        DestinationSpec::Uniform {} => among(None, 0.0),
        DestinationSpec::Fixed { node } => DestinationSpec::Fixed { node: first + node },
        DestinationSpec::HotSpot { node, probability } => among(Some(first + node), *probability),
        DestinationSpec::Weighted { weights } => DestinationSpec::Weighted { weights: padded(weights) },
        DestinationSpec::Range { .. } => unreachable!("single rings are drawn without"),
    };
    let groups = match &flow.groups {
        GroupSpec::ByDestination { groups } => {
            let before = vec![0; first as usize];
            GroupSpec::ByDestination {
                groups: [&before, &groups[..], &vec![0; all as usize]].concat()[..all as usize].into(),
            }
        }
        other => other.clone(),
    };
    FlowSpec { source: first + flow.source, destinations, groups, ..flow.clone() }
}

/// A flow that never sends: it takes a number, and so streams of random numbers.
fn silent() -> FlowSpec {
    let never = ArrivalSpec::Periodic { period: 1e9, phase: MAX_CYCLES as f64 };
    FlowSpec::new(0, DestinationSpec::Fixed { node: 1 }, never, 8)
}

/// In a network a response has the group of its interface, on a single ring that of its node's flow.
fn without_responses_in_groups(mut ring: NetworkSpec) -> NetworkSpec {
    if matches!(crate::protocol(&ring), FlowControlSpec::Grouped(_)) {
        ring.flows.iter_mut().for_each(|flow| flow.response_symbols = None);
    }
    ring
}

/// Times of a flow in cycles, of those in symbols that take so many cycles.
fn in_cycles(flow: FlowSpec, symbol: u32) -> FlowSpec {
    let per_symbol = f64::from(symbol);
    let arrivals = match flow.arrivals {
        ArrivalSpec::Bernoulli { rate } => ArrivalSpec::Bernoulli { rate: rate / per_symbol },
        ArrivalSpec::Poisson { rate } => ArrivalSpec::Poisson { rate: rate / per_symbol },
        ArrivalSpec::Periodic { period, phase } => {
            ArrivalSpec::Periodic { period: period * per_symbol, phase: phase * per_symbol }
        }
        ArrivalSpec::Closed { pause_cycles, posted, repeats } => {
            let in_cycles = |it: RepeatSpec| RepeatSpec { check_cycles: it.check_cycles * u64::from(symbol), ..it };
            let repeats = repeats.map(in_cycles);
            ArrivalSpec::Closed { pause_cycles: pause_cycles * u64::from(symbol), posted, repeats }
        }
        other => other,
    };
    let groups = match flow.groups {
        GroupSpec::Schedule { steps } => GroupSpec::Schedule {
            steps: steps.into_iter().map(|(from, group)| (from * u64::from(symbol), group)).collect(),
        },
        other => other,
    };
    let deadline_cycles = flow.deadline_cycles.map(|deadline| deadline * u64::from(symbol));
    FlowSpec { arrivals, groups, deadline_cycles, ..flow }
}

/// Rings without a switch, of which a symbol takes so many cycles on each, as one network; and each alone, with flows
/// of the same numbers.
fn joined(rings: &[NetworkSpec], symbols: &[u32]) -> (NetworkSpec, Vec<NetworkSpec>) {
    let nodes = rings[0].nodes;
    let all = nodes * rings.len() as u32;
    let on_ring = |number: u32| ring((0..nodes).map(|place| node(number * nodes + place)).collect(), Vec::new());
    let specs = (0..).zip(rings).zip(symbols).map(|((number, one), &symbol_cycles)| RingSpec {
        symbol_cycles,
        flow_control: Some(one.flow_control.clone()),
        hop_delays: one.hop_delay.each.clone(),
        ..on_ring(number)
    });
    let flows = (0..).zip(rings).zip(symbols).flat_map(|((number, one), &symbol)| {
        one.flows.iter().map(move |flow| in_cycles(from(flow, nodes, number * nodes, all), symbol))
    });
    let receive_queues = rings.iter().zip(symbols).flat_map(|(one, &symbol)| {
        let receive = &one.queues.receive;
        let service = move |queue: &ReceiveQueueSpec| queue.service_cycles * u64::from(symbol);
        let queues = (0..nodes).map(|node| *receive.of(node));
        queues.map(move |queue| ReceiveQueueSpec { service_cycles: service(&queue), ..queue })
    });
    let limits = rings.iter().zip(symbols).flat_map(|(one, &symbol)| {
        let common = one.queues.limits.common;
        let delay_cycles = common.retry.delay_cycles * u64::from(symbol);
        let limits = HostLimitsSpec { retry: RetrySpec { delay_cycles, ..common.retry }, ..common };
        vec![limits; nodes as usize]
    });
    // A whole number of symbols on each ring, of at most 4 cycles, which alone counts them.
    let timeout_on = |symbol: u32| {
        let timeout = rings[0].queues.response_timeout?;
        let timeout_cycles = timeout.timeout_cycles * 4 / u64::from(symbol);
        Some(ResponseTimeoutSpec { timeout_cycles, ..timeout })
    };
    let made = network(specs.collect(), KIND, &[], flows.collect());
    let first = &rings[0].queues;
    let whole = NetworkSpec {
        network: made.network,
        nodes: all,
        flows: made.flows,
        hop_delay: rings[0].hop_delay.common.into(),
        queues: QueuesSpec {
            receive: PerNode::of_each(first.receive.common, receive_queues.collect()),
            limits: PerNode::of_each(first.limits.common, limits.collect()),
            response_timeout: timeout_on(1),
            ..*first
        },
        flow_control: NoneSpec {}.into(),
        base_nodes: (0..)
            .zip(rings)
            .flat_map(|(number, one)| one.base_nodes.iter().map(move |node| number * nodes + node))
            .collect(),
        ..rings[0].clone()
    };
    let mut before = 0;
    let alone = rings.iter().zip(symbols).map(|(one, &symbol)| {
        let silent = std::iter::repeat_with(silent).take(before);
        before += one.flows.len();
        NetworkSpec {
            flows: silent.chain(one.flows.iter().map(|flow| from(flow, nodes, 0, nodes))).collect(),
            queues: QueuesSpec { response_timeout: timeout_on(symbol), ..one.queues.clone() },
            ..one.clone()
        }
    });
    (whole, alone.collect())
}

proptest! {
    #![proptest_config(crate::cases(40))]

    #[test]
    fn each_ring_of_a_network_equals_its_reference(
        rings in alike(3), steps in steps(), threads in 1..3usize,
        // Of powers of 2, in which rates and periods stay exact.
        symbols in prop_oneof![Just(vec![1; 3]), proptest::collection::vec((0..3u32).prop_map(|power| 1 << power), 3)],
    ) {
        let nodes = rings[0].nodes;
        prop_assume!(nodes > 1);
        let rings: Vec<_> = rings.into_iter().map(without_responses_in_groups).collect();
        let (whole, alone) = joined(&rings, &symbols);
        prop_assume!(alone.iter().all(|one| one.validate().is_ok()));
        let mut engine = Simulation::new(&whole).expect("a valid spec");
        engine.use_threads(threads);
        let mut references: Vec<_> = alone.iter().map(Reference::new).collect();
        for &cycles in &steps {
            // Whole symbols of every ring.
            let cycles = cycles.next_multiple_of(4);
            prop_assert_eq!(engine.advance(cycles), None);
            let (ours, flows) = (engine.node_counters(), engine.flow_counters());
            let mut first_flow = 0;
            for (number, reference) in references.iter_mut().enumerate() {
                let symbol = u64::from(symbols[number]);
                reference.advance(cycles / symbol);
                let at = engine.cycle();
                let first = number * nodes as usize;
                for (index, theirs) in reference.nodes().iter().map(|node| node.in_cycles(symbol)).enumerate() {
                    compare_nodes(&ours[first + index], &theirs, &format!("node {index} of ring {number} at {at}"))?;
                }
                let theirs = reference.flows();
                for (index, theirs) in theirs.iter().enumerate().skip(first_flow) {
                    let theirs = theirs.in_cycles(symbol);
                    compare_flows(flows[index], &theirs, &format!("flow {index} of ring {number} at {at}"))?;
                }
                first_flow = theirs.len();
            }
        }
    }
}

const SCI: SciSpec = SciSpec { extension: Extension::Passing, ..SciSpec::EXAMPLE };

/// Two rings with a bridge, a node sending to the other ring: all of what it offers arrives.
fn bridged(first: impl Into<ProtocolSpec>, second: impl Into<ProtocolSpec>, flows: Vec<FlowSpec>) -> NetworkSpec {
    let mut spec = network(circle(2, 2, false), KIND, &[2, 2], flows);
    spec.flow_control = first.into();
    topology(&mut spec).rings[1].flow_control = Some(second.into());
    spec.queues.priorities = 8;
    spec
}

#[test]
fn packets_cross_between_rings_of_different_protocols() {
    let dfc = DfcSpec { bypass_symbols: 60, high_water: 4, low_water: 1, ..DfcSpec::EXAMPLE };
    let flows = vec![flow(0, to(2), every(300.0)), flow(3, to(1), every(300.0))];
    let mut simulation = Simulation::new(&bridged(SCI, dfc, flows)).expect("valid");
    assert_eq!(simulation.advance(30_100), None);
    let delivered: Vec<_> = simulation.flow_counters().iter().map(|flow| flow.delivered_packets).collect();
    assert!(delivered.iter().all(|&packets| packets >= 99), "{delivered:?}");
}

const RPR: RprSpec = RprSpec::EXAMPLE;

/// Packets of priority 6 on rings of 2 priorities: they count as the highest there, and go before those of priority 0.
#[test]
fn a_ring_with_fewer_priorities_takes_those_above_for_its_highest() {
    for second in [ProtocolSpec::from(SciSpec { priorities: 2, ..SCI }), RPR.into()] {
        let urgent = FlowSpec { priority: 6, ..flow(0, to(2), every(400.0)) };
        let mut simulation = Simulation::new(&bridged(SCI, second, vec![urgent])).expect("valid");
        assert_eq!(simulation.advance(40_100), None);
        assert!(simulation.flow_counters()[0].delivered_packets >= 99);
    }
}

#[test]
fn a_priority_that_no_ring_knows_is_refused() {
    let flows = vec![FlowSpec { priority: 3, ..flow(0, to(2), every(400.0)) }];
    let two = SciSpec { priorities: 2, ..SCI };
    let error = bridged(two, SciSpec { priorities: 3, ..SCI }, flows).validate().expect_err("refused");
    assert_eq!(error.to_string(), "flows[0].priority: 3 is not allowed; below 3, the number of priorities");
}

#[test]
fn wrong_options_of_one_ring_are_named() {
    let none = SciSpec { priorities: 9, ..SCI };
    let error = bridged(SCI, none, Vec::new()).validate().expect_err("refused");
    assert_eq!(error.path, "network.rings[1].flow_control.priorities");
}
