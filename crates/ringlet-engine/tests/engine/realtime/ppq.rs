//! Section 6: PPQ.

use ringlet_engine::protocols::{
    FlowControlSpec,
    ppq::{LateEcho, PpqSpec},
};
use ringlet_engine::spec::{FlowSpec, NetworkSpec};

use crate::reference::{Kind, PacketSymbol, Reference, Symbol};
use crate::rings::*;

const ON: FlowControlSpec = FlowControlSpec::Ppq(PPQ);

/// Packets of one kind that node `node` emits: cycle and first symbol.
fn of_kind(reference: &Reference, node: u32, kind: Kind) -> Vec<(usize, PacketSymbol)> {
    packets(reference, node).into_iter().filter(|(_, symbol)| symbol.kind == kind).collect()
}

fn cycles(packets: Vec<(usize, PacketSymbol)>) -> Vec<usize> {
    packets.into_iter().map(|(cycle, _)| cycle).collect()
}

fn delivered(reference: &Reference) -> Vec<usize> {
    reference.deliveries().iter().map(|delivery| delivery.flow).collect()
}

const ACCEPTED: Kind = Kind::Echo { accepted: true };
const BUSY: Kind = Kind::Echo { accepted: false };

// --- Late echoes --------------------------------------------------------------------------------------------------

#[test]
fn an_accepted_packet_is_echoed_when_its_service_ends_or_starts() {
    for (late_echo, expected) in [(LateEcho::ServiceEnd, 61), (LateEcho::ServiceStart, 11)] {
        let flow_control = FlowControlSpec::Ppq(PpqSpec { late_echo, ..PPQ });
        let mut spec = ring(3, 1, flow_control, vec![once(0, 1, 8, 0)]);
        spec.receive_queue.service_cycles = 50;
        let reference = simulate(&spec, 200);
        // Out in 1, in at 2, complete at 10, served at 60: idle, echo.
        assert_eq!(cycles(packets(&reference, 1)), [expected]);
        assert_eq!(cycles(of_kind(&reference, 1, ACCEPTED)), [expected]);
    }
}

#[test]
fn a_refused_packet_is_echoed_in_place() {
    let spec = with_input_queues(ring(3, 1, ON, vec![once(0, 1, 8, 0), once(0, 1, 8, 10)]), 1, 500);
    // In at 12.
    assert_eq!(cycles(of_kind(&simulate(&spec, 50), 1, BUSY))[0], 12 + 4);
}

#[test]
fn a_late_echo_waits_for_space() {
    // Node 1 sends twice from 0 on; node 0's packets fill 39 of 41 places, then 9 leave. The echo for node 2's packet
    // is due at 21.
    let flows = vec![with_priority(once(1, 2, 30, 0), 9), with_priority(once(0, 2, 28, 8), 9), once(2, 1, 8, 0)];
    let spec = ring(3, 1, ON, flows);
    let reference = simulate(&spec, 200);
    // Node 2's: out in 1, in at node 0 in 2, in at node 1 in 3, complete and served at 11, while node 1 sends from 1 to
    // 30. In 31 there are 21 of node 0's symbols in the bypass FIFO: 20 are left, enough for 4 and an idle.
    assert_eq!(cycles(of_kind(&reference, 1, ACCEPTED))[0], 32);
    let passed: Vec<usize> =
        packets(&reference, 1).iter().filter(|(_, p)| p.is_send() && p.source == 0).map(|p| p.0).collect();
    assert_eq!(passed, [37]);
}

// --- Input queues -------------------------------------------------------------------------------------------------

/// Packets from node 0 to node 1, one behind the other, with these priorities, the last one later.
fn crowd(capacity: u32, service_cycles: u64, priorities: &[u8]) -> NetworkSpec {
    let last = priorities.len() - 1;
    let flows = priorities.iter().enumerate().map(|(place, &priority)| {
        let cycle = if place == last { 200 } else { 20 * place as u64 };
        with_priority(once(0, 1, 8, cycle), priority)
    });
    with_input_queues(ring(3, 1, ON, flows.collect()), capacity, service_cycles)
}

