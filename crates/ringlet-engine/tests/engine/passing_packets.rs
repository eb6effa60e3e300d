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
use ringlet_engine::protocols::none::NoneSpec;
use ringlet_engine::spec::{Forwarding, NetworkSpec, RetryBy, TopologySpec};

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
