//! Properties of any ring, traffic and options.

use crate::{random, rings};
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::measure::FlowCounters;
use ringlet_engine::protocols::{FlowControlSpec, grouped::GroupedSpec, ppq::PpqSpec};
use ringlet_engine::spec::{NetworkSpec, SpecError};

fn simulate(spec: &NetworkSpec, steps: &[u64]) -> Simulation {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    for &cycles in steps {
        simulation.advance(cycles);
    }
    simulation
}

/// All that is measured, as text.
fn fingerprint(simulation: &Simulation, flows: usize) -> String {
    let latencies = simulation.latencies(0..flows);
    let quantiles = [0.0, 0.5, 0.95, 0.99, 1.0].map(|q| latencies.value_at_quantile(q));
    let flows: Vec<_> = simulation
        .flow_counters()
        .iter()
        .map(|c| (c.generated_packets, c.sent_packets, c.retries, c.delivered_symbols, c.latency_sum_cycles))
        .collect();
    format!("{:?} {flows:?} {quantiles:?}", simulation.node_counters())
}

proptest! {
    #![proptest_config(crate::cases(100))]

    /// Same seed, same result, whatever the steps.
    #[test]
    fn steps_do_not_matter(spec in random::network(), cuts in proptest::collection::vec(1..900u64, 1..12)) {
        let whole = simulate(&spec, &[cuts.iter().sum()]);
        let stepped = simulate(&spec, &cuts);
        prop_assert_eq!(fingerprint(&whole, spec.flows.len()), fingerprint(&stepped, spec.flows.len()));
    }

    /// Each link carries one symbol per cycle, each of one kind.
    #[test]
    fn symbols_are_conserved(spec in random::network(), cycles in 1..20_000u64) {
        for node in simulate(&spec, &[cycles]).node_counters() {
            let packets = node.link_send_symbols + node.link_retry_symbols + node.link_echo_symbols;
            prop_assert_eq!(packets + node.link_control_symbols + node.link_idle_symbols, cycles);
        }
    }

    /// A generated packet was lost, delivered once, or is still held.
    #[test]
    fn packets_are_conserved(spec in random::network(), cycles in 1..20_000u64) {
        let simulation = simulate(&spec, &[cycles]);
        let flows = simulation.flow_counters();
        let sum = |field: fn(&FlowCounters) -> u64| flows.iter().copied().map(field).sum::<u64>();
        let (generated, lost) = (sum(|c| c.generated_packets), sum(|c| c.lost_packets));
        let (sent, delivered) = (sum(|c| c.sent_packets), sum(|c| c.delivered_packets));
        // Every request served may have made a response.
        let responses = sum(|c| c.delivered_packets - c.host().delivered_responses);
        // A request whose response does not come in time is sent as one more, and its late response is dropped.
        let (timed_out, unanswered) = (sum(|c| c.host().timed_out_requests), sum(|c| c.host().unanswered_requests));
        let late = sum(|c| c.host().late_responses);
        // Without echoes a full receive queue drops what comes.
        let dropped = sum(|c| c.host().given_up_packets);
        let all = generated + responses + timed_out - unanswered;
        prop_assert!(lost + sent <= all, "{lost} lost and {sent} sent of {generated} and {responses}");
        prop_assert!(delivered <= sent, "{delivered} delivered of {sent} sent");
        // A packet sent and not delivered is on its way, waits for service or for a retry.
        let limits = spec.queues.limits.common;
        let limit = limits.outstanding_limit.map_or(u64::MAX, |limit| 2 * u64::from(limit) * u64::from(spec.nodes));
        let unserved: u64 = simulation.node_counters().iter().map(|c| c.receive_queue_max).sum();
        let on_the_way = sent - delivered - late - dropped;
        prop_assert!(on_the_way <= limit.saturating_add(unserved).saturating_add(u64::from(spec.nodes)));
    }

    /// A node sends only with an empty bypass FIFO, so that it never holds more than came in meanwhile.
    #[test]
    fn bypass_fifo_stays_within_its_bound(spec in random::network_with(random::WITH_STATES), cycles in 1..20_000u64) {
        let requests = spec.flows.iter().flat_map(|flow| flow.sizes.iter().map(|size| size.0));
        let longest = requests.chain(spec.flows.iter().filter_map(|flow| flow.response_symbols)).max().unwrap_or(0);
        for node in simulate(&spec, &[cycles]).node_counters() {
            prop_assert!(node.bypass_max_symbols <= u64::from(longest) + 1, "{} symbols", node.bypass_max_symbols);
        }
    }

    /// A measurement that starts later counts exactly what happens from then on.
    #[test]
    fn reset_splits_the_counts(spec in random::network(), before in 1..5_000u64, after in 1..5_000u64) {
        let mut simulation = simulate(&spec, &[before]);
        let first = simulation.node_counters();
        simulation.reset_measurement();
        simulation.advance(after);
        let whole = simulate(&spec, &[before + after]).node_counters();
        for ((a, b), sum) in first.iter().zip(simulation.node_counters()).zip(&whole) {
            prop_assert_eq!(a.link_send_symbols + b.link_send_symbols, sum.link_send_symbols);
            prop_assert_eq!(a.link_retry_symbols + b.link_retry_symbols, sum.link_retry_symbols);
            prop_assert_eq!(a.link_echo_symbols + b.link_echo_symbols, sum.link_echo_symbols);
            prop_assert_eq!(a.link_idle_symbols + b.link_idle_symbols, sum.link_idle_symbols);
            let waiting = a.transmit_queue_packet_cycles + b.transmit_queue_packet_cycles;
            prop_assert_eq!(waiting, sum.transmit_queue_packet_cycles);
            let received = a.receive_queue_packet_cycles + b.receive_queue_packet_cycles;
            prop_assert_eq!(received, sum.receive_queue_packet_cycles);
        }
    }

    /// Another seed of the same kind of traffic neither stalls nor panics for long.
    #[test]
    fn go_bits_are_never_lost(mut spec in random::network_with(random::WITH_STATES)) {
        // With go-bit extension a node whose packet is refused again and again may keep a go bit for itself
        // (docs/reproductions/todd2001.md, "The common host"): until a place is free, and so for ever where that place
        // is reserved for a node without a go bit, or where its response is to be sent first.
        spec.queues.reservation = false;
        for flow in &mut spec.flows {
            flow.response_symbols = None;
        }
        // A ring that lost a go bit would stop for ever once a packet waits for it.
        spec.measurement.stall_cycles = 50_000;
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        prop_assert_eq!(simulation.advance(400_000), None);
    }
}

