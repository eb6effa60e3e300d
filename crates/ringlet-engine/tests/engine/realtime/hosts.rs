//! Section 1: packets, classes, hosts.

use ringlet_engine::protocols::go_bits::{Extension, Release};
use ringlet_engine::spec::{ClassOrder, NetworkSpec, PacketFormatSpec};

use crate::reference::{Class, Reference, Symbol};
use crate::rings::*;

/// Classes of the packets that start at node `node`, in the order in which they are sent.
fn classes_sent(reference: &Reference, node: u32) -> Vec<Class> {
    sends(reference, node).into_iter().map(|(_, symbol)| reference.packet(symbol).class).collect()
}

#[test]
fn with_framing_an_echo_takes_the_place_of_the_last_five_symbols() {
    let spec = NetworkSpec {
        format: PacketFormatSpec { echo_symbols: 5, ..PacketFormatSpec::default() },
        ..ring(2, 3, NONE, vec![once(0, 1, 12, 0)])
    };
    let reference = simulate(&spec, 40);
    let echo: Vec<usize> = (0..40).filter(|&cycle| matches!(reference.emitted(1)[cycle], Symbol::Packet(_))).collect();
    // First symbol out in cycle 1, in at node 1 in cycle 4.
    assert_eq!(echo, [4 + 7, 4 + 8, 4 + 9, 4 + 10, 4 + 11]);
}

// --- Responses ----------------------------------------------------------------------------------------------------

#[test]
fn a_transaction_is_a_request_its_service_a_response_and_its_service() {
    let mut spec = ring(4, 2, NONE, vec![with_response(once(0, 1, 8, 0), 40)]);
    spec.queues.receive.common.service_cycles = 50;
    let reference = simulate(&spec, 1_000);
    // Out in 1, in at 3, complete at 11, served at 61. Out in 62, over three hops in at 68, complete at 108, served at
    // 158.
    assert_eq!((starts(&reference, 0), starts(&reference, 1)), (vec![1], vec![62]));
    let deliveries = reference.deliveries();
    let times: Vec<(u64, u64, u32, bool)> =
        deliveries.iter().map(|d| (d.generated, d.delivered, d.destination, d.response)).collect();
    assert_eq!(times, [(0, 61, 1, false), (61, 158, 0, true)]);
    let result = reference.flow(0);
    assert_eq!((result.latencies.count, result.latencies.sum_cycles), (2, 61 + 97));
    assert_eq!((result.responses.count, result.responses.sum_cycles), (1, 97));
    assert_eq!((result.messages.count, result.messages.sum_cycles), (1, 158));
    assert_eq!(result.sent_packets, 2);
    assert_eq!(result.generated_packets, 1, "requests alone are generated");
}

#[test]
fn a_response_has_the_priority_of_its_request() {
    let reference = simulate(&ring(3, 1, NONE, vec![with_priority(with_response(once(0, 1, 8, 0), 20), 200)]), 300);
    assert_eq!(sends(&reference, 1)[0].1.priority, 200);
}

#[test]
fn a_response_has_the_group_of_the_responders_first_flow() {
    let sci = grouped(Extension::Passing, Release::Unblocked, 3);
    let request = with_response(once(0, 1, 8, 0), 20);
    let group_of_response = |flows| sends(&simulate(&ring(3, 1, sci.clone(), flows), 300), 1)[0].1.group;
    assert_eq!(group_of_response(vec![request.clone(), in_group(once(1, 2, 8, 250), 2)]), 2);
    assert_eq!(group_of_response(vec![request]), 0, "the responder has no flow");
}

// --- Input queues -------------------------------------------------------------------------------------------------

#[test]
fn requests_and_responses_have_places_and_servers_of_their_own() {
    // Node 0's request is served at node 1 from 11 on, node 2's response to node 1's own request comes in meanwhile.
    let flows = vec![with_response(once(1, 2, 8, 0), 8), once(0, 1, 8, 14)];
    let spec = with_input_queues(ring(3, 1, NONE, flows), 1, 20);
    let reference = simulate(&spec, 1_000);
    // Request: out 1, in 2, complete 10, served 30. Response: out 31, over two hops in at 33, complete 41, served 61.
    // Node 0's: out 15, in 16, complete 24, served 44.
    let delivered: Vec<u64> = reference.deliveries().iter().map(|delivery| delivery.delivered).collect();
    assert_eq!(delivered, [30, 44, 61]);
    assert_eq!(reference.node(1).refused_packets, 0);
    assert_eq!(reference.node(1).receive_queue_max, 2, "one of each class");
}

