//! Properties of the timed token (docs/explanation/access-protocols.md, "timed-token"), to the symbol.

use crate::random;
use crate::rings::*;
use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::protocols::timed_token::TimedTokenSpec;
use ringlet_engine::record::{Recorder, RunKind};
use ringlet_engine::spec::NetworkSpec;

/// Two priorities; every node has the same share.
fn timed(target_cycles: u64, share: u64) -> TimedTokenSpec {
    TimedTokenSpec { target_cycles, synchronous_symbols: vec![share], threshold_cycles: vec![0], token_symbols: 2 }
}

fn of(spec: &NetworkSpec) -> TimedTokenSpec {
    let FlowControlSpec::TimedToken(options) = crate::protocol(spec) else { panic!("{spec:?} has no timed token") };
    options
}

/// The cycles in which the token comes to each node; to node 0 in cycle 0.
fn arrivals(spec: &NetworkSpec, cycles: u64) -> Vec<Vec<u64>> {
    let recorder = Recorder::new(0, cycles);
    let mut engine = Simulation::observed(spec, recorder.clone()).expect("a valid spec");
    assert_eq!(engine.advance(cycles), None);
    let mut found = vec![Vec::new(); spec.nodes as usize];
    found[0].push(0);
    for run in recorder.finish().runs.iter().filter(|run| run.kind == RunKind::Control) {
        let hop = spec.hop_delay.each.as_ref().map_or(spec.hop_delay.common, |each| each[run.node as usize]);
        found[((run.node + 1) % spec.nodes) as usize].push(run.cycle + u64::from(hop));
    }
    found
}

/// The longest time that so many rotations have taken at any node.
fn longest(arrivals: &[Vec<u64>], rotations: usize) -> u64 {
    let of_node = |cycles: &Vec<u64>| cycles.windows(rotations + 1).map(|few| few[rotations] - few[0]).max();
    arrivals.iter().filter_map(of_node).max().unwrap_or(0)
}

proptest! {
    #![proptest_config(crate::cases(60))]

    /// Of one rotation: less than twice the target. Of many: their mean is no more than the target.
    #[test]
    fn rotations_in_a_row_take_less_than_the_target_for_each_and_one_more(
        spec in random::network_with(&["timed_token"]),
    ) {
        let target = of(&spec).target_cycles;
        let arrivals = arrivals(&spec, 6_000);
        for rotations in 1..arrivals[0].len() {
            let most = (rotations as u64 + 1) * target - 1;
            let found = longest(&arrivals, rotations);
            prop_assert!(found <= most, "{rotations} rotations take {found} cycles, with a target of {target}");
        }
    }

    #[test]
    fn a_node_sends_no_more_than_its_share_of_synchronous_packets_with_a_token(
        share in 0..130u64, sizes in prop::collection::vec(8..60u32, 1..4),
    ) {
        // Node 1 has nothing else to send.
        let sent = |symbols| with_priority(saturated(1, 2, symbols), 1);
        let flows = sizes.iter().map(|&symbols| sent(symbols)).chain([saturated(0, 2, 40)]).collect();
        let spec = ring(3, 5, FlowControlSpec::TimedToken(timed(1_000, share)), flows);
        let reference = simulate(&spec, 8_000);
        let arrivals = arrivals(&spec, 8_000);
        let is_synchronous = |symbols: u32| u64::from(symbols) < share;
        for (&from, &to) in arrivals[1].iter().zip(&arrivals[1][1..]) {
            let packets = sends(&reference, 1).into_iter().filter(|(cycle, _)| (from..to).contains(&(*cycle as u64)));
            let lengths: Vec<u32> = packets.map(|(_, symbol)| symbol.length).collect();
            let counted = lengths.iter().filter(|length| is_synchronous(**length));
            let used: u64 = counted.map(|length| u64::from(*length) + 1).sum();
            prop_assert!(used <= share, "{lengths:?} with a share of {share}");
        }
    }
}

#[test]
fn an_empty_rotation_takes_a_cycle_and_a_hop_for_each_node() {
    let spec = ring(4, 5, FlowControlSpec::TimedToken(timed(200, 0)), vec![]);
    assert_eq!(longest(&arrivals(&spec, 2_000), 1), 4 * (5 + 1));
}

