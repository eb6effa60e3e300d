//! Section 5: TRAIN.

use proptest::prelude::*;
use ringlet_engine::protocols::{
    FlowControlSpec,
    go_bits::{Extension, Release},
    train::{TrainMode, TrainSpec},
};
use ringlet_engine::spec::{
    ArrivalSpec, DestinationSpec, FlowSpec, HostLimitsSpec, NetworkSpec, PerNode, QueuesSpec, ReceiveQueueSpec,
};

use crate::against_reference::compare;
use crate::random;
use crate::reference::{Kind, PacketSymbol, Reference, Revolution, Symbol};
use crate::rings::*;

const ARBITRATED: FlowControlSpec = FlowControlSpec::Train(TRAIN);

/// Trains that node `node` emits: cycle and first symbol.
fn trains(reference: &Reference, node: u32) -> Vec<(usize, PacketSymbol)> {
    packets(reference, node).into_iter().filter(|(_, symbol)| symbol.kind == Kind::Train).collect()
}

/// Returns the revolutions of the trains that the TicketMaster (node 0) emits.
fn revolutions(reference: &Reference) -> Vec<Revolution> {
    trains(reference, 0).into_iter().map(|(_, symbol)| reference.train(symbol).revolution).collect()
}

/// Priorities of the tickets of a train.
fn priorities(reference: &Reference, train: PacketSymbol) -> Vec<u8> {
    reference.train(train).tickets.iter().map(|ticket| ticket.rank.priority).collect()
}

// --- The train ----------------------------------------------------------------------------------------------------

#[test]
fn an_empty_train_takes_a_hop_and_a_delay_per_node_and_its_length_at_the_ticket_master() {
    let reference = simulate(&ring(4, 1, ARBITRATED, vec![]), 70);
    let cycles = |node| trains(&reference, node).into_iter().map(|(cycle, _)| cycle).collect::<Vec<_>>();
    // Out in 1, in at node 1 in 2, out in 6, ..., in at node 0 in 17, out in 21.
    assert_eq!((cycles(0), cycles(1)), (vec![1, 21, 41, 61], vec![6, 26, 46, 66]));
    assert_eq!((cycles(2), cycles(3)), (vec![11, 31, 51], vec![16, 36, 56]));
    use Revolution::{Grant, Request};
    assert_eq!(revolutions(&reference), [Request, Grant, Request, Grant]);
}

#[test]
fn a_train_that_need_not_wait_leaves_in_the_next_cycle() {
    for delay_cycles in [0, 1] {
        let flow_control = FlowControlSpec::Train(TrainSpec { delay_cycles, ..TRAIN });
        let reference = simulate(&ring(4, 1, flow_control, vec![]), 30);
        // In at node 1 in 2, out in 3; in at node 0 in 8, complete after 11.
        assert_eq!(trains(&reference, 1).iter().map(|train| train.0).collect::<Vec<_>>(), [3, 14, 25]);
    }
}

/// A train is back while its TicketMaster still sends it, and nobody's packets wait for that.
#[test]
fn a_ring_may_be_shorter_than_its_train() {
    for tickets_per_node in [1, 3] {
        let options = TrainSpec { ticket_symbols: 30, delay_cycles: 0, tickets_per_node, ..TRAIN };
        let flows = vec![saturated(0, 1, 40), with_priority(saturated(0, 1, 40), 1), saturated(1, 0, 40)];
        let reference = simulate(&ring(2, 1, FlowControlSpec::Train(options), flows), 10_000);
        // Three tickets of 30 symbols, of packets of 41: the lower priority of a node has to wait for the higher one.
        let sent = [0, 1, 2].map(|flow| reference.flow(flow).sent_packets);
        assert!(sent[1] > 20 && sent[2] > 5 && sent[0] <= 1, "{sent:?}");
    }
}

#[test]
fn a_packet_is_sent_behind_the_train_that_grants_it() {
    let reference = simulate(&ring(4, 1, ARBITRATED, vec![once(1, 2, 8, 0)]), 200);
    // Its ticket gets on the train in 2. That one is out of node 1 in 6, of node 2 in 11, of node 3 in 16, and of node
    // 0, which waits for all of its 6 symbols, in 23; it comes back in 24 and is out from 28 to 33.
    let lengths: Vec<(usize, u32)> =
        trains(&reference, 1).iter().map(|(cycle, train)| (*cycle, train.length)).collect();
    assert_eq!(lengths[..2], [(6, 6), (28, 6)]);
    assert_eq!(starts(&reference, 1), [35]);
    assert_eq!(reference.deliveries()[0].delivered, 36 + 8);
    assert_eq!(trains(&reference, 0)[2].1.length, 4, "tickets are removed at the end of the grant revolution");
}

