//! Section 4: DFC.

use ringlet_engine::protocols::{FlowControlSpec, dfc::DfcSpec};
use ringlet_engine::spec::{ArrivalSpec, FlowSpec, NetworkSpec};

use crate::reference::{Class, Command, Reference, StopTo, Symbol};
use crate::rings::*;

const ON: FlowControlSpec = FlowControlSpec::Dfc(DFC);

/// Control symbols that node `node` emits and node `maker` has made: cycle of the first symbol, and what it says.
fn commands(reference: &Reference, node: u32, maker: u32) -> Vec<(usize, Command)> {
    let symbols = reference.emitted(node as usize).iter().enumerate();
    let first = symbols.filter_map(|(cycle, symbol)| match symbol {
        Symbol::Control(symbol) if symbol.is_first() && symbol.control.maker == maker => {
            Some((cycle, symbol.control.command))
        }
        _ => None,
    });
    first.collect()
}

const fn stop_to(class: Class, named: u32, grant: bool) -> Command {
    Command::StopTo(StopTo { class, named, grant, taken: false, held_since: None, collected: None })
}

#[test]
fn a_full_node_says_so_once_round_the_ring_and_again_when_it_is_not_full_any_more() {
    let spec = with_input_queues(ring(4, 1, ON, vec![once(1, 2, 8, 0)]), 2, 100);
    let reference = simulate(&spec, 300);
    // Out in 1, in at 2, which node 2 does not wait to the end of; complete at 10, served at 110.
    let init = stop_to(Class::Request, 2, false);
    let release = Command::Release(Class::Request);
    assert_eq!(commands(&reference, 2, 2), [(3, init), (111, release)]);
    assert_eq!(commands(&reference, 3, 2), [(4, init), (112, release)]);
    assert_eq!(commands(&reference, 0, 2), [(5, init), (113, release)]);
    // Node 1 sends up to 8; the idle is in 9.
    assert_eq!(commands(&reference, 1, 2), [(10, init), (114, release)]);
    assert!(reference.nodes().iter().all(|node| node.link_symbols.control == 4));
}

#[test]
fn no_idle_follows_a_control_symbol() {
    let spec = with_input_queues(ring(4, 1, ON, vec![once(1, 2, 8, 0), once(1, 3, 8, 0)]), 2, 100);
    // As above; node 1's second packet follows the control symbol of 10 and 11.
    assert_eq!(starts(&simulate(&spec, 300), 1), [1, 12]);
    let longer = DfcSpec { control_symbols: 5, ..DFC };
    let spec = NetworkSpec { flow_control: longer.into(), ..spec };
    assert_eq!(starts(&simulate(&spec, 300), 1), [1, 15]);
}

#[test]
fn control_symbols_go_before_packets() {
    // Node 1 sends from 1 to 40, and node 3's INIT comes in because of that. Node 0 sends from 10 to 29, and INIT
    // behind it because of node 3's packet.
    let flows = vec![once(1, 3, 40, 0), once(0, 2, 20, 9), once(3, 0, 8, 8)];
    let reference = simulate(&with_input_queues(ring(4, 1, ON, flows), 2, 1_000), 300);
    assert_eq!((starts(&reference, 0), commands(&reference, 0, 0)[0].0), (vec![10], 31));
    let passes = packets(&reference, 1).into_iter().find(|(_, symbol)| symbol.source == 0).map(|(cycle, _)| cycle);
    assert_eq!(commands(&reference, 1, 3)[0].0, 42);
    assert_eq!((commands(&reference, 1, 0)[0].0, passes), (44, Some(46)));
}

#[test]
fn idles_carry_nothing() {
    let mut spec = ring(4, 1, ON, vec![saturated(1, 2, 8), saturated(0, 3, 20)]);
    spec.initial_go = Some(0);
    let reference = simulate(&spec, 500);
    assert!((0..4).all(|node| {
        reference.emitted(node).iter().all(|symbol| !matches!(symbol, Symbol::Idle(idle) if idle.word() != 0))
    }));
    assert!(reference.flows().iter().all(|flow| flow.latencies.count > 0));
}

// --- STOP-THRU ----------------------------------------------------------------------------------------------------

fn quiet(stop_thru: bool) -> FlowControlSpec {
    // Input queues never fill.
    FlowControlSpec::Dfc(DfcSpec { stop_thru, high_water: 1_000, ..DFC })
}

/// Five short packets of node 1 while a long one of node 0 comes in from 2 to 41.
fn crowded(stop_thru: bool) -> Reference {
    simulate(&ring(4, 1, quiet(stop_thru), vec![once(0, 3, 40, 0), in_bursts(once(1, 2, 8, 0), 5)]), 300)
}

