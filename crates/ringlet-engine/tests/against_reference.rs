//! The engine equals the symbol-by-symbol reference, bit for bit: every count, every delivery, every go bit of every idle.
#![allow(missing_docs)]

mod random;
mod reference;

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use reference::{FlowResult, Inversions, Latencies, NodeResult, Reference, Symbol};
use ringlet_engine::Simulation;
use ringlet_engine::measure::{Delivery, FlowCounters, NodeCounters, Observer};
use ringlet_engine::spec::{FlowControlSpec, NetworkSpec};

/// Everything that an observer can see.
#[derive(Debug, Default)]
struct Record {
    /// Per node: cycle and state of each emitted idle.
    idles: Vec<Vec<(u64, u32)>>,
    deliveries: Vec<Delivery>,
}

#[derive(Clone)]
struct Recorder(Arc<Mutex<Record>>);

impl Observer for Recorder {
    const SEES_IDLES: bool = true;

    fn idles(&mut self, node: u32, cycle: u64, word: u32, count: u32) {
        let mut record = self.0.lock().expect("one thread");
        record.idles[node as usize].extend((0..u64::from(count)).map(|later| (cycle + later, word)));
    }

    fn delivered(&mut self, delivery: Delivery) {
        self.0.lock().expect("one thread").deliveries.push(delivery);
    }
}

fn compare(spec: &NetworkSpec, steps: &[u64]) -> Result<(), TestCaseError> {
    let record = Arc::new(Mutex::new(Record { idles: vec![Vec::new(); spec.nodes as usize], ..Record::default() }));
    let mut engine = Simulation::observed(spec, Recorder(record.clone())).expect("a valid spec");
    // Without an observer of idles the engine skips idle revolutions.
    let mut unobserved = Simulation::new(spec).expect("a valid spec");
    let mut reference = Reference::new(spec).record();
    for &cycles in steps {
        prop_assert_eq!(engine.advance(cycles), None);
        prop_assert_eq!(unobserved.advance(cycles), None);
        prop_assert_eq!(unobserved.node_counters(), engine.node_counters());
        reference.advance(cycles);
        let at = engine.cycle();
        compare_deliveries(&record.lock().expect("one thread").deliveries, &reference)?;
        for (index, (ours, theirs)) in engine.node_counters().iter().zip(reference.nodes()).enumerate() {
            let place = format!("node {index} at cycle {at}");
            compare_nodes(ours, &theirs, &place)?;
            if !decides_at_idles(&spec.flow_control) {
                prop_assert_eq!(ours.bypass_max_symbols, theirs.bypass_max_symbols, "bypass FIFO, {}", place);
            }
        }
        for (index, (ours, theirs)) in engine.flow_counters().iter().zip(reference.flows()).enumerate() {
            compare_flows(ours, &theirs, &format!("flow {index} at cycle {at}"))?;
        }
    }
    let record = record.lock().expect("one thread");
    for (index, ours) in record.idles.iter().enumerate() {
        compare_idles(index, ours, &reference)?;
    }
    Ok(())
}

fn compare_deliveries(obtained: &[Delivery], reference: &Reference) -> Result<(), TestCaseError> {
    let expected = reference.deliveries().into_iter().map(|delivery| Delivery {
        delivered: delivery.delivered,
        destination: delivery.destination,
        flow: delivery.flow as u32,
        generated: delivery.generated,
        symbols: delivery.symbols,
        response: delivery.response,
    });
    let mut expected: Vec<Delivery> = expected.collect();
    expected.sort();
    let mut obtained = obtained.to_vec();
    obtained.sort();
    let differs = obtained.iter().zip(&expected).find(|(a, b)| a != b);
    prop_assert!(differs.is_none(), "delivery {:?}", differs);
    prop_assert_eq!(obtained.len(), expected.len());
    Ok(())
}

/// An engine without a delivery says 0.
fn extremes(latencies: &Latencies) -> (u64, u64) {
    (latencies.min.unwrap_or(0), latencies.max.unwrap_or(0))
}

