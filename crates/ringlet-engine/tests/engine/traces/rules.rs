//! The rules of docs/explanation/network-model.md, "Traces", on rings and networks small enough to be worked out by
//! hand.

use std::sync::{Arc, Mutex};

use crate::networks;
use crate::networks::{KIND, node, port, step, to};
use crate::traces::{Packet, packet, replay, traced};
use ringlet_engine::Simulation;
use ringlet_engine::observe::{Delivery, Observer};
use ringlet_engine::replay::MAX_REACH;
use ringlet_engine::spec::{ArrivalSpec, FlowSpec, HostSpec, NetworkSpec, TopologySpec};

/// Keeps all deliveries.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<Delivery>>>);

impl Observer for Log {
    fn delivered(&mut self, delivery: Delivery) {
        self.0.lock().expect("no thread has panicked").push(delivery);
    }
}

/// Flow `k` of packets of 8 symbols from node `k`, flow `4 + k` of responses of 40 symbols from it, flow `8 + k` of
/// packets of 40 symbols with responses of 8.
fn ring(dependence_driven: bool) -> NetworkSpec {
    let flow = |source, symbols, responses, answer| {
        let mut flow = traced(
            networks::flow(source, to((source + 1) % 4), ArrivalSpec::Saturated {}),
            responses,
            dependence_driven,
        );
        flow.sizes = vec![(symbols, 1.0)];
        flow.response_symbols = answer;
        flow
    };
    let requests = (0..4).map(|source| flow(source, 8, false, None));
    let responses = (0..4).map(|source| flow(source, 40, true, None));
    let writes = (0..4).map(|source| flow(source, 40, false, Some(8)));
    let flows: Vec<FlowSpec> = requests.chain(responses).chain(writes).collect();
    let mut spec = networks::network(vec![networks::ring((0..4).map(node).collect(), Vec::new())], KIND, &[], flows);
    spec.network = None;
    spec.hop_delay.common = 1;
    spec.queues.receive.common.service_cycles = 0;
    spec.queues.receive.common.capacity = None;
    spec.queues.limits.common.transmit_capacity = None;
    spec
}

/// Replays a trace: for each delivery flow, cycle of the start, cycle of the delivery; in the order of their starts.
fn deliveries(spec: &NetworkSpec, packets: &[Packet]) -> Vec<(u32, u64, u64)> {
    let log = Log::default();
    let mut simulation = Simulation::observed(spec, log.clone()).expect("valid");
    simulation.hand_in(packets.iter().map(Packet::handed), u64::MAX).expect("a valid trace");
    simulation.advance(100_000);
    let mut all: Vec<_> = log
        .0
        .lock()
        .expect("no thread has panicked")
        .iter()
        .map(|one| (one.flow, one.generated, one.delivered))
        .collect();
    all.sort_by_key(|one| (one.1, one.2));
    all
}

/// Behind an idle, over some hops of one cycle, and then its length.
fn trip(hops: u64, symbols: u64) -> u64 {
    1 + hops + symbols
}

#[test]
fn open_loop_packets_start_at_their_own_cycles() {
    // The second depends on the first, which does not count.
    let packets = [packet(100, 0, 3, &[]), packet(101, 3, 0, &[0])];
    assert_eq!(deliveries(&ring(false), &packets), [(0, 100, 100 + trip(3, 8)), (3, 101, 101 + trip(1, 8))]);
}

#[test]
fn a_dependant_starts_as_long_after_the_delivery_as_after_the_packet_in_the_trace() {
    let packets = [packet(100, 0, 3, &[]), packet(124, 7, 0, &[0])];
    let delivered = 100 + trip(3, 8);
    assert_eq!(
        deliveries(&ring(true), &packets),
        [(0, 100, delivered), (7, delivered + 24, delivered + 24 + trip(1, 40))]
    );
}

#[test]
fn a_dependant_starts_after_the_latest_of_its_dependences() {
    let packets = [packet(100, 0, 3, &[]), packet(150, 2, 3, &[]), packet(160, 3, 1, &[0, 1])];
    let starts = [100 + trip(3, 8) + 60, 150 + trip(1, 8) + 10];
    assert_eq!(deliveries(&ring(true), &packets)[2].1, starts[0].max(starts[1]));
}