#[test]
fn a_node_sends_as_long_as_the_bypass_fifo_has_space() {
    // 8 of node 0's symbols are in at 9, 17 at 18, 26 at 27; 35 at 36 leave 6 of 41. They are drained to 76.
    assert_eq!(starts(&crowded(false), 1), [1, 10, 19, 28, 78]);
}

#[test]
fn a_node_announces_the_priority_for_which_it_lacks_space_until_it_has_nothing_to_send() {
    let reference = crowded(true);
    // In 37 and 38, ahead of the drained packet.
    assert_eq!(starts(&reference, 1), [1, 10, 19, 28, 80]);
    let expected = [(37, Command::StopThru(Some(0))), (89, Command::StopThru(None))];
    assert_eq!(commands(&reference, 1, 1), expected);
    assert!([0, 2, 3].iter().all(|&node| commands(&reference, node, node).is_empty()));
}

#[test]
fn the_announcement_follows_the_priority_of_the_head() {
    let mut flows = vec![once(0, 3, 40, 0), in_bursts(with_priority(once(1, 2, 8, 0), 3), 5)];
    flows.push(with_priority(once(1, 2, 8, 0), 2));
    let reference = simulate(&ring(4, 1, quiet(true), flows), 300);
    let announced: Vec<Command> = commands(&reference, 1, 1).into_iter().map(|(_, command)| command).collect();
    assert_eq!(announced, [Some(3), Some(2), None].map(Command::StopThru));
}

#[test]
fn lower_priorities_do_not_pass_a_node_that_has_announced_one() {
    // Node 1 has two long packets; the second one has to wait for what node 0 has sent meanwhile.
    let while_announced = |flow: FlowSpec| {
        let own = in_bursts(with_priority(once(1, 2, 40, 100), 5), 2);
        let reference = simulate(&ring(4, 1, quiet(true), vec![flow, own]), 1_000);
        let [(from, Command::StopThru(Some(5))), (to, Command::StopThru(None))] = commands(&reference, 0, 1)[..] else {
            panic!("{:?}", commands(&reference, 0, 1));
        };
        // What has been decided before is sent.
        let starts = starts(&reference, 0);
        assert!(starts.iter().any(|&start| start > to + 50), "it goes on afterwards");
        starts.into_iter().filter(|start| (from + 1..to).contains(start)).count()
    };
    let periodic = |destination| flow(0, destination, 20, ArrivalSpec::Periodic { period: 30.0, phase: 0.0 });
    assert_eq!(while_announced(periodic(2)), 0, "passes node 1");
    assert_eq!(while_announced(with_priority(periodic(2), 4)), 0);
    assert!(while_announced(with_priority(periodic(2), 5)) > 0, "of the priority announced");
    assert!(while_announced(with_priority(periodic(3), 6)) > 0);
}

#[test]
fn packets_that_end_at_a_node_that_has_announced_a_priority_do_not_pass_it() {
    // Node 3's packets pass node 0 and fill node 1; node 0's end there.
    let flows = vec![
        flow(3, 2, 20, ArrivalSpec::Periodic { period: 22.0, phase: 0.0 }),
        in_bursts(with_priority(once(1, 2, 40, 100), 5), 2),
        flow(0, 1, 8, ArrivalSpec::Periodic { period: 10.0, phase: 0.0 }),
    ];
    let reference = simulate(&ring(4, 1, quiet(true), flows), 1_000);
    let during = |node| {
        let [(from, _), (to, _)] = commands(&reference, node, 1)[..] else { panic!("announced and lifted") };
        starts(&reference, node).into_iter().filter(|start| (from + 1..to).contains(start)).count()
    };
    assert_eq!(during(3), 0);
    assert!(during(0) > 0);
}

// --- STOP-TO ------------------------------------------------------------------------------------------------------

/// Two places at node 0, filled by node 3 in 2 and 11; then nodes 1 and 2 and later node 3 have packets for it.
fn figure_6() -> NetworkSpec {
    let full = FlowControlSpec::Dfc(DfcSpec { high_water: 2, ..DFC });
    let flows = vec![
        in_bursts(once(3, 0, 8, 0), 2),
        with_priority(once(1, 0, 8, 13), 10),
        with_priority(once(2, 0, 8, 14), 5),
        with_priority(once(3, 0, 8, 100), 15),
    ];
    with_input_queues(ring(4, 1, full, flows), 2, 200)
}

