//! SCI's bandwidth reserve: what the low class gets, and what it costs ("A reserve for the low class" in
//! docs/explanation/model.md).

use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::protocols::FlowControlSpec;
use ringlet_engine::protocols::sci::SciSpec;
use ringlet_engine::spec::{FlowSpec, Forwarding, NetworkSpec, RetryBy};

use crate::passing_packets::in_network;
use crate::rings::{ring, saturated, with_priority, with_queues};

const HIGH: u8 = 3;

/// A reserve of so many thousandths.
fn reserve(permille: u16) -> FlowControlSpec {
    FlowControlSpec::Sci(SciSpec { priorities: 4, reserve_permille: permille, ..SciSpec::EXAMPLE })
}

fn prioritised(nodes: u32, hop_delay: u32, permille: u16, flows: Vec<FlowSpec>) -> NetworkSpec {
    with_queues(ring(nodes, hop_delay, reserve(permille), flows), |queues| queues.priorities = 4)
}

/// Share of a link's symbols that the packets of each flow take, with the idles behind them, in so many cycles.
fn shares(spec: &NetworkSpec, cycles: u64) -> Vec<f64> {
    let mut simulation = Simulation::new(spec).expect("a valid spec");
    assert_eq!(simulation.advance(cycles), None);
    simulation.reset_measurement();
    assert_eq!(simulation.advance(cycles), None);
    let lengths = spec.flows.iter().map(|flow| f64::from(flow.sizes[0].0 + 1));
    let sent = simulation.flow_counters().into_iter().map(|flow| flow.sent_packets as f64).collect::<Vec<_>>();
    sent.into_iter().zip(lengths).map(|(sent, length)| sent * length / cycles as f64).collect()
}

/// Node 1 fills the link of node 2, behind which a packet of low priority waits.
fn one_below_another(nodes: u32, hop_delay: u32, permille: u16) -> NetworkSpec {
    let flows = vec![with_priority(saturated(1, 3, 40), HIGH), saturated(2, 3, 40)];
    prioritised(nodes, hop_delay, permille, flows)
}

#[test]
fn without_a_reserve_the_high_class_starves_the_low_one() {
    let shares = shares(&one_below_another(8, 3, 0), 50_000);
    assert!(shares[1] < 0.01, "{shares:?}");
}

#[test]
fn with_a_reserve_the_low_class_gets_its_share_and_the_high_one_the_rest() {
    for (hop_delay, permille) in [(1, 100), (3, 100), (3, 250), (20, 100), (3, 20)] {
        let shares = shares(&one_below_another(8, hop_delay, permille), 100_000);
        let share = f64::from(permille) / 1000.0;
        assert!((shares[1] - share).abs() < 0.1 * share, "hop delay {hop_delay}, {permille}: {shares:?}");
        assert!(shares[0] > 0.95 * (1.0 - share), "hop delay {hop_delay}, {permille}: {shares:?}");
    }
}

/// Packets of 40 symbols and their idles on 8 nodes with a hop delay of 20.
const ONCE_A_REVOLUTION: f64 = 41.0 / (8.0 * 20.0);

#[test]
fn on_a_long_ring_two_senders_of_one_class_send_once_a_revolution_and_a_high_one_above_a_low_one_always() {
    for (high, share) in [(0, ONCE_A_REVOLUTION), (HIGH, 0.98)] {
        let flows = vec![with_priority(saturated(1, 3, 40), high), saturated(2, 3, 40)];
        let found = shares(&prioritised(8, 20, 0, flows), 100_000);
        let other = if high == 0 { share } else { 0.0 };
        assert!((found[0] - share).abs() < 0.02 && (found[1] - other).abs() < 0.02, "{high}: {found:?}");
    }
}

/// What node 0 allocates at most is as long as the longest packet, also where the ring is one of a network.
#[test]
fn a_ring_of_a_network_reserves_as_much_for_long_packets_as_one_alone() {
    let flows = || vec![with_priority(saturated(1, 3, 437), HIGH), saturated(2, 3, 437), saturated(3, 0, 8)];
    let alone = prioritised(4, 3, 328, flows());
    let only = in_network(alone.clone(), (Forwarding::CutThrough, 0), RetryBy::Requester);
    assert_eq!(shares(&alone, 50_000), shares(&only, 50_000));
}

#[test]
fn nodes_of_the_low_class_divide_the_reserve_among_them() {
    let mut flows = vec![with_priority(saturated(1, 6, 40), HIGH)];
    flows.extend([2, 3, 4].map(|node| saturated(node, 6, 40)));
    let shares = shares(&prioritised(8, 3, 150, flows), 200_000);
    let low = &shares[1..];
    assert!((low.iter().sum::<f64>() - 0.15).abs() < 0.01, "{shares:?}");
    assert!(low.iter().all(|share| *share > 0.5 * 0.05), "{shares:?}");
}

#[test]
fn two_nodes_of_the_high_class_leave_the_reserve_to_the_nodes_below_both() {
    let high = [1, 2].map(|node| with_priority(saturated(node, 5, 40), HIGH));
    let flows = [&high[..], &[saturated(3, 5, 40)]].concat();
    let shares = shares(&prioritised(8, 3, 100, flows), 200_000);
    assert!((shares[2] - 0.1).abs() < 0.02, "{shares:?}");
    assert!(shares[0] + shares[1] > 0.8, "{shares:?}");
}

proptest! {
    #![proptest_config(crate::cases(30))]

    #[test]
    fn where_all_packets_have_the_lowest_priority_a_reserve_changes_nothing(
        hop_delay in 1..6u32,
        permille in 1..=500u16,
        ways in prop::collection::vec((0..5u32, 1..5u32), 1..6),
    ) {
        let flows = |()| ways.iter().map(|&(source, way)| saturated(source, (source + way) % 5, 40)).collect();
        let of = |permille| shares(&prioritised(5, hop_delay, permille, flows(())), 5_000);
        let [with, without] = [permille, 0].map(of);
        prop_assert_eq!(with, without);
    }
}
