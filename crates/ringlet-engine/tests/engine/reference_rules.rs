//! The reference by itself: what docs/explanation/model.md and picker1994 promise, in cases small enough to be worked
//! out by hand.
//!
//! Cycles are counted from 0; a *hop* is a link between source and destination, `D` the hop delay, `L` a packet's
//! symbols.

use crate::reference::{Kind, Reference, Symbol};
use crate::rings::*;
use proptest::prelude::*;
use ringlet_engine::protocols::{
    FlowControlSpec,
    go_bits::{Extension, Release},
};
use ringlet_engine::spec::{
    ArrivalSpec, DestinationSpec, FlowSpec, GroupSpec, HostLimitsSpec, NetworkSpec, ReceiveQueueSpec, RetrySpec,
    RetryStrategy, RingShape,
};

/// SCI on a ring whose idles all have a go bit while there is little traffic, so that no packet waits for one.
const REFILLED: FlowControlSpec = sci(Extension::Passing, Release::Unblocked, 1);

/// Section 1.2: nodes 1, 2 and 3 send to node 4, node 4 to node 2 (numbered from 0 here).
fn worked_example(flow_control: FlowControlSpec) -> NetworkSpec {
    let flows = [(0, 3), (1, 3), (2, 3), (3, 1)].map(|(source, destination)| saturated(source, destination, 40));
    ring(4, 1, flow_control, flows.into())
}

// --- Time ---------------------------------------------------------------------------------------------------------

#[test]
fn a_lone_packet_takes_one_cycle_and_its_hops_and_its_length() {
    for flow_control in [NONE, SCI, grouped(Extension::None, Release::All, 4), sci(Extension::None, Release::All, 4)] {
        for (nodes, hop_delay, symbols, hops) in [(2, 1, 8, 1), (5, 1, 40, 3), (4, 7, 144, 2), (16, 3, 9, 15)] {
            let source = 1;
            let destination = (source + hops) % nodes;
            let spec = ring(nodes, hop_delay, flow_control.clone(), vec![once(source, destination, symbols, 10)]);
            let result = simulate(&spec, 2_000).flow(0);
            // The idle before it, then the hops, then its symbols.
            let expected = 1 + u64::from(hops * hop_delay + symbols);
            assert_eq!((result.latencies.count, result.latencies.sum_cycles), (1, expected));
        }
    }
}

#[test]
fn a_packet_is_delivered_when_its_service_ends_and_counted_from_that_cycle_on() {
    let mut spec = ring(3, 2, NONE, vec![once(0, 1, 20, 4)]);
    spec.queues.receive.common.service_cycles = 100;
    let delivered = 4 + 1 + 2 + 20 + 100;
    assert_eq!(simulate(&spec, delivered - 1).flow(0).latencies.count, 0);
    assert_eq!(simulate(&spec, delivered).flow(0).latencies.count, 1);
    assert_eq!(simulate(&spec, delivered).deliveries()[0].delivered, delivered);
}

#[test]
fn a_packet_that_nobody_has_stripped_in_time_is_not_delivered() {
    let spec = ring(3, 2, NONE, vec![once(0, 1, 20, 4)]);
    let reference = simulate(&spec, 4 + 1 + 2 + 19);
    assert_eq!(reference.flow(0).latencies.count, 0);
    assert_eq!(reference.flow(0).sent_packets, 1);
}

#[test]
fn a_send_crosses_the_links_to_its_destination_and_its_echo_the_rest_of_the_ring() {
    let reference = simulate(&ring(5, 2, SCI, vec![once(1, 4, 33, 0)]), 500);
    let sends: Vec<u64> = reference.nodes().iter().map(|node| node.link_symbols.send).collect();
    let echoes: Vec<u64> = reference.nodes().iter().map(|node| node.link_symbols.echo).collect();
    assert_eq!(sends, [0, 33, 33, 33, 0]);
    assert_eq!(echoes, [4, 0, 0, 0, 4]);
    for node in reference.nodes() {
        let link = node.link_symbols;
        assert_eq!(link.send + link.retry + link.echo + link.idle, 500);
    }
}

#[test]
fn the_echo_takes_the_place_of_the_last_four_symbols() {
    let reference = simulate(&ring(2, 3, NONE, vec![once(0, 1, 12, 0)]), 40);
    let echo: Vec<usize> = (0..40).filter(|&cycle| matches!(reference.emitted(1)[cycle], Symbol::Packet(_))).collect();
    // First symbol out in cycle 1, in at node 1 in cycle 4.
    assert_eq!(echo, [4 + 8, 4 + 9, 4 + 10, 4 + 11]);
}