#[test]
fn a_packet_preempts_a_lower_priority_that_waits() {
    let reference = simulate(&crowd(2, 1_000, &[0, 0, 5]), 8_000);
    assert_eq!(reference.node(1).of_protocol("preempted_packets"), 1);
    assert_eq!(delivered(&reference), [0, 2, 1]);
    // In at 202: the busy echo follows at once. The packet is refused in place then, until there is a place for it.
    assert_eq!(cycles(of_kind(&reference, 1, BUSY))[0], 203);
    assert_eq!(reference.flow(1).retries, reference.node(1).refused_packets);
}

#[test]
fn what_is_in_service_is_not_preempted() {
    let reference = simulate(&crowd(1, 1_000, &[0, 5]), 1_000);
    assert_eq!((reference.node(1).of_protocol("preempted_packets"), reference.flow(0).retries), (0, 0));
    assert!(reference.flow(1).retries > 10);
    assert_eq!(cycles(of_kind(&reference, 1, BUSY))[0], 202 + 4, "in place");
}

#[test]
fn equal_priorities_are_not_preempted() {
    let reference = simulate(&crowd(2, 1_000, &[0, 5, 5]), 1_000);
    assert_eq!(reference.node(1).of_protocol("preempted_packets"), 0);
}

#[test]
fn the_lowest_priority_is_preempted_and_among_equals_the_one_that_came_last() {
    let first_retry = |priorities: &[u8]| {
        let reference = simulate(&crowd(4, 1_000, priorities), 1_000);
        let (_, retry) = of_kind(&reference, 0, Kind::Retry)[0];
        reference.packet(retry).flow
    };
    assert_eq!(first_retry(&[9, 2, 1, 3, 5]), 2);
    assert_eq!(first_retry(&[9, 1, 1, 3, 5]), 2);
    assert_eq!(first_retry(&[9, 1, 3, 1, 5]), 3);
}

#[test]
fn a_packet_that_has_not_come_in_completely_is_not_preempted() {
    // Node 1's place is taken by a long packet, right behind it comes a short one: when that is here, so is the end of
    // the other.
    let flows = vec![once(0, 1, 8, 0), once(0, 1, 30, 20), with_priority(once(0, 1, 8, 20), 5)];
    let reference = simulate(&with_input_queues(ring(3, 1, ON, flows), 2, 1_000), 100);
    assert_eq!(reference.node(1).of_protocol("preempted_packets"), 0, "the higher priority was sent first");
    assert_eq!(sends(&reference, 0)[1].1.priority, 5);
}

#[test]
fn a_preempted_packet_is_not_an_input_inversion() {
    let reference = simulate(&crowd(2, 1_000, &[0, 0, 5]), 8_000);
    assert!(reference.flows().iter().all(|flow| flow.input_inversion.packets == 0));
}

// --- The bypass FIFO ----------------------------------------------------------------------------------------------

/// While node 1 sends from 1 to 40, these packets of node 0 come in at its bypass FIFO; then more of its own follow.
fn behind_node_1(options: PpqSpec, passing: &[(u32, u8)], own: &[(u32, u8)]) -> Reference {
    let packet = |node, (symbols, priority): (u32, u8), cycle| with_priority(once(node, 2, symbols, cycle), priority);
    let mut flows: Vec<FlowSpec> = vec![packet(1, (40, 200), 0)];
    let mut cycle = 0;
    for &of in passing {
        flows.push(packet(0, of, cycle));
        cycle += u64::from(of.0) + 1;
    }
    flows.extend(own.iter().map(|&of| packet(1, of, 1)));
    simulate(&ring(4, 1, FlowControlSpec::Ppq(options), flows), 2_000)
}

/// Flows of what node 1 emits first, from the cycle on in which its own packet has left.
fn order_at_node_1(reference: &Reference, count: usize) -> Vec<(Kind, usize)> {
    let packets = packets(reference, 1).into_iter().filter(|(cycle, _)| *cycle > 40);
    packets.map(|(_, symbol)| (symbol.kind, reference.packet(symbol).flow)).take(count).collect()
}

