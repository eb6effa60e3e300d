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
        most_saved: if permit == Permit::Own && groups_in_use(spec) > 1 { 3 } else { 1 },
        extension,
        release,
    };
    Transmitter::States(Box::new(States::new(spec, go_bits, index)))
}

/// Groups that the flows name.
fn groups_in_use(spec: &NetworkSpec) -> usize {
    let named = spec.flows.iter().flat_map(|flow| match &flow.groups {
        GroupSpec::Fixed { group } => vec![*group],
        GroupSpec::ByDestination { groups } => groups.clone(),
        GroupSpec::Schedule { steps } => steps.iter().map(|(_, group)| *group).collect(),
    });
    named.collect::<BTreeSet<u8>>().len()
}

pub(crate) fn any(_: Frame) -> Option<BoxedStrategy<GroupedSpec>> {
    let groups = prop_oneof![2 => 1..=16u16, 1 => 17..=32u16, 3 => 33..=MAX_GROUPS];
    let parts = (select(vec![Permit::Own, Permit::Any]), random::extension(), random::release(), groups);
    let any = parts.prop_map(|(permit, extension, release, groups)| GroupedSpec { permit, extension, release, groups });
    Some(any.boxed())
}
