//! Transmission groups: a go bit for each.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::select;
use ringlet_engine::protocols::grouped::{GroupedSpec, MAX_GROUPS, Permit};
use ringlet_engine::spec::{GroupSpec, NetworkSpec};

use crate::random::{self, Frame};
use crate::reference::go::Go;
use crate::reference::node::Transmitter;
use crate::reference::states::{GoBits, States};

pub(crate) fn transmitter(spec: &NetworkSpec, options: GroupedSpec, index: u32) -> Transmitter {
    let GroupedSpec { permit, extension, release, groups } = options;
    let go_bits = GoBits {
        never_blocked: false,
        priorities: false,
        reserve: 0,
        all: Go::of(0..groups.into()),
        permit,
        // One group is SCI, which merges (protocols.md).
        most_saved: if permit == Permit::Own && groups > 1 && names_several_groups(spec) { 3 } else { 1 },
        extension,
        release,
    };
    Transmitter::States(Box::new(States::new(spec, go_bits, index)))
}

/// Several groups may be on the ring: its flows name them, or it is one of a network's.
fn names_several_groups(spec: &NetworkSpec) -> bool {
    let each = spec.flows.iter().map(|flow| &flow.groups).chain(spec.response_groups.iter().flatten());
    let named = each.flat_map(|groups| match groups {
        GroupSpec::Fixed { group } => vec![*group],
        GroupSpec::ByDestination { groups } => groups.clone(),
        GroupSpec::Schedule { steps } => steps.iter().map(|(_, group)| *group).collect(),
    });
    spec.network.is_some() || named.collect::<BTreeSet<u8>>().len() > 1
}

pub(crate) fn any(_: Frame) -> Option<BoxedStrategy<GroupedSpec>> {
    let groups = prop_oneof![2 => 1..=16u16, 1 => 17..=32u16, 3 => 33..=MAX_GROUPS];
    let parts = (select(vec![Permit::Own, Permit::Any]), random::extension(), random::release(), groups);
    let any = parts.prop_map(|(permit, extension, release, groups)| GroupedSpec { permit, extension, release, groups });
    Some(any.boxed())
}
