//! Interfaces where what passes waits equal the symbol-by-symbol reference, bit for bit
//! (docs/explanation/network-model.md, Section 1).

use crate::against_reference::{compare_flows, compare_nodes, histogram, steps};
use crate::networks::random::passing;
use crate::networks::{every, flow, node, ring, to, unconnected};
use crate::random;
use crate::reference::Reference;
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::protocols::go_bits::{Extension, Release};
use ringlet_engine::protocols::none::NoneSpec;
use ringlet_engine::protocols::sci::SciSpec;
use ringlet_engine::spec::{
    ArrivalSpec, ClassOrder, DestinationSpec, FlowSpec, Forwarding, NetworkSpec, ReceiveQueueSpec, RetryBy, RetrySpec,
    RetryStrategy, TopologySpec,
};

/// Returns a ring as a network of one ring, at whose interfaces packets pass, and retries are delayed, like this.
pub(crate) fn in_network(
    mut spec: NetworkSpec,
    (bypass, pass_delay): (Forwarding, u32),
    retry_by: RetryBy,
) -> NetworkSpec {
    let mut only = ring((0..spec.nodes).map(node).collect(), Vec::new());
    only.hop_delays = spec.hop_delay.each.take();
    spec.network = Some(Box::new(TopologySpec { bypass, pass_delay, retry_by, ..unconnected(vec![only]) }));
    spec
}

proptest! {
    #![proptest_config(crate::cases(60))]

    #[test]
    fn a_ring_where_packets_wait_equals_its_reference(
        spec in random::network_with(&["none", "sci"]), passing in passing(), steps in steps(),
    ) {
        prop_assume!(spec.format.echoes);
        equals_reference(&in_network(spec, passing, RetryBy::Requester), steps)?;
    }

    /// A ring whose receivers delay echoes equals its reference. A packet that has just left and is not from the bypass
    /// FIFO may be an echo that was held back: the FIFO has filled then.
    #[test]
    fn a_ring_whose_receivers_delay_echoes_equals_its_reference(
        spec in random::network_with(random::WITH_STATES), passing in proptest::option::of(passing()),
        steps in steps(),
    ) {
        prop_assume!(spec.format.echoes);
        let passing = passing.filter(|_| !matches!(crate::protocol(&spec), FlowControlSpec::Grouped(_)));
        let spec = in_network(spec, passing.unwrap_or((Forwarding::CutThrough, 0)), RetryBy::Responder);
        equals_reference(&spec, steps)?;
    }
}

fn equals_reference(spec: &NetworkSpec, steps: Vec<u64>) -> Result<(), TestCaseError> {
    let mut engine = Simulation::new(spec).expect("a valid spec");
    let mut reference = Reference::new(spec);
    for cycles in steps {
        prop_assert_eq!(engine.advance(cycles), None);
        reference.advance(cycles);
        for (index, (ours, theirs)) in engine.node_counters().iter().zip(reference.nodes()).enumerate() {
            let place = format!("node {index} at cycle {}", engine.cycle());
            compare_nodes(ours, &theirs, &place)?;
            prop_assert_eq!(ours.bypass_max_symbols, theirs.bypass_max_symbols, "bypass FIFO, {}", place);
        }
        for (index, (ours, theirs)) in engine.flow_counters().iter().zip(reference.flows()).enumerate() {
            compare_flows(ours, &theirs, &format!("flow {index} at cycle {}", engine.cycle()))?;
            prop_assert_eq!(engine.latencies([index]), histogram(spec, reference.latencies(index)));
        }
    }
    Ok(())
}

/// A node that sends while a packet waits in its FIFO has read that packet last, and no created idle: it has no go bits
/// to copy. Node 2, which delays echoes, sends several of them while a packet waits, behind one that was stripped.
#[test]
fn what_was_stripped_before_a_packet_that_waits_gives_no_go_bits() -> Result<(), TestCaseError> {
    let rarely = |source| FlowSpec::new(source, DestinationSpec::Uniform {}, ArrivalSpec::Bernoulli { rate: 5e-4 }, 20);
    let hot = DestinationSpec::HotSpot { node: 2, probability: 0.8034030528246131 };
    let flows = vec![
        FlowSpec { burst: 2, ..rarely(2) },
        rarely(1),
        rarely(1),
        FlowSpec { sizes: vec![(26, 0.25), (5, 0.75)], ..FlowSpec::new(0, hot, ArrivalSpec::Saturated {}, 20) },
        rarely(2),
        FlowSpec { response_symbols: Some(4), ..rarely(0) },
    ];
    let (extension, release) = (Extension::Received, Release::All);
    let sci = SciSpec { extension, release, priorities: 2, reserve_permille: 228 };
    let mut spec = NetworkSpec { seed: 4853184041518081403, hop_delay: 8.into(), ..NetworkSpec::ring(4, sci, flows) };
    (spec.format.link_width, spec.format.echo_symbols) = (32, 2);
    (spec.queues.priorities, spec.queues.order) = (2, ClassOrder::RequestFirst);
    spec.queues.receive.common = ReceiveQueueSpec { capacity: Some(4), service_cycles: 188 };
    let limits = &mut spec.queues.limits.common;
    (limits.transmit_capacity, limits.response_capacity) = (Some(1), None);
    limits.retry = RetrySpec { strategy: RetryStrategy::Linear, delay_cycles: 13 };
    equals_reference(&in_network(spec, (Forwarding::StoreAndForward, 0), RetryBy::Responder), vec![2305])
}

/// Node 0 sends to node 2, over node 1, each hop taking 18 cycles. The packet waits at node 1 for 12 cycles more, but
/// not at node 2, which strips it; its echo passes no node before node 0.
#[test]
fn what_passes_waits_and_what_is_stripped_does_not() {
    let latency = |pass_delay, nodes| {
        let flows = vec![flow(0, to(nodes - 1), every(10_000.0))];
        let spec = NetworkSpec { hop_delay: 18.into(), ..NetworkSpec::ring(nodes, NoneSpec {}, flows) };
        let spec = in_network(spec, (Forwarding::CutThrough, pass_delay), RetryBy::Requester);
        let mut simulation = Simulation::new(&spec).expect("valid");
        simulation.advance(9_000);
        simulation.flow_counters()[0].latency_sum_cycles
    };
    assert_eq!(latency(12, 2), latency(0, 2));
    assert_eq!(latency(12, 3), latency(0, 3) + 12);
    assert_eq!(latency(12, 5), latency(0, 5) + 3 * 12);
    // All of it is there after its 40 symbols.
    assert_eq!(latency(1_000, 3), latency(0, 3) + 40);
}
