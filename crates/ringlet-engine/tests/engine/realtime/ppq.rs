//! Section 6: PPQ.

use proptest::prelude::*;
use proptest::sample::select;
use ringlet_engine::Simulation;
use ringlet_engine::protocols::{
    FlowControlSpec,
    ppq::{LateEcho, Overtakes, PpqSpec},
    sci::SciSpec,
};
use ringlet_engine::spec::{ArrivalSpec, FlowSpec, HostLimitsSpec, MeasurementSpec, NetworkSpec};

use crate::random;
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
        spec.queues.receive.common.service_cycles = 50;
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

#[test]
fn a_late_echo_leaves_in_place_of_the_next_packets_end() {
    let echoes = |echo_wait_cycles| {
        let flow_control = FlowControlSpec::Ppq(PpqSpec { echo_wait_cycles, ..PPQ });
        let flows = vec![once(0, 1, 8, 0), once(2, 1, 8, 30)];
        cycles(of_kind(&simulate(&ring(3, 1, flow_control, flows), 300), 1, ACCEPTED))
    };
    // Node 0's packet is in at 2 and served at 10, node 2's in at 33 and served at 41: 4 symbols of it become the echo.
    assert_eq!(echoes(100), [33 + 4, 41 + 100 + 1]);
    // Inserted when it has waited, whatever comes.
    assert_eq!(echoes(20), [10 + 20 + 1, 41 + 20 + 1]);
    assert_eq!(echoes(23), [33 + 4, 41 + 23 + 1], "what is due when a packet begins to come in");
}

