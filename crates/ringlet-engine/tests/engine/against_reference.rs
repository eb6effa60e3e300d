//! The engine equals the symbol-by-symbol reference, bit for bit: every count, every delivery, every symbol on every
//! link.

use std::sync::{Arc, Mutex};

use crate::recording;
use crate::reference::{FlowResult, Inversions, Latencies, NodeResult, Reference};
use proptest::prelude::*;
use ringlet_engine::measure::{FlowCounters, NodeCounters};
use ringlet_engine::observe::{Delivery, Observer};
use ringlet_engine::protocols::counted_by_protocols;
use ringlet_engine::record::Recorder;
use ringlet_engine::spec::NetworkSpec;
use ringlet_engine::{Histogram, Simulation};

/// Keeps the deliveries, and nothing else: the engine skips idle revolutions.
#[derive(Clone, Default)]
struct Deliveries(Arc<Mutex<Vec<Delivery>>>);

impl Observer for Deliveries {
    fn delivered(&mut self, delivery: Delivery) {
        self.0.lock().expect("one thread").push(delivery);
    }
}

/// Simulates so many cycles at a time in both, and compares after each step. Where they differ, the message begins with
/// the node and the cycle of the first symbol that does.
pub(crate) fn compare(spec: &NetworkSpec, steps: &[u64]) -> Result<(), TestCaseError> {
    let recorder = Recorder::new(0, steps.iter().sum());
    let mut reference = Reference::new(spec).record();
    let compared = compare_steps(spec, steps, &recorder, &mut reference);
    let recording = recorder.finish();
    let compared = compared.and_then(|()| recording::compare(spec, &recording, &reference));
    compared.map_err(|error| match error {
        TestCaseError::Fail(reason) => {
            let first = recording::first_difference(spec, &recording, &reference);
            TestCaseError::fail(format!("{first}\n{reason}\n{spec:?}"))
        }
        rejected => rejected,
    })
}