#[test]
fn a_saturated_node_alone_sends_a_packet_and_one_idle_in_turn() {
    let reference = simulate(&ring(3, 2, NONE, vec![saturated(0, 2, 40)]), 1_000);
    let expected: Vec<usize> = (1..1_000).step_by(41).collect();
    assert_eq!(starts(&reference, 0), expected);
    // All that have left, and the one at the head.
    assert_eq!(reference.flow(0).generated_packets, (1_000 - 1) / 41 + 1);
}

#[test]
fn a_node_may_send_to_itself_on_a_ring_of_one() {
    for flow_control in [NONE, SCI] {
        let reference = simulate(&ring(1, 3, flow_control, vec![once(0, 0, 16, 5)]), 100);
        assert_eq!(reference.flow(0).latencies.sum_cycles, 1 + 3 + 16);
        assert_eq!(reference.node(0).link_symbols.send, 16);
        assert_eq!(reference.node(0).link_symbols.echo, 4);
    }
}

#[test]
fn advancing_in_steps_changes_nothing() {
    let spec = worked_example(SCI);
    let whole = simulate(&spec, 3_000);
    let mut steps = Reference::new(&spec);
    for cycles in [1, 0, 7, 992, 2_000] {
        steps.advance(cycles);
    }
    assert_eq!(steps.cycle(), 3_000);
    assert_eq!((whole.flows(), whole.nodes(), whole.deliveries()), (steps.flows(), steps.nodes(), steps.deliveries()));
}

// --- Flow control -------------------------------------------------------------------------------------------------

#[test]
fn without_flow_control_a_steady_stream_starves_nodes_downstream() {
    let reference = simulate(&worked_example(NONE), 20_000);
    // "a steady stream of transmissions from node 4 will prevent node 1 from ever transmitting. The lack of
    // transmissions from node 1 allows node 2 to transmit indefinitely, preventing node 3" (Section 1.2). Each of the
    // starved gets one packet off before the stream arrives.
    let sent: Vec<u64> = reference.flows().iter().map(|flow| flow.sent_packets).collect();
    assert_eq!((sent[0], sent[2]), (1, 1));
    assert!(sent[1] > 400 && sent[3] > 400, "{sent:?}");
}

#[test]
fn sci_restricts_every_node_of_the_worked_example_to_one_third_of_a_link() {
    for (extension, release) in [(Extension::Received, Release::Unblocked), (Extension::None, Release::All)] {
        let reference = simulate(&worked_example(sci(extension, release, 1)), 40_000);
        let shares: Vec<f64> = (0..4).map(|flow| throughput(&reference, flow)).collect();
        assert!(shares.iter().all(|share| (0.25..1.0 / 3.0).contains(share)), "{shares:?}");
        let (least, most) = (shares.iter().copied().fold(1.0, f64::min), shares.iter().copied().fold(0.0, f64::max));
        assert!(most - least < 0.02, "{shares:?}");
    }
}

#[test]
fn groups_let_the_unconstrained_node_of_the_worked_example_have_more_than_sci_does() {
    let mut spec = worked_example(grouped(Extension::None, Release::All, 4));
    for (group, flow) in spec.flows.iter_mut().enumerate() {
        flow.groups = GroupSpec::Fixed { group: group as u8 };
    }
    let node_4 = throughput(&simulate(&spec, 40_000), 3);
    let under_sci = throughput(&simulate(&worked_example(SCI), 40_000), 3);
    assert!(node_4 > 1.2 * under_sci, "{node_4} against {under_sci}");
}

#[test]
fn two_conflicting_nodes_alternate() {
    // Without go-bit extension, which makes go bits at node 2 that only node 0 can use.
    let sci = sci(Extension::None, Release::Unblocked, 1);
    let reference = simulate(&ring(3, 1, sci, vec![saturated(0, 2, 40), saturated(1, 2, 40)]), 10_000);
    let sources: Vec<u32> = reference.emitted(1)[1_000..]
        .iter()
        .filter_map(|symbol| match symbol {
            Symbol::Packet(symbol) if symbol.is_first() && !symbol.is_echo() => Some(symbol.source),
            _ => None,
        })
        .collect();
    assert!(sources.len() > 200);
    assert!(sources.windows(2).all(|pair| pair[0] != pair[1]), "{sources:?}");
}

