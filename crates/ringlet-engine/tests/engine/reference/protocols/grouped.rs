//! Transmission groups: a go bit for each.

use proptest::prelude::*;
use ringlet_engine::protocols::grouped::{GroupedSpec, MAX_GROUPS};
use ringlet_engine::spec::NetworkSpec;

use crate::random::{self, Frame};
use crate::reference::go::Go;
use crate::reference::node::Transmitter;
use crate::reference::states::{GoBits, States};

pub(crate) fn transmitter(spec: &NetworkSpec, options: GroupedSpec, index: u32) -> Transmitter {
    let GroupedSpec { extension, release, groups } = options;
    let all = Go::of(0..groups.into());
    let go_bits = GoBits { never_blocked: false, priorities: false, reserve: 0, all, extension, release };
    Transmitter::States(Box::new(States::new(spec, go_bits, index)))
}

pub(crate) fn any(_: Frame) -> Option<BoxedStrategy<GroupedSpec>> {
    let groups = prop_oneof![2 => 1..=16u16, 1 => 17..=32u16, 3 => 33..=MAX_GROUPS];
    let parts = (random::extension(), random::release(), groups);
    let any = parts.prop_map(|(extension, release, groups)| GroupedSpec { extension, release, groups });
    Some(any.boxed())
}