fn two_saturated_nodes(flow_control: &str) -> NetworkSpec {
    let flow = |source: u32| {
        format!(
            r#"{{"source": {source}, "priority": 0, "arrivals": {{"kind": "saturated"}}, "burst": 1,
                 "deadline_cycles": null, "sizes": [[40, 1.0]], "response_symbols": null,
                 "destinations": {{"kind": "uniform"}}, "groups": {{"kind": "fixed", "group": 0}}}}"#
        )
    };
    let text = format!(
        r#"{{"seed": 1, "nodes": 2, "hop_delay": {{"common": 1, "each": null}}, "format": {{"echo_symbols": 4}},
             "flow_control": {flow_control},
             "queues": {{
                 "priorities": 1, "order": "alternate", "reservation": false,
                 "receive": {{"common": {{"capacity": null, "service_cycles": 0}}, "each": null}},
                 "limits": {{"common": {{
                     "response_capacity": null, "transmit_capacity": null, "outstanding_limit": 64, "window": null,
                     "retry": {{"strategy": "constant", "delay_cycles": 0}}}}, "each": null}}}},
             "flows": [{}, {}], "measurement": {{"stall_cycles": 10000, "latency_digits": 3}}}}"#,
        flow(0),
        flow(1)
    );
    NetworkSpec::from_json(&text).expect("a valid spec")
}

const SCI: &str = r#"{"protocol": "sci", "extension": "received", "release": "unblocked", "priorities": 1}"#;

#[test]
fn a_ring_without_go_bits_is_reported_as_stalled() {
    let mut spec = two_saturated_nodes(SCI);
    spec.initial_go = Some(0);
    let mut simulation = Simulation::new(&spec).expect("a valid spec");
    let stall = simulation.advance(1_000_000).expect("nothing can be sent");
    assert_eq!((simulation.cycle(), stall.since_cycle), (10_000, 0));
    assert_eq!(stall.waiting_nodes, [0, 1]);
    assert!(stall.detail.contains("go bits on the links 0b0"), "{}", stall.detail);
}