/// Sevcik and Johnson's worst case: an early token finds asynchronous packets that use up all of its time, and then
/// every node has synchronous ones.
#[test]
fn a_rotation_may_take_nearly_twice_the_target() {
    let (nodes, hop, share, packet) = (4, 2, 82, 41);
    let empty = u64::from(nodes * (hop + 1));
    // One cycle more than shares, an empty rotation and the longest packet need.
    let target = u64::from(nodes) * share + empty + packet + 1;
    // In cycle 501 the token is at node 3.
    let asynchronous = in_bursts(once(3, 1, 40, 500), 40);
    let synchronous = (0..nodes).map(|node| in_bursts(with_priority(once(node, (node + 2) % nodes, 40, 500), 1), 40));
    let flows = synchronous.chain([asynchronous]).collect();
    let spec = ring(nodes, hop, FlowControlSpec::TimedToken(timed(target, share)), flows);
    let found = longest(&arrivals(&spec, 6_000), 1);
    // The tenth asynchronous packet begins in the last cycle of the holding time.
    assert_eq!((target - empty, found), (9 * packet + 1, 10 * packet + u64::from(nodes) * share + empty));
    assert_eq!(2 * target - found, empty + 2);
}

/// The share is used up after one packet: the asynchronous one goes with the same token.
#[test]
fn a_synchronous_packet_without_share_does_not_hold_back_asynchronous_ones() {
    let flows = vec![in_bursts(with_priority(once(1, 2, 40, 100), 1), 3), in_bursts(once(1, 2, 20, 100), 2)];
    let spec = ring(3, 4, FlowControlSpec::TimedToken(timed(1_000, 41)), flows);
    assert_eq!(flows_sent(&simulate(&spec, 2_000), 1), [0, 1, 1, 0, 0]);
}

/// A priority needs more time left than the one above it.
#[test]
fn thresholds_stop_lower_priorities_first() {
    let options = TimedTokenSpec { threshold_cycles: vec![150, 0], ..timed(300, 0) };
    // An empty rotation takes 15 cycles, so the token is 285 early: 41 are used for each packet.
    let flows = vec![in_bursts(once(1, 2, 40, 100), 9), in_bursts(with_priority(once(1, 2, 40, 100), 1), 9)];
    let spec = ring(3, 4, FlowControlSpec::TimedToken(options), flows.clone());
    assert_eq!(flows_sent(&simulate(&spec, 420), 1), [1; 7]);
    let low = ring(3, 4, crate::protocol(&spec), vec![flows[0].clone()]);
    // Four leave 121, which is not enough.
    assert_eq!(flows_sent(&simulate(&low, 300), 1), [0; 4]);
}

/// A packet that no share of its node has room for is asynchronous.
#[test]
fn a_packet_longer_than_the_share_needs_an_early_token() {
    let flows = vec![in_bursts(with_priority(once(1, 2, 60, 100), 1), 9)];
    let spec = ring(3, 4, FlowControlSpec::TimedToken(timed(300, 60)), flows);
    // 285 cycles are left, of which each takes 61.
    assert_eq!(flows_sent(&simulate(&spec, 425), 1), [0; 5]);
}

#[test]
fn shares_that_the_target_does_not_hold_are_refused() {
    let at = |target, shares: Vec<u64>| {
        let options = TimedTokenSpec { synchronous_symbols: shares, ..timed(target, 0) };
        ring(4, 2, FlowControlSpec::TimedToken(options), vec![saturated(0, 1, 40)]).validate()
    };
    // Shares, an empty rotation of 12 cycles, the packet and its idle.
    assert_eq!(at(4 * 82 + 12 + 41, vec![82]), Ok(()));
    assert_eq!(at(82 + 12 + 41, vec![0, 82, 0, 0]), Ok(()));
    let said = |target, shares| at(target, shares).expect_err("it is too short").to_string();
    assert!(said(4 * 82 + 12 + 40, vec![82]).contains("flows[0].sizes"));
    assert!(said(4 * 82 + 12, vec![82]).starts_with("flow_control.target_cycles: 340"));
    assert!(said(1_000, vec![82, 82]).starts_with("flow_control.synchronous_symbols: 2 values"));
    assert!(said(1_000, vec![u64::MAX]).starts_with("flow_control.target_cycles: 1000"));
}
