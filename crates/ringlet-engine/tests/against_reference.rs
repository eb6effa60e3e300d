//! The engine equals the symbol-by-symbol reference, bit for bit: every count, every delivery, every go bit of every idle.
#![allow(missing_docs)]

mod random;
mod reference;

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use reference::{Reference, Symbol};
use ringlet_engine::Simulation;
use ringlet_engine::measure::{Delivery, Observer};
use ringlet_engine::spec::NetworkSpec;

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
        let expected = reference.deliveries().into_iter().map(|delivery| Delivery {
            delivered: delivery.delivered,
            destination: delivery.destination,
            flow: delivery.flow as u32,
            generated: delivery.generated,
            symbols: delivery.symbols,
        });
        let mut expected: Vec<Delivery> = expected.collect();
        expected.sort();
        let mut obtained = record.lock().expect("one thread").deliveries.clone();
        obtained.sort();
        let differs = obtained.iter().zip(&expected).find(|(a, b)| a != b);
        prop_assert!(differs.is_none(), "delivery {:?}", differs);
        prop_assert_eq!(obtained.len(), expected.len());
        for (index, (ours, theirs)) in engine.flow_counters().iter().zip(reference.flows()).enumerate() {
            let place = format!("flow {index} at cycle {}", engine.cycle());
            prop_assert_eq!(ours.generated_packets, theirs.generated_packets, "generated, {}", place);
            prop_assert_eq!(ours.lost_packets, theirs.lost_packets, "lost, {}", place);
            prop_assert_eq!(ours.sent_packets, theirs.sent_packets, "sent, {}", place);
            prop_assert_eq!(ours.retries, theirs.retries, "retries, {}", place);
            prop_assert_eq!(ours.delivered_packets, theirs.delivered_packets, "delivered, {}", place);
            prop_assert_eq!(ours.delivered_symbols, theirs.delivered_symbols, "symbols, {}", place);
            prop_assert_eq!(ours.latency_sum_cycles, theirs.latency_sum_cycles, "latency sum, {}", place);
            prop_assert_eq!(ours.latency_min_cycles, theirs.latency_min.unwrap_or(0), "latency min, {}", place);
            prop_assert_eq!(ours.latency_max_cycles, theirs.latency_max.unwrap_or(0), "latency max, {}", place);
        }
        for (index, (ours, theirs)) in engine.node_counters().iter().zip(reference.nodes()).enumerate() {
            let place = format!("node {index} at cycle {}", engine.cycle());
            let links = theirs.link_symbols;
            prop_assert_eq!(ours.link_send_symbols, links.send, "sends, {}", place);
            prop_assert_eq!(ours.link_retry_symbols, links.retry, "retries, {}", place);
            prop_assert_eq!(ours.link_echo_symbols, links.echo, "echoes, {}", place);
            prop_assert_eq!(ours.link_idle_symbols, links.idle, "idles, {}", place);
            prop_assert_eq!(ours.refused_packets, theirs.refused_packets, "refused, {}", place);
            prop_assert_eq!(ours.bypass_max_symbols, theirs.bypass_max_symbols, "bypass FIFO, {}", place);
            prop_assert_eq!(ours.transmit_queue_max, theirs.transmit_queue_max, "longest queue, {}", place);
            prop_assert_eq!(ours.receive_queue_max, theirs.receive_queue_max, "longest receive queue, {}", place);
            let integral = theirs.receive_queue_packet_cycles;
            prop_assert_eq!(ours.receive_queue_packet_cycles, integral, "receive queue, {}", place);
            let integral = theirs.transmit_queue_packet_cycles;
            prop_assert_eq!(ours.transmit_queue_packet_cycles, integral, "queue, {}", place);
        }
    }
    let record = record.lock().expect("one thread");
    for (index, ours) in record.idles.iter().enumerate() {
        let theirs = (0u64..).zip(reference.emitted(index)).filter_map(|(cycle, symbol)| match symbol {
            Symbol::Idle(idle) => Some((cycle, idle.word())),
            Symbol::Packet(_) => None,
        });
        let theirs: Vec<(u64, u32)> = theirs.collect();
        let differs = ours.iter().zip(&theirs).find(|(a, b)| a != b);
        prop_assert!(differs.is_none(), "node {} emits (cycle, state) {:?}", index, differs);
        prop_assert_eq!(ours.len(), theirs.len());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 4000, ..ProptestConfig::default() })]

    #[test]
    fn engine_equals_reference(
        mut spec in random::network(),
        initial_go in any::<Option<u16>>(),
        steps in proptest::collection::vec(1..2500u64, 1..5),
    ) {
        spec.initial_go = initial_go;
        compare(&spec, &steps)?;
    }
}