#[test]
fn higher_priorities_leave_the_bypass_fifo_first() {
    let reference = behind_node_1(PPQ, &[(8, 1), (8, 5), (8, 3)], &[]);
    assert_eq!(order_at_node_1(&reference, 3), [(Kind::Send, 2), (Kind::Send, 3), (Kind::Send, 1)]);
}

#[test]
fn equal_priorities_leave_the_bypass_fifo_in_their_order() {
    let reference = behind_node_1(PPQ, &[(8, 5), (8, 5), (8, 5)], &[]);
    assert_eq!(order_at_node_1(&reference, 3), [(Kind::Send, 1), (Kind::Send, 2), (Kind::Send, 3)]);
}

#[test]
fn what_waits_in_the_bypass_fifo_rises_with_its_age() {
    // In at 2 and 11, so that they are 39 and 30 old in 41.
    let aged = |ageing_cycles| {
        let options = PpqSpec { ageing_cycles: Some(ageing_cycles), ..PPQ };
        order_at_node_1(&behind_node_1(options, &[(8, 1), (8, 3)], &[]), 1)[0].1
    };
    assert_eq!(aged(3), 1, "1 + 13 is above 3 + 10");
    assert_eq!(aged(10), 2, "1 + 3 is below 3 + 3");
    assert_eq!(aged(4), 1, "1 + 9 is as high as 3 + 7, and older");
}

#[test]
fn a_packet_goes_before_lower_priorities_in_the_bypass_fifo_as_long_as_there_is_space() {
    // 9 of 41 are taken in 41, 19 in 51.
    let reference = behind_node_1(PPQ, &[(8, 1)], &[(9, 5), (9, 5)]);
    assert_eq!(order_at_node_1(&reference, 3), [(Kind::Send, 2), (Kind::Send, 3), (Kind::Send, 1)]);
    // Not before its equals.
    let reference = behind_node_1(PPQ, &[(8, 5), (8, 1)], &[(9, 5)]);
    assert_eq!(order_at_node_1(&reference, 1), [(Kind::Send, 1)]);
}

#[test]
fn lower_priorities_in_the_bypass_fifo_become_busy_echoes_to_make_space() {
    // 20 and 20 of 41 are taken in 41; echoes take 5 each.
    let made = |own| {
        let reference = behind_node_1(PPQ, &[(19, 1), (19, 1)], &[(own, 5)]);
        let made = reference.node(1).of_protocol("preempted_packets");
        assert_eq!(reference.flow(1).retries + reference.flow(2).retries, made);
        assert_eq!(reference.node(1).refused_packets, made);
        assert_eq!(reference.flows().iter().map(|flow| flow.latencies.count).sum::<u64>(), 4, "all arrive in the end");
        (made, order_at_node_1(&reference, 1)[0])
    };
    let own_first = (Kind::Send, 3);
    // 15 and an idle need 25 or less: 25 with one echo. 16 need both.
    assert_eq!([made(15), made(16), made(30)], [(1, own_first), (2, own_first), (2, own_first)]);
    // 31 need 9, which is less than two echoes take: nothing is made of them until one has left.
    assert_eq!(made(31), (1, (Kind::Send, 1)));
}

#[test]
fn the_lowest_the_longest_the_oldest_in_the_bypass_fifo_becomes_an_echo_first() {
    let victim = |passing: &[(u32, u8)]| {
        let reference = behind_node_1(PPQ, passing, &[(12, 5)]);
        assert_eq!(reference.node(1).of_protocol("preempted_packets"), 1, "one is enough");
        (1..3).find(|&flow| reference.flow(flow).retries > 0)
    };
    assert_eq!(victim(&[(19, 2), (18, 1)]), Some(2));
    assert_eq!(victim(&[(18, 1), (19, 1)]), Some(2));
    assert_eq!(victim(&[(18, 1), (18, 1)]), Some(1));
}

#[test]
fn what_has_not_come_in_completely_does_not_become_an_echo() {
    // The second one, of lower priority, is in the bypass FIFO with 9 of its 30 symbols in 41.
    let reference = behind_node_1(PPQ, &[(30, 2), (30, 1)], &[(20, 5)]);
    assert_eq!(order_at_node_1(&reference, 1), [(Kind::Send, 3)]);
    assert_eq!((reference.flow(1).retries, reference.flow(2).retries), (1, 0));
}