#[test]
fn a_node_asks_for_several_packets_only_above_the_lowest_priority_asked_for() {
    for (other, tickets_per_node, tickets) in [(0, 1, 1), (0, 2, 2), (0, 3, 3), (0, 9, 3), (1, 3, 1), (2, 3, 1)] {
        let flow_control = FlowControlSpec::Train(TrainSpec { tickets_per_node, ..TRAIN });
        let burst = with_priority(in_bursts(once(2, 0, 8, 0), 3), 1);
        // Node 1 asks before node 2 does.
        let flows = vec![with_priority(once(1, 0, 8, 0), other), burst];
        let reference = simulate(&ring(4, 1, flow_control, flows), 70);
        let train = reference.train(trains(&reference, 2)[0].1);
        let of_two = train.tickets.iter().filter(|ticket| ticket.source == 2).count();
        assert_eq!(of_two, tickets, "beside priority {other}, {tickets_per_node} allowed");
    }
    // The train before has said what is asked for behind the node.
    let flow_control = FlowControlSpec::Train(TrainSpec { tickets_per_node: 3, ..TRAIN });
    let flows = vec![with_priority(in_bursts(once(1, 0, 8, 0), 5), 1), in_bursts(once(2, 0, 8, 0), 5)];
    let reference = simulate(&ring(4, 1, flow_control, flows), 200);
    let of_one = |place: usize| {
        let train = reference.train(trains(&reference, 1)[place].1);
        train.tickets.iter().filter(|ticket| ticket.source == 1).count()
    };
    assert_eq!([of_one(0), of_one(2), of_one(4)], [1, 3, 1]);
}

#[test]
fn the_ticket_master_asks_when_it_makes_the_train() {
    let reference = simulate(&ring(4, 1, ARBITRATED, vec![once(0, 2, 8, 0)]), 100);
    // Out from 1 to 6, in again in 17 and granted, out from 23 to 28.
    assert_eq!(trains(&reference, 0)[0].1.length, 6);
    assert_eq!(starts(&reference, 0), [30]);
}

/// "send the packet after the LocalMotive has passed" (Section 2.3): before all that waits in the bypass FIFO.
#[test]
fn a_granted_packet_follows_its_train_whatever_is_in_the_bypass_fifo() {
    // Node 0's packet is behind the train when it comes in at node 1, which sends its own packet first.
    let flows = vec![once(0, 3, 40, 0), once(1, 3, 40, 0), once(2, 3, 40, 0)];
    let reference = simulate(&ring(4, 1, ARBITRATED, flows), 300);
    let passed = packets(&reference, 2).into_iter().filter(|(_, symbol)| symbol.is_send());
    assert_eq!(passed.map(|(_, symbol)| symbol.source).collect::<Vec<_>>(), [2, 1, 0]);
    let (behind, _) = trains(&reference, 2)[1];
    assert_eq!(starts(&reference, 2), [behind + trains(&reference, 2)[1].1.length as usize + 1]);
    // More waits than a packet and its idle.
    assert!(reference.node(2).bypass_max_symbols > 41);
}

// --- Tickets ------------------------------------------------------------------------------------------------------

#[test]
fn tickets_stand_in_order_of_priority_and_what_exceeds_the_trains_size_is_dropped() {
    // todd2001, Figure 3: packets of 20 with their idles, 40 in all; one of 201 comes to a train of 202 and 200.
    let once_from = |node, priority| with_priority(once(node, 0, 19, 0), priority);
    let flow_control = FlowControlSpec::Train(TrainSpec { size_symbols: Some(40), ..TRAIN });
    let flows = vec![once_from(1, 202), once_from(2, 200), once_from(3, 201), once_from(4, 7)];
    let reference = simulate(&ring(5, 1, flow_control, flows), 400);
    let first = |node| priorities(&reference, trains(&reference, node)[0].1);
    assert_eq!([first(1), first(2), first(3), first(4)], [vec![202], vec![202, 200], vec![202, 201], vec![202, 201]]);
    // Those without a ticket are sent in the next pair of revolutions.
    let start = |node| starts(&reference, node)[0];
    assert!(start(1).max(start(3)) < start(2).min(start(4)));
}