#[test]
fn an_idle_ring_is_not_stalled() {
    let mut spec = two_saturated_nodes(SCI);
    spec.flows.clear();
    let mut simulation = Simulation::new(&spec).expect("a valid spec");
    assert_eq!(simulation.advance(1_000_000_000), None);
    assert_eq!(simulation.cycle(), 1_000_000_000);
}

#[test]
fn long_service_is_not_a_stall() {
    let mut spec = two_saturated_nodes(SCI);
    spec.queues.receive.common.capacity = Some(1);
    spec.queues.receive.common.service_cycles = 50_000;
    let mut simulation = Simulation::new(&spec).expect("a valid spec");
    assert_eq!(simulation.advance(1_000_000), None);
}

/// The watch asks how long a packet waits, not how long ago another one was served.
#[test]
fn a_packet_behind_a_long_silence_is_not_a_stall() {
    for flow_control in [SCI, r#"{"protocol": "none"}"#] {
        let mut spec = two_saturated_nodes(flow_control);
        (spec.hop_delay.common, spec.measurement.stall_cycles) = (20, 10_000);
        // The last watch in the silence ends at cycle 29,990: some cycles in front of it something arrives.
        spec.flows = vec![rings::once(0, 1, 40, 29_980), rings::once(1, 0, 40, 100)];
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        for _ in 0..100 {
            assert_eq!(simulation.advance(500), None, "{flow_control}");
        }
        assert_eq!(simulation.flow_counters().iter().map(|flow| flow.delivered_packets).sum::<u64>(), 2);
    }
}

/// One that waits for ever is found, however long nothing has happened before.
#[test]
fn a_stall_begins_with_the_packet_that_waits() {
    let mut spec = two_saturated_nodes(SCI);
    spec.initial_go = Some(0);
    spec.flows = vec![rings::once(0, 1, 40, 123_456)];
    let mut simulation = Simulation::new(&spec).expect("a valid spec");
    let stall = simulation.advance(1_000_000).expect("nothing can be sent");
    assert_eq!((simulation.cycle(), stall.since_cycle), (133_456, 123_456));
}

/// All 255 events that can name a packet, each of a priority above the one before, go round a long ring at a time.
#[test]
fn a_packet_may_inherit_every_priority() {
    let options = PpqSpec { inheritance: true, ..rings::PPQ };
    let flows =
        (0..=u8::MAX).map(|priority| rings::with_priority(rings::once(0, 1, 8, 100 * u64::from(priority)), priority));
    let mut spec = rings::ring(2, 50_000, FlowControlSpec::Ppq(options), flows.collect());
    (spec.queues.limits.common.outstanding_limit, spec.measurement.stall_cycles) = (Some(1), 1_000_000);
    let mut simulation = Simulation::new(&spec).expect("a valid spec");
    simulation.advance(90_000);
    assert_eq!(simulation.node_counters()[0].link_control_symbols, 255 * 8);
    simulation.advance(30_000_000);
    assert!(simulation.flow_counters().iter().all(|flow| flow.delivered_packets == 1));
}

#[test]
fn a_node_at_rest_takes_less_than_a_kibibyte() {
    let mut spec = two_saturated_nodes(SCI);
    let flow = spec.flows[0].clone();
    spec.nodes = 65_536;
    spec.flows = (0..spec.nodes).map(|source| ringlet_engine::spec::FlowSpec { source, ..flow.clone() }).collect();
    let simulation = Simulation::new(&spec).expect("a valid spec");
    let bytes = simulation.bytes() / 65_536;
    assert!(bytes <= 1024, "{bytes} bytes per node");
}

#[test]
fn an_impossible_spec_names_its_field() {
    let mut spec = two_saturated_nodes(SCI);
    spec.flows[1].destinations = ringlet_engine::spec::DestinationSpec::Fixed { node: 1 };
    let error: SpecError = spec.validate().expect_err("a node does not send to itself");
    assert_eq!(error.path, "flows[1].destinations.node");
    spec = two_saturated_nodes(SCI);
    spec.flow_control = GroupedSpec { groups: 257, ..GroupedSpec::EXAMPLE }.into();
    assert_eq!(spec.validate().expect_err("257 groups").path, "flow_control.groups");
}