#[test]
fn a_lost_go_bit_stops_the_ring() {
    for flow_control in [SCI, sci(Extension::Always, Release::All, 4), grouped(Extension::Passing, Release::All, 3)] {
        let mut spec = worked_example(flow_control);
        spec.initial_go = Some(0);
        let reference = simulate(&spec, 5_000);
        assert!(reference.flows().iter().all(|flow| flow.sent_packets == 0 && flow.generated_packets == 1));
        assert!(reference.nodes().iter().all(|node| node.link_symbols.idle == 5_000));
    }
}

#[test]
fn without_flow_control_there_are_no_go_bits_to_lose() {
    let mut spec = worked_example(NONE);
    let with_default = simulate(&spec, 5_000);
    spec.initial_go = Some(0);
    assert_eq!(with_default.nodes(), simulate(&spec, 5_000).nodes());
}

#[test]
fn a_lost_go_bit_stops_its_own_group_only() {
    let flows = vec![in_group(saturated(0, 2, 40), 0), in_group(saturated(1, 3, 40), 1)];
    let mut spec = ring(4, 1, grouped(Extension::Passing, Release::Unblocked, 2), flows);
    spec.initial_go = Some(0b01);
    let spoiled = simulate(&spec, 5_000);
    // Node 1 records group 0 as soon as node 0's packet passes it, and may then go by group 0's bit: they share the
    // link.
    let sent = (spoiled.flow(0).sent_packets, spoiled.flow(1).sent_packets);
    assert!(sent.0 > 40 && sent.1 > 40, "{sent:?}");
    spec.flows[0] = in_group(saturated(2, 0, 40), 0);
    spec.flows[1] = in_group(saturated(0, 2, 40), 1);
    let apart = simulate(&spec, 5_000);
    assert!(apart.flow(0).sent_packets > 100);
    assert_eq!(apart.flow(1).sent_packets, 0, "only echoes pass node 0, and echoes are never recorded");
}

#[test]
fn the_block_register_is_cleared_when_a_packet_leaves_an_empty_fifo_and_kept_otherwise() {
    // Group 1's go bit is lost: node 1's packets go by group 0's, once a packet of node 0 has been recorded.
    let own = |cycle| in_group(once(1, 3, 40, cycle), 1);
    let sent_by_node_1 = |further: Option<FlowSpec>| {
        let flows = [own(0), own(1), once(0, 3, 40, 10)].into_iter().chain(further).collect();
        let mut spec = ring(4, 20, grouped(Extension::None, Release::Unblocked, 2), flows);
        spec.initial_go = Some(0b01);
        starts(&simulate(&spec, 1_000), 1)
    };
    // Node 0's packet is in at node 1 from 31 to 70, node 1's first one out from 72 to 111, over idles only.
    assert_eq!(sent_by_node_1(None), [72]);
    // A second packet of node 0 is in from 91 to 130, recorded while node 1 sends, and out from 113 to 152.
    assert_eq!(sent_by_node_1(Some(once(0, 3, 40, 70))), [72, 154]);
}

#[test]
fn sci_is_the_grouped_protocol_with_one_group() {
    for (extension, release) in [(Extension::Received, Release::Unblocked), (Extension::None, Release::All)] {
        let one_bit = simulate(&worked_example(sci(extension, release, 1)), 10_000);
        let one_group = simulate(&worked_example(grouped(extension, release, 1)), 10_000);
        assert_eq!(one_bit.nodes(), one_group.nodes());
        assert_eq!(one_bit.deliveries(), one_group.deliveries());
    }
}

#[test]
fn idles_left_by_a_stripped_packet_copy_the_last_go_bits_only_under_extension() {
    for (extension, expected) in [(Extension::None, false), (Extension::Passing, true)] {
        let spec = ring(2, 1, sci(extension, Release::Unblocked, 1), vec![once(0, 1, 40, 0)]);
        let reference = simulate(&spec, 100);
        // The first symbol leaves node 0 in cycle 1 and comes in at node 1 in cycle 2; the echo begins 36 later.
        assert!(idle(&reference, 1, 1).go.has(0));
        for cycle in 2..2 + 36 {
            assert_eq!(idle(&reference, 1, cycle).go.has(0), expected, "{extension:?}, cycle {cycle}");
        }
    }
}