#[test]
fn tickets_of_equal_priority_stand_in_the_order_in_which_they_came() {
    let once_from = |node| with_priority(once(node, 0, 19, 0), 5);
    let reference = simulate(&ring(4, 1, ARBITRATED, vec![once_from(3), once_from(1), once_from(2)]), 30);
    let (_, train) = trains(&reference, 3)[0];
    let sources: Vec<u32> = reference.train(train).tickets.iter().map(|ticket| ticket.source).collect();
    assert_eq!(sources, [1, 2, 3]);
}

#[test]
fn of_equal_priorities_the_oldest_goes_first() {
    let flow_control = FlowControlSpec::Train(TrainSpec { size_symbols: Some(20), ..TRAIN });
    let flows = vec![once(1, 0, 19, 3), once(2, 0, 19, 1), with_response(once(3, 0, 19, 2), 19)];
    let reference = simulate(&ring(4, 1, flow_control, flows), 1_000);
    let mut served = reference.deliveries();
    served.retain(|delivery| !delivery.response);
    assert_eq!(served.iter().map(|delivery| delivery.flow).collect::<Vec<_>>(), [1, 2, 0]);
}

/// Figure 3: what is cut off is the end, and a lower priority has no ticket where a higher one had none.
#[test]
fn nothing_lower_gets_on_behind_a_cut() {
    let once_from = |node, priority, symbols| with_priority(once(node, 0, symbols, 0), priority);
    let flow_control = FlowControlSpec::Train(TrainSpec { size_symbols: Some(40), ..TRAIN });
    // The long packet of priority 5 does not fit beside that of 9, the short one of priority 1 would.
    let flows = vec![once_from(1, 9, 19), once_from(2, 5, 30), once_from(3, 1, 9)];
    let reference = simulate(&ring(4, 1, flow_control, flows), 1_000);
    assert_eq!(priorities(&reference, trains(&reference, 3)[0].1), [9]);
    assert!(starts(&reference, 2)[0] < starts(&reference, 3)[0]);
    assert_eq!(reference.nodes().iter().map(|node| node.of_protocol("inverting_packets")).sum::<u64>(), 0);
}

#[test]
fn the_first_ticket_fits_whatever_the_size() {
    let flow_control = FlowControlSpec::Train(TrainSpec { size_symbols: Some(1), ..TRAIN });
    let reference = simulate(&ring(4, 1, flow_control, vec![once(1, 0, 19, 0), once(2, 0, 19, 0)]), 1_000);
    assert_eq!(reference.flows().iter().map(|flow| flow.latencies.count).sum::<u64>(), 2);
}

/// A ticket that gets on behind its destination finds no place in the grant train. The next request train leaves one
/// to it if it ranks higher.
#[test]
fn a_place_is_kept_for_a_higher_ranking_ticket_that_was_deleted() {
    // Node 2 has one place. Node 1's tickets pass it in the request train, node 3's in the grant train only.
    let flows =
        vec![flow(1, 2, 8, ArrivalSpec::Periodic { period: 40.0, phase: 0.0 }), with_priority(once(3, 2, 8, 0), 9)];
    let reference = simulate(&with_input_queues(ring(4, 1, ARBITRATED, flows), 1, 30), 3_000);
    let order: Vec<usize> = reference.deliveries().iter().map(|delivery| delivery.flow).collect();
    assert_eq!(order[..3], [0, 1, 0]);
}

/// Nodes 1 and 2 have packets for node 3, which has one place.
fn one_place(priorities: [u8; 2], destination: u32, inheritance: bool) -> NetworkSpec {
    let flow_control = FlowControlSpec::Train(TrainSpec { inheritance, ..TRAIN });
    let flows = vec![
        with_priority(once(1, destination, 8, 0), priorities[0]),
        with_priority(once(2, destination, 8, 0), priorities[1]),
    ];
    with_input_queues(ring(5, 1, flow_control, flows), 1, 200)
}

#[test]
fn a_node_deletes_the_tickets_for_which_it_has_no_place_the_lowest_priorities_first() {
    for (priorities, order) in [([1, 5], [1, 0]), ([5, 1], [0, 1])] {
        let reference = simulate(&one_place(priorities, 3, false), 1_000);
        let flows: Vec<usize> = reference.deliveries().iter().map(|delivery| delivery.flow).collect();
        assert_eq!(flows, order);
        assert_eq!(reference.node(3).refused_packets, 0);
        // Once beside the other ticket, then in each pair of revolutions until the place is free.
        assert!(reference.node(3).of_protocol("deleted_tickets") > 3);
        // The ticket that is left has a place: the grant train has one.
        assert_eq!(trains(&reference, 3)[1].1.length, 6);
    }
}