#[test]
fn without_late_echoes_what_is_accepted_is_answered_at_once_and_not_preempted() {
    let spec = crowd(2, 1_000, &[0, 0, 5]);
    let spec =
        NetworkSpec { flow_control: FlowControlSpec::Ppq(PpqSpec { late_echo: LateEcho::None, ..PPQ }).into(), ..spec };
    let reference = simulate(&spec, 1_000);
    assert_eq!(cycles(of_kind(&reference, 1, ACCEPTED))[0], 2 + 4);
    assert_eq!(reference.node(1).of_protocol("preempted_packets"), 0);
    assert!(reference.flow(2).retries > 0);
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
    // In at 202: its last symbols become the busy echo. The packet is refused in place then, until there is a place for
    // it.
    assert_eq!(cycles(of_kind(&reference, 1, BUSY))[0], 206);
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
fn what_comes_in_before_the_own_packet_has_left_may_become_an_echo() {
    // In 41 the second one, of lower priority, is in the bypass FIFO with 9 of its 30 symbols: its idle comes in 63.
    let retries = |own| {
        let reference = behind_node_1(PPQ, &[(30, 2), (30, 1)], &[(own, 5)]);
        assert_eq!(order_at_node_1(&reference, 1), [(Kind::Send, 3)]);
        assert_eq!(reference.flows().iter().map(|flow| flow.latencies.count).sum::<u64>(), 4, "all arrive in the end");
        (reference.flow(1).retries, reference.flow(2).retries)
    };
    assert_eq!((retries(20), retries(21)), ((1, 0), (1, 1)));
}

#[test]
fn a_refused_packet_neither_overtakes_nor_preempts() {
    // Node 1's packet of priority 5 is refused by node 2 as long as that serves the first one. Meanwhile node 1 sends
    // 40 symbols to node 3, and node 0's of priority 1 comes in at its bypass FIFO.
    let order = |capacity| {
        let flows = vec![
            with_priority(once(1, 2, 8, 0), 9),
            with_priority(once(1, 2, 8, 10), 5),
            with_priority(once(1, 3, 40, 20), 6),
            once(0, 3, 20, 24),
        ];
        let mut spec = ring(4, 1, ON, flows);
        spec.queues.receive.common.service_cycles = 40;
        spec.queues.receive.common.capacity = capacity;
        let reference = simulate(&spec, 1_000);
        let all = packets(&reference, 1).into_iter().filter(|(_, symbol)| symbol.is_send());
        all.map(|(_, symbol)| reference.packet(symbol).flow).take(5).collect::<Vec<_>>()
    };
    assert_eq!(order(None), [0, 1, 2, 3]);
    // Refused while node 1 sends to node 3, it is sent again behind what has come in.
    assert_eq!(order(Some(1)), [0, 1, 2, 3, 1]);
}

/// While node 1 sends from 1 to 40, node 0's echo of this kind for node 3 comes in at its bypass FIFO; a packet of this
/// length waits. Returns the cycles in which node 1 starts each of its own, and in which the echo leaves it.
fn behind_an_echo(overtakes: Overtakes, busy: bool, symbols: u32) -> (Vec<usize>, usize) {
    let flow_control = FlowControlSpec::Ppq(PpqSpec { overtakes, late_echo: LateEcho::None, ..PPQ });
    let flows = vec![
        with_priority(once(3, 0, 8, 0), 9),
        with_priority(once(3, 0, 8, 20), 9),
        with_priority(once(1, 2, 40, 20), 9),
        with_priority(once(1, 2, symbols, 21), 9),
    ];
    let mut spec = ring(4, 1, flow_control, flows);
    // The first one is in service for ever.
    spec.queues.receive.common.service_cycles = 10_000;
    spec.queues.receive.common.capacity = Some(if busy { 1 } else { 2 });
    let reference = simulate(&spec, 120);
    let kind = if busy { BUSY } else { ACCEPTED };
    let echo = cycles(of_kind(&reference, 1, kind)).into_iter().find(|&cycle| cycle > 20);
    (cycles(of_kind(&reference, 1, Kind::Send)), echo.expect("the echo passes"))
}

#[test]
fn echoes_alone_in_the_bypass_fifo_are_no_lower_priority() {
    // Behind its idle in 61 the echo leaves before the next packet does.
    for (overtakes, busy) in [(Overtakes::Lower, false), (Overtakes::Lower, true), (Overtakes::BusyEchoes, false)] {
        assert_eq!(behind_an_echo(overtakes, busy, 8), (vec![21, 67], 62), "{overtakes:?}, busy: {busy}");
    }
}

#[test]
fn by_an_option_a_packet_that_fits_goes_before_busy_echoes_alone_in_the_bypass_fifo() {
    assert_eq!(behind_an_echo(Overtakes::BusyEchoes, true, 8), (vec![21, 62], 71));
    // The echo and its idle leave 36 of 41, for a packet and its idle.
    assert_eq!(behind_an_echo(Overtakes::BusyEchoes, true, 35), (vec![21, 62], 98));
    assert_eq!(behind_an_echo(Overtakes::BusyEchoes, true, 36), (vec![21, 67], 62));
}

// --- SCI within one priority --------------------------------------------------------------------------------------

/// A ring of SCI with any traffic of this one priority.
fn of_one_priority() -> impl Strategy<Value = NetworkSpec> {
    (random::network_with(&["sci"]), any::<u8>()).prop_map(|(mut spec, priority)| {
        let FlowControlSpec::Sci(options) = crate::protocol(&spec) else { unreachable!("only these are drawn") };
        spec.flow_control = FlowControlSpec::Sci(SciSpec { priorities: 1, reserve_permille: 0, ..options }).into();
        spec.flows.iter_mut().for_each(|flow| flow.priority = priority);
        spec.format.echoes = true;
        (spec.queues.priorities, spec.queues.reservation) = (256, false);
        spec
    })
}

/// Returns a ring of SCI with PPQ instead.
fn with_ppq(spec: &NetworkSpec) -> NetworkSpec {
    let FlowControlSpec::Sci(SciSpec { extension, release, .. }) = crate::protocol(spec) else {
        unreachable!("a ring of SCI")
    };
    let longest = spec.flows.iter().flat_map(|flow| flow.sizes.iter().map(|size| size.0).chain(flow.response_symbols));
    let bypass_symbols = longest.max().unwrap_or(0).max(16) + 1;
    let late_echo = LateEcho::None;
    let options = PpqSpec { extension, release, bypass_symbols, late_echo, event_symbols: 1, ..PPQ };
    NetworkSpec { flow_control: FlowControlSpec::Ppq(options).into(), ..spec.clone() }
}

proptest! {
    #![proptest_config(crate::cases(60))]

    /// todd2001, Section 4.1: "PPQ uses the same flow-control mechanism as SCI within priority levels". Where nothing
    /// can be preempted, echoes need not be late.
    #[test]
    fn with_one_priority_ppq_is_sci(spec in of_one_priority()) {
        let ppq = with_ppq(&spec);
        let mut sci = Simulation::new(&spec).expect("a valid spec");
        let mut same = Simulation::new(&ppq).expect("a valid spec");
        for cycles in [1, 700, 9_000] {
            prop_assert_eq!(sci.advance(cycles).is_some(), same.advance(cycles).is_some());
            // Services that nothing sees are handled later in SCI, so that latencies are noted in another order.
            let counts = |simulation: &Simulation| {
                let flows = simulation.flow_counters();
                let counted = flows.iter().enumerate().map(|(flow, counters)| {
                    let counted = format!("{counters:?}");
                    let sums = counted.split_once("distributions").expect("a field of them").0.to_owned();
                    let host = format!("{:?}", counters.host());
                    (sums, host, simulation.latencies([flow]), simulation.message_latencies([flow]))
                });
                counted.collect::<Vec<_>>()
            };
            prop_assert!(counts(&sci) == counts(&same), "{:?}\n{:?}", counts(&sci), counts(&same));
        }
        for node in 0..spec.nodes as usize {
            let symbols = |spec| simulate(spec, 1_500).emitted(node).to_vec();
            let (sci, same) = (symbols(&spec), symbols(&ppq));
            for (cycle, pair) in sci.iter().zip(&same).enumerate() {
                match pair {
                    (Symbol::Idle(bit), Symbol::Idle(level)) => {
                        prop_assert_eq!(bit.go.has(0), level.level == 0, "node {} in cycle {}", node, cycle);
                    }
                    (one, other) => prop_assert_eq!(one, other, "node {} in cycle {}", node, cycle),
                }
            }
        }
    }
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
    let mut spec = with_limits(spec, |limits| limits.outstanding_limit = Some(1));
    spec.queues.receive.common.service_cycles = 200;
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
        let spec = with_limits(ring(4, 1, flow_control, flows), |limits| limits.outstanding_limit = Some(1));
        let reference = simulate(&spec, 1_000);
        let sends = packets(&reference, 1).into_iter().filter(|(_, symbol)| symbol.is_send());
        sends.map(|(_, symbol)| reference.packet(symbol).flow).collect::<Vec<_>>()
    };
    assert_eq!(order(false), [0, 2, 1, 3]);
    assert_eq!(order(true), [0, 1, 2, 3]);
}