#[test]
fn all_packets_of_a_message_start_when_all_of_another_have_come() {
    // Two from each of two nodes to node 3, which sends three then, and at last two to itself.
    let first = [packet(100, 0, 3, &[]), packet(100, 0, 3, &[]), packet(100, 1, 3, &[]), packet(100, 1, 3, &[])];
    let answers = [0; 3].map(|_| packet(130, 3, 0, &[0, 1, 2, 3]));
    let local = [0; 2].map(|_| packet(130, 3, 3, &[0, 1, 2, 3]));
    let packets: Vec<_> = first.into_iter().chain(answers).chain(local).collect();
    let all = deliveries(&ring(true), &packets);
    let last = all.iter().filter(|one| one.0 < 3).map(|one| one.2).max().expect("four come");
    let starts: Vec<u64> = all.iter().filter(|one| one.0 == 3).map(|one| one.1).collect();
    assert_eq!(starts, [last + 30; 3], "{all:?}");
}

#[test]
fn a_dependant_of_the_same_cycle_starts_in_the_next() {
    let packets = [packet(100, 0, 1, &[]), packet(100, 1, 2, &[0])];
    assert_eq!(deliveries(&ring(true), &packets)[1].1, 100 + trip(1, 8) + 1);
}

#[test]
fn a_packet_to_its_own_node_is_delivered_at_once() {
    let packets = [packet(100, 2, 2, &[]), packet(130, 2, 3, &[0])];
    assert_eq!(deliveries(&ring(true), &packets), [(2, 130, 130 + trip(1, 8))]);
    let mut simulation = Simulation::new(&ring(true)).expect("valid");
    simulation.hand_in(packets.iter().map(Packet::handed), u64::MAX).expect("a valid trace");
    simulation.advance(1_000);
    let replayed = simulation.replayed();
    assert_eq!((replayed.started, replayed.local, replayed.in_flight), (2, 1, 0));
    assert_eq!((replayed.first_start, replayed.last_delivery), (Some(100), Some(130 + trip(1, 8))));
}

#[test]
fn a_dependant_on_an_own_transaction_waits_for_its_response() {
    let packets = [packet(100, 8, 2, &[]), packet(107, 0, 1, &[0])];
    let request = 100 + trip(2, 40);
    let response = request + trip(2, 8);
    assert_eq!(
        deliveries(&ring(true), &packets),
        [(8, 100, request), (8, request, response), (0, response + 7, response + 7 + trip(1, 8))]
    );
}

#[test]
fn responses_of_a_trace_do_not_wait_behind_requests() {
    // Node 0 has three requests before its response.
    let requests: Vec<_> = (0..3).map(|_| packet(100, 8, 2, &[])).collect();
    let packets: Vec<_> = requests.into_iter().chain([packet(100, 4, 2, &[])]).collect();
    let all = deliveries(&ring(false), &packets);
    let response = all.iter().position(|one| one.0 == 4).expect("it is delivered");
    assert_eq!(response, 1, "{all:?}");
}

#[test]
fn a_response_of_a_trace_takes_its_place_while_its_node_sends() {
    let mut spec = ring(true);
    spec.queues.limits.common.response_capacity = Some(1);
    // Node 1 sends its request while that of node 0 is complete, which needs a response.
    let packets = [packet(100, 8, 1, &[]), packet(135, 1, 2, &[]), packet(138, 5, 0, &[])];
    // Behind the request goes the echo of the other one, with an idle.
    let leaves = 135 + 1 + 8 + 1 + 4;
    let accepted = leaves + trip(3, 40);
    assert_eq!(
        deliveries(&spec, &packets),
        [(8, 100, accepted), (1, 135, 135 + trip(1, 8)), (5, 138, accepted), (8, accepted, accepted + trip(3, 8))]
    );
}