#[test]
fn the_idle_behind_an_own_packet_releases_go_bits_as_configured_while_the_fifo_is_not_empty() {
    for (release, behind_own) in [(Release::Unblocked, false), (Release::All, true)] {
        // Node 1 sends from cycle 5 to 44; node 0's packet is out of node 0 from cycle 20 to 59, in at node 1 from 40
        // to 79.
        let flows = vec![once(0, 2, 40, 19), once(1, 2, 40, 4)];
        let reference = simulate(&ring(3, 20, sci(Extension::None, release, 1), flows), 120);
        assert_eq!((starts(&reference, 0), starts(&reference, 1)), (vec![20], vec![5]));
        assert_eq!(idle(&reference, 1, 45).go.has(0), behind_own, "{release:?}");
        // Node 0's packet leaves node 1 from 46 to 85; the idles behind it fill nothing but one separator, which
        // carries what was saved.
        assert!(matches!(reference.emitted(1)[46], Symbol::Packet(symbol) if symbol.is_first()));
        assert!(matches!(reference.emitted(1)[85], Symbol::Packet(symbol) if symbol.is_last()));
        // Go bits that came in behind node 0's packet are released here in either case.
        assert!(idle(&reference, 1, 86).go.has(0), "{release:?}");
    }
}

#[test]
fn a_waiting_node_withholds_go_bits_of_recorded_groups_and_passes_the_others() {
    // Node 0 (group 0) sends through node 1 while node 1 (group 1) sends; node 1's FIFO then fills up with packets.
    let flows = vec![in_group(saturated(0, 2, 40), 0), in_group(saturated(1, 2, 40), 1)];
    let reference = simulate(&ring(3, 1, grouped(Extension::None, Release::Unblocked, 3), flows), 5_000);
    // Group 2 has no packets, so its go bit passes every node in the next idle and is never withheld. Groups 0 and 1
    // are.
    let carried = |node: usize, group: usize| {
        reference.emitted(node).iter().filter(|s| matches!(s, Symbol::Idle(idle) if idle.go.has(group))).count()
    };
    assert!(carried(1, 2) > carried(1, 0) && carried(1, 2) > carried(1, 1), "{}", carried(1, 2));
}

#[test]
fn the_bypass_fifo_fills_up_to_the_longest_own_packet_and_one() {
    // Node 0 sends short packets back to back; while node 1 sends a long one they fill its FIFO.
    let reference = simulate(&ring(3, 1, NONE, vec![saturated(0, 2, 8), once(1, 2, 144, 1_000)]), 3_000);
    let fill = reference.node(1).bypass_max_symbols;
    assert!((128..=145).contains(&fill), "{fill} symbols");
}

// --- Queues and retries -------------------------------------------------------------------------------------------

/// Two packets for node 2, the second of which comes while the first is in service.
fn busy_destination(strategy: RetryStrategy, delay_cycles: u64, service_cycles: u64) -> NetworkSpec {
    let mut spec = ring(4, 2, REFILLED, vec![once(1, 2, 16, 0), once(0, 2, 16, 100)]);
    spec.queues.receive.common = ReceiveQueueSpec { capacity: Some(1), service_cycles };
    spec.queues.limits.common.retry = RetrySpec { strategy, delay_cycles };
    spec
}

#[test]
fn a_busy_echo_makes_a_retry() {
    let reference = simulate(&busy_destination(RetryStrategy::Constant, 50, 120), 1_000);
    // Node 1's packet: first symbol out in 1, in at 3, complete at 19, served at 139. Node 0's: out in 101, in at 105:
    // busy.
    assert_eq!(reference.deliveries()[0].delivered, 139);
    assert_eq!(reference.node(2).refused_packets, 1);
    let result = reference.flow(1);
    assert_eq!((result.sent_packets, result.retries, result.latencies.count), (1, 1, 1));
    // Its echo has come home in cycle 101 + 4 * 2 + 15 = 124; head in 174, out in 175, in at 179, complete at 195.
    assert_eq!(starts(&reference, 0), [101, 175]);
    assert_eq!(reference.deliveries()[1].delivered, 195 + 120);
    let link = reference.node(0).link_symbols;
    assert_eq!((link.send, link.retry), (16, 16));
    assert_eq!(reference.node(1).link_symbols.retry, 16);
}

#[test]
fn retry_delays_grow_as_their_strategy_says() {
    let round_trip = 4 * 2 + 16;
    let cases = [
        (RetryStrategy::Constant, [30, 30, 30, 30]),
        (RetryStrategy::Linear, [30, 60, 90, 120]),
        (RetryStrategy::Exponential, [30, 60, 120, 240]),
    ];
    for (strategy, delays) in cases {
        let reference = simulate(&busy_destination(strategy, 30, 100_000), 900);
        let starts = starts(&reference, 0);
        let gaps: Vec<usize> = starts.windows(2).take(4).map(|pair| pair[1] - pair[0]).collect();
        // Out, home, the delay, one idle.
        assert_eq!(gaps, delays.map(|delay| round_trip + delay), "{strategy:?}");
    }
}