// --- Liveness -----------------------------------------------------------------------------------------------------

/// Longest packet and its idle, and two echoes with theirs.
const ROOMY: PpqSpec = PpqSpec { bypass_symbols: 41 + 2 * 5, echo_wait_cycles: 400, ..PPQ };

/// Reads of up to three priorities from every node to all others, at hosts with few places; on half of the rings some
/// nodes are of base SCI. Those rings have places for any number of responses: with few, one of some hundreds stands
/// still (realtime-model.md, Section 8).
fn crowded_reads() -> impl Strategy<Value = NetworkSpec> {
    let hosts = (
        select(vec![1u32, 2, 5]),
        select(vec![5u64, 50, 160, 500]),
        select(vec![None, Some(1u32), Some(2), Some(5)]),
        select(vec![None, None, Some(4u32)]),
    );
    let base = prop_oneof![Just(vec![false; 8]), proptest::collection::vec(any::<bool>(), 8)];
    let load = select(vec![0.001, 0.0025, 0.005]);
    (3..=8u32, 1..=3u8, load, hosts, base, any::<u64>()).prop_map(|(nodes, priorities, load, hosts, base, seed)| {
        let read = |node: u32, priority: u8| {
            let rate = load * 8.0 / f64::from(nodes) / f64::from(priorities);
            let request = flow(node, (node + 1) % nodes, 8, ArrivalSpec::Poisson { rate });
            with_priority(with_response(uniform(request), 40), priority)
        };
        let flows = (0..nodes).flat_map(|node| (0..priorities).map(move |priority| read(node, priority)));
        let late_echo = if priorities == 1 { LateEcho::None } else { LateEcho::ServiceEnd };
        let flow_control = FlowControlSpec::Ppq(PpqSpec { late_echo, ..ROOMY });
        let (capacity, service, responses, outstanding_limit) = hosts;
        let spec = with_input_queues(ring(nodes, 1, flow_control, flows.collect()), capacity, service);
        let base_nodes: Vec<_> = (0..nodes).filter(|&node| base[node as usize]).collect();
        let response_capacity = responses.filter(|_| base_nodes.is_empty());
        let limits = HostLimitsSpec { response_capacity, outstanding_limit, ..HostLimitsSpec::default() };
        let spec = with_limits(spec, |common| *common = limits);
        let measurement = MeasurementSpec { stall_cycles: 50_000, ..spec.measurement };
        NetworkSpec { base_nodes, seed, measurement, ..spec }
    })
}