/// Node 0's late echo for node 3's packet comes in at node 1 while that sends from 1 to 40; a packet of this length
/// waits behind it. Returns when node 1 starts each of them, and when the echo leaves it.
fn behind_an_echo(overtakes_echoes: bool, symbols: u32) -> (Vec<usize>, usize) {
    let flow_control = FlowControlSpec::Ppq(PpqSpec { overtakes_echoes, ..PPQ });
    let flows = vec![once(3, 0, 8, 0), with_priority(once(1, 2, 40, 0), 9), with_priority(once(1, 2, symbols, 1), 9)];
    let reference = simulate(&ring(4, 1, flow_control, flows), 200);
    (cycles(of_kind(&reference, 1, Kind::Send)), of_kind(&reference, 1, ACCEPTED)[0].0)
}

#[test]
fn echoes_alone_in_the_bypass_fifo_are_no_lower_priority() {
    // Behind its idle in 41 the echo leaves before the next packet does.
    assert_eq!(behind_an_echo(false, 8), (vec![1, 47], 42));
}

#[test]
fn by_an_option_a_packet_that_fits_goes_before_echoes_alone_in_the_bypass_fifo() {
    assert_eq!(behind_an_echo(true, 8), (vec![1, 42], 51));
    // The echo and its idle leave 36 of 41, for a packet and its idle.
    assert_eq!(behind_an_echo(true, 35), (vec![1, 42], 78));
    assert_eq!(behind_an_echo(true, 36), (vec![1, 47], 42));
}

// --- Go levels ----------------------------------------------------------------------------------------------------

#[test]
fn two_nodes_of_one_priority_that_conflict_alternate() {
    let reference = simulate(&ring(3, 1, ON, vec![saturated(0, 2, 40), saturated(1, 2, 40)]), 10_000);
    let sources: Vec<u32> = packets(&reference, 1)
        .into_iter()
        .filter(|(cycle, symbol)| *cycle > 1_000 && symbol.is_send())
        .map(|(_, symbol)| symbol.source)
        .collect();
    assert!(sources.len() > 150);
    assert!(sources.windows(2).all(|pair| pair[0] != pair[1]), "{sources:?}");
}

#[test]
fn a_draining_node_lets_higher_priorities_go_only() {
    // Node 1 has sent a packet of priority 4 and drains one of node 0: the idle behind its own carries 5.
    let flows = vec![with_priority(once(1, 2, 40, 0), 4), once(0, 2, 20, 0)];
    let reference = simulate(&ring(4, 1, ON, flows), 200);
    assert_eq!(idle(&reference, 1, 41).level, 5);
    // Emitted up to 61. The go that has been saved meanwhile is let go in 62.
    assert_eq!(idle(&reference, 1, 62).level, 0);
}

#[test]
fn a_draining_node_withholds_for_its_head_and_passes_what_others_withhold() {
    let level = |head| {
        let flows =
            vec![with_priority(once(1, 2, 40, 0), 4), once(0, 2, 20, 0), with_priority(once(1, 2, 40, 5), head)];
        idle(&simulate(&ring(4, 1, ON, flows), 200), 1, 41).level
    };
    assert_eq!((level(2), level(4)), (5, 5), "what was sent last counts, too");
}

#[test]
fn behind_a_late_echo_a_draining_node_withholds_for_the_packet_that_it_belongs_to() {
    // Complete and served at 10, echo out from 11 to 14; node 0's next packet comes in from 11 on.
    let reference = simulate(&ring(3, 1, ON, vec![with_priority(once(0, 1, 8, 0), 9), once(0, 2, 20, 0)]), 100);
    assert_eq!(cycles(of_kind(&reference, 1, ACCEPTED))[0], 11);
    assert_eq!(idle(&reference, 1, 15).level, 10);
}

#[test]
fn a_draining_node_passes_on_what_others_withhold() {
    // Node 0 drains node 4's packet behind its own of priority 9: the idle of 21 carries 10. It is the last one that
    // node 1 has received when it has sent its own of priority 4 and begins to drain.
    let flows = vec![with_priority(once(0, 3, 20, 0), 9), once(4, 3, 20, 0), with_priority(once(1, 3, 30, 0), 4)];
    let reference = simulate(&ring(5, 1, ON, flows), 200);
    assert_eq!((idle(&reference, 0, 21).level, idle(&reference, 1, 31).level), (10, 10));
}