#[test]
fn a_place_in_the_receive_queue_is_free_from_the_cycle_in_which_service_ends() {
    // The first packet's service ends at 19 + service; the second's first symbol comes in in cycle 105.
    let refused =
        |service| simulate(&busy_destination(RetryStrategy::Constant, 0, service), 200).node(2).refused_packets;
    assert_eq!(refused(105 - 19), 0);
    assert!(refused(105 - 19 + 1) > 0);
}

#[test]
fn the_receive_queue_serves_one_packet_at_a_time_and_limits_throughput() {
    let mut spec = ring(3, 1, SCI, vec![saturated(0, 2, 16), saturated(1, 2, 16)]);
    spec.queues.receive.common.service_cycles = 500;
    for capacity in [None, Some(1), Some(3)] {
        spec.queues.receive.common.capacity = capacity;
        let reference = simulate(&spec, 20_000);
        let deliveries = reference.deliveries();
        assert!((30..=39).contains(&deliveries.len()), "{capacity:?}: {}", deliveries.len());
        assert!(deliveries.windows(2).all(|pair| pair[1].delivered - pair[0].delivered >= 500));
        assert_eq!(reference.node(2).refused_packets > 0, capacity.is_some());
    }
}

#[test]
fn a_packet_is_in_the_receive_queue_from_its_first_symbol_to_the_end_of_its_service() {
    // Packets for node 2: one in from cycle 3 to 18, served at 139; the other in from 105 to 120, served from 139 to
    // 259.
    let mut spec = busy_destination(RetryStrategy::Constant, 0, 120);
    spec.queues.receive.common.capacity = None;
    let at = |spec: &NetworkSpec, cycles| {
        let node = simulate(spec, cycles).node(2);
        (node.receive_queue_packet_cycles, node.receive_queue_max)
    };
    assert_eq!(at(&spec, 3), (0, 0));
    assert_eq!(at(&spec, 4), (1, 1));
    assert_eq!(at(&spec, 105), (105 - 3, 1));
    assert_eq!(at(&spec, 106), (106 - 3 + 1, 2));
    assert_eq!(at(&spec, 1_000), (139 - 3 + 259 - 105, 2));
    // One place: the packet is refused until cycle 139, and a refused packet takes none.
    spec.queues.receive.common.capacity = Some(1);
    assert_eq!((at(&spec, 139), at(&spec, 1_000).1), ((139 - 3, 1), 1));
}

#[test]
fn every_packet_is_delivered_once_however_often_it_is_refused() {
    for flow_control in [NONE, SCI, grouped(Extension::Always, Release::All, 2), sci(Extension::None, Release::All, 4)]
    {
        let flows = (0..30).map(|number| once(number % 3, 3, 8 + number, u64::from(number) * 7)).collect();
        let mut spec = ring(5, 2, flow_control, flows);
        spec.queues.receive.common = ReceiveQueueSpec { capacity: Some(2), service_cycles: 60 };
        spec.queues.limits.common.retry.delay_cycles = 11;
        let reference = simulate(&spec, 20_000);
        let mut delivered: Vec<(usize, u32, u32)> =
            reference.deliveries().iter().map(|d| (d.flow, d.destination, d.symbols)).collect();
        delivered.sort_unstable();
        let expected: Vec<(usize, u32, u32)> = (0..30).map(|number| (number as usize, 3, 8 + number)).collect();
        assert_eq!(delivered, expected);
        let retries: u64 = reference.flows().iter().map(|flow| flow.retries).sum();
        assert!(retries > 30, "{retries} retries");
        // Each refusal makes one retransmission, and every packet has been accepted in the end.
        assert_eq!(retries, reference.node(3).refused_packets);
        let echoes: u64 = reference.node(3).link_symbols.echo;
        assert_eq!(echoes, 4 * (30 + retries));
    }
}

#[test]
fn an_outstanding_limit_of_one_allows_one_packet_per_round_trip() {
    let mut spec = ring(6, 4, REFILLED, vec![saturated(0, 3, 24)]);
    spec.queues.limits.common.outstanding_limit = Some(1);
    let reference = simulate(&spec, 2_000);
    // Once round the ring, the rest of the packet, the idle before the next one in the echo's last cycle.
    let round_trip = 6 * 4 + 24;
    assert!(starts(&reference, 0).windows(2).all(|pair| pair[1] - pair[0] == round_trip));
    assert_eq!(starts(&reference, 0).len(), 1 + (1_999 - 1) / round_trip);
}