/// A ring of two nodes with slots that are filled for 10 cycles each.
fn hosts_with_slots() -> NetworkSpec {
    let flow = |source, answer| {
        let mut flow = traced(networks::flow(source, to(1 - source), ArrivalSpec::Saturated {}), false, true);
        flow.sizes = vec![(8, 1.0)];
        flow.response_symbols = answer;
        flow
    };
    let rings = vec![networks::ring(vec![node(0), node(1)], Vec::new())];
    let mut spec = networks::network(rings, KIND, &[], vec![flow(0, Some(8)), flow(1, None)]);
    spec.queues.limits.common.transmit_capacity = None;
    networks::topology(&mut spec).host =
        HostSpec { slots: Some(4), fill_serial_ps: 10 * networks::SYMBOL_PS, ..HostSpec::default() };
    spec
}

/// In the cycle before which a simulation stops services have ended, and packets may still be handed in.
#[test]
fn a_packet_is_filled_behind_the_response_that_is_created_as_it_starts() {
    let spec = hosts_with_slots();
    let served = 10 + trip(18, 8) + 47;
    let packets = [packet(0, 0, 1, &[]), packet(served, 1, 0, &[])];
    let latency = |packets: &[Packet], at_a_time| {
        let simulation = replay(&spec, packets, at_a_time, 1, &[1_000], 1_000);
        simulation.flow_counters()[1].latency_sum_cycles
    };
    let alone = 10 + trip(18, 8) + 47;
    assert_eq!(latency(&packets[1..], 1), alone);
    assert_eq!(latency(&packets, 2), 10 + alone);
    assert_eq!(latency(&packets, 1), 10 + alone);
}

#[test]
fn responses_of_a_trace_are_packets_of_their_own() {
    let mut spec = ring(true);
    spec.queues.limits.common.window = Some(1);
    let mut simulation = Simulation::new(&spec).expect("valid");
    let packets = [packet(0, 0, 3, &[]), packet(9, 7, 0, &[0])];
    simulation.hand_in(packets.iter().map(Packet::handed), u64::MAX).expect("a valid trace");
    simulation.advance(1_000);
    let counters = &simulation.flow_counters()[7];
    assert_eq!((counters.generated_packets, counters.delivered_packets), (1, 1));
    assert_eq!((counters.host().delivered_responses, counters.delivered_symbols), (0, 40));
}

#[test]
fn the_simulation_goes_no_further_than_the_trace_is_known() {
    let mut simulation = Simulation::new(&ring(true)).expect("valid");
    simulation.advance(500);
    assert_eq!(simulation.cycle(), 0);
    simulation.hand_in([packet(100, 0, 3, &[]).handed()], 300).expect("a valid trace");
    simulation.advance(500);
    assert_eq!((simulation.cycle(), simulation.known_until()), (300, 300));
    simulation.hand_in([], u64::MAX).expect("nothing more");
    simulation.advance(500);
    assert_eq!(simulation.cycle(), 800);
}

/// A packet that is delivered long before its dependant is known counts from its delivery all the same.
#[test]
fn a_dependant_may_be_handed_in_after_the_delivery() {
    let packets = [packet(100, 0, 3, &[]), packet(124, 7, 0, &[0])];
    let whole = deliveries(&ring(true), &packets);
    let log = Log::default();
    let mut simulation = Simulation::observed(&ring(true), log.clone()).expect("valid");
    simulation.hand_in([packets[0].handed()], 124).expect("a valid trace");
    simulation.advance(124);
    assert_eq!(simulation.replayed().in_flight, 0);
    simulation.hand_in([packets[1].handed()], u64::MAX).expect("a valid trace");
    simulation.advance(1_000);
    assert_eq!(log.0.lock().expect("no thread has panicked")[1].generated, whole[1].1);
}

#[test]
fn what_waits_for_a_lost_packet_never_starts() {
    let mut spec = two_rings();
    let errors = ringlet_engine::spec::ErrorsSpec {
        bit_error_rate: 0.0,
        links: vec![ringlet_engine::spec::LinkSpec {
            ring: 0,
            place: 0,
            bit_error_rate: None,
            interruptions: vec![(0, None)],
        }],
        timeout_cycles: 2_000,
        max_timeouts: Some(2),
        ..Default::default()
    };
    let topology: &mut TopologySpec = spec.network.as_mut().expect("a network");
    topology.errors = Some(errors);
    let mut simulation = Simulation::new(&spec).expect("valid");
    let packets = [packet(0, 0, 1, &[]), packet(100, 1, 0, &[0])];
    simulation.hand_in(packets.iter().map(Packet::handed), u64::MAX).expect("a valid trace");
    simulation.advance(100_000);
    let replayed = simulation.replayed();
    assert_eq!((replayed.started, replayed.in_flight, replayed.waiting, replayed.due), (1, 0, 1, 0));
}