#[test]
fn a_packet_goes_by_a_level_of_its_priority_or_less() {
    // Node 1 drains with a level of 5 from 41 on; node 2's packet comes when that is all there is.
    let start = |priority| {
        let flows =
            vec![with_priority(once(1, 3, 40, 0), 4), once(0, 3, 20, 0), with_priority(once(2, 3, 8, 41), priority)];
        starts(&simulate(&ring(4, 1, ON, flows), 300), 2)[0]
    };
    // In at node 2: the idle of 41 in 42, node 0's packet from 43 to 62, go in 63.
    assert_eq!((start(5), start(4)), (43, 64));
}

#[test]
fn without_go_nobody_sends() {
    let mut spec = ring(3, 1, ON, vec![with_priority(saturated(0, 2, 40), 255)]);
    spec.initial_go = Some(0);
    let reference = simulate(&spec, 2_000);
    assert_eq!(reference.flow(0).sent_packets, 0);
    assert!(reference.emitted(1).iter().all(|symbol| matches!(symbol, Symbol::Idle(idle) if idle.level == 256)));
}

// --- Inheritance --------------------------------------------------------------------------------------------------

/// Node 0 may have one packet under way; it waits at node 2 behind others when one of priority 9 comes.
fn held_up(inheritance: bool) -> Reference {
    let flow_control = FlowControlSpec::Ppq(PpqSpec { inheritance, ..PPQ });
    let flows = vec![
        with_priority(once(1, 2, 8, 0), 5),
        with_priority(once(3, 2, 8, 0), 5),
        with_response(once(0, 2, 8, 30), 8),
        with_priority(once(0, 3, 8, 100), 9),
    ];
    let spec = ring(4, 1, flow_control, flows);
    let mut spec = NetworkSpec { outstanding_limit: Some(1), ..spec };
    spec.receive_queue.service_cycles = 200;
    simulate(&spec, 2_000)
}

#[test]
fn what_holds_the_only_place_inherits_the_priority_of_what_waits_for_it() {
    let (without, with) = (held_up(false), held_up(true));
    let order = |reference: &Reference| -> Vec<usize> {
        let requests = reference.deliveries().into_iter().filter(|delivery| !delivery.response);
        requests.map(|delivery| delivery.flow).filter(|&flow| flow < 3).collect()
    };
    assert_eq!(order(&without).last(), Some(&2));
    assert_eq!(order(&with)[1], 2, "behind what is in service only");
    assert_eq!(with.node(0).link_symbols.control, 8, "an event goes round once");
    assert_eq!(sends(&with, 2)[0].1.priority, 9);
    assert_eq!(without.node(0).link_symbols.control, 0);
    assert!(starts(&with, 0)[1] < starts(&without, 0)[1]);
}

#[test]
fn an_event_raises_what_waits_in_a_bypass_fifo() {
    // Node 1 sends 40 symbols twice; node 0's packet of priority 1 is in its bypass FIFO, one of 3 of node 3, too.
    let order = |inheritance| {
        let flow_control = FlowControlSpec::Ppq(PpqSpec { inheritance, bypass_symbols: 145, ..PPQ });
        let flows = vec![
            with_priority(once(1, 2, 100, 0), 200),
            with_priority(once(0, 2, 8, 4), 1),
            with_priority(once(3, 2, 8, 10), 3),
            with_priority(once(0, 2, 8, 40), 9),
        ];
        let spec = NetworkSpec { outstanding_limit: Some(1), ..ring(4, 1, flow_control, flows) };
        let reference = simulate(&spec, 1_000);
        let sends = packets(&reference, 1).into_iter().filter(|(_, symbol)| symbol.is_send());
        sends.map(|(_, symbol)| reference.packet(symbol).flow).collect::<Vec<_>>()
    };
    assert_eq!(order(false), [0, 2, 1, 3]);
    assert_eq!(order(true), [0, 1, 2, 3]);
}