#[test]
fn a_refused_packet_counts_as_outstanding_until_it_is_accepted() {
    let mut spec = busy_destination(RetryStrategy::Constant, 200, 400);
    spec.queues.limits.common.outstanding_limit = Some(1);
    spec.flows.push(once(0, 3, 16, 110));
    // Refused in 105, sent again in 325 and refused, sent again in 549 and accepted; the echo is home in 572.
    let reference = simulate(&spec, 2_000);
    assert_eq!(starts(&reference, 0), [101, 325, 549, 573]);
    spec.queues.limits.common.outstanding_limit = Some(2);
    assert_eq!(starts(&simulate(&spec, 2_000), 0)[1], 118);
}

#[test]
fn retries_go_before_new_packets() {
    let mut spec = busy_destination(RetryStrategy::Constant, 0, 110);
    spec.flows.push(flow(0, 3, 16, ArrivalSpec::Periodic { period: 12.0, phase: 102.0 }));
    let reference = simulate(&spec, 200);
    let kinds: Vec<Kind> = starts(&reference, 0)
        .iter()
        .map(|&cycle| match reference.emitted(0)[cycle] {
            Symbol::Packet(symbol) => symbol.kind,
            _ => unreachable!(),
        })
        .collect();
    // The busy echo is home in cycle 124, while the packet behind the refused one is on its way out (118 to 133).
    assert_eq!(kinds[..4], [Kind::Send, Kind::Send, Kind::Retry, Kind::Send]);
}

#[test]
fn a_refused_packet_keeps_its_group() {
    let mut spec = busy_destination(RetryStrategy::Constant, 50, 120);
    spec.flow_control = grouped(Extension::None, Release::Unblocked, 3).into();
    spec.flows[1].groups = GroupSpec::Schedule { steps: vec![(0, 1), (110, 2)] };
    let reference = simulate(&spec, 1_000);
    let groups: Vec<(Kind, u8)> = starts(&reference, 0)
        .iter()
        .map(|&cycle| match reference.emitted(0)[cycle] {
            Symbol::Packet(symbol) => (symbol.kind, symbol.group),
            _ => unreachable!(),
        })
        .collect();
    assert_eq!(groups, [(Kind::Send, 1), (Kind::Retry, 1)]);
}

#[test]
fn a_refused_packet_takes_no_place_in_the_transmit_queue() {
    // Sent again from 175 to 190, while a new packet arrives.
    let mut spec = busy_destination(RetryStrategy::Constant, 50, 120);
    spec.flows.push(once(0, 3, 16, 180));
    spec.queues.limits.common.transmit_capacity = Some(1);
    let reference = simulate(&spec, 1_000);
    assert_eq!(starts(&reference, 0), [101, 175, 192]);
    assert_eq!(reference.flow(2).lost_packets, 0);
    assert_eq!(reference.node(0).transmit_queue_max, 1);
    // The first packet leaves in 117, the other in 208.
    assert_eq!(reference.node(0).transmit_queue_packet_cycles, (117 - 100) + (208 - 180));
}

#[test]
fn an_arrival_at_a_full_transmit_queue_is_lost() {
    let mut spec = ring(2, 1, NONE, vec![flow(0, 1, 100, ArrivalSpec::Periodic { period: 1.0, phase: 0.0 })]);
    spec.queues.limits.common.transmit_capacity = Some(3);
    let reference = simulate(&spec, 95);
    // Cycles 0, 1 and 2 fill the queue; the head leaves in cycle 101 only.
    let result = reference.flow(0);
    assert_eq!((result.generated_packets, result.lost_packets), (95, 92));
    assert_eq!(reference.node(0).transmit_queue_max, 3);
    assert_eq!(reference.node(0).transmit_queue_packet_cycles, 1 + 2 + 93 * 3);
}

#[test]
fn a_packet_is_in_the_transmit_queue_from_its_arrival_to_the_idle_behind_it() {
    let reference = simulate(&ring(3, 1, SCI, vec![once(0, 1, 40, 7)]), 300);
    // Out from 8 to 47, the idle in 48.
    assert_eq!(reference.node(0).transmit_queue_packet_cycles, 48 - 7);
    assert_eq!(reference.node(0).transmit_queue_max, 1);
}