/// Senders of moves to one other node each, all the time, of low priorities; one node alone has the highest, and offers
/// this much.
fn one_high_sender(offered: f64) -> impl Strategy<Value = (NetworkSpec, usize)> {
    let patterns = (4..=8u32).prop_flat_map(|nodes| {
        let hops = proptest::collection::vec((1..nodes, 0..3u8), nodes as usize);
        (Just(nodes), hops, 0..nodes as usize, any::<u64>())
    });
    patterns.prop_map(move |(nodes, hops, high, seed)| {
        let flows = hops.into_iter().zip(0..nodes).map(|((hops, priority), node)| {
            let to = (node + hops) % nodes;
            match node as usize == high {
                true => with_priority(flow(node, to, 40, ArrivalSpec::Poisson { rate: offered / 40.0 }), 5),
                false => with_priority(saturated(node, to, 40), priority),
            }
        });
        let spec = ring(nodes, 1, FlowControlSpec::Ppq(ROOMY), flows.collect());
        (NetworkSpec { seed, ..spec }, high)
    })
}

proptest! {
    #![proptest_config(crate::cases(60))]

    /// todd2001, Section 5: "The PPQ protocol offers a more straightforward approach for switching and base SCI
    /// interoperability". Retries may slow a ring; it never stands still.
    #[test]
    fn a_ring_never_stands_still(spec in crowded_reads()) {
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        let stall = simulation.advance(200_000);
        prop_assert!(stall.is_none(), "{:?}", stall);
    }

    /// todd2001, Section 2.2: output inversion is prevented by preempting "any packet in the BQ with a lower priority".
    #[test]
    fn the_only_node_of_the_highest_priority_gets_what_it_offers((spec, high) in one_high_sender(0.3)) {
        let mut simulation = Simulation::new(&spec).expect("a valid spec");
        simulation.advance(20_000);
        simulation.reset_measurement();
        simulation.advance(80_000);
        let counters = simulation.flow_counters();
        let (generated, delivered) = (counters[high].generated_packets, counters[high].delivered_packets);
        prop_assert!(delivered as f64 > 0.9 * generated as f64, "{delivered} of {generated}");
    }
}

/// The sentence's own case: nodes 1, 2, 3 send to node 4 with priorities 0, 1, 3.
#[test]
fn a_sender_of_high_priority_behind_low_ones_preempts_them() {
    let offered = |node, load: f64, priority| {
        with_priority(flow(node, 4, 40, ArrivalSpec::Poisson { rate: load / 40.0 }), priority)
    };
    let flows = vec![offered(1, 0.5, 0), offered(2, 0.5, 1), offered(3, 0.8, 3)];
    let mut simulation = Simulation::new(&ring(5, 1, FlowControlSpec::Ppq(ROOMY), flows)).expect("a valid spec");
    simulation.advance(100_000);
    let got = simulation.flow_counters()[2].delivered_symbols as f64 / 100_000.0;
    assert!(got > 0.76, "{got} of 0.8");
}