#[test]
fn the_server_takes_the_highest_priority_first_and_interrupts_no_service() {
    let flows = vec![
        once(0, 1, 8, 0),
        with_priority(once(0, 1, 8, 10), 1),
        with_priority(once(0, 1, 8, 20), 2),
        with_priority(once(0, 1, 8, 30), 1),
    ];
    let mut spec = ring(3, 1, NONE, flows);
    spec.queues.receive.common.service_cycles = 100;
    let order: Vec<usize> = simulate(&spec, 1_000).deliveries().iter().map(|delivery| delivery.flow).collect();
    assert_eq!(order, [0, 2, 1, 3]);
}

#[test]
fn a_packet_is_served_when_it_is_complete() {
    let mut spec = ring(3, 1, NONE, vec![once(0, 1, 100, 0), once(2, 1, 8, 0)]);
    spec.queues.receive.common.service_cycles = 10;
    let times: Vec<(usize, u64)> = simulate(&spec, 400).deliveries().iter().map(|d| (d.flow, d.delivered)).collect();
    // In at 2, complete at 102. Node 2's packet is behind it: in at 103, complete at 111, served from 112 on.
    assert_eq!(times, [(0, 102 + 10), (1, 112 + 10)]);
}

// --- Response capacity --------------------------------------------------------------------------------------------

/// Node 0 sends node 1 two requests at once.
fn two_requests(response_capacity: Option<u32>) -> NetworkSpec {
    let flows = vec![with_response(once(0, 1, 8, 0), 40), with_response(once(0, 1, 8, 0), 40)];
    with_limits(ring(4, 2, NONE, flows), |limits| limits.response_capacity = response_capacity)
}

#[test]
fn a_node_with_as_many_responses_as_it_may_have_serves_no_request_that_needs_one() {
    let requests_served = |spec: &NetworkSpec| -> Vec<u64> {
        simulate(spec, 1_000).deliveries().iter().filter(|d| !d.response).map(|d| d.delivered).collect()
    };
    // Complete at 11 and 20. The first response is out from 12, its echo comes home with its last symbol in 12 + 8 + 39
    // = 59.
    assert_eq!(requests_served(&two_requests(None)), [11, 20]);
    assert_eq!(requests_served(&two_requests(Some(1))), [11, 59]);
    assert_eq!(requests_served(&two_requests(Some(2))), [11, 20]);
}

#[test]
fn the_server_does_not_pass_over_a_request_that_has_to_wait_for_a_response() {
    let mut spec = two_requests(Some(1));
    spec.flows.push(once(0, 1, 8, 1));
    // The third request needs no response; it is complete at 29.
    let last = simulate(&spec, 1_000).deliveries().iter().find(|d| d.flow == 2).map(|d| d.delivered);
    assert_eq!(last, Some(59));
    spec.flows[2].priority = 1;
    let first = simulate(&spec, 1_000).deliveries().iter().find(|d| d.flow == 2).map(|d| d.delivered);
    // Of higher priority it is sent first, and before the server would have to wait.
    assert_eq!(first, Some(11 + 9));
}

// --- Window and outstanding limit ---------------------------------------------------------------------------------

#[test]
fn a_window_of_one_allows_one_transaction_at_a_time() {
    let mut spec = ring(4, 2, NONE, vec![with_response(saturated(0, 1, 8), 40)]);
    spec.queues.limits.common.window = Some(1);
    let reference = simulate(&spec, 1_000);
    // Out in 1, complete at 11; the response is out in 12, in at 18, complete at 58. The next request is head in 58.
    assert_eq!(starts(&reference, 0)[..3], [1, 59, 117]);
    spec.queues.limits.common.window = Some(2);
    assert_eq!(starts(&simulate(&spec, 1_000), 0)[..3], [1, 10, 59]);
}