#[test]
fn a_full_node_grants_each_place_to_the_highest_priority() {
    let reference = simulate(&figure_6(), 2_000);
    // Services end at 210, 410, 610, 810 and 1010; each symbol is out in the cycle after.
    let expected = [
        (12, stop_to(Class::Request, 0, false)),
        (211, stop_to(Class::Request, 1, true)),
        (411, stop_to(Class::Request, 3, true)),
        (611, stop_to(Class::Request, 2, true)),
        (811, stop_to(Class::Request, 2, false)),
        (1011, Command::Release(Class::Request)),
    ];
    let obtained: Vec<(usize, Command)> = commands(&reference, 0, 0)
        .into_iter()
        .map(|(cycle, command)| match command {
            Command::StopTo(stop) => (cycle, Command::StopTo(StopTo { held_since: None, ..stop })),
            other => (cycle, other),
        })
        .collect();
    assert_eq!(obtained, expected);
    let order: Vec<usize> = reference.deliveries().iter().map(|delivery| delivery.flow).collect();
    assert_eq!(order, [0, 0, 1, 3, 2]);
    assert_eq!(reference.node(0).refused_packets, 0);
}

#[test]
fn what_waits_for_a_node_full_of_lower_priorities_is_inverted_until_it_takes_the_grant() {
    let reference = simulate(&figure_6(), 2_000);
    // INIT comes back in 20 (node 3 sends up to 17) with node 1's packet, which takes the grant in 212.
    let inversion = reference.flow(1).input_inversion;
    assert_eq!((inversion.packets, inversion.cycles), (1, 212 - 20));
    assert_eq!(reference.flow(2).input_inversion.packets, 0, "never the one collected while lower ones are there");
}

#[test]
fn a_blocked_node_refuses_next_to_nothing() {
    let full = FlowControlSpec::Dfc(DfcSpec { high_water: 4, ..DFC });
    let flows = vec![saturated(1, 0, 8), saturated(2, 0, 8), saturated(3, 0, 8)];
    let spec = with_input_queues(ring(4, 1, full, flows), 4, 30);
    let reference = simulate(&spec, 20_000);
    let refused: u64 = reference.nodes().iter().map(|node| node.refused_packets).sum();
    let accepted = reference.deliveries().len() as u64;
    let without = simulate(&NetworkSpec { flow_control: NONE.into(), ..spec }, 20_000);
    let refused_without: u64 = without.nodes().iter().map(|node| node.refused_packets).sum();
    assert!(accepted > 500 && refused < accepted / 4, "{refused} refused, {accepted} accepted");
    assert!(refused_without > 2 * accepted, "{refused_without} refused without STOP-TO");
}

#[test]
fn what_comes_back_from_before_the_last_release_is_forgotten() {
    // Out in 1, in at 21 over a long link, served at 39; the next one in at 95, served at 113. INIT of 22 collects node
    // 1's packet in 42 and is back in 102, when there is a place for it; node 1 has sent it since the RELEASE of 40.
    let flows = vec![once(3, 0, 8, 0), once(3, 0, 8, 74), once(1, 0, 8, 42)];
    let reference = simulate(&with_input_queues(ring(4, 20, ON, flows), 2, 10), 118);
    let (init, release) = (stop_to(Class::Request, 0, false), Command::Release(Class::Request));
    assert_eq!(commands(&reference, 0, 0), [(22, init), (40, release), (96, init), (114, release)]);
}

/// Packets that nodes 1, 2 and 3, which always have some for node 0, bring to it.
fn shares(fair: bool) -> Vec<u64> {
    let blocked = FlowControlSpec::Dfc(DfcSpec { fair, high_water: 2, low_water: 0, ..DFC });
    let flows = vec![saturated(1, 0, 8), saturated(2, 0, 8), saturated(3, 0, 8)];
    let reference = simulate(&with_input_queues(ring(4, 1, blocked, flows), 2, 100), 20_000);
    reference.flows().iter().map(|flow| flow.latencies.count).collect()
}

#[test]
fn equal_priorities_are_granted_in_turn() {
    let shares = shares(true);
    let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
    assert!(*least > 50 && most - least <= 3, "{shares:?}");
}

#[test]
fn without_turns_the_nodes_behind_the_full_one_have_all_the_grants() {
    // When node 1 takes a grant it has nothing else to show, so that node 2 is next.
    let shares = shares(false);
    assert!(shares[0] > 90 && shares[1] > 90 && shares[2] < 10, "{shares:?}");
}

#[test]
fn requests_and_responses_are_stopped_apart() {
    // Node 0 is full of requests for ever; node 1 owes it a response and has a request for it.
    let flows = vec![once(2, 0, 8, 0), with_response(once(0, 1, 8, 50), 8), once(1, 0, 8, 40)];
    let mut spec = with_input_queues(ring(4, 1, ON, flows), 1, 400);
    spec.queues.receive.common.service_cycles = 400;
    let reference = simulate(&spec, 600);
    // The request: out 51, complete at 60, served at 460.
    let sent: Vec<(usize, Class)> =
        sends(&reference, 1).iter().map(|(cycle, symbol)| (*cycle, reference.packet(*symbol).class)).collect();
    // Behind node 1's own RELEASE.
    assert_eq!(sent.last(), Some(&(463, Class::Response)));
}