#[test]
fn a_ticket_that_gets_on_behind_its_destination_has_what_place_is_left_when_grants_are_given() {
    // Nodes 1 and 3 have packets for node 2; node 1's ticket passes it in the request train, node 3's in the grant
    // train only.
    let flows = vec![once(1, 2, 8, 0), once(3, 2, 8, 0)];
    let granted = |capacity| {
        let reference = simulate(&with_input_queues(ring(4, 1, ARBITRATED, flows.clone()), capacity, 1_000), 100);
        (starts(&reference, 1).len(), starts(&reference, 3).len(), reference.node(2).of_protocol("deleted_tickets"))
    };
    assert_eq!(granted(2), (1, 1, 0));
    let (first, second, deleted) = granted(1);
    assert_eq!((first, second), (1, 0));
    assert!(deleted >= 1);
}

#[test]
fn a_higher_priority_that_gets_on_behind_its_destination_does_not_take_a_reserved_place() {
    let flows = vec![once(1, 2, 8, 0), with_priority(once(3, 2, 8, 0), 9)];
    let reference = simulate(&with_input_queues(ring(4, 1, ARBITRATED, flows), 1, 100), 1_000);
    let order: Vec<usize> = reference.deliveries().iter().map(|delivery| delivery.flow).collect();
    assert_eq!(order, [0, 1]);
}

#[test]
fn packets_that_have_to_ask_again_keep_their_order() {
    let flows = vec![flow(1, 2, 8, ArrivalSpec::Periodic { period: 50.0, phase: 0.0 })];
    let reference = simulate(&with_input_queues(ring(4, 1, ARBITRATED, flows), 1, 100), 3_000);
    assert!(reference.node(2).of_protocol("deleted_tickets") > 10);
    let generated: Vec<u64> = reference.deliveries().iter().map(|delivery| delivery.generated).collect();
    assert!(generated.len() > 15 && generated.is_sorted(), "{generated:?}");
}

#[test]
fn a_deleted_ticket_while_lower_priorities_hold_the_places_is_an_input_inversion() {
    let flows = vec![once(1, 2, 8, 0), with_priority(once(1, 2, 8, 60), 3)];
    let reference = simulate(&with_input_queues(ring(4, 1, ARBITRATED, flows), 1, 300), 2_000);
    let inversion = reference.flow(1).input_inversion;
    assert_eq!((reference.flow(0).input_inversion.packets, inversion.packets), (0, 1));
    // From the first request train with its ticket, a revolution or two after it came, to some revolutions after the
    // service.
    assert!((200..450).contains(&inversion.cycles), "{inversion:?}");
}