#[test]
fn requests_without_a_response_need_no_window() {
    let mut spec = ring(4, 2, NONE, vec![with_response(saturated(0, 1, 8), 40), with_priority(once(0, 2, 8, 20), 1)]);
    spec.queues.limits.common.window = Some(1);
    let reference = simulate(&spec, 1_000);
    assert_eq!(flows_sent(&reference, 0)[..3], [0, 1, 0]);
    // Of the same priority it waits behind one that has to wait.
    spec.flows[1].priority = 0;
    assert_eq!(flows_sent(&simulate(&spec, 1_000), 0)[..3], [0, 0, 1]);
}

#[test]
fn the_outstanding_limit_counts_requests_and_responses_apart() {
    // Node 1 has a request of its own on its way round a long ring when a request comes in.
    let flows = vec![once(1, 3, 8, 0), once(1, 3, 8, 0), with_response(once(0, 1, 8, 0), 8)];
    let mut spec = ring(4, 10, NONE, flows);
    spec.queues.limits.common.outstanding_limit = Some(1);
    let reference = simulate(&spec, 300);
    assert_eq!(classes_sent(&reference, 1), [Class::Request, Class::Response, Class::Request]);
    // The request: in at 11, complete at 19. The own echo is back in 1 + 40 + 7.
    assert_eq!(starts(&reference, 1), [1, 20, 49]);
}

// --- Which packet goes first --------------------------------------------------------------------------------------

/// Node 1 has responses and requests to send all the time, of equal priority.
fn responder(order: ClassOrder) -> NetworkSpec {
    let flows = vec![with_response(saturated(0, 1, 8), 40), saturated(1, 2, 40)];
    with_queues(ring(3, 1, NONE, flows), |queues| queues.order = order)
}

#[test]
fn at_equal_priority_the_classes_alternate() {
    let classes = classes_sent(&simulate(&responder(ClassOrder::Alternate), 2_000), 1);
    assert!(classes.len() > 20);
    assert_eq!(classes[0], Class::Request, "at first as if a response had left");
    assert!(classes.windows(2).all(|pair| pair[0] != pair[1]), "{classes:?}");
}

#[test]
fn at_equal_priority_responses_or_requests_go_first() {
    let first = classes_sent(&simulate(&responder(ClassOrder::ResponseFirst), 2_000), 1);
    assert!(first[1..].iter().all(|&class| class == Class::Response), "{first:?}");
    let last = classes_sent(&simulate(&responder(ClassOrder::RequestFirst), 2_000), 1);
    assert!(last.iter().all(|&class| class == Class::Request), "{last:?}");
}

#[test]
fn at_equal_priority_the_oldest_goes_first() {
    let spec = responder(ClassOrder::Oldest);
    let reference = simulate(&spec, 4_000);
    let generated: Vec<u64> =
        sends(&reference, 1).iter().map(|(_, symbol)| reference.packet(*symbol).generated).collect();
    assert!(generated.windows(2).all(|pair| pair[0] <= pair[1]), "{generated:?}");
    let classes = classes_sent(&reference, 1);
    assert!(classes.contains(&Class::Request) && classes.contains(&Class::Response));
}

#[test]
fn priority_goes_before_the_order_of_the_classes() {
    for order in [ClassOrder::Alternate, ClassOrder::ResponseFirst, ClassOrder::RequestFirst, ClassOrder::Oldest] {
        let mut spec = responder(order);
        spec.flows[0].priority = 1;
        let classes = classes_sent(&simulate(&spec, 2_000), 1);
        assert!(classes[1..].iter().all(|&class| class == Class::Response), "{order:?}: {classes:?}");
    }
}