/// The same but for single symbols.
fn compare_steps(
    spec: &NetworkSpec,
    steps: &[u64],
    recorder: &Recorder,
    reference: &mut Reference,
) -> Result<(), TestCaseError> {
    let deliveries = Deliveries::default();
    let mut engine = Simulation::observed(spec, deliveries.clone()).expect("a valid spec");
    let mut recorded = Simulation::observed(spec, recorder.clone()).expect("a valid spec");
    for &cycles in steps {
        prop_assert_eq!(engine.advance(cycles), None);
        prop_assert_eq!(recorded.advance(cycles), None);
        prop_assert_eq!(recorded.node_counters(), engine.node_counters());
        reference.advance(cycles);
        let at = engine.cycle();
        compare_deliveries(&deliveries.0.lock().expect("one thread"), reference)?;
        for (index, (ours, theirs)) in engine.node_counters().iter().zip(reference.nodes()).enumerate() {
            let place = format!("node {index} at cycle {at}");
            compare_nodes(ours, &theirs, &place)?;
            prop_assert_eq!(ours.bypass_max_symbols, theirs.bypass_max_symbols, "bypass FIFO, {}", place);
        }
        for (index, (ours, theirs)) in engine.flow_counters().iter().zip(reference.flows()).enumerate() {
            compare_flows(ours, &theirs, &format!("flow {index} at cycle {at}"))?;
            let distribution = histogram(spec, reference.latencies(index));
            prop_assert_eq!(engine.latencies([index]), distribution, "latencies of flow {} at cycle {}", index, at);
            let distribution = histogram(spec, reference.message_latencies(index));
            prop_assert_eq!(engine.message_latencies([index]), distribution, "messages of flow {} at {}", index, at);
            let accepted = accepted_after(ours.first_try_packets, &engine.retries([index]));
            prop_assert_eq!(accepted, theirs.accepted_after, "retries of flow {} at {}", index, at);
        }
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
    if let Some((ours, theirs)) = obtained.iter().zip(&expected).find(|(ours, theirs)| ours != theirs) {
        let Delivery { destination, delivered, .. } = ours.min(theirs);
        prop_assert_eq!(ours, theirs, "delivery at node {} in cycle {}", destination, delivered);
    }
    prop_assert_eq!(obtained.len(), expected.len());
    Ok(())
}

pub(crate) fn histogram(spec: &NetworkSpec, latencies: impl Iterator<Item = u64>) -> Histogram<u32> {
    let mut histogram = Histogram::new(spec.measurement.latency_digits).expect("1 to 4 digits");
    latencies.for_each(|cycles| histogram.record(cycles).expect("it grows"));
    histogram
}

/// Packets accepted, by how often they were sent again before; the last entry has all beyond, too.
fn accepted_after(first_try: u64, retries: &Histogram<u32>) -> [u64; 32] {
    let mut accepted = [0; 32];
    accepted[0] = first_try;
    for bin in retries.iter_recorded() {
        accepted[31.min(bin.value_iterated_to() as usize)] += bin.count_since_last_iteration();
    }
    accepted
}

/// An engine without a delivery says 0.
fn extremes(latencies: &Latencies) -> (u64, u64) {
    (latencies.min.unwrap_or(0), latencies.max.unwrap_or(0))
}

pub(crate) fn compare_flows(ours: &FlowCounters, theirs: &FlowResult, place: &str) -> Result<(), TestCaseError> {
    prop_assert_eq!(ours.generated_packets, theirs.generated_packets, "generated, {}", place);
    prop_assert_eq!(ours.lost_packets, theirs.lost_packets, "lost, {}", place);
    prop_assert_eq!(ours.host().given_up_packets, theirs.dropped_packets, "dropped, {}", place);
    prop_assert_eq!(ours.sent_packets, theirs.sent_packets, "sent, {}", place);
    prop_assert_eq!(ours.first_try_packets, theirs.first_try_packets, "at the first try, {}", place);
    prop_assert_eq!(ours.retries, theirs.retries, "retries, {}", place);
    prop_assert_eq!(ours.retry_symbols, theirs.retry_symbols, "retry symbols, {}", place);
    prop_assert_eq!(ours.delivered_packets, theirs.latencies.count, "delivered, {}", place);
    prop_assert_eq!(ours.delivered_symbols, theirs.delivered_symbols, "symbols, {}", place);
    prop_assert_eq!(ours.latency_sum_cycles, theirs.latencies.sum_cycles, "latency sum, {}", place);
    let latencies = (ours.latency_min_cycles(), ours.latency_max_cycles);
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
    let late = (ours.host().timed_out_requests, ours.host().unanswered_requests, ours.host().late_responses);
    prop_assert_eq!(late, (theirs.timed_out, theirs.unanswered, theirs.late), "response time-outs, {}", place);
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

pub(crate) fn compare_nodes(ours: &NodeCounters, theirs: &NodeResult, place: &str) -> Result<(), TestCaseError> {
    let links = theirs.link_symbols;
    prop_assert_eq!(ours.link_send_symbols, links.send, "sends, {}", place);
    prop_assert_eq!(ours.link_retry_symbols, links.retry, "retries, {}", place);
    prop_assert_eq!(ours.link_echo_symbols, links.echo, "echoes, {}", place);
    prop_assert_eq!(ours.link_control_symbols, links.control, "control symbols, {}", place);
    prop_assert_eq!(ours.link_idle_symbols, links.idle, "idles, {}", place);
    prop_assert_eq!(ours.refused_packets, theirs.refused_packets, "refused, {}", place);
    for (name, _) in counted_by_protocols() {
        prop_assert_eq!(ours.of_protocol(name), theirs.of_protocol(name), "{}, {}", name, place);
    }
    prop_assert_eq!(ours.transmit_queue_max, theirs.transmit_queue_max, "longest queue, {}", place);
    prop_assert_eq!(ours.receive_queue_max, theirs.receive_queue_max, "longest receive queue, {}", place);
    prop_assert_eq!(ours.slow_link_max_symbols, theirs.slow_link_max_symbols, "slow link, {}", place);
    let integral = theirs.receive_queue_packet_cycles;
    prop_assert_eq!(ours.receive_queue_packet_cycles, integral, "receive queue, {}", place);
    let integral = theirs.transmit_queue_packet_cycles;
    prop_assert_eq!(ours.transmit_queue_packet_cycles, integral, "queue, {}", place);
    Ok(())
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(1..2500u64, 1..5)
}