#[test]
fn a_flow_is_first_in_first_out_and_flows_of_a_node_are_served_by_age() {
    let flows = vec![once(0, 1, 100, 0), once(0, 2, 8, 20), once(0, 3, 8, 10), once(0, 4, 8, 10)];
    let reference = simulate(&ring(5, 1, SCI, flows), 1_000);
    let order: Vec<usize> = starts(&reference, 0)
        .iter()
        .map(|&cycle| match reference.emitted(0)[cycle] {
            Symbol::Packet(symbol) => reference.packet(symbol).flow,
            _ => unreachable!(),
        })
        .collect();
    assert_eq!(order, [0, 2, 3, 1]);
}

#[test]
fn software_may_change_a_flows_group_between_packets() {
    let mut scheduled = saturated(0, 1, 40);
    scheduled.groups = GroupSpec::Schedule { steps: vec![(0, 0), (100, 1), (101, 2)] };
    let reference = simulate(&ring(2, 1, grouped(Extension::Passing, Release::Unblocked, 3), vec![scheduled]), 500);
    let groups: Vec<(usize, u8)> = starts(&reference, 0)
        .iter()
        .map(|&cycle| match reference.emitted(0)[cycle] {
            Symbol::Packet(symbol) => (cycle, symbol.group),
            _ => unreachable!(),
        })
        .collect();
    // A packet becomes head in the cycle in which the last one leaves.
    assert!(groups.windows(2).all(|pair| pair[1].1 == if pair[0].0 + 40 >= 101 { 2 } else { 0 }), "{groups:?}");
}

// --- Priorities ---------------------------------------------------------------------------------------------------

#[test]
fn a_waiting_head_yields_to_a_packet_of_higher_priority() {
    // Go bits are lost, so that the first packet stays at the head; then see who is at the head from what idles
    // collect.
    let flows = vec![once(1, 2, 40, 0), with_priority(once(1, 2, 40, 50), 3), with_priority(once(1, 2, 40, 60), 2)];
    let mut spec = ring(3, 1, sci(Extension::None, Release::All, 4), flows);
    spec.initial_go = Some(0);
    let reference = simulate(&spec, 100);
    assert_eq!(idle(&reference, 1, 49).collecting, 0);
    assert!((50..100).all(|cycle| idle(&reference, 1, cycle).collecting == 3));
    assert_eq!(reference.node(1).transmit_queue_max, 3);
}

#[test]
fn a_head_that_has_been_let_go_does_not_yield() {
    let started_with = |high_at| {
        let flows = vec![once(1, 2, 40, 10), with_priority(once(1, 2, 8, high_at), 3)];
        let reference = simulate(&ring(3, 1, sci(Extension::None, Release::All, 4), flows), 100);
        starts(&reference, 1)
    };
    // Head and let go in cycle 10, *ready* in 11, sent from 11 on.
    assert_eq!(started_with(10), [11, 11 + 9]);
    assert_eq!(started_with(11), [11, 11 + 41]);
}

#[test]
fn the_announced_priority_decays_within_two_revolutions() {
    let flows = vec![with_priority(once(2, 3, 40, 10), 3)];
    let reference = simulate(&ring(4, 5, sci(Extension::None, Release::All, 4), flows), 400);
    let announced: Vec<usize> = (0..400)
        .filter(|&cycle| matches!(reference.emitted(1)[cycle], Symbol::Idle(idle) if idle.announced == 3))
        .collect();
    // Node 2's head is at the head from 10 to 51: collected there, announced by node 0 from 10 + 2 hops on, at node 1 a
    // hop later.
    assert_eq!(announced.first(), Some(&(10 + 3 * 5)));
    assert!(announced.last().is_some_and(|&last| last < 51 + 2 * 4 * 5), "{announced:?}");
}

#[test]
fn a_node_of_higher_priority_gets_more_under_uniform_traffic() {
    let uniform = |source, priority| FlowSpec {
        priority,
        destinations: DestinationSpec::Uniform {},
        ..saturated(source, (source + 1) % 4, 40)
    };
    let flows = vec![uniform(0, 0), uniform(1, 0), uniform(2, 0), uniform(3, 3)];
    let reference = simulate(&ring(4, 1, sci(Extension::AfterSend, Release::Unblocked, 4), flows), 20_000);
    let (low, high) = (throughput(&reference, 0), throughput(&reference, 3));
    assert!(high > 1.5 * low, "{low} {high}");
}

// --- Any ring -----------------------------------------------------------------------------------------------------