fn compare_flows(ours: &FlowCounters, theirs: &FlowResult, place: &str) -> Result<(), TestCaseError> {
    prop_assert_eq!(ours.generated_packets, theirs.generated_packets, "generated, {}", place);
    prop_assert_eq!(ours.lost_packets, theirs.lost_packets, "lost, {}", place);
    prop_assert_eq!(ours.sent_packets, theirs.sent_packets, "sent, {}", place);
    prop_assert_eq!(ours.retries, theirs.retries, "retries, {}", place);
    prop_assert_eq!(ours.retry_symbols, theirs.retry_symbols, "retry symbols, {}", place);
    prop_assert_eq!(ours.delivered_packets, theirs.latencies.count, "delivered, {}", place);
    prop_assert_eq!(ours.delivered_symbols, theirs.delivered_symbols, "symbols, {}", place);
    prop_assert_eq!(ours.latency_sum_cycles, theirs.latencies.sum_cycles, "latency sum, {}", place);
    let latencies = (ours.latency_min_cycles, ours.latency_max_cycles);
    prop_assert_eq!(latencies, extremes(&theirs.latencies), "latency extremes, {}", place);
    prop_assert_eq!(ours.host().delivered_responses, theirs.responses.count, "responses, {}", place);
    prop_assert_eq!(
        ours.host().response_latency_sum_cycles,
        theirs.responses.sum_cycles,
        "response latency, {}",
        place
    );
    prop_assert_eq!(ours.host().completed_messages, theirs.messages.count, "messages, {}", place);
    prop_assert_eq!(ours.host().message_latency_sum_cycles, theirs.messages.sum_cycles, "message latency, {}", place);
    let latencies = (ours.host().message_latency_min_cycles, ours.host().message_latency_max_cycles);
    prop_assert_eq!(latencies, extremes(&theirs.messages), "message latency extremes, {}", place);
    prop_assert_eq!(ours.host().missed_deadlines, theirs.missed_deadlines, "missed deadlines, {}", place);
    let output = Inversions {
        packets: ours.host().output_inversions.packets,
        cycles: ours.host().output_inversions.cycles,
        max_cycles: ours.host().output_inversions.max_cycles,
    };
    prop_assert_eq!(output, theirs.output_inversion, "output inversions, {}", place);
    let input = Inversions {
        packets: ours.host().input_inversions.packets,
        cycles: ours.host().input_inversions.cycles,
        max_cycles: ours.host().input_inversions.max_cycles,
    };
    prop_assert_eq!(input, theirs.input_inversion, "input inversions, {}", place);
    Ok(())
}

/// PPQ, TRAIN and DFC look at the fill of the bypass FIFO when they decide, and the engine counts it then; the reference counts it in every cycle.
fn decides_at_idles(flow_control: &FlowControlSpec) -> bool {
    matches!(flow_control, FlowControlSpec::Ppq(_) | FlowControlSpec::Train(_) | FlowControlSpec::Dfc(_))
}

fn compare_nodes(ours: &NodeCounters, theirs: &NodeResult, place: &str) -> Result<(), TestCaseError> {
    let links = theirs.link_symbols;
    prop_assert_eq!(ours.link_send_symbols, links.send, "sends, {}", place);
    prop_assert_eq!(ours.link_retry_symbols, links.retry, "retries, {}", place);
    prop_assert_eq!(ours.link_echo_symbols, links.echo, "echoes, {}", place);
    prop_assert_eq!(ours.link_control_symbols, links.control, "control symbols, {}", place);
    prop_assert_eq!(ours.link_idle_symbols, links.idle, "idles, {}", place);
    prop_assert_eq!(ours.refused_packets, theirs.refused_packets, "refused, {}", place);
    prop_assert_eq!(ours.preempted_packets, theirs.preempted_packets, "preempted, {}", place);
    prop_assert_eq!(ours.deleted_tickets, theirs.deleted_tickets, "deleted tickets, {}", place);
    prop_assert_eq!(ours.transmit_queue_max, theirs.transmit_queue_max, "longest queue, {}", place);
    prop_assert_eq!(ours.receive_queue_max, theirs.receive_queue_max, "longest receive queue, {}", place);
    let integral = theirs.receive_queue_packet_cycles;
    prop_assert_eq!(ours.receive_queue_packet_cycles, integral, "receive queue, {}", place);
    let integral = theirs.transmit_queue_packet_cycles;
    prop_assert_eq!(ours.transmit_queue_packet_cycles, integral, "queue, {}", place);
    Ok(())
}

fn compare_idles(node: usize, ours: &[(u64, u32)], reference: &Reference) -> Result<(), TestCaseError> {
    let theirs = (0u64..).zip(reference.emitted(node)).filter_map(|(cycle, symbol)| match symbol {
        Symbol::Idle(idle) => Some((cycle, idle.word())),
        Symbol::Packet(_) | Symbol::Control(_) => None,
    });
    let theirs: Vec<(u64, u32)> = theirs.collect();
    let differs = ours.iter().zip(&theirs).find(|(a, b)| a != b);
    prop_assert!(differs.is_none(), "node {} emits (cycle, state) {:?}", node, differs);
    prop_assert_eq!(ours.len(), theirs.len());
    Ok(())
}

fn steps() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(1..2500u64, 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 4000, ..ProptestConfig::default() })]

    #[test]
    fn engine_equals_reference(
        mut spec in random::network_with(random::states),
        initial_go in any::<Option<u16>>(),
        steps in steps(),
    ) {
        spec.initial_go = initial_go;
        compare(&spec, &steps)?;
    }

    #[test]
    fn engine_equals_reference_with_ppq(spec in random::network_with(random::ppq), steps in steps()) {
        compare(&spec, &steps)?;
    }

    #[test]
    fn engine_equals_reference_with_train(spec in random::network_with(random::train), steps in steps()) {
        compare(&spec, &steps)?;
    }

    #[test]
    fn engine_equals_reference_with_dfc(spec in random::network_with(random::dfc), steps in steps()) {
        compare(&spec, &steps)?;
    }
}