#[test]
fn the_next_response_inherits_the_priority_of_a_deleted_ticket() {
    // Whether the next train comes to ask or to grant when the place is free, depends on the service time.
    let response_priorities = |inheritance| {
        let flow_control = FlowControlSpec::Train(TrainSpec { inheritance, ..TRAIN });
        let of_response = |service_cycles| {
            let flows = vec![with_response(once(1, 2, 8, 0), 8), with_priority(once(3, 2, 8, 60), 7)];
            let spec = with_input_queues(ring(4, 1, flow_control.clone(), flows), 1, service_cycles);
            sends(&simulate(&spec, 2_000), 2)[0].1.priority
        };
        let mut found: Vec<u8> = (0..8).map(|step| of_response(300 + 10 * step)).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    assert_eq!((response_priorities(false), response_priorities(true)), (vec![0], vec![0, 7]));
}

proptest! {
    #![proptest_config(crate::cases(100))]

    /// "the arbitration guarantees that no packet will be rejected and retried" (Section 2.3).
    #[test]
    fn nothing_is_refused_where_all_is_arbitrated(spec in random::network_with(&["train"])) {
        let mut spec = spec;
        let FlowControlSpec::Train(options) = crate::protocol(&spec) else { unreachable!() };
        spec.flow_control = TrainSpec { mode: TrainMode::Arbitrated, ..options }.into();
        let mut reference = Reference::new(&spec);
        reference.advance(4_000);
        prop_assert!(reference.nodes().iter().all(|node| node.refused_packets == 0));
        prop_assert!(reference.flows().iter().all(|flow| flow.retries == 0));
    }
}

/// An echo fills the TicketMaster's output in cycle 294, in which the train comes in and does not find it full yet.
#[test]
fn what_is_emitted_as_the_train_comes_in_is_measured_behind_it() {
    let train = TrainSpec {
        ticket_master: 1,
        locomotive_symbols: 3,
        ticket_symbols: 1,
        delay_cycles: 15,
        tickets_per_node: 3,
        size_symbols: Some(200),
        mode: TrainMode::Switching,
        shift_up: 0.676_473_210_569_655_5,
        shift_down: 0.596_258_388_684_039_3,
        load_cycles: 30,
        inheritance: true,
    };
    let reads = FlowSpec {
        sizes: vec![(40, 0.4), (8, 0.6)],
        response_symbols: Some(41),
        ..FlowSpec::new(
            2,
            DestinationSpec::Weighted { weights: vec![0.114_175_106_916_141_45, 0.885_824_893_083_858_6, 0.0] },
            ArrivalSpec::Saturated {},
            8,
        )
    };
    let queue = |places, service_cycles| ReceiveQueueSpec { capacity: Some(places), service_cycles };
    let spec = NetworkSpec {
        seed: 13_640_727_947_085_291_975,
        hop_delay: PerNode::of_each(1, vec![4, 8, 4]),
        queues: QueuesSpec {
            priorities: 4,
            receive: PerNode::of_each(queue(3, 43), vec![queue(3, 43), queue(1, 73), queue(1, 73)]),
            limits: HostLimitsSpec { outstanding_limit: Some(64), window: Some(4), ..HostLimitsSpec::default() }.into(),
            ..QueuesSpec::default()
        },
        ..NetworkSpec::ring(3, train, vec![reads])
    };
    for steps in [vec![520], vec![1; 520], vec![520, 1202]] {
        compare(&spec, &steps).expect("the engine equals the reference");
    }
}

// --- Modes --------------------------------------------------------------------------------------------------------

fn switching(size_symbols: u32, shift_up: f64, shift_down: f64) -> FlowControlSpec {
    FlowControlSpec::Train(TrainSpec {
        mode: TrainMode::Switching,
        size_symbols: Some(size_symbols),
        shift_up,
        shift_down,
        ..TRAIN
    })
}

#[test]
fn in_immediate_mode_a_node_sends_one_packet_behind_each_train() {
    let reference = simulate(&ring(4, 1, switching(100, 0.7, 0.0), vec![saturated(1, 2, 8)]), 100);
    // In at node 1 in 2, out from 6 to 9.
    assert_eq!(starts(&reference, 1), [11, 31, 51, 71, 91]);
    assert!(revolutions(&reference).iter().all(|&revolution| revolution == Revolution::Immediate));
}

#[test]
fn in_immediate_mode_the_bandwidth_goes_to_the_nodes_that_come_first() {
    // 9 each, 20 in all.
    let flows = vec![saturated(1, 0, 8), saturated(2, 0, 8), saturated(3, 0, 8)];
    let reference = simulate(&ring(4, 1, switching(20, 1.0, 0.0), flows), 200);
    let sent = [1, 2, 3].map(|node| starts(&reference, node).len());
    assert!(sent[0] > 5 && sent[0].abs_diff(sent[1]) <= 1 && sent[2] == 0, "{sent:?}");
}

#[test]
fn packets_refused_in_immediate_mode_are_retried() {
    let flows = vec![in_bursts(once(1, 0, 8, 0), 4), in_bursts(once(2, 0, 8, 0), 4)];
    let reference = simulate(&with_input_queues(ring(4, 1, switching(100, 1.0, 0.0), flows), 1, 50), 2_000);
    let retries: u64 = reference.flows().iter().map(|flow| flow.retries).sum();
    assert!(retries > 5 && retries == reference.node(0).refused_packets, "{retries}");
    assert!(reference.flows().iter().all(|flow| flow.latencies.count == 4));
}

#[test]
fn the_ticket_master_switches_to_arbitration_and_back() {
    use Revolution::{Grant, Immediate, Request};
    // Three nodes use 27 of 30 as long as they have packets.
    let few = |node| in_bursts(once(node, 0, 8, 0), 6);
    let reference = simulate(&ring(4, 1, switching(30, 0.7, 0.5), vec![few(1), few(2), few(3)]), 1_000);
    let revolutions = revolutions(&reference);
    assert_eq!(revolutions[..4], [Immediate, Request, Grant, Request]);
    // Five more pairs are full; the one after them is empty.
    assert_eq!(revolutions[9..15], [Request, Grant, Request, Grant, Immediate, Immediate]);
    assert_eq!(reference.flows().iter().map(|flow| flow.latencies.count).sum::<u64>(), 18);
    let never = simulate(&ring(4, 1, switching(30, 0.9, 0.5), vec![few(1), few(2), few(3)]), 1_000);
    assert!(
        trains(&never, 0).iter().all(|(_, train)| never.train(*train).revolution == Immediate),
        "27 is not above 27"
    );
}

fn gearshift(shift_up: f64, shift_down: f64) -> FlowControlSpec {
    FlowControlSpec::Train(TrainSpec {
        mode: TrainMode::Gearshift,
        size_symbols: Some(100),
        shift_up,
        shift_down,
        ..TRAIN
    })
}

#[test]
fn in_the_low_gear_the_ring_is_base_sci() {
    let poisson = |source, rate| uniform(flow(source, (source + 1) % 5, 20, ArrivalSpec::Poisson { rate }));
    let flows: Vec<_> = (0..5).map(|node| poisson(node, 0.005)).collect();
    let sci = sci(Extension::Received, Release::Unblocked, 1);
    let base = simulate(&with_input_queues(ring(5, 2, sci, flows.clone()), 1, 30), 20_000);
    let low = simulate(&with_input_queues(ring(5, 2, gearshift(1.0, 0.0), flows), 1, 30), 20_000);
    assert!(base.nodes().iter().any(|node| node.refused_packets > 10), "something happens");
    // The same symbols in the same cycles, go bits and all.
    assert_eq!(base.nodes(), low.nodes());
    assert_eq!(base.deliveries(), low.deliveries());
}

#[test]
fn the_gears_shift_up_under_load_and_down_again() {
    use Revolution::{Grant, Release, Request};
    let burst = |node| in_bursts(once(node, (node + 2) % 4, 40, 0), 40);
    let mut flows: Vec<_> = (0..4).map(burst).collect();
    flows.push(once(1, 2, 8, 15_000));
    let reference = simulate(&ring(4, 1, gearshift(0.5, 0.3), flows), 16_000);
    let (first, _) = trains(&reference, 0)[0];
    assert!((1024..1200).contains(&first), "the load is first judged in 1024 or later, at a packet: {first}");
    let revolutions = revolutions(&reference);
    assert_eq!(revolutions[..4], [Request, Grant, Request, Grant]);
    let released = revolutions.iter().position(|&revolution| revolution == Release).expect("the load is over");
    assert_eq!(released + 1, revolutions.len(), "no train is left");
    assert_eq!(revolutions[released - 1], Grant);
    assert_eq!(reference.flows()[..4].iter().map(|flow| flow.latencies.count).sum::<u64>(), 160);
    // Sent at once, as in base SCI, and the go bit is there.
    assert!(starts(&reference, 1).last().is_some_and(|start| (15_001..15_010).contains(start)));
    assert!((0..4).all(|node| idle(&reference, node, 15_999).go.has(0)));
}

/// "as needed" (Section 5), wherever the load is.
#[test]
fn the_gears_shift_up_wherever_a_link_is_full() {
    for ticket_master in 0..4 {
        for mode in [TrainMode::Gearshift, TrainMode::Switching] {
            let FlowControlSpec::Train(options) = gearshift(0.7, 0.0) else { unreachable!() };
            // Only the link from node 1 to node 2 is full: node 3, whose echoes are short, sends nothing.
            let options = TrainSpec { ticket_master, mode, size_symbols: Some(10_000), ..options };
            let reference = simulate(&ring(4, 1, FlowControlSpec::Train(options), vec![saturated(1, 2, 40)]), 3_000);
            let has_arbitrated = trains(&reference, ticket_master)
                .iter()
                .any(|(_, train)| reference.train(*train).revolution == Revolution::Grant);
            assert!(has_arbitrated, "TicketMaster {ticket_master}, {mode:?}");
        }
    }
}

#[test]
fn a_quiet_ring_stays_in_the_low_gear() {
    let reference = simulate(
        &ring(4, 1, gearshift(0.5, 0.3), vec![flow(1, 3, 8, ArrivalSpec::Periodic { period: 100.0, phase: 0.0 })]),
        8_000,
    );
    assert!((0..4).all(|node| trains(&reference, node).is_empty()));
    assert!(!reference.emitted(0).iter().any(|symbol| matches!(symbol, Symbol::Control(_))));
}