fn any_flow_control() -> impl Strategy<Value = FlowControlSpec> {
    let extension = prop_oneof![
        Just(Extension::Received),
        Just(Extension::None),
        Just(Extension::Passing),
        Just(Extension::AfterSend),
        Just(Extension::Always)
    ];
    let release = prop_oneof![Just(Release::Unblocked), Just(Release::All)];
    prop_oneof![
        Just(NONE),
        (extension.clone(), release.clone(), 1..=4u8).prop_map(|(e, r, priorities)| sci(e, r, priorities)),
        (extension, release, prop_oneof![1..=16u16, 33..=256u16]).prop_map(|(e, r, groups)| grouped(e, r, groups)),
    ]
}

fn any_flow(nodes: u32, priorities: u8, groups: u16) -> impl Strategy<Value = FlowSpec> {
    let arrivals = prop_oneof![
        2 => Just(ArrivalSpec::Saturated {}),
        1 => (0.001..0.2).prop_map(|rate| ArrivalSpec::Bernoulli { rate }),
        1 => (0.001..0.2).prop_map(|rate| ArrivalSpec::Poisson { rate }),
        1 => (1.0..500.0, 0.0..500.0).prop_map(|(period, phase)| ArrivalSpec::Periodic { period, phase }),
    ];
    let sizes = prop_oneof![
        (8..=144u32).prop_map(|symbols| vec![(symbols, 1.0)]),
        Just(vec![(40, 0.4), (8, 0.6)]),
        Just(vec![(8, 0.5), (9, 0.25), (144, 0.25)]),
    ];
    let place = (0..nodes, 1..nodes.max(2), any::<bool>());
    (place, arrivals, sizes, 0..priorities, (0..groups).prop_map(|group| group as u8)).prop_map(
        move |((source, ahead, uniform), arrivals, sizes, priority, group)| FlowSpec {
            source,
            priority,
            arrivals,
            burst: 1,
            deadline_cycles: None,
            sizes,
            response_symbols: None,
            destinations: match uniform && nodes > 1 {
                true => DestinationSpec::Uniform {},
                false => DestinationSpec::Fixed { node: (source + ahead) % nodes },
            },
            groups: GroupSpec::Fixed { group },
            messages: None,
        },
    )
}

fn any_ring() -> impl Strategy<Value = NetworkSpec> {
    (1..=9u32, 1..=6u32, any_flow_control()).prop_flat_map(|(nodes, hop_delay, flow_control)| {
        let around_cycles = u64::from(nodes * hop_delay);
        let limits = flow_control.limits(RingShape { nodes, around_cycles, has_outstanding_limit: false });
        let flow = any_flow(nodes, 4.min(limits.levels) as u8, limits.groups);
        let limits = (
            proptest::option::of(1..4u32),
            0..200u64,
            proptest::option::of(1..5u32),
            proptest::option::of(1..5u32),
            0..300u64,
            prop_oneof![Just(RetryStrategy::Constant), Just(RetryStrategy::Linear), Just(RetryStrategy::Exponential)],
        );
        (proptest::collection::vec(flow, 0..12), limits, any::<u64>()).prop_map(
            move |(flows, (capacity, service_cycles, transmit, outstanding, delay_cycles, strategy), seed)| {
                let mut spec = NetworkSpec { seed, ..ring(nodes, hop_delay, flow_control.clone(), flows) };
                spec.queues.receive.common = ReceiveQueueSpec { capacity, service_cycles };
                spec.queues.limits.common = HostLimitsSpec {
                    transmit_capacity: transmit,
                    outstanding_limit: outstanding,
                    retry: RetrySpec { strategy, delay_cycles },
                    ..HostLimitsSpec::default()
                };
                spec
            },
        )
    })
}

proptest! {
    #![proptest_config(crate::cases(200))]

    /// The reference checks its own invariants in every cycle; see `reference/checks.rs`.
    #[test]
    fn symbols_packets_and_go_bits_are_conserved_on_any_ring(spec in any_ring()) {
        let mut reference = Reference::new(&spec);
        reference.advance(4_000);
        for (index, flow) in reference.flows().iter().enumerate() {
            prop_assert!(flow.latencies.count <= flow.sent_packets, "flow {}", index);
            prop_assert!(flow.sent_packets + flow.lost_packets <= flow.generated_packets, "flow {}", index);
        }
        let refused: u64 = reference.nodes().iter().map(|node| node.refused_packets).sum();
        let retries: u64 = reference.flows().iter().map(|flow| flow.retries).sum();
        prop_assert!(retries <= refused);
    }
}
