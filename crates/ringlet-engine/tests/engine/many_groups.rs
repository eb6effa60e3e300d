//! More transmission groups than an idle's state has bits: up to 256 (picker1994, Section 3.2: ideally as many as pairs
//! of sources and destinations).

use proptest::prelude::*;
use ringlet_engine::Simulation;
use ringlet_engine::protocols::{FlowControlSpec, grouped::GroupedSpec};
use ringlet_engine::spec::{GroupSpec, NetworkSpec};

use crate::against_reference::{compare, steps};
use crate::protocol;
use crate::random;
use crate::rings::{enhanced, in_group, ring, saturated, uniform};

/// A group for each ordered pair of 16 nodes, which all send to all others.
fn a_group_for_each_pair() -> NetworkSpec {
    let nodes = 16;
    let flows = (0..nodes).map(|source| {
        let pair = |destination: u32| (source * (nodes - 1) + destination - u32::from(destination > source)) as u8;
        let groups = (0..nodes).map(|destination| if destination == source { 0 } else { pair(destination) }).collect();
        let mut flow = uniform(saturated(source, (source + 1) % nodes, 40));
        flow.groups = GroupSpec::ByDestination { groups };
        flow
    });
    ring(nodes, 3, enhanced(240), flows.collect())
}

#[test]
fn a_group_for_each_pair_of_16_nodes_equals_the_reference() {
    compare(&a_group_for_each_pair(), &[6_000, 2_000]).expect("equal");
}

#[test]
fn a_ring_drops_the_sets_that_no_idle_has() {
    let mut simulation = Simulation::new(&a_group_for_each_pair()).expect("a valid spec");
    assert_eq!(simulation.advance(200_000), None);
    let bytes = simulation.save().len();
    // Some 80,000 packets have passed, and changed what idles have.
    assert!(bytes < 0x10000, "{bytes} bytes");
}

proptest! {
    #![proptest_config(crate::cases(40))]

    /// The numbers of groups mean nothing, and go bits of groups in which no node sends hold back none.
    #[test]
    fn groups_of_high_numbers_are_as_those_of_low_ones(
        nodes in 2..9u32,
        hop_delay in 1..5u32,
        first in 0..=248u8,
        ways in prop::collection::vec((0..9u32, 1..9u32, 0..8u8, 8..60u32), 1..10),
        cycles in 1..20_000u64,
    ) {
        let found = |groups: u16, first: u8| {
            let flows = ways.iter().map(|&(source, way, group, symbols)| {
                let (source, way) = (source % nodes, 1 + way % (nodes - 1));
                in_group(saturated(source, (source + way) % nodes, symbols), first + group)
            });
            let spec = ring(nodes, hop_delay, enhanced(groups), flows.collect());
            let mut simulation = Simulation::new(&spec).expect("a valid spec");
            assert_eq!(simulation.advance(cycles), None);
            simulation.flow_counters().into_iter().map(|flow| flow.delivered_packets).collect::<Vec<_>>()
        };
        prop_assert_eq!(found(8, 0), found(256, first));
    }

    /// A node that sends nothing of its own answers in the group that the spec gives it in that cycle.
    #[test]
    fn nodes_without_flows_answer_in_their_groups(
        mut spec in random::network_with(&["grouped"]),
        drawn in prop::collection::vec((any::<u8>(), 1..2_000u64, any::<u8>()), 1..20),
        steps in steps(),
    ) {
        let FlowControlSpec::Grouped(GroupedSpec { groups, .. }) = protocol(&spec) else {
            unreachable!("it is grouped")
        };
        let in_range = |group: u8| (u16::from(group) % groups) as u8;
        let schedule = |&(first, from, then): &(u8, u64, u8)| GroupSpec::Schedule {
            steps: vec![(0, in_range(first)), (from, in_range(then))],
        };
        spec.response_groups = Some(drawn.iter().cycle().map(schedule).take(spec.nodes as usize).collect());
        spec.flows.retain(|flow| flow.source % 2 == 0);
        compare(&spec, &steps)?;
    }
}