#[test]
fn a_node_full_of_responses_sends_one_after_each_request_whatever_its_priority() {
    let mut spec = responder(ClassOrder::Alternate);
    spec.flows[1].priority = 1;
    let classes = classes_sent(&simulate(&spec, 2_000), 1);
    assert!(classes.iter().all(|&class| class == Class::Request), "requests are of higher priority: {classes:?}");
    spec.queues.limits.common.response_capacity = Some(1);
    let classes = classes_sent(&simulate(&spec, 2_000), 1);
    assert!(classes.windows(2).all(|pair| pair != [Class::Response, Class::Response]), "{classes:?}");
    assert!(classes.iter().filter(|&&class| class == Class::Response).count() > 8, "{classes:?}");
}

#[test]
fn a_head_chosen_because_of_full_responses_yields_when_they_are_not_full_any_more() {
    // Node 1 owes a response of low priority and is full of responses; a request of high priority waits, go bits are
    // lost.
    let flows = vec![
        with_response(once(0, 1, 8, 0), 8),
        with_response(once(0, 1, 8, 0), 8),
        with_priority(once(1, 2, 8, 100), 3),
    ];
    let spec = with_limits(ring(3, 30, NONE, flows), |limits| limits.response_capacity = Some(1));
    let reference = simulate(&spec, 600);
    // First response: complete 39, out 40, home in 40 + 90 + 7 = 137; only then is the second request served.
    assert_eq!(starts(&reference, 1), [40, 101, 138]);
    assert_eq!(classes_sent(&reference, 1), [Class::Response, Class::Request, Class::Response]);
}

#[test]
fn a_waiting_head_yields_to_a_higher_priority_of_256() {
    let flows = vec![once(0, 2, 40, 50), once(1, 2, 8, 60), with_priority(once(1, 2, 8, 70), 255)];
    // Node 0's packet is in at node 1 from 52 to 91.
    assert_eq!(flows_sent(&simulate(&ring(3, 1, NONE, flows), 300), 1), [2, 1]);
}

// --- Bursts -------------------------------------------------------------------------------------------------------

#[test]
fn an_arrival_may_generate_several_packets() {
    let reference = simulate(&ring(3, 1, NONE, vec![in_bursts(once(0, 1, 8, 5), 3)]), 200);
    assert_eq!(starts(&reference, 0), [6, 15, 24]);
    let result = reference.flow(0);
    assert_eq!((result.generated_packets, result.latencies.count), (3, 3));
    // The last one is in at 25, complete at 33.
    assert_eq!((result.messages.count, result.messages.sum_cycles), (1, 33 - 5));
    assert_eq!(result.latencies.min, Some(15 - 5));
}

#[test]
fn a_burst_is_taken_whole_or_lost_whole() {
    let lost = |capacity| {
        let mut spec = ring(3, 1, NONE, vec![once(0, 1, 8, 0), in_bursts(once(0, 1, 8, 0), 3)]);
        spec.queues.limits.common.transmit_capacity = Some(capacity);
        let reference = simulate(&spec, 300);
        let result = reference.flow(1);
        assert_eq!(result.generated_packets, 3);
        assert_eq!(result.sent_packets + result.lost_packets, 3);
        result.lost_packets
    };
    assert_eq!((lost(3), lost(4)), (3, 0));
}

#[test]
fn responses_take_no_place_of_the_transmit_capacity() {
    // Node 1 sends from 1 to 100; the response is created at 10 and waits.
    let flows = vec![once(1, 2, 100, 0), with_response(once(0, 1, 8, 0), 8), once(1, 2, 8, 20), once(1, 2, 8, 30)];
    let spec = with_limits(ring(3, 1, NONE, flows), |limits| limits.transmit_capacity = Some(2));
    let reference = simulate(&spec, 50);
    assert_eq!((reference.flow(2).lost_packets, reference.flow(3).lost_packets), (0, 1));
    assert_eq!(reference.node(1).transmit_queue_max, 3, "the queue's length counts it");
}

#[test]
fn a_message_is_late_after_its_deadline() {
    let missed = |deadline| {
        let mut spec = ring(3, 1, NONE, vec![in_bursts(once(0, 1, 8, 5), 3)]);
        spec.flows[0].deadline_cycles = Some(deadline);
        simulate(&spec, 200).flow(0).missed_deadlines
    };
    assert_eq!((missed(27), missed(28)), (1, 0));
}