/// A node on each of two rings, with a switch between them; flow `k` starts at node `k`.
fn two_rings() -> NetworkSpec {
    let rings = vec![
        networks::ring(vec![node(0), port(0, 0)], vec![step(0, 1, 1)]),
        networks::ring(vec![node(1), port(0, 1)], vec![step(0, 1, 0)]),
    ];
    let flow = |source| traced(networks::flow(source, to(1 - source), ArrivalSpec::Saturated {}), source == 1, true);
    let mut spec = networks::network(rings, KIND, &[2], vec![flow(0), flow(1)]);
    spec.queues.limits.common.transmit_capacity = None;
    spec
}

#[test]
fn a_delivery_on_another_ring_releases_what_waits_there() {
    let mut simulation = Simulation::new(&two_rings()).expect("valid");
    let packets = [packet(0, 0, 1, &[]), packet(100, 1, 0, &[0])];
    simulation.hand_in(packets.iter().map(Packet::handed), u64::MAX).expect("a valid trace");
    simulation.advance(100_000);
    // As in networks/rules.rs, there and back.
    let received = (1 + 18 + 40) * 4000 + 58_000;
    let way = (received + 146_667 + 82_000u64).div_ceil(4000) + 1 + 18 + 40 + 47;
    let latencies: Vec<_> = simulation.flow_counters().iter().map(|flow| flow.latency_sum_cycles).collect();
    let replayed = simulation.replayed();
    assert_eq!((latencies[0], replayed.in_flight), (way, 0));
    assert_eq!(replayed.last_delivery, Some(way + 100 + latencies[1]));
}

#[test]
fn what_cannot_be_replayed_is_named() {
    let error = |packets: &[Packet]| {
        let mut simulation = Simulation::new(&ring(true)).expect("valid");
        simulation.hand_in(packets.iter().map(Packet::handed), u64::MAX).expect_err("it cannot be replayed").to_string()
    };
    let first = || packet(100, 0, 3, &[]);
    assert_eq!(
        error(&[first(), packet(99, 0, 3, &[])]),
        "packets[1].cycle: 99 is not allowed; at least 100, the end of what is known"
    );
    assert_eq!(error(&[packet(0, 12, 3, &[])]), "packets[0].flow: 12 is not allowed; a flow of the trace");
    assert_eq!(error(&[packet(0, 0, 4, &[])]), "packets[0].destination: 4 is not allowed; a node below 4");
    assert_eq!(
        error(&[first(), packet(100, 3, 0, &[1])]),
        format!("packets[1].depends_on: 1 is not allowed; a packet before it, at most {MAX_REACH} back")
    );
    assert_eq!(
        error(&[first(), packet(100, 2, 0, &[0])]),
        "packets[1].depends_on: 0 is not allowed; a packet delivered at node 2, or a transaction of it with a response"
    );
    let mut simulation = Simulation::new(&ring(true)).expect("valid");
    simulation.hand_in([], 500).expect("nothing");
    assert_eq!(
        simulation.hand_in([first().handed()], 600).expect_err("it is late").to_string(),
        "packets[0].cycle: 100 is not allowed; at least 500, the end of what is known"
    );
    let mut other = ring(true);
    other.flows[1] = traced(other.flows[1].clone(), false, false);
    assert!(other.validate().expect_err("two kinds").to_string().starts_with("flows[1].arrivals.dependence_driven"));
    let mut bounded = ring(true);
    bounded.queues.limits.common.transmit_capacity = Some(4);
    assert!(
        bounded
            .validate()
            .expect_err("packets would be lost")
            .to_string()
            .starts_with("queues.limits.common.transmit_capacity")
    );
    let mut none = ring(true);
    none.flows.clear();
    let mut simulation = Simulation::new(&none).expect("valid");
    assert!(simulation.hand_in([first().handed()], 600).is_err());
}
